"""Figures, tables, page and database of a study."""
