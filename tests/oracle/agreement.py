"""Do the stages of `misstep.label` say what the oracle says; where not, the smallest episode that shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from misstep.contracts.tables import LABELS
from oracle.case import Row
from oracle.evidence_episode import COLUMNS
from oracle.judge import Judged
from oracle.tables import judge_cases

Tables = Mapping[str, pl.DataFrame]
Stages = Callable[[Tables], dict[str, list[Row]]]

#: Columns that are not compared as they stand: versions, and texts that several rules may give.
APART = {"label_version", "unknown_reason", "authorized_by", "allowed", "evidence_reason"}
#: Tables compared by key → what to call a row, from its key.
KEYED = {
    "write_labels": ("write", ("step", "position", "item")),
    "action_labels": ("attempt", ("step", "position")),
    "requirement_labels": ("evidence", ("attempt", "kind", "action", "requirement")),
}
#: An episode or write whose labels are null has a reason; one that has none of these null has none.
WHY_WRITE = ("effective", "violation")
WHY_EPISODE = ("goal", "cd")
EPISODE, UNNAMED = "episode", "unknown"
OF_EVIDENCE = {"protocol", "scored", "ruled", "rule_par", "evidence_reason", *COLUMNS}
#: Tables whose rows without a task hold for every task.
OF_RULES = ("spec/requirements", "spec/conditions")
TRACE_TABLES = ("episodes", "messages", "calls", "writes")
#: Tables of what is there once → the column of `calls` that names it.
ONCE = {"observations": "observation_id", "arguments": "arguments_id", "results": "result_id"}


@dataclass(frozen=True)
class Difference:
    """A label on which stages and oracle differ; `what` is the row: an episode, write, attempt or requirement."""

    episode: str
    what: str
    column: str
    stages: Any
    oracle: Any

    def __str__(self) -> str:
        return f"{self.what}: {self.column}: stages say {self.stages!r}, the oracle says {self.oracle!r}"


def run_stages(tables: Tables) -> dict[str, list[Row]]:
    """Return the rows that `misstep.label.label` gives, checked against their contracts."""
    from misstep.label import label

    made = label({name: frame.lazy() for name, frame in tables.items()})
    return {name: list(schema.validate(made[name].collect(), cast=True).to_dicts()) for name, schema in LABELS.items()}


def differences(tables: Tables, stages: Stages = run_stages) -> list[Difference]:
    """Return every label on which the stages differ from the oracle."""
    labels, judged = stages(tables), judge_cases(tables)
    found = list(_compare("write_labels", labels, [row for one in judged.values() for row in one.writes]))
    found += _compare("action_labels", labels, [row for one in judged.values() for row in one.actions])
    found += _compare("requirement_labels", labels, [row for one in judged.values() for row in one.requirements])
    found += _invalid_names(tables, labels["write_labels"], judged)
    mine = {row["episode"]: row for row in labels["episode_labels"]}
    for name in sorted(set(mine) ^ set(judged)):
        found.append(Difference(name, EPISODE, "(row)", name in mine, name in judged))
    for name in sorted(set(mine) & set(judged)):
        wanted = judged[name].episode
        for column, value in wanted.items():
            if column not in APART and mine[name][column] != value:
                found.append(Difference(name, EPISODE, column, mine[name][column], value))
        found += _reasons(name, EPISODE, mine[name], _damage(wanted), WHY_EPISODE)
        given, why = mine[name]["evidence_reason"], wanted["evidence_reason"]
        if (given is None) != (why is None) or (why != UNNAMED and given != why):
            found.append(Difference(name, EPISODE, "evidence_reason", given, why))
    return found


def _compare(table: str, labels: Mapping[str, list[Row]], wanted: list[Row]) -> Iterator[Difference]:
    """Yield the rows of a table that only one side has, and the labels on which the sides differ."""
    word, key = KEYED[table]
    mine, theirs = (
        {(row["episode"], *(row[column] for column in key)): row for row in rows} for rows in (labels[table], wanted)
    )
    for one in sorted(set(mine) | set(theirs)):
        what = f"{word} " + ".".join(map(str, one[1:]))
        if one not in mine or one not in theirs:
            yield Difference(one[0], what, "(row)", one in mine, one in theirs)
            continue
        for column, value in theirs[one].items():
            if column not in APART and mine[one][column] != value and not _unnamed(table, column, theirs[one]):
                yield Difference(one[0], what, column, mine[one][column], value)
        if table == "write_labels":
            yield from _reasons(one[0], what, mine[one], theirs[one], WHY_WRITE)


def _unnamed(table: str, column: str, row: Row) -> bool:
    """Return whether a column may have any text: why something is unknown, or a read is missing."""
    named = row.get("kind") != "coverage" and row.get("status") in ("MISSING", "VIOLATED")
    return table == "requirement_labels" and column == "reason" and not named


def _damage(row: Row) -> Row:
    """Return the labels of an episode that are not of evidence."""
    return {column: value for column, value in row.items() if column not in OF_EVIDENCE}


def _place(row: Row) -> tuple[int, int, int]:
    return (row["step"], row["position"], row["item"])


def _reasons(episode: str, what: str, mine: Row, wanted: Row, needed: tuple[str, ...]) -> Iterator[Difference]:
    """Yield a difference where a needed label is null without a reason, or nothing is null and there is one."""
    given = mine["unknown_reason"]
    if given is None and any(wanted[column] is None for column in needed):
        yield Difference(episode, what, "unknown_reason", given, "(some reason)")
    nulls = [
        value for column, value in wanted.items() if column not in {"pattern", "allowed_by", "authorized_by", "ab"}
    ]
    if given is not None and None not in nulls:
        yield Difference(episode, what, "unknown_reason", given, None)


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
        what = "write " + ".".join(map(str, place))
        fitting = judged[name].names.get(place, set()) if name in judged else set()
        if given is None and row["authorized"] is True and row["effective"] is not False:
            yield Difference(name, what, "authorized_by", given, sorted(fitting))
        if given is not None and (row["authorized"] is not True or given not in fitting):
            yield Difference(name, what, "authorized_by", given, sorted(fitting) if row["authorized"] else None)
        if given is not None and row["effective"] is not False and (name, *place) not in follows:
            used[(name, given)] = used.get((name, given), 0) + 1
            if used[(name, given)] > limits.get((*tasks[name], given), 0):
                yield Difference(name, what, "authorized_by", given, "(used more often than max)")


def only(tables: Tables, episode: str) -> dict[str, pl.DataFrame]:
    """Return the tables of one episode and of its task."""
    return few(tables, [episode])


def few(tables: Tables, episodes: Sequence[str]) -> dict[str, pl.DataFrame]:
    """Return the tables of some episodes and of their tasks."""
    kept = dict(tables)
    for name in TRACE_TABLES:
        kept[name] = tables[name].filter(pl.col("episode").is_in(episodes))
    for name, column in ONCE.items():
        kept[name] = tables[name].join(kept["calls"], on=column, how="semi")
    task = kept["episodes"].select("suite", "task_id").unique()
    for name, frame in tables.items():
        if name.startswith("spec/"):
            keys = ["suite", "task_id"] if "task_id" in frame.columns else ["suite"]
            kept[name] = frame.join(task, on=keys, how="semi")
            if name in OF_RULES:
                rules = frame.filter(pl.col("task_id") == "").join(task, on="suite", how="semi")
                kept[name] = pl.concat([kept[name], rules])
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
