"""Templates: what variables become, and what is said of a template that is not well formed."""

import random
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from misstep.contracts.errors import SpecificationError
from misstep.suites.filling import fill
from misstep.suites.instances import Sources, read_sources
from misstep.suites.scripts import Move, Stage
from misstep.suites.world import Desk, Refused, World

WORLD = {
    "seed": 1,
    "owner": "me@home.example",
    "system": "It is {today}.",
    "people": {"me": {"name": "Me", "email": "me@home.example", "company": "Home"}},
    "defaults": {"box": {"lid": "on"}},
    "states": {"day": {"today": "Monday", "days": ["2026-01-05"], "emails": 0, "events": 0, "tickets": 0}},
    "filler": {"slots": {}, "emails": [], "events": [], "tickets": []},
}


def template(**changes: Any) -> dict[str, Any]:
    variant = {"id": "a", "instruction": "Open {box}.", "with": {"box": "b1"}, "runs": {"x": ["do"]}}
    return {
        "template": "open-box",
        "about": "A box.",
        "strata": {},
        "state": "day",
        "records": {"box:{box}": {"colour": "red"}},
        "task": {"goal": [{"entity": "box:{box}", "field": "lid", "is": "off"}]},
        "variants": [variant],
        "scripts": {"do": {"moves": [{"say": "Done."}], "intends": {"goal": False}}},
    } | changes


def read(folder: Path, *templates: dict[str, Any]) -> Sources:
    (folder / "templates").mkdir()
    (folder / "world.yaml").write_text(yaml.safe_dump(WORLD))
    for number, written in enumerate(templates):
        (folder / "templates" / f"{number}.yaml").write_text(yaml.safe_dump(written))
    return read_sources(folder, "boxes")


def test_a_variable_alone_keeps_its_type_and_others_become_text() -> None:
    variables = {"who": {"mails": ["a@b.example"], "age": 7}}
    assert fill("{who.mails}", variables) == ["a@b.example"]
    assert fill({"{who.mails.0}": ["is {who.age}"]}, variables) == {"a@b.example": ["is 7"]}


def test_a_variant_becomes_a_task_and_its_records_stand_in_the_shared_state(tmp_path: Path) -> None:
    sources = read(tmp_path, template())
    (instance,) = sources.instances
    assert instance.written["task_id"] == "open-box-a"
    assert instance.task.instruction == "Open b1."
    assert sources.states["day"]["box:b1"] == {"lid": "on", "colour": "red"}


def test_overrides_change_the_state_of_their_task_alone(tmp_path: Path) -> None:
    plain = template()["variants"][0]
    changed = plain | {"id": "b", "with": {"box": "b2"}, "overrides": {"box:{box}": {"lid": "glued"}, "box:b1": None}}
    sources = read(tmp_path, template(variants=[plain, changed]))
    first, second = (sources.initial(instance.task) for instance in sources.instances)
    assert first["box:b2"]["lid"] == "on"
    assert second["box:b2"] == {"lid": "glued", "colour": "red"}
    assert "box:b1" in first and "box:b1" not in second


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"task": {"goal": [{"entity": "box:{lid}", "exists": True}]}}, "no variable is called lid"),
        ({"state": "night"}, "no state is called night"),
        ({"scripts": {"other": {"moves": [], "intends": {}}}}, "no script is called do"),
        ({"task": {"goal": [{"entity": "box:{box}", "field": "lid"}]}}, "exactly one of is, contains"),
        ({"task": {}, "colour": "red"}, "colour"),
        ({"scripts": {"do": {"moves": [{"say": "a", "user": "b"}], "intends": {}}}}, "one message or one call"),
    ],
)
def test_a_template_that_is_wrong_names_what_is_wrong(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(SpecificationError, match=message):
        read(tmp_path, template(**changes))


def test_templates_cannot_disagree_about_a_record(tmp_path: Path) -> None:
    other = template(template="paint-box", records={"box:{box}": {"colour": "blue"}})
    with pytest.raises(SpecificationError, match="box:b1 is in the state already"):
        read(tmp_path, template(), other)


def test_a_suite_without_templates_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SpecificationError, match="no templates"):
        read(tmp_path)


def lift(world: World, arguments: Any) -> Any:
    if arguments["box"] != "b1":
        raise Refused("there is no such box")
    return {"ok": True, "id": world.add("lid", "l", {})}


def play(*moves: dict[str, Any]) -> list[dict[str, Any]]:
    stage = Stage(World({}), Desk({"box.lift": lift}), {"box": "b1"}, random.Random(0))
    stage.play([Move.read(move) for move in moves])
    return stage.events


def test_moves_in_parallel_share_a_step_and_later_ones_see_results() -> None:
    events = play(
        {"box.lift": {"box": "{box}"}, "name": "lifted"},
        {"box.lift": {"box": "b2"}, "parallel": True},
        {"say": "Took {lifted.id}."},
    )
    assert [event["step"] for event in events] == [0, 0, 1]
    assert [event.get("result") for event in events[:2]] == [
        {"ok": True, "id": "l901"},
        {"ok": False, "error": "there is no such box"},
    ]
    assert events[2]["text"] == "Took l901."


def test_a_lost_result_was_still_an_act_and_a_busy_server_did_nothing() -> None:
    lost, busy, after = play(
        {"box.lift": {"box": "b1"}, "lost": True},
        {"box.lift": {"box": "b1"}, "busy": "later"},
        {"box.lift": {"box": "b1"}},
    )
    assert "result" not in lost
    assert busy["result"] == {"ok": False, "error": "later"}
    assert after["result"]["id"] == "l902"


def test_what_is_taken_out_of_the_record_is_not_in_it() -> None:
    (event,) = play({"box.lift": {"box": "{box}"}, "redact": ["box"]})
    assert event["arguments"] == {"box": "[redacted]"}
    assert event["result"]["ok"] is True


def test_a_move_of_two_calls_is_no_move() -> None:
    with pytest.raises((ValueError, ValidationError), match="one message or one call"):
        Move.read({"box.lift": {}, "box.drop": {}})
