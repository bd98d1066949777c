"""Tables on disk: read lazily, written atomically, compared by digest."""
