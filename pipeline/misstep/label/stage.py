"""A stage of labelling: a named frame, and how it is made of others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import polars as pl


def made(frame: pl.LazyFrame) -> pl.LazyFrame:
    """Return the frame, computed: what a plan uses several times it would plan, or even make, as often."""
    return frame.collect().lazy()


class Stage(NamedTuple):
    """A named frame and the function that makes it of others."""

    name: str
    function: Callable[..., pl.LazyFrame]
    inputs: tuple[str, ...]

    def run(self, frames: Mapping[str, pl.LazyFrame]) -> pl.LazyFrame:
        """Return the frame, made of those that the stage names."""
        return self.function(*(frames[name] for name in self.inputs))
