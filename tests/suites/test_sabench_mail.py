"""Mail of the simulated office: what its tools show and change, and what they refuse."""

from typing import Any

import pytest

from suites.sabench_world import ANN, ANNE, ME, MILL, RAJ, STATE, SUPPLIER, call, does, office, refused

NEW = {"folder": "sent", "read": True, "answered": False, "labels": [], "from": ME, "date": "2026-03-02T09:00"}
NEW |= {"in_reply_to": "", "forward_of": ""}


def test_a_folder_is_shown_in_pages_newest_first() -> None:
    world = office()
    first = call(world, "mail.list", {"limit": 3})
    assert [shown["id"] for shown in first["emails"]] == ["em_5", "em_4", "em_3"]
    assert first["total"] == 4 and "body" not in first["emails"][0]
    second = call(world, "mail.list", {"limit": 3, "page_token": first["next_page_token"]})
    assert [shown["id"] for shown in second["emails"]] == ["em_1"] and "next_page_token" not in second
    other = call(world, "mail.list", {"folder": "sent", "page_token": first["next_page_token"]})
    assert other["error"]["details"] == [{"field": "page_token", "reason": "not a token of this request"}]


def test_a_folder_can_be_narrowed() -> None:
    world = office()
    assert [shown["id"] for shown in call(world, "mail.list", {"label": "mill"})["emails"]] == ["em_3"]
    assert [shown["id"] for shown in call(world, "mail.list", {"unread_only": True})["emails"]] == [
        "em_5",
        "em_4",
        "em_3",
    ]


def test_a_search_needs_every_word_and_looks_in_all_folders() -> None:
    found = call(office(), "mail.search", {"query": "OAK beams"})["emails"]
    assert [shown["id"] for shown in found] == ["em_3", "em_2", "em_1"]
    found = call(office(), "mail.search", {"query": "rota", "sender": "anne.", "folder": "archive"})["emails"]
    assert [shown["id"] for shown in found] == ["em_6"]


def test_a_message_is_shown_with_its_thread_and_is_read_then() -> None:
    world = office()
    shown = call(world, "mail.read", {"email_id": "em_3"})
    assert shown["email"] == {"id": "em_3", **STATE["email:em_3"]}
    assert [other["id"] for other in shown["thread"]] == ["em_1", "em_2"]
    assert world.records["email:em_3"]["read"] is True


def test_what_is_shown_is_no_part_of_the_office() -> None:
    world = office()
    call(world, "mail.read", {"email_id": "em_3"})["email"]["labels"].append("changed")
    assert world.records["email:em_3"]["labels"] == ["mill"]


def test_a_new_message_reaches_everybody_but_its_sender() -> None:
    sent = {"to": [ANN, ME], "cc": [SUPPLIER], "bcc": [MILL], "subject": "Beams", "body": "Two."}
    made, reached = does("mail.send", sent)
    assert made == {"email:em_901": {**NEW, **sent, "thread": "th_901"}}
    assert reached == [("email:em_901", (MILL, ANN, SUPPLIER))]


@pytest.mark.parametrize(
    ("tool", "name", "to", "cc"),
    [
        ("mail.reply", "em_1", [MILL], []),
        ("mail.reply_all", "em_1", [MILL], [ANN, SUPPLIER]),
        ("mail.reply_all", "em_4", [ANN], [RAJ]),
        ("mail.reply", "em_2", [MILL], []),
        ("mail.reply_all", "em_2", [MILL], []),
    ],
)
def test_an_answer_goes_to_the_sender_or_to_everybody(tool: str, name: str, to: list[str], cc: list[str]) -> None:
    made, reached = does(tool, {"email_id": name, "body": "Yes."})
    new = made.pop("email:em_901")
    assert (new["to"], new["cc"], new["in_reply_to"], new["thread"]) == (to, cc, name, STATE[f"email:{name}"]["thread"])
    assert new["forward_of"] == ""
    assert reached == [("email:em_901", tuple(sorted([*to, *cc])))]
    assert made == ({} if name == "em_4" else {f"email:{name}": {"answered": True}})


def test_an_answer_has_one_re() -> None:
    assert does("mail.reply", {"email_id": "em_3", "body": "Yes."})[0]["email:em_901"]["subject"] == "Re: Oak beams"


