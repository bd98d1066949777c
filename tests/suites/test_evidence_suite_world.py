"""The simulated world executes reads and actions, and refuses what does not fit."""

import copy
import json
from typing import Any

import pytest

from misstep.suites.evidence.versions import shown_version
from suites.evidence_house import cases, domain, world

OFF = {"boiler_id": "BO-7", "version": shown_version("boiler:BO-7", 4)}


def test_a_read_by_id_shows_the_fields_that_are_there() -> None:
    shown = world("silent").act("owners.get", {"owner_id": "OW-7"})
    assert shown == {"ok": True, "id": "OW-7", "name": "Bea"}


def test_a_find_lists_what_fits_or_nothing() -> None:
    house = world()
    assert house.act("permits.of_boiler", {"boiler_id": "BO-7"}) == {"ok": True, "found": []}
    made = house.act("permits.ask", {"boiler_id": "BO-7", "kind": "drain"})
    assert house.act("permits.of_boiler", {"boiler_id": "bo-7"})["found"] == [{"id": made["id"]}]


def test_an_action_changes_its_record_and_counts_its_version() -> None:
    house = world()
    result = house.act("boilers.off", {**OFF, "note": "for today"})
    assert result["ok"] is True and result["version"] == OFF["version"] + 1
    assert house.records["boiler:BO-7"]["state"] == "off"
    assert house.records["boiler:BO-7"]["version"] == result["version"]


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("boilers.get", {"boiler_id": "BO-99"}, "not_found"),
        ("boilers.get", {}, "invalid_argument"),
        ("boilers.get", {"boiler_id": "BO-7", "deep": True}, "invalid_argument"),
        ("boilers.burn", {}, "unknown_tool"),
        ("boilers.off", {**OFF, "version": OFF["version"] - 1}, "version_conflict"),
        ("boilers.off", {**OFF, "version": str(OFF["version"])}, "invalid_argument"),
        ("boilers.off", {**OFF, "boiler_id": "BO-99"}, "not_found"),
        ("permits.ask", {"boiler_id": "BO-7", "kind": "paint"}, "invalid_argument"),
        ("boilers.drain", {**OFF, "code": "pc_12345678"}, "invalid_reference"),
    ],
)
def test_what_does_not_fit_is_rejected_and_changes_nothing(tool: str, arguments: dict[str, Any], code: str) -> None:
    house = world()
    before = copy.deepcopy(house.records)
    result = house.act(tool, arguments)
    assert result["ok"] is False and result["error"]["code"] == code
    assert house.records == before


def test_a_wrong_state_is_rejected() -> None:
    house = world()
    first = house.act("boilers.off", OFF)
    again = house.act("boilers.off", {**OFF, "version": first["version"]})
    assert again["error"]["code"] == "wrong_state"


def test_codes_are_accepted_from_the_tool_that_gave_them() -> None:
    house = world()
    permit = house.act("permits.ask", {"boiler_id": "BO-7", "kind": "drain"})
    assert house.act("boilers.drain", {**OFF, "code": permit["receipt"]})["error"]["code"] == "invalid_reference"
    assert house.act("boilers.drain", {**OFF, "code": permit["code"]})["ok"] is True


def test_receipts_are_new_each_time_and_the_same_in_the_same_run() -> None:
    ask = {"boiler_id": "BO-7", "kind": "drain"}
    runs = [world(name, seed) for name, seed in (("one", 0), ("one", 0), ("one", 1), ("high", 0))]
    first, second, seeded, other = (house.act("permits.ask", ask) for house in runs)
    assert first == second
    codes = [one[name] for one in (first, seeded, other) for name in ("receipt", "id", "code")]
    codes.append(runs[0].act("permits.ask", ask)["receipt"])
    assert len(set(codes)) == len(codes)
    shown = json.dumps([domain().model_dump(), [case.records for case in cases().values()]])
    assert not any(code in shown for code in codes)


def test_the_caller_gets_copies() -> None:
    house = world()
    house.act("boilers.get", {"boiler_id": "BO-7"})["state"] = "lost"
    assert house.records["boiler:BO-7"]["state"] == "on"
