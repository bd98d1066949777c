"""What the tools file makes of recorded calls is what the simulated office, written apart from it, did."""

import copy
import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from misstep.contracts.tables import SPECS, TRACES
from misstep.ingest.run import ingest
from misstep.label.stages import all_stages
from misstep.specs.load import load_suite
from misstep.specs.tools_file import load_tools
from misstep.storage.parquet import scan
from misstep.suites.sabench.api import Api
from misstep.suites.sabench.desk import API
from misstep.suites.sabench.office import Office
from misstep.suites.sabench.protocol import run
from misstep.suites.sabench.records import faults
from misstep.suites.turns import Exchange, ToolCall, Turn
from misstep.suites.world import Record, State
from oracle.agreement import differences
from suites.sabench_calls import EVERY_TOOL, TURNS
from suites.sabench_labels import final_states, plain
from suites.sabench_world import ANN, ANNE, HOME, SABENCH, STATE, changed, office

Frames = dict[str, pl.DataFrame]
Call = tuple[str, int, int]
KIND = {name: tool.kind for name, tool in load_tools(SABENCH / "tools.yaml", "sabench").file.tools.items()}


@dataclass
class Done:
    """A call as the office saw it: entities that it changed, and whom it reached by changed entity."""

    outcome: str
    changed: set[str]
    reached: dict[str, list[str]]


@dataclass
class Watched(Api):
    """The tools of the office, with what each call did."""

    done: list[Done] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.tools = API.tools

    def act(self, office: Office, name: str, arguments: Mapping[str, Any]) -> Record:
        before, told = copy.deepcopy(office.records), len(office.delivered)
        result = super().act(office, name, arguments)
        reached = {entity: sorted(one.lower() for one in people) for entity, people in office.delivered[told:]}
        outcome = "applied" if "error" not in result else "failed" if name in self.tools else "rejected"
        self.done.append(Done(outcome, set(changed(before, office.records)), reached))
        return result


@dataclass
class Acted:
    """An episode that was acted out: its record, what the office holds at its end, and what each call did."""

    record: Record
    final: State
    done: list[Done]


def acted(turns: Sequence[Turn], replicate: int) -> Acted:
    def agent(briefing: Any, past: Sequence[Exchange]) -> Turn:
        return turns[len(past)] if len(past) < len(turns) else Turn("Done.")

    api = Watched()
    identity = {"suite": "sabench", "task_id": "any", "model": "random", "replicate": replicate}
    episode = run(agent, office(), api, "Do something.", identity)
    return Acted(episode.record, episode.final, api.done)


def labelled(
    episodes: Sequence[Acted], folder: Path, edit: tuple[str, str] = ("", ""), goal: Sequence[Record] = ()
) -> Frames:
    """Return the tables of the episodes, read back from their traces, with every stage of labelling.

    `edit` replaces a text of the tools file by another; `goal` is what the task wants.
    """
    suite = folder / "suite"
    (suite / "states").mkdir(parents=True)
    shutil.copy(SABENCH / "suite.yaml", suite)
    tools = (SABENCH / "tools.yaml").read_text(encoding="utf-8")
    assert edit[0] in tools
    (suite / "tools.yaml").write_text(tools.replace(*edit) if edit[0] else tools, encoding="utf-8")
    lines = [json.dumps({"entity": entity, "fields": fields}) for entity, fields in STATE.items()]
    (suite / "states" / "small.jsonl").write_text("\n".join(lines))
    task: Record = {"task_id": "any", "template_id": "any", "instruction": "Do something.", "state": "small"}
    task |= {"goal": list(goal)} if goal else {}
    (suite / "tasks.jsonl").write_text(json.dumps(task))
    (folder / "traces.jsonl").write_text("\n".join(json.dumps(episode.record) for episode in episodes))
    ingest([folder / "traces.jsonl"], load_suite(suite), folder / "out", workers=1)
    frames = {name: scan(folder / "out", name) for name in TRACES}
    frames |= {f"spec/{name}": scan(folder / "out", f"spec/{name}") for name in SPECS}
    for stage in all_stages("test", asked=False):
        frames[stage.name] = stage.run(frames).collect().lazy()
    return {name: frame.collect() for name, frame in frames.items()}


