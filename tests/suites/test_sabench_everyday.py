"""The everyday records of sabench's six weeks: they fit together, and read as an office would write them."""

import copy
import json
from collections import Counter
from datetime import date
from typing import Any

import pytest

from misstep.contracts.errors import SpecificationError
from misstep.specs.plain_yaml import parse_yaml
from misstep.suites.sabench.everyday import everyday, read_stock
from misstep.suites.sabench.everyday_stock import Stock
from misstep.suites.sabench.records import faults
from misstep.suites.world import Record, State
from suites.sabench_world import SABENCH

WORLD = parse_yaml((SABENCH / "world.yaml").read_text(encoding="utf-8"))
STOCK = read_stock(SABENCH)
ME, WEEKS = WORLD["owner"], list(WORLD["states"])
LISTS = {person["email"] for person in WORLD["people"].values() if person["role"] == "list"}
CONTACTS = {f"contact:{name}": person for name, person in WORLD["people"].items()}


def made(week: str, stock: Stock = STOCK) -> State:
    return everyday(WORLD["seed"], week, now(week), WORLD["people"], ME, stock)


def now(week: str) -> str:
    return str(WORLD["states"][week]["now"])


def of(state: State, kind: str) -> dict[str, Record]:
    return {name: record for name, record in state.items() if name.startswith(f"{kind}:")}


STATES = {week: made(week) for week in WEEKS}


@pytest.fixture(params=WEEKS)
def week(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def state(week: str) -> State:
    return STATES[week]


def test_the_records_fit_together(state: State) -> None:
    assert faults({**CONTACTS, **state}) == []


def test_there_are_as_many_as_an_office_has(state: State) -> None:
    assert 45 <= len(of(state, "email")) <= 60
    assert 35 <= len(of(state, "event")) <= 50
    assert 4 <= len(of(state, "series")) <= 5
    assert 35 <= len(of(state, "ticket")) <= 45
    assert len(of(state, "comment")) >= 12


def test_ids_leave_room_for_those_of_tasks(state: State) -> None:
    starts = {"email": "em_", "event": "ev_", "series": "se_", "ticket": "TK-", "comment": "co_"}
    for entity in state:
        kind, _, name = entity.partition(":")
        first, last = (10, 39) if kind == "series" else (100, 399)
        assert name.startswith(starts[kind]) and first <= int(name[3:]) <= last
    assert all(100 <= int(mail["thread"][3:]) <= 399 for mail in of(state, "email").values())


def test_a_week_is_the_same_every_time(week: str, state: State) -> None:
    assert json.dumps(made(week)) == json.dumps(state)


def test_the_weeks_differ() -> None:
    for kind, text in (("email", "body"), ("ticket", "title")):
        said = {week: {record[text] for record in of(state, kind).values()} for week, state in STATES.items()}
        for one in WEEKS:
            assert all(len(said[one] & said[other]) < 0.75 * len(said[one]) for other in WEEKS if other != one)


def test_mail_comes_and_goes_in_working_hours_before_now(week: str, state: State) -> None:
    for mail in of(state, "email").values():
        works(mail["date"])
        assert mail["date"] < now(week)
    for comment in of(state, "comment").values():
        works(comment["date"])
        assert comment["date"] < now(week)


def works(moment: str) -> None:
    assert date.fromisoformat(moment[:10]).weekday() < 5 and moment[:10] not in STOCK.holidays
    assert "07:30" <= moment[11:] <= "21:30"


def test_answers_are_later_than_what_they_answer_and_say_who_answered(state: State) -> None:
    mails = of(state, "email")
    answered = set()
    for mail in mails.values():
        original = mails.get(f"email:{mail['in_reply_to'] or mail['forward_of']}")
        if original is None:
            continue
        assert mail["date"] > original["date"] and mail["thread"] == original["thread"]
        if mail["in_reply_to"]:
            assert mail["subject"] == f"Re: {original['subject'].removeprefix('Re: ')}"
            answered |= {mail["in_reply_to"]} if mail["from"] == ME else set()
    assert answered == {name.removeprefix("email:") for name, mail in mails.items() if mail["answered"]}


def test_mail_is_what_she_got_or_sent(state: State) -> None:
    for mail in of(state, "email").values():
        told = [*mail["to"], *mail["cc"]]
        assert mail["from"] not in told and len(set(told)) == len(told)
        assert (mail["folder"] == "sent") == (mail["from"] == ME)
        assert mail["from"] == ME or {ME, *LISTS} & set(told)
    mails = of(state, "email").values()
    assert {mail["folder"] for mail in mails} >= {"inbox", "sent"}
    assert any(mail["labels"] for mail in mails) and any(not mail["read"] for mail in mails)
    assert max(Counter(mail["thread"] for mail in mails).values()) >= 4


def test_nothing_is_said_twice(state: State) -> None:
    for kind, text in (("email", "body"), ("comment", "body"), ("ticket", "title")):
        said = Counter(record[text] for record in of(state, kind).values())
        assert [one for one, times in said.items() if times > 1] == []


def test_events_are_on_working_days_and_hers_or_with_her(week: str, state: State) -> None:
    for event in of(state, "event").values():
        works(event["start"])
        assert event["start"][:10] == event["end"][:10]
        assert (event["organizer"] == ME) != (ME in event["attendees"])
        assert event["response"] in ("accepted", "declined", "tentative", "none")
        assert event["response"] != "none" or event["start"] >= now(week)


def test_series_go_on_and_one_occurrence_is_cancelled(week: str, state: State) -> None:
    cancelled = []
    for entity, series in of(state, "series").items():
        dates = [one for one in of(state, "event").values() if one["series"] == entity.removeprefix("series:")]
        assert len({one["start"] < now(week) for one in dates}) == 2
        assert {one["start"][11:] for one in dates} == {series["start_time"]}
        assert len({date.fromisoformat(one["start"][:10]).weekday() for one in dates}) == 1
        cancelled += [one for one in dates if one["status"] == "cancelled"]
    assert len(cancelled) == 1
    assert {series["organizer"] == ME for series in of(state, "series").values()} == {True, False}


def test_some_tickets_have_parts_links_and_locks(state: State) -> None:
    tickets = of(state, "ticket")
    children = Counter(ticket["parent"] for ticket in tickets.values() if ticket["parent"])
    assert len(children) == 3 and all(2 <= count <= 4 for count in children.values())
    assert any(ticket["links"] for ticket in tickets.values())
    assert any(ticket.get("locked") for ticket in tickets.values())
    assert {"open", "in_progress", "waiting", "closed"} <= {ticket["status"] for ticket in tickets.values()}
    addresses = {person["email"] for person in WORLD["people"].values()} | {""}
    assert {ticket[field] for ticket in tickets.values() for field in ("assignee", "requester")} <= addresses


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"mail": [{"from": "nobody", "text": "Hello"}]}, "nobody is called nobody"),
        ({"mail": [{"from": "ruth-abel", "text": "{thing}"}]}, "the story x has no {thing}"),
        ({"ago": [1, 2], "mail": [{"from": "ruth-abel", "day": 3, "text": "Hello"}]}, "the story x is not over"),
    ],
)
def test_a_story_that_cannot_be_told_is_refused(change: dict[str, Any], fault: str) -> None:
    stock = copy.deepcopy(STOCK)
    stock.stories = Stock.model_validate(
        {"holidays": [], "series": {}, "stories": {"x": {"subject": "Hello", **change}}}
    ).stories
    with pytest.raises(SpecificationError, match=fault):
        made("june", stock)
