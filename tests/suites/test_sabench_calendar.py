"""The calendar of the simulated office: what its tools show and change, and what they refuse."""

from typing import Any

import pytest

from suites.sabench_world import ANN, ANNE, ME, MILL, RAJ, STATE, SUPPLIER, call, does, office, refused


def ids(shown: dict[str, Any]) -> list[str]:
    return [event["id"] for event in shown["events"]]


def test_events_are_listed_in_pages_without_the_cancelled_ones() -> None:
    world = office()
    span = {"after": "2026-03-05T00:00", "before": "2026-03-09T09:15", "limit": 2}
    first = call(world, "calendar.list", span)
    assert ids(first) == ["ev_3", "ev_5"] and first["total"] == 3
    assert ids(call(world, "calendar.list", {**span, "page_token": first["next_page_token"]})) == ["ev_6"]
    assert ids(call(world, "calendar.list", {**span, "include_cancelled": True})) == ["ev_3", "ev_4"]


def test_events_are_found_by_their_words_and_people() -> None:
    world = office()
    assert ids(call(world, "calendar.search", {"query": "stand-up"})) == ["ev_10", "ev_11", "ev_12"]
    assert ids(call(world, "calendar.search", {"query": "STAND oldmill"})) == ["ev_12"]
    assert ids(call(world, "calendar.search", {"query": "stand", "before": "2026-03-01T00:00"})) == ["ev_10"]


def test_an_occurrence_is_shown_with_its_series() -> None:
    shown = call(office(), "calendar.read", {"event_id": "ev_12"})
    assert shown["event"] == {"id": "ev_12", **STATE["event:ev_12"]}
    assert shown["series"] == {"id": "se_1", **STATE["series:se_1"]}
    assert [(one["id"], one["status"]) for one in shown["occurrences"]] == [
        ("ev_10", "confirmed"),
        ("ev_11", "confirmed"),
        ("ev_13", "cancelled"),
    ]
    assert set(call(office(), "calendar.read", {"event_id": "ev_1"})) == {"event"}


def test_a_new_event_invites_its_attendees() -> None:
    asked = {"title": "Talk", "start": "2026-03-12T10:00", "end": "2026-03-12T11:00", "attendees": [ME, MILL]}
    made, reached = does("calendar.create", asked)
    rest = {"location": "", "description": "", "organizer": ME, "status": "confirmed", "response": "accepted"}
    assert made == {"event:ev_901": {**asked, **rest, "series": ""}}
    assert reached == [("event:ev_901", (MILL,))]


def test_one_occurrence_is_changed_alone() -> None:
    made, reached = does("calendar.update", {"event_id": "ev_12", "title": "Short stand-up"})
    assert made == {"event:ev_12": {"title": "Short stand-up"}}
    assert reached == [("event:ev_12", (MILL, ANN))]


def test_an_event_that_stays_as_it_is_is_told_to_nobody() -> None:
    times = {"start": "2026-03-03T10:00", "end": "2026-03-03T12:00"}
    assert does("calendar.update", {"event_id": "ev_1", "title": "Site visit", **times}) == ({}, [])


def test_a_series_is_changed_with_the_occurrences_to_come() -> None:
    times = {"start": "2026-03-16T09:30", "end": "2026-03-16T10:00"}
    made, reached = does("calendar.update", {"event_id": "ev_12", "scope": "series", "location": "Yard", **times})
    assert made == {
        "series:se_1": {"location": "Yard", "start_time": "09:30", "end_time": "10:00", "sequence": 1},
        "event:ev_11": {"location": "Yard", "start": "2026-03-09T09:30", "end": "2026-03-09T10:00"},
        "event:ev_12": {"location": "Yard", "start": "2026-03-16T09:30"},
    }
    assert reached == [("series:se_1", (MILL, ANN, RAJ))]


def test_a_series_can_stay_as_it_is_while_an_occurrence_falls_into_line() -> None:
    times = {"start": "2026-03-09T09:15", "end": "2026-03-09T09:30"}
    made, _ = does("calendar.update", {"event_id": "ev_11", "scope": "series", **times})
    assert made == {
        "series:se_1": {"sequence": 1},
        "event:ev_12": {"start": "2026-03-16T09:15", "end": "2026-03-16T09:30"},
    }
    assert does("calendar.update", {"event_id": "ev_11", "scope": "series", "title": "Stand-up"}) == ({}, [])


def test_one_occurrence_is_cancelled_alone() -> None:
    made, reached = does("calendar.cancel_occurrence", {"event_id": "ev_11"})
    assert made == {"event:ev_11": {"status": "cancelled"}}
    assert reached == [("event:ev_11", (ANN, RAJ))]


def test_a_series_is_cancelled_with_the_occurrences_to_come() -> None:
    made, reached = does("calendar.cancel_series", {"series_id": "se_1"})
    cancelled = {"status": "cancelled"}
    assert made == {"series:se_1": cancelled, "event:ev_11": cancelled, "event:ev_12": cancelled}
    assert reached == [("series:se_1", (MILL, ANN, RAJ))]


def test_an_answer_to_an_invitation_reaches_the_organizer_once() -> None:
    made, reached = does("calendar.respond", {"event_id": "ev_5", "response": "declined"})
    assert made == {"event:ev_5": {"response": "declined"}}
    assert reached == [("event:ev_5", (SUPPLIER,))]
    assert does("calendar.respond", {"event_id": "ev_5", "response": "tentative"}) == ({}, [])


