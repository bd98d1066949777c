"""Audit files: what people say of labels, beside what the labels say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from misstep.contracts.audit import Judgement
from misstep.contracts.errors import SpecificationError
from misstep.contracts.study import Study
from misstep.contracts.tables.labels import EpisodeLabels, WriteLabels
from misstep.report.cells import Line, read_lines, validated
from misstep.specs.written import WrittenFault, raise_faults

_COLUMNS = tuple(Judgement.model_fields)
_NEEDED = ("task_id", "label", "judgement")
_OF_RUN = ("model", "harness", "condition", "replicate", "run")
_RUN = ("suite", *_OF_RUN)
_SCHEMA = {"label": pl.String, "of": pl.String, "found": pl.Boolean, "judged": pl.Boolean}
#: Label of an episode → that of a write which it stands for where a step is given.
_OF_WRITES = {"cd": "violation"}


class Audited(NamedTuple):
    """A row of an audit file."""

    line: Line
    judgement: Judgement


def read_audit(path: Path) -> list[Audited]:
    """Return the judgements of an audit file.

    Raises:
        SpecificationError: the file is wrong; all faults of it, with file, line and field.
    """
    lines = read_lines(path, _NEEDED, _COLUMNS)
    judgements = validated(lines, Judgement, _COLUMNS)
    told = [Audited(line, judgement) for line, judgement in zip(lines, judgements, strict=True)]
    raise_faults([fault for row in told for fault in _label_faults(row)])
    return told


def _label_faults(row: Audited) -> list[WrittenFault]:
    label, step = row.judgement.label, row.judgement.step
    if step is None and row.judgement.position is not None:
        return [WrittenFault(row.line.at("position"), "a position needs its step")]
    known = [name for name, column in _contract(step).columns().items() if type(column).__name__ == "Bool"]
    known += _OF_WRITES if step is not None else ()
    if label not in known:
        return [WrittenFault(row.line.at("label"), f"there is no such label; there are {', '.join(known)}")]
    return []


def _contract(step: int | None) -> type[EpisodeLabels] | type[WriteLabels]:
    return EpisodeLabels if step is None else WriteLabels


def judged(rows: Sequence[Audited], study: Study, tables: Mapping[str, pl.LazyFrame]) -> pl.DataFrame:
    """Return the judgements beside the labels: the items that `audits` takes.

    Raises:
        SpecificationError: a task, episode or write is not there, or several fit; all faults, with file and line.
    """
    episodes = tables["episodes"].select("episode", "task_id", *_RUN).collect()
    labels = {row["episode"]: row for row in tables["episode_labels"].collect().to_dicts()}
    tasks = tables["spec/tasks"].select("suite", "task_id", "ambiguous").collect()
    items: list[dict[str, Any]] = []
    faults = []
    for line, judgement in rows:
        try:
            if judgement.label == "ambiguous" and judgement.step is None:
                of, found = "task", _one(tasks, judgement, line, ("suite",), "task")["ambiguous"]
                if any(getattr(judgement, column) is not None for column in _OF_RUN):
                    _fitting(episodes, judgement, line, _RUN, "episode")
            else:
                asked = judgement
                if study.conditions is not None and judgement.condition is None:
                    asked = judgement.model_copy(update={"condition": study.conditions.baseline})
                episode = _one(episodes, asked, line, _RUN, "episode")["episode"]
                if judgement.step is None:
                    of, found = "episode", labels[episode][judgement.label]
                else:
                    of, found = "write", _of_call(tables, episode, judgement, line)
        except SpecificationError as error:
            faults.append(WrittenFault(error.place or line.place, error.message))
            continue
        items.append({"label": judgement.label, "of": of, "found": found, "judged": judgement.judgement})
    raise_faults(faults)
    return pl.DataFrame(items, schema=_SCHEMA)


def _one(frame: pl.DataFrame, judgement: Judgement, line: Line, columns: Sequence[str], what: str) -> Mapping[str, Any]:
    """Return the only row that a judgement is about."""
    fits = _fitting(frame, judgement, line, columns, what)
    if fits.height > 1:
        apart = [column for column in columns if fits[column].n_unique() > 1]
        raise SpecificationError(f"{fits.height} {what}s fit; say {' and '.join(apart)} too", line.at(apart[0]))
    return fits.row(0, named=True)


def _fitting(frame: pl.DataFrame, judgement: Judgement, line: Line, columns: Sequence[str], what: str) -> pl.DataFrame:
    """Return the rows that a judgement may be about; there are some."""
    fits = frame.filter(pl.col("task_id") == judgement.task_id)
    if fits.is_empty():
        raise SpecificationError(f"there is no {what} of this task", line.at("task_id"))
    for column in columns:
        value = getattr(judgement, column)
        if value is None:
            continue
        there = fits[column].unique().sort().to_list()
        none = value == "(none)" and column == "condition"
        fits = fits.filter(pl.col(column).is_null() if none else pl.col(column) == value)
        if fits.is_empty():
            having = ", ".join(str(one) for one in there)
            raise SpecificationError(f"{value!r} has no {what} of this task; there are {having}", line.at(column))
    return fits


def _of_call(tables: Mapping[str, pl.LazyFrame], episode: str, judgement: Judgement, line: Line) -> bool | None:
    """Return the label of the writes of a call: true where some write has it, else unknown where some may."""
    label = pl.col(_OF_WRITES.get(judgement.label, judgement.label))
    at = {"episode": episode, "step": judgement.step, "position": judgement.position or 0}
    writes = tables["write_labels"].filter(judged=True, **at)
    found = writes.select(pl.len(), label.any(ignore_nulls=False).alias("label")).collect().row(0, named=True)
    if not found["len"]:
        raise SpecificationError(
            f"the call at step {at['step']}, position {at['position']} wrote nothing", line.at("step")
        )
    value: bool | None = found["label"]
    return value
