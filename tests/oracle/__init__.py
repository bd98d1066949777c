"""The slow, obvious reference oracle: every definition of metrics.md §1 as plain loops over one episode's rows."""
