"""Labels to numbers: clusters, draws, intervals, contrasts and agreement, as pure functions of frames.

Everything is a sum over clusters. One weight matrix, drawn from one seed, serves every metric, group and
contrast, so whatever is compared was resampled together ([S], [E]; metrics.md §3).
"""
