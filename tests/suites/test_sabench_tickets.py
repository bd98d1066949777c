"""Tickets of the simulated office: what its tools show and change, and what they refuse."""

from typing import Any

import pytest

from suites.sabench_world import ANN, ANNE, ME, MILL, RAJ, STATE, call, does, office, refused


def ids(shown: dict[str, Any]) -> list[str]:
    return [ticket["id"] for ticket in shown["tickets"]]


def test_tickets_are_listed_in_pages_without_the_closed_ones() -> None:
    world = office()
    first = call(world, "tickets.list", {"limit": 5})
    assert ids(first) == ["TK-1", "TK-2", "TK-3", "TK-5", "TK-6"] and first["total"] == 7
    assert ids(call(world, "tickets.list", {"limit": 5, "page_token": first["next_page_token"]})) == ["TK-7", "TK-8"]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"status": "closed"}, ["TK-4"]),
        ({"assignee": ""}, ["TK-6"]),
        ({"priority": "low"}, ["TK-7"]),
        ({"parent": "TK-1", "status": "open"}, ["TK-3"]),
    ],
)
def test_tickets_are_listed_by_their_fields(asked: dict[str, str], found: list[str]) -> None:
    assert ids(call(office(), "tickets.list", asked)) == found


def test_tickets_are_found_by_their_words() -> None:
    world = office()
    assert ids(call(world, "tickets.search", {"query": "GATE the"})) == ["TK-1", "TK-3", "TK-6"]
    assert ids(call(world, "tickets.search", {"query": "measure", "include_closed": True})) == ["TK-4"]
    assert ids(call(world, "tickets.search", {"query": "tk-7"})) == ["TK-7"]


def test_a_ticket_is_shown_with_its_comments_and_children() -> None:
    shown = call(office(), "tickets.read", {"ticket_id": "TK-1"})
    assert shown["ticket"] == {"id": "TK-1", **STATE["ticket:TK-1"]}
    assert [comment["id"] for comment in shown["comments"]] == ["co_1"]
    assert [child["id"] for child in shown["children"]] == ["TK-2", "TK-3"]


def test_a_new_ticket_is_open_and_nobody_s() -> None:
    made, reached = does("tickets.create", {"title": "Oil the gate", "parent": "TK-1"})
    rest = {"description": "", "priority": "normal", "assignee": "", "requester": ME, "links": [], "resolution": ""}
    assert made == {"ticket:TK-901": {"title": "Oil the gate", "status": "open", "parent": "TK-1", **rest}}
    assert reached == []


def test_a_public_comment_is_mailed_to_the_requester_and_an_internal_one_is_not() -> None:
    made, reached = does("tickets.comment", {"ticket_id": "TK-1", "body": "Soon.", "visibility": "public"})
    comment = {"ticket": "TK-1", "author": ME, "body": "Soon.", "date": "2026-03-02T09:00"}
    assert made == {"comment:co_901": {**comment, "visibility": "public"}}
    assert reached == [("comment:co_901", (MILL,))]
    made, reached = does("tickets.comment", {"ticket_id": "TK-1", "body": "Soon."})
    assert made == {"comment:co_901": {**comment, "visibility": "internal"}}
    assert reached == []


def test_a_ticket_gets_the_fields_that_are_given() -> None:
    made, reached = does("tickets.update", {"ticket_id": "TK-1", "priority": "high", "assignee": ANNE})
    assert made == {"ticket:TK-1": {"priority": "high", "assignee": ANNE}} and reached == []
    assert does("tickets.update", {"ticket_id": "TK-1", "priority": "normal"}) == ({}, [])
    assert does("tickets.update", {"ticket_id": "TK-1", "assignee": ""})[0] == {"ticket:TK-1": {"assignee": ""}}


def test_a_closed_ticket_is_reopened_by_a_status() -> None:
    made, _ = does("tickets.update", {"ticket_id": "TK-4", "status": "waiting"})
    assert made == {"ticket:TK-4": {"status": "waiting", "resolution": ""}}


def test_linked_tickets_name_each_other() -> None:
    made, _ = does("tickets.link", {"ticket_id": "TK-7", "relation": "duplicates", "target_id": "TK-6"})
    assert made == {
        "ticket:TK-7": {"links": ["duplicates TK-6"]},
        "ticket:TK-6": {"links": ["duplicated_by TK-7"]},
    }
    made, _ = does("tickets.link", {"ticket_id": "TK-7", "relation": "child_of", "target_id": "TK-6"})
    assert made == {"ticket:TK-7": {"parent": "TK-6"}}


def test_a_ticket_is_closed_alone_or_with_all_that_is_open_below_it() -> None:
    done = {"status": "closed", "resolution": "done"}
    assert does("tickets.close", {"ticket_id": "TK-7"}) == ({"ticket:TK-7": done}, [])
    made, reached = does("tickets.close", {"ticket_id": "TK-1", "close_children": True, "notify_requester": True})
    assert made == {f"ticket:TK-{number}": done for number in (1, 2, 3)}
    assert reached == [("ticket:TK-1", (MILL,))]


