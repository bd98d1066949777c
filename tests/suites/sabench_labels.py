"""Scripted episodes of sabench through the pipeline: their tables, labels and replayed states."""

import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from misstep.contracts.tables import SPECS, TRACES
from misstep.contracts.values import parse
from misstep.ingest.run import ingest
from misstep.label import label
from misstep.label.stages import all_stages
from misstep.specs.load import load_suite
from misstep.storage.parquet import scan
from misstep.suites.build import write_lines
from misstep.suites.played import Played
from misstep.suites.sabench.sources import Sources
from misstep.suites.world import State
from suites.sabench_world import SABENCH

Frames = dict[str, pl.DataFrame]


def labelled(sources: Sources, played: Sequence[Played]) -> dict[tuple[str, str, int], dict[str, Any]]:
    """Return the labels that the pipeline gives, by task, model and replicate."""
    return rows(tables(sources, played))


def tables(sources: Sources, played: Sequence[Played], edit: tuple[str, str] = ("", "")) -> Frames:
    """Return the tables of episodes, read from their traces in the suite as it is built, and their labels.

    `edit` replaces a text of the tools file by another.
    """
    with tempfile.TemporaryDirectory() as name:
        folder, out = Path(name) / "suite", Path(name) / "out"
        folder.mkdir()
        shutil.copy(SABENCH / "suite.yaml", folder)
        written = (SABENCH / "tools.yaml").read_text(encoding="utf-8")
        assert edit[0] in written
        (folder / "tools.yaml").write_text(written.replace(*edit) if edit[0] else written, encoding="utf-8")
        tasks = {one.instance.task.task_id: one.instance.written for one in played}
        write_lines(folder / "tasks.jsonl", tasks.values())
        for state, records in sources.states.items():
            lines = [{"entity": entity, "fields": fields} for entity, fields in records.items()]
            write_lines(folder / "states" / f"{state}.jsonl", lines)
        write_lines(folder / "traces" / "all.jsonl", [one.record for one in played])
        ingest([folder / "traces"], load_suite(folder), out)
        frames = {name: scan(out, name) for name in TRACES}
        frames |= {f"spec/{name}": scan(out, f"spec/{name}") for name in SPECS}
        made = {name: frame.collect() for name, frame in label(frames).items()}
        return made | {name: frame.collect() for name, frame in frames.items()}


def rows(frames: Frames) -> dict[tuple[str, str, int], dict[str, Any]]:
    """Return what is known of each episode by task, model and replicate.

    `pattern` lists those of violations that follow no other write, `failed` counts calls.
    """
    key = ("episode", "step", "position", "item")
    violations = (
        frames["write_labels"]
        .filter(pl.col("violation"))
        .join(frames["writes"].select(*key, "follows"), on=key)
        .filter(pl.col("follows").is_null())
        .group_by("episode")
        .agg(pl.col("pattern").cast(pl.String).sort())
    )
    failed = frames["calls"].group_by("episode").agg((pl.col("outcome") != "applied").sum().alias("failed"))
    joined = frames["episodes"].join(frames["episode_labels"], on="episode")
    for more in (violations, failed):
        joined = joined.join(more, on="episode", how="left")
    known = joined.with_columns(pl.col("failed").fill_null(0))
    return {(row["task_id"], row["model"], row["replicate"]): row for row in known.iter_rows(named=True)}


def staged(frames: Frames) -> Frames:
    """Return what the stages of labelling leave behind, with the replayed state among it."""
    known = {name: frame.lazy() for name, frame in frames.items()}
    made: Frames = {}
    for stage in all_stages("test", asked=False):
        made[stage.name] = stage.run(known).collect()
        known[stage.name] = made[stage.name].lazy()
    return made


def final_states(stages: Frames, initial: Callable[[str], State]) -> dict[str, State]:
    """Return the state at the end of each episode with a write, as the stages of labelling replay it.

    Args:
        stages: what the stages left behind.
        initial: episode → a copy of its state before the first turn.
    """
    named = {
        row["deed"]: (row["episode"], f"{row['entity_type']}:{row['entity_id']}")
        for row in stages["deeds"].iter_rows(named=True)
    }
    states: dict[str, State] = {}
    gone = []
    for row in stages["ends"].iter_rows(named=True):
        episode, entity = named[row["entity"]]
        if episode not in states:
            states[episode] = initial(episode)
        state = states[episode]
        value = parse(row["key"] if row["value"] is None else row["value"])
        if row["field"] != "@exists":
            state.setdefault(entity, {})[row["field"]] = value
        elif value is False:
            gone.append((state, entity))
        else:
            state.setdefault(entity, {})
    for row in stages["end_members"].iter_rows(named=True):
        episode, entity = named[row["entity"]]
        fields = states[episode][entity]
        assert row["last"] is True
        fields[row["field"]] = [*fields[row["field"]], parse(row["member"])]
    for state, entity in gone:
        state.pop(entity, None)
    return states


def plain(state: State) -> State:
    """Return a state in which the members of lists have neither order nor case."""
    return {
        entity: {
            name: sorted({one.lower() for one in value}) if isinstance(value, list) else value
            for name, value in fields.items()
        }
        for entity, fields in state.items()
    }


def unlike(one: State, other: State) -> list[str]:
    """Return the entities that two states do not have alike; members of lists have neither order nor case."""
    apart = [entity for entity in one.keys() | other.keys() if one.get(entity) != other.get(entity)]
    mine, others = (plain({entity: state.get(entity, {}) for entity in apart}) for state in (one, other))
    return sorted(entity for entity in apart if mine[entity] != others[entity])
