"""The slow, obvious reference oracle: metrics.md §1 and §2 as plain loops over the rows of one episode."""