MISSING, WRONG, DENIED = (404, "NOT_FOUND"), (400, "INVALID_ARGUMENT"), (403, "PERMISSION_DENIED")
CONFLICT = (409, "CONFLICT")


@pytest.mark.parametrize(
    ("tool", "arguments", "error"),
    [
        ("tickets.list", {"status": "done"}, WRONG),
        ("tickets.list", {"page_token": "5"}, WRONG),
        ("tickets.search", {"text": "gate"}, WRONG),
        ("tickets.search", {"query": "gate", "page_token": "00000000-5"}, WRONG),
        ("tickets.read", {"ticket_id": "TK-0"}, MISSING),
        ("tickets.read", {"ticket_id": ["TK-1"]}, WRONG),
        ("tickets.create", {"title": ""}, WRONG),
        ("tickets.create", {"title": "Oil", "priority": "highest"}, WRONG),
        ("tickets.create", {"title": "Oil", "assignee": MILL}, WRONG),
        ("tickets.create", {"title": "Oil", "parent": "TK-0"}, MISSING),
        ("tickets.create", {"title": "Oil", "parent": "TK-4"}, CONFLICT),
        ("tickets.comment", {"ticket_id": "TK-0", "body": "Soon."}, MISSING),
        ("tickets.comment", {"ticket_id": "TK-1", "body": "Soon.", "visibility": "secret"}, WRONG),
        ("tickets.update", {"ticket_id": "TK-0", "status": "open"}, MISSING),
        ("tickets.update", {"ticket_id": "TK-1"}, WRONG),
        ("tickets.update", {"ticket_id": "TK-1", "status": "closed"}, WRONG),
        ("tickets.update", {"ticket_id": "TK-1", "assignee": "ann"}, WRONG),
        ("tickets.update", {"ticket_id": "TK-1", "assignee": MILL}, WRONG),
        ("tickets.update", {"ticket_id": "TK-5", "priority": "low"}, DENIED),
        ("tickets.update", {"ticket_id": "TK-4", "priority": "low"}, CONFLICT),
        ("tickets.link", {"ticket_id": "TK-0", "relation": "blocks", "target_id": "TK-1"}, MISSING),
        ("tickets.link", {"ticket_id": "TK-1", "relation": "blocks", "target_id": "TK-0"}, MISSING),
        ("tickets.link", {"ticket_id": "TK-1", "relation": "likes", "target_id": "TK-2"}, WRONG),
        ("tickets.link", {"ticket_id": "TK-1", "relation": "blocks", "target_id": "TK-1"}, WRONG),
        ("tickets.link", {"ticket_id": "TK-1", "relation": "blocks", "target_id": "TK-5"}, DENIED),
        ("tickets.link", {"ticket_id": "TK-2", "relation": "blocks", "target_id": "TK-3"}, CONFLICT),
        ("tickets.link", {"ticket_id": "TK-2", "relation": "child_of", "target_id": "TK-6"}, CONFLICT),
        ("tickets.link", {"ticket_id": "TK-1", "relation": "child_of", "target_id": "TK-4"}, CONFLICT),
        ("tickets.close", {"ticket_id": "TK-0"}, MISSING),
        ("tickets.close", {"ticket_id": "TK-7", "resolution": "lost"}, WRONG),
        ("tickets.close", {"ticket_id": "TK-5"}, DENIED),
        ("tickets.close", {"ticket_id": "TK-4"}, CONFLICT),
        ("tickets.close", {"ticket_id": "TK-1"}, CONFLICT),
    ],
)
def test_what_cannot_be_done_changes_nothing(tool: str, arguments: dict[str, Any], error: tuple[int, str]) -> None:
    assert refused(tool, arguments) == error


def test_a_locked_child_keeps_its_parent_open() -> None:
    world = office()
    world.records["ticket:TK-3"]["locked"] = True
    shown = call(world, "tickets.close", {"ticket_id": "TK-1", "close_children": True})
    assert shown["error"]["status"] == "PERMISSION_DENIED"
    assert world.records["ticket:TK-1"]["status"] == "open" and world.records["ticket:TK-2"]["status"] == "in_progress"


def test_open_children_are_named() -> None:
    message = call(office(), "tickets.close", {"ticket_id": "TK-1"})["error"]["message"]
    assert message == "Ticket TK-1 has open children: TK-2, TK-3."


def test_requester_and_assignee_can_be_given() -> None:
    asked = {"title": "Oil", "requester": MILL, "assignee": RAJ, "priority": "urgent", "description": "Hinges."}
    new = does("tickets.create", asked)[0]["ticket:TK-901"]
    assert {name: new[name] for name in asked} == asked
    assert does("tickets.create", {**asked, "assignee": None})[0]["ticket:TK-901"]["assignee"] == ""
    assert ANN not in str(new)
