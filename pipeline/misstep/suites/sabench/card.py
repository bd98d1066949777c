def card(sources): return ""
