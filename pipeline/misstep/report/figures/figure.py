"""What a figure is: a frame taken from the numbers, a chart of that frame, and its words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import altair as alt
import polars as pl

from misstep.report.figures.theme import Style
from misstep.report.numbers import Numbers


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure.

    Attributes:
        name: of its files and its place on the page.
        title: heading on the page.
        caption: what it shows and how to read it.
        absent: why there is none, where its frame has no row.
        frame: takes its rows from the numbers.
        chart: draws them; intervals come from the rows alone.
        wide: takes the whole width of the page.
        columns: of the frame, with their headings in the table of the figure (default: the rate).
    """

    name: str
    title: str
    caption: str
    absent: str
    frame: Callable[[Numbers], pl.DataFrame]
    chart: Callable[[pl.DataFrame, Style], alt.Chart]
    wide: bool = False
    columns: tuple[tuple[str, str], ...] = ()
