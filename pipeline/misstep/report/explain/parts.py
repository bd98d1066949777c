"""What explaining some episodes needs of all tables, read once however many they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from misstep.contracts.tables import ALL
from misstep.ingest.buffers import ONCE
from misstep.label import evidence_ledger
from misstep.report.database import nearest_rules, needs

Tables = Mapping[str, pl.LazyFrame]
Row = dict[str, Any]

_TASK = ("suite", "task_id")
#: Tables by what they belong to.
_OF_EPISODE = (
    "episodes", "messages", "calls", "writes", "write_labels", "requirement_labels", "action_labels", "episode_labels",
)  # fmt: skip
_OF_TASK = (
    "spec/tasks", "spec/strata", "spec/overrides", "spec/links", "spec/authorizations", "spec/goals",
    "spec/reference_writes", "spec/evidence", "spec/required_reads", "spec/read_facts", "spec/actions",
    "spec/dependencies", "spec/bindings",
)  # fmt: skip
#: Of a task, and of standing rules, which have none.
_OF_RULES = ("spec/requirements", "spec/conditions")
_OF_SUITE = ("spec/allowances", "spec/rules")
#: What is worked out of them.
NEAREST, NEEDS, LEDGER = "nearest_rules", "needs", "ledger"


@dataclass(frozen=True, slots=True)
class Parts:
    """The rows of all tables that some episodes need, and what is worked out of them, sorted by key."""

    frames: Mapping[str, pl.DataFrame]

    def of(self, episode: Row) -> dict[str, list[Row]]:
        """Return the rows of one of the episodes, its task and its suite, by table."""
        suite, task = pl.col("suite") == episode["suite"], pl.col("task_id") == episode["task_id"]
        mine = pl.col("episode") == episode["episode"]
        state = self.frames["spec/tasks"].filter(suite, task)["state"]
        chosen = {
            **dict.fromkeys((*_OF_EPISODE, NEAREST, LEDGER), mine),
            **dict.fromkeys(_OF_TASK, suite & task),
            **dict.fromkeys((*_OF_RULES, NEEDS), suite & (task | (pl.col("task_id") == ""))),
            **dict.fromkeys(_OF_SUITE, suite),
            "spec/states": suite & pl.col("state").is_in(state.implode()),
        }
        calls = self.frames["calls"].filter(mine)
        chosen |= {name: pl.col(key).is_in(calls[key].drop_nulls().implode()) for name, key in ONCE.items()}
        return {name: frame.filter(chosen[name]).to_dicts() for name, frame in self.frames.items()}


def parts(tables: Tables, episodes: Sequence[str]) -> Parts:
    """Return what the episodes need.

    Args:
        tables: traces, specification and labels by the names of `contracts.tables`.
        episodes: their keys.
    """
    part = {name: tables[name].filter(pl.col("episode").is_in(list(episodes))) for name in _OF_EPISODE}
    tasks = part["episodes"].select(_TASK).unique()
    suites = tasks.select("suite").unique()
    part |= {name: tables[name].join(tasks, on=_TASK, how="semi") for name in _OF_TASK}
    rules = pl.concat([tasks, suites.with_columns(pl.lit("").alias("task_id"))])
    part |= {name: tables[name].join(rules, on=_TASK, how="semi") for name in _OF_RULES}
    part |= {name: tables[name].join(suites, on="suite", how="semi") for name in _OF_SUITE}
    types = pl.concat([part[name].select("entity_type") for name in ("writes", "spec/goals", "spec/reference_writes")])
    part["spec/states"] = (
        tables["spec/states"]
        .join(part["spec/tasks"].select("suite", "state"), on=["suite", "state"], how="semi")
        .join(types, on="entity_type", how="semi")
    )
    part |= {
        name: tables[name].join(part["calls"].select(key).drop_nulls(), on=key, how="semi")
        for name, key in ONCE.items()
    }
    frames = {
        name: frame.sort(ALL[name].primary_key() or [])
        for name, frame in zip(part, pl.collect_all(list(part.values())), strict=True)
    }
    lazy = {name: frame.lazy() for name, frame in frames.items()}
    return Parts({**frames, NEAREST: nearest_rules(lazy), NEEDS: needs(lazy), LEDGER: _ledger(lazy)})


def _ledger(part: Tables) -> pl.DataFrame:
    """Return the ledger, without a row where neither a task nor a rule asks for evidence."""
    asking = pl.concat([part[name].select("suite") for name in ("spec/evidence", "spec/rules")]).collect()
    if asking.is_empty():
        return pl.DataFrame(schema={"episode": pl.String, "step": pl.Int64, "record": pl.Int64})
    return evidence_ledger(part).sort("episode", "step", "record", "field").collect()
