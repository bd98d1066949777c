"""Do the stages of `misstep.label` say what the oracle says; where not, the smallest episode that shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from misstep.contracts.tables import LABELS
from oracle.case import Row
from oracle.judge import Judged
from oracle.tables import judge_cases

Tables = Mapping[str, pl.DataFrame]
Stages = Callable[[Tables], dict[str, list[Row]]]

#: Columns that are not compared as they stand: versions, and texts that several rules may give.
APART = {"label_version", "unknown_reason", "authorized_by", "allowed"}
#: An episode or write whose labels are null has a reason; one that has none of these null has none.
WHY_WRITE = ("effective", "violation")
WHY_EPISODE = ("goal", "cd")
TRACE_TABLES = ("episodes", "messages", "calls", "writes")


@dataclass(frozen=True)
class Difference:
    """A label on which stages and oracle differ; `write` is None for episode labels."""

    episode: str
    write: tuple[int, int, int] | None
    column: str
    stages: Any
    oracle: Any

    def __str__(self) -> str:
        where = "episode" if self.write is None else "write " + ".".join(map(str, self.write))
        return f"{where}: {self.column}: stages say {self.stages!r}, the oracle says {self.oracle!r}"


def run_stages(tables: Tables) -> dict[str, list[Row]]:
    """Return the rows that `misstep.label.label` gives, checked against their contracts."""
    from misstep.label import label

    made = label({name: frame.lazy() for name, frame in tables.items()})
    return {name: list(schema.validate(made[name].collect(), cast=True).to_dicts()) for name, schema in LABELS.items()}


def differences(tables: Tables, stages: Stages = run_stages) -> list[Difference]:
    """Return every label on which the stages differ from the oracle."""
    labels, judged = stages(tables), judge_cases(tables)
    found = list(_compare_writes(labels["write_labels"], judged))
    found += _invalid_names(tables, labels["write_labels"], judged)
    mine = {row["episode"]: row for row in labels["episode_labels"]}
    for name in sorted(set(mine) ^ set(judged)):
        found.append(Difference(name, None, "(row)", name in mine, name in judged))
    for name in sorted(set(mine) & set(judged)):
        for column, wanted in judged[name].episode.items():
            if column not in APART and mine[name][column] != wanted:
                found.append(Difference(name, None, column, mine[name][column], wanted))
        found += _reasons(name, None, mine[name], judged[name].episode, WHY_EPISODE)
    return found


def _compare_writes(rows: list[Row], judged: Mapping[str, Judged]) -> Iterator[Difference]:
    mine = {(row["episode"], row["step"], row["position"], row["item"]): row for row in rows}
    theirs = {(name, *_place(row)): row for name, one in judged.items() for row in one.writes}
    for key in sorted(set(mine) | set(theirs)):
        name, write = key[0], (key[1], key[2], key[3])
        if key not in mine or key not in theirs:
            yield Difference(name, write, "(row)", key in mine, key in theirs)
            continue
        for column, wanted in theirs[key].items():
            if column not in APART and mine[key][column] != wanted:
                yield Difference(name, write, column, mine[key][column], wanted)
        yield from _reasons(name, write, mine[key], theirs[key], WHY_WRITE)


def _place(row: Row) -> tuple[int, int, int]:
    return (row["step"], row["position"], row["item"])


def _reasons(
    episode: str, write: tuple[int, int, int] | None, mine: Row, wanted: Row, needed: tuple[str, ...]
) -> Iterator[Difference]:
    """Yield a difference where a needed label is null without a reason, or nothing is null and there is one."""
    given = mine["unknown_reason"]
    if given is None and any(wanted[column] is None for column in needed):
        yield Difference(episode, write, "unknown_reason", given, "(some reason)")
    nulls = [
        value for column, value in wanted.items() if column not in {"pattern", "allowed_by", "authorized_by", "ab"}
    ]
    if given is not None and None not in nulls:
        yield Difference(episode, write, "unknown_reason", given, None)


def _invalid_names(tables: Tables, rows: list[Row], judged: Mapping[str, Judged]) -> Iterator[Difference]:
    """Yield writes whose `authorized_by` no assignment gives: a pattern that does not fit, or is used too often."""
    limits: dict[tuple[str, str, str], float] = {}
    for one in tables["spec/authorizations"].to_dicts():
        key = (one["suite"], one["task_id"], one["name"])
        limits[key] = limits.get(key, 0) + (float("inf") if one["max"] is None else one["max"])
    tasks = {row["episode"]: (row["suite"], row["task_id"]) for row in tables["episodes"].to_dicts()}
    follows = {(row["episode"], *_place(row)) for row in tables["writes"].to_dicts() if row["follows"] is not None}
    used: dict[tuple[str, str], int] = {}
    for row in sorted(rows, key=lambda one: (one["episode"], *_place(one))):
        name, place, given = row["episode"], _place(row), row["authorized_by"]
        fitting = judged[name].names.get(place, set()) if name in judged else set()
        if given is None and row["authorized"] is True and row["effective"] is not False:
            yield Difference(name, place, "authorized_by", given, sorted(fitting))
        if given is not None and (row["authorized"] is not True or given not in fitting):
            yield Difference(name, place, "authorized_by", given, sorted(fitting) if row["authorized"] else None)
        if given is not None and row["effective"] is not False and (name, *place) not in follows:
            used[(name, given)] = used.get((name, given), 0) + 1
            if used[(name, given)] > limits.get((*tasks[name], given), 0):
                yield Difference(name, place, "authorized_by", given, "(used more often than max)")


def only(tables: Tables, episode: str) -> dict[str, pl.DataFrame]:
    """Return the tables of one episode and of its task."""
    kept = dict(tables)
    for name in TRACE_TABLES:
        kept[name] = tables[name].filter(pl.col("episode") == episode)
    kept["observations"] = tables["observations"].join(kept["calls"], on="observation_id", how="semi")
    task = kept["episodes"].select("suite", "task_id")
    for name, frame in tables.items():
        if name.startswith("spec/"):
            keys = ["suite", "task_id"] if "task_id" in frame.columns else ["suite"]
            kept[name] = frame.join(task, on=keys, how="semi")
    states = kept["spec/tasks"].select("suite", "state")
    kept["spec/states"] = kept["spec/states"].join(states, on=["suite", "state"], how="semi")
    return kept


def smallest(tables: Tables, found: list[Difference], stages: Stages = run_stages) -> dict[str, pl.DataFrame]:
    """Return the tables of one disagreeing episode, less every row that the disagreement does not need."""
    heights = dict(tables["writes"]["episode"].value_counts().rows())
    name = min({one.episode for one in found}, key=lambda one: (heights.get(one, 0), one))
    column = min((one for one in found if one.episode == name), key=lambda one: one.column == "unknown_reason").column
    kept = only(tables, name)

    def still(candidate: Tables) -> bool:
        return any(one.column == column for one in differences(candidate, stages))

    if not still(kept):
        return dict(tables)
    changed = True
    while changed:
        changed = False
        for table in sorted(kept, key=lambda one: -kept[one].height):
            size = kept[table].height if table not in ("episodes", "spec/tasks") else 0
            while size:
                for start in reversed(range(0, kept[table].height, size)):
                    fewer = _without(kept, table, start, size)
                    if fewer[table].height < kept[table].height and still(fewer):
                        kept, changed = fewer, True
                size //= 2
    return kept


def _without(tables: Tables, name: str, start: int, size: int) -> dict[str, pl.DataFrame]:
    """Return the tables without some rows of one, and without the writes that follow what is left out."""
    frame = tables[name]
    kept = frame.slice(0, start).vstack(frame.slice(start + size))
    if name in ("writes", "spec/reference_writes"):
        places = {_place(row) for row in kept.to_dicts()}
        orphans = [
            row["follows"] is not None and (*_place(row)[:2], row["follows"]) not in places for row in kept.to_dicts()
        ]
        kept = kept.filter(~pl.Series(orphans, dtype=pl.Boolean))
    return {**tables, name: kept}


def explain(tables: Tables, stages: Stages = run_stages) -> str:
    """Return the rows of small tables and the labels on which stages and oracle differ, one a line."""
    lines = []
    for name, frame in tables.items():
        for row in frame.to_dicts():
            given = {
                column: value
                for column, value in row.items()
                if value is not None and value is not False and value != []
            }
            lines.append(f"{name}: {given}")
    return "\n".join([*lines, "", *map(str, differences(tables, stages))])


def disagreement(tables: Tables, stages: Stages = run_stages) -> str | None:
    """Return None where stages and oracle agree, else the smallest episode that shows a difference."""
    found = differences(tables, stages)
    if not found:
        return None
    share = (
        f"{len(found)} labels in {len({one.episode for one in found})} of {tables['episodes'].height} episodes differ"
    )
    columns = sorted({one.column for one in found})
    return f"{share} ({', '.join(columns)}); the smallest:\n{explain(smallest(tables, found, stages), stages)}"