def test_a_message_is_passed_on_as_a_new_one() -> None:
    made, reached = does("mail.forward", {"email_id": "em_3", "to": [ANNE], "note": "See below."})
    told = {"to": [ANNE], "cc": [], "subject": "Fwd: Re: Oak beams", "body": "See below.", "thread": "th_1"}
    assert made == {"email:em_901": {**NEW, **told, "forward_of": "em_3"}}
    assert reached == [("email:em_901", (ANNE,))]


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("mail.label", {"email_id": "em_5", "add": ["new"], "remove": ["hold"]}, {"labels": ["invoice", "new"]}),
        ("mail.label", {"email_id": "em_5", "add": ["hold"], "remove": ["new"]}, None),
        ("mail.mark_read", {"email_id": "em_3"}, {"read": True}),
        ("mail.mark_read", {"email_id": "em_1", "read": False}, {"read": False}),
        ("mail.mark_read", {"email_id": "em_1"}, None),
        ("mail.archive", {"email_id": "em_3"}, {"folder": "archive"}),
        ("mail.archive", {"email_id": "em_6"}, None),
    ],
)
def test_a_message_is_changed_in_place_and_nobody_is_told(
    tool: str, arguments: dict[str, Any], expected: dict[str, Any] | None
) -> None:
    made, reached = does(tool, arguments)
    assert made == ({} if expected is None else {f"email:{arguments['email_id']}": expected})
    assert reached == []


def test_a_deleted_message_is_gone() -> None:
    assert does("mail.delete", {"email_id": "em_3"}) == ({"email:em_3": None}, [])


MISSING = (404, "NOT_FOUND")
WRONG = (400, "INVALID_ARGUMENT")
LETTER: dict[str, Any] = {"to": [ANN], "subject": "Beams", "body": "Two."}


@pytest.mark.parametrize(
    ("tool", "arguments", "error"),
    [
        ("mail.list", {"folder": "bin"}, WRONG),
        ("mail.list", {"limit": 51}, WRONG),
        ("mail.list", {"page_token": "page 2"}, WRONG),
        ("mail.search", {}, WRONG),
        ("mail.search", {"query": "oak", "limit": 0}, WRONG),
        ("mail.search", {"query": "oak", "page_token": "00000000-1"}, WRONG),
        ("mail.read", {"email_id": "em_0"}, MISSING),
        ("mail.read", {"email_id": 3}, WRONG),
        ("mail.send", {**LETTER, "to": []}, WRONG),
        ("mail.send", {**LETTER, "to": ANN}, WRONG),
        ("mail.send", {**LETTER, "cc": ["Ann Keller"]}, WRONG),
        ("mail.send", {**LETTER, "bcc": [f"{ANN}, {RAJ}"]}, WRONG),
        ("mail.send", {**LETTER, "body": ""}, WRONG),
        ("mail.send", {**LETTER, "priority": "high"}, WRONG),
        ("mail.reply", {"email_id": "em_0", "body": "Yes."}, MISSING),
        ("mail.reply", {"email_id": "em_1"}, WRONG),
        ("mail.reply_all", {"email_id": "em_0", "body": "Yes."}, MISSING),
        ("mail.reply_all", {"email_id": "em_1", "body": None}, WRONG),
        ("mail.forward", {"email_id": "em_0", "to": [ANN]}, MISSING),
        ("mail.forward", {"email_id": "em_1", "to": ["ann"]}, WRONG),
        ("mail.label", {"email_id": "em_0", "add": ["new"]}, MISSING),
        ("mail.label", {"email_id": "em_1"}, WRONG),
        ("mail.label", {"email_id": "em_1", "add": ["new"], "remove": ["new"]}, WRONG),
        ("mail.mark_read", {"email_id": "em_0"}, MISSING),
        ("mail.mark_read", {"email_id": "em_1", "read": "no"}, WRONG),
        ("mail.archive", {"email_id": "em_0"}, MISSING),
        ("mail.archive", {"email_id": "em_2"}, (409, "CONFLICT")),
        ("mail.archive", {}, WRONG),
        ("mail.delete", {"email_id": "em_0"}, MISSING),
        ("mail.delete", {"email_id": "em_5"}, (403, "PERMISSION_DENIED")),
        ("mail.delete", {"email_id": ""}, WRONG),
    ],
)
def test_what_cannot_be_done_changes_nothing(tool: str, arguments: dict[str, Any], error: tuple[int, str]) -> None:
    assert refused(tool, arguments) == error
