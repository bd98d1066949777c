"""Records of the simulated office that do not fit together are found."""

import copy
from typing import Any

import pytest

from misstep.suites.sabench.records import faults
from suites.sabench_world import ANN, STATE


def test_the_small_office_fits_together() -> None:
    assert faults(STATE) == []


@pytest.mark.parametrize(
    ("entity", "fields", "fault"),
    [
        ("email:em_1", {"colour": "red"}, "colour is not known"),
        ("email:em_1", {"thread": None}, "thread is missing"),
        ("email:em_2", {"in_reply_to": None}, "in_reply_to is missing"),
        ("email:em_2", {"forward_of": None}, "forward_of is missing"),
        ("event:ev_1", {"end": "2026-03-03T09:00"}, "it ends before it starts"),
        ("event:ev_1", {"series": "se_0"}, "there is no series se_0"),
        ("event:ev_11", {"organizer": ANN}, "its series has another organizer"),
        ("ticket:TK-2", {"parent": "TK-0"}, "there is no parent TK-0"),
        ("ticket:TK-4", {"status": "open"}, "it is open, with the resolution 'done'"),
        ("ticket:TK-7", {"status": "closed"}, "it is closed, with the resolution ''"),
        ("ticket:TK-7", {"links": ["blocks TK-2"]}, "TK-2 does not say 'blocked_by TK-7'"),
        ("ticket:TK-7", {"links": ["likes TK-2"]}, "there is no relation likes"),
        ("comment:co_1", {"ticket": "TK-0"}, "there is no ticket TK-0"),
    ],
)
def test_a_record_that_does_not_fit_is_found(entity: str, fields: dict[str, Any], fault: str) -> None:
    records = copy.deepcopy(STATE)
    for name, value in fields.items():
        if value is None:
            del records[entity][name]
        else:
            records[entity][name] = value
    assert faults(records) == [f"{entity}: {fault}"]


def test_a_record_of_no_type_is_found() -> None:
    assert faults({"order:1": {}}) == ["order:1: no such type"]
