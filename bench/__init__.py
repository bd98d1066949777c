"""Measurements of speed and memory, as ratios to what another tool needs on the same machine."""
