"""Episodes acted out on purpose: for every way in which one can end, moves that lead there on any case."""