def by_replicate(frames: Frames) -> dict[str, int]:
    return dict(frames["episodes"].select("episode", "replicate").iter_rows())


def judged(frames: Frames) -> dict[Call, list[dict[str, Any]]]:
    """Return the labelled writes by call."""
    key = ["episode", "step", "position", "item"]
    own = ["entity_type", "entity_id", "recipients", "external", "outcome"]
    labels = frames["write_labels"].select(*key, "effective", "noop", "prior_unknown")
    found: dict[Call, list[dict[str, Any]]] = {}
    for row in frames["writes"].select(*key, *own).join(labels, on=key, how="left").sort(key).iter_rows(named=True):
        entity = f"{row['entity_type']}:{row['entity_id']}"
        found.setdefault((row["episode"], row["step"], row["position"]), []).append({**row, "entity": entity})
    return found


def disagreements(episodes: Sequence[Acted], frames: Frames) -> list[str]:
    """Return where the labels of episodes are not what the office did, in words."""
    found = []
    replicates, finals, writes = (
        by_replicate(frames),
        final_states(frames, lambda _: copy.deepcopy(STATE)),
        judged(frames),
    )
    net = dict(frames["episode_labels"].select("episode", "net_changed").iter_rows())
    assert len(replicates) == len(episodes)
    for episode, replicate in replicates.items():
        acted = episodes[replicate]
        found += [f"{replicate}: {fault}" for fault in faults(acted.final)]
        if plain(finals.get(episode, STATE)) != plain(acted.final):
            found.append(f"{replicate}: final state {changed(plain(acted.final), plain(finals.get(episode, STATE)))}")
        if net[episode] != (plain(acted.final) != plain(STATE)):
            found.append(f"{replicate}: net_changed is {net[episode]}")
        calls = frames["calls"].filter(pl.col("episode") == episode).sort("step", "position")
        for row, done in zip(calls.iter_rows(named=True), acted.done, strict=True):
            where = f"{replicate}: {row['tool']} {row['requested_arguments']}"
            if row["outcome"] != done.outcome:
                found.append(f"{where}: outcome {row['outcome']}, not {done.outcome}")
            rows = writes.get((episode, row["step"], row["position"]), [])
            found += [f"{where}: {wrong}" for wrong in wrong_writes(rows, done)]
    return found


def wrong_writes(rows: list[dict[str, Any]], done: Done) -> list[str]:
    took = [row for row in rows if row["effective"]]
    found = []
    if len(took) != len({row["entity"] for row in took}):
        found.append("two effective writes on one entity")
    if {row["entity"] for row in took} != done.changed:
        found.append(f"effective on {sorted(row['entity'] for row in took)}, changed {sorted(done.changed)}")
    if any(row["effective"] is None or row["prior_unknown"] for row in rows):
        found.append("something is unknown")
    if any(row["noop"] == row["effective"] for row in rows if row["outcome"] == "applied" and row["effective"]):
        found.append("effective and a no-op")
    reached = {row["entity"]: row["recipients"] for row in took if row["recipients"]}
    if reached != done.reached:
        found.append(f"reaches {reached}, reached {done.reached}")
    for row in took:
        outside = any(not one.endswith("@" + HOME) for one in done.reached.get(row["entity"], []))
        if row["external"] != outside:
            found.append(f"external is {row['external']}")
    return found


def judge(batch: Sequence[Sequence[Turn]], edit: tuple[str, str] = ("", "")) -> tuple[list[str], Frames]:
    """Return where the labels of episodes are not what the office did, and the tables."""
    episodes = [acted(turns, replicate) for replicate, turns in enumerate(batch)]
    with tempfile.TemporaryDirectory() as folder:
        frames = labelled(episodes, Path(folder), edit)
    return disagreements(episodes, frames), frames


#: The calls of `EVERY_TOOL` in episodes as long as the protocol has them; each starts from the small office.
LONG = [EVERY_TOOL[:12], EVERY_TOOL[12:25], EVERY_TOOL[25:]]


