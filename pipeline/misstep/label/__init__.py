"""What an agent did that it should not have done: label tables from the tables of traces and of the suite.

Pure functions of frames, one question a module, without reading or writing anything; unknown is a value throughout.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from misstep.label.stages import Stage, all_stages

#: Version of the definitions; it stands in every label and every estimate.
LABEL_VERSION = "1"
STAGES: list[Stage] = all_stages(LABEL_VERSION)

#: Tables by episode, of which a batch sees only the rows of its own episodes.
_BY_EPISODE = ("episodes", "messages", "calls", "writes")
#: Calls that one batch holds at most, on average: bounds the memory of labelling.
_BATCH = 250_000


def label(tables: Mapping[str, pl.LazyFrame], *, batches: int | None = None) -> dict[str, pl.LazyFrame]:
    """Return `write_labels` and `episode_labels` from the tables of traces and of the suite (`spec/…`).

    Rows may come in any order. Episodes are labelled in `batches` of similar size (default: by the number of calls), so
    that memory does not grow with the traces; the result does not depend on it.
    """
    count = batches or max(1, -(-_rows(tables["calls"]) // _BATCH))
    parts = list(_labelled(tables, count))
    return {
        name: pl.concat([part[name] for part in parts]).sort(key).lazy()
        for name, key in (("write_labels", ["episode", "step", "position", "item"]), ("episode_labels", ["episode"]))
    }


def _labelled(tables: Mapping[str, pl.LazyFrame], count: int) -> Iterator[dict[str, pl.DataFrame]]:
    for number in range(count):
        frames = dict(tables)
        if count > 1:
            mine = pl.col("episode").hash() % count == number
            frames |= {name: tables[name].filter(mine) for name in _BY_EPISODE}
        for stage in STAGES:
            frames[stage.name] = stage.run(frames).collect().lazy()
        yield {name: frames[name].collect() for name in ("write_labels", "episode_labels")}


def _rows(frame: pl.LazyFrame) -> int:
    return int(frame.select(pl.len()).collect().item())
