"""What an agent did that it should not have done: label tables from the tables of traces and of the suite.

Pure functions of frames, one question a module, without reading or writing anything; unknown is a value throughout.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from misstep.contracts.tables import ALL, LABELS
from misstep.label.evidence.known import recorded
from misstep.label.stage import made
from misstep.label.stages import all_stages

#: Version of the definitions; it stands in every label and every estimate.
LABEL_VERSION = "3"

#: Tables by episode, of which a batch sees only the rows of its own episodes.
_BY_EPISODE = ("episodes", "messages", "calls", "writes")
#: Calls that one batch holds at most, on average, without and with evidence: bounds the memory of labelling.
_BATCH, _BATCH_WITH_EVIDENCE = 250_000, 100_000


def label(tables: Mapping[str, pl.LazyFrame], *, batches: int | None = None) -> dict[str, pl.LazyFrame]:
    """Return the label tables from the tables of traces and of the suite (`spec/…`).

    Rows may come in any order. Episodes are labelled in `batches` of similar size (default: by the number of calls), so
    that memory does not grow with the traces; the result does not depend on it.
    """
    asked = any(_rows(tables[name].head(1)) for name in ("spec/evidence", "spec/rules"))
    count = batches or max(1, -(-_rows(tables["calls"]) // (_BATCH_WITH_EVIDENCE if asked else _BATCH)))
    parts = list(_labelled(tables, count, asked=asked))
    return {
        name: pl.concat([part.pop(name) for part in parts]).sort(schema.primary_key()).lazy()
        for name, schema in LABELS.items()
    }


def evidence_ledger(tables: Mapping[str, pl.LazyFrame]) -> pl.LazyFrame:
    """Return the Evidence Ledger of the episodes: what was established, when and by what, and since when it is stale.

    One row a (episode, record, field): step, position (null: the context), by, sure (false: perhaps), entity (type:id;
    null: none), field, value (null: not known), stale_from and doubt_from (the step from which it is stale, or may be;
    null: never).
    """
    return recorded(tables)


def _labelled(tables: Mapping[str, pl.LazyFrame], count: int, *, asked: bool) -> Iterator[dict[str, pl.DataFrame]]:
    for number in range(count):
        frames = dict(tables)
        if not asked:
            frames |= {name: _empty(name) for name in ("requirement_labels", "action_labels")}
        if count > 1:
            mine = pl.col("episode").hash() % count == number
            frames |= {name: tables[name].filter(mine) for name in _BY_EPISODE}
            frames["calls"] = made(frames["calls"])
            frames["observations"] = made(frames["observations"].join(frames["calls"], on="observation_id", how="semi"))
        stages = all_stages(LABEL_VERSION, asked=asked)
        last = {name: number for number, stage in enumerate(stages) for name in stage.inputs}
        for place, stage in enumerate(stages):
            frames[stage.name] = stage.run(frames).collect().lazy()
            for name in stage.inputs:  # what nothing takes any more would only fill memory
                if last[name] == place and name not in LABELS:
                    frames.pop(name, None)
        yield {name: frames[name].collect() for name in LABELS}


def _empty(name: str) -> pl.LazyFrame:
    return ALL[name].create_empty().lazy()


def _rows(frame: pl.LazyFrame) -> int:
    return int(frame.select(pl.len()).collect().item())