@pytest.mark.slow
@settings(
    max_examples=25,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)
@given(batch=st.lists(TURNS, min_size=12, max_size=20))
def test_labels_of_random_calls_are_what_the_office_did(batch: list[list[Turn]]) -> None:
    assert judge(batch)[0] == []


def test_every_tool_works_and_is_read_as_it_works() -> None:
    wrong, frames = judge(LONG)
    assert wrong == []
    assert differences({name: frames[name] for name in (*TRACES, *(f"spec/{name}" for name in SPECS))}) == []
    worked = frames["calls"].filter(pl.col("outcome") == "applied")
    assert set(worked["tool"]) == set(API.tools)
    assert [row["tool"] for row in frames["calls"].iter_rows(named=True) if row["outcome"] != "applied"] == [
        "mail.unsend"
    ]
    labels = frames["write_labels"].join(frames["writes"], on=["episode", "step", "position", "item"])
    assert set(labels.filter("effective")["tool"]) == {tool for tool in API.tools if KIND[tool] != "read"}
    assert set(labels.filter("noop")["tool"]) == {"mail.label", "calendar.update", "calendar.respond", "tickets.update"}
    assert frames["problems"].filter(pl.col("severity") == "problem")["code"].to_list() == ["unknown-tool"]


def test_whether_a_message_was_answered_or_passed_on_is_known_whatever_else_was_sent(tmp_path: Path) -> None:
    letter = ToolCall("mail.send", {"to": [ANN], "subject": "Beams", "body": "Two."})
    other = ToolCall("mail.reply_all", {"email_id": "em_4", "body": "Fine."})
    passed = ToolCall("mail.forward", {"email_id": "em_3", "to": [ANNE]})
    answer = ToolCall("mail.reply", {"email_id": "em_3", "body": "Yes."})
    batch = [[letter], [passed], [other, letter], [letter, answer], [answer, passed, other], []]
    episodes = [acted([Turn("", tuple(calls))] if calls else [], number) for number, calls in enumerate(batch)]
    for field_, reached in (("in_reply_to", {3, 4}), ("forward_of", {1, 4})):
        goal = {"where": {"type": "email", field_: "em_3", "folder": "sent"}, "exists": True}
        frames = labelled(episodes, tmp_path / field_, goal=[goal])
        replicates = by_replicate(frames)
        goals = frames["episode_labels"].select("episode", "goal").iter_rows()
        assert {replicates[episode]: holds for episode, holds in goals} == {
            number: number in reached for number in range(len(batch))
        }


@pytest.mark.parametrize(
    "edit",
    [
        ("set: {folder: archive}", "set: {folder: attic}"),
        ("set: {read: true}", "set: {read: false}"),
        ("cc: {path: arguments.cc, default: []}", "cc: arguments.cc"),
        ("recipients: [arguments.to, arguments.cc, arguments.bcc]", "recipients: [arguments.to, arguments.bcc]"),
        ("home_domains: [tarnbrook.example]", "home_domains: [oldmill.example]"),
        ("own_addresses: [dana.whitlock@tarnbrook.example]", "own_addresses: []"),
        ("set: {labels: result.labels}", "add: {labels: arguments.add}"),
        ("delete: true", "set: {folder: bin}"),
        ("add: {attendees: result.invited}", "add: {attendees: arguments.event_id}"),
        ("      - {for_each: result.cancelled, action: cancel", "      - {for_each: result.none, action: cancel"),
        ("sequence: result.series.sequence", "sequence: 1"),
        ("resolution: result.resolution ", "reason: result.reason "),
        ('failed_when: {result.error.status: "."}', 'failed_when: {result.error.status: "^CONFLICT"}'),
    ],
)
def test_a_wrong_line_of_the_tools_file_is_found(edit: tuple[str, str]) -> None:
    failing = Turn("", (ToolCall("mail.archive", {"email_id": "em_0"}),))
    assert judge([*LONG, [failing]], edit)[0] != []
