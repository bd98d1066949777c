"""Readers of recorded traces and the rules that run while reading."""