def test_only_who_was_not_invited_before_is_invited() -> None:
    people = [ANN.upper(), ANNE, ME, ANNE.upper(), SUPPLIER]
    made, reached = does("calendar.invite", {"event_id": "ev_11", "attendees": people})
    assert made == {"event:ev_11": {"attendees": [ANN, RAJ, ANNE, SUPPLIER]}}
    assert reached == [("event:ev_11", (ANNE, SUPPLIER))]


MISSING, WRONG, DENIED = (404, "NOT_FOUND"), (400, "INVALID_ARGUMENT"), (403, "PERMISSION_DENIED")
CONFLICT = (409, "CONFLICT")
TALK = {"title": "Talk", "start": "2026-03-12T10:00", "end": "2026-03-12T11:00"}
TIMES = {"start": "2026-03-16T09:15", "end": "2026-03-17T09:15"}


@pytest.mark.parametrize(
    ("tool", "arguments", "error"),
    [
        ("calendar.list", {"after": "2026-03-12"}, WRONG),
        ("calendar.list", {"before": "2026-02-30T10:00"}, WRONG),
        ("calendar.list", {"limit": 2, "page_token": "?"}, WRONG),
        ("calendar.search", {"query": ""}, WRONG),
        ("calendar.search", {"query": "talk", "page_token": "00000000-2"}, WRONG),
        ("calendar.read", {"event_id": "ev_0"}, MISSING),
        ("calendar.read", {"event_id": "se_1"}, MISSING),
        ("calendar.read", {}, WRONG),
        ("calendar.create", {**TALK, "end": TALK["start"]}, WRONG),
        ("calendar.create", {**TALK, "start": "2026-03-12T25:00"}, WRONG),
        ("calendar.create", {**TALK, "attendees": ["Ann"]}, WRONG),
        ("calendar.create", {"title": "Talk"}, WRONG),
        ("calendar.update", {"event_id": "ev_0", "title": "Talk"}, MISSING),
        ("calendar.update", {"event_id": "ev_1"}, WRONG),
        ("calendar.update", {"event_id": "ev_1", "start": TALK["start"]}, WRONG),
        ("calendar.update", {"event_id": "ev_1", "start": TALK["end"], "end": TALK["start"]}, WRONG),
        ("calendar.update", {"event_id": "ev_1", "title": "Talk", "scope": "series"}, WRONG),
        ("calendar.update", {"event_id": "ev_11", "scope": "series", **TIMES}, WRONG),
        ("calendar.update", {"event_id": "ev_11", "title": "Talk", "scope": "all"}, WRONG),
        ("calendar.update", {"event_id": "ev_3", "title": "Talk"}, DENIED),
        ("calendar.update", {"event_id": "ev_20", "title": "Talk", "scope": "series"}, DENIED),
        ("calendar.update", {"event_id": "ev_4", "title": "Talk"}, CONFLICT),
        ("calendar.cancel_occurrence", {"event_id": "ev_0"}, MISSING),
        ("calendar.cancel_occurrence", {"event_id": "ev_3"}, DENIED),
        ("calendar.cancel_occurrence", {"event_id": "ev_13"}, CONFLICT),
        ("calendar.cancel_occurrence", {"series_id": "se_1"}, WRONG),
        ("calendar.cancel_series", {"series_id": "se_0"}, MISSING),
        ("calendar.cancel_series", {"series_id": "se_2"}, DENIED),
        ("calendar.cancel_series", {"series_id": None}, WRONG),
        ("calendar.respond", {"event_id": "ev_0", "response": "accepted"}, MISSING),
        ("calendar.respond", {"event_id": "ev_3", "response": "maybe"}, WRONG),
        ("calendar.respond", {"event_id": "ev_1", "response": "accepted"}, CONFLICT),
        ("calendar.respond", {"event_id": "ev_6", "response": "accepted"}, DENIED),
        ("calendar.invite", {"event_id": "ev_0", "attendees": [ANNE]}, MISSING),
        ("calendar.invite", {"event_id": "ev_3", "attendees": [ANNE]}, DENIED),
        ("calendar.invite", {"event_id": "ev_4", "attendees": [ANNE]}, CONFLICT),
        ("calendar.invite", {"event_id": "ev_1", "attendees": [ANN, ME]}, CONFLICT),
        ("calendar.invite", {"event_id": "ev_1", "attendees": []}, WRONG),
    ],
)
def test_what_cannot_be_done_changes_nothing(tool: str, arguments: dict[str, Any], error: tuple[int, str]) -> None:
    assert refused(tool, arguments) == error


def test_what_is_cancelled_stays_cancelled() -> None:
    world = office()
    call(world, "calendar.cancel_series", {"series_id": "se_1"})
    for tool, arguments in [
        ("calendar.cancel_series", {"series_id": "se_1"}),
        ("calendar.cancel_occurrence", {"event_id": "ev_11"}),
        ("calendar.update", {"event_id": "ev_10", "scope": "series", "title": "Talk"}),
    ]:
        assert call(world, tool, arguments)["error"]["status"] == "CONFLICT"
    world.records["event:ev_5"]["status"] = "cancelled"
    assert call(world, "calendar.respond", {"event_id": "ev_5", "response": "accepted"})["error"]["code"] == 409
