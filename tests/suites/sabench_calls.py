"""Random turns of calls in the small office: many that work, some that are wrong in one way or another."""

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from misstep.suites.turns import ToolCall, Turn
from suites.sabench_world import ANN, ANNE, ME, MILL, RAJ, SUPPLIER

KNOWN = st.sampled_from([ANN, ANNE, RAJ, MILL, SUPPLIER, ME, MILL.upper(), ME.upper(), "o'neil@north.example"])
ADDRESSES = KNOWN | st.sampled_from(["no address", "[a@north.example]", "'a@north.example'", "a@b.example,c@d.example"])
COLLEAGUES = st.sampled_from([ANN, ANNE, RAJ])
PEOPLE = st.lists(KNOWN, min_size=1, max_size=3) | st.lists(ADDRESSES, max_size=2)
EMAILS = st.sampled_from(["em_1", "em_2", "em_3", "em_4", "em_5", "em_6", "em_901", "em_902", "em_0"])
EVENTS = st.sampled_from(
    ["ev_1", "ev_2", "ev_3", "ev_4", "ev_5", "ev_6", "ev_10", "ev_11", "ev_12", "ev_13", "ev_20", "ev_901", "ev_0"]
)
OPEN_EVENTS = st.sampled_from(["ev_1", "ev_2", "ev_11", "ev_11", "ev_12", "ev_901"])
SERIES = st.sampled_from(["se_1", "se_2", "se_0"])
TICKETS = st.sampled_from([*(f"TK-{number}" for number in range(9)), "TK-901", "TK-902"])
WORDS = st.sampled_from(["gate", "Rota", "oak", "invoice", "nothing of the kind", ""])
TEXTS = st.sampled_from(["Fine.", "Ça va?", "a,b; c <d@e.example>", "Stand-up", "Loft", "fine.", "[1]", "null", ""])
LABELS = st.lists(st.sampled_from(["mill", "invoice", "hold", "new"]), max_size=2)
MOMENTS = st.sampled_from(["2026-03-09T09:15", "2026-03-16T09:45", "09:30"])
TIMES = st.sampled_from(
    [
        ("2026-03-09T09:15", "2026-03-09T09:30"),
        ("2026-03-16T09:45", "2026-03-16T10:00"),
        ("2026-03-11T10:00", "2026-03-11T10:30"),
        ("2026-03-03T10:00", "2026-03-03T12:00"),
        ("2026-03-03T10:00", "2026-03-04T10:00"),
        ("2026-03-03T10:00", "2026-03-03T10:00"),
        ("2026-03-03T10:00", "2026-03-03T25:00"),
    ]
)
STATUSES = st.sampled_from(["open", "open", "in_progress", "waiting", "resolved", "closed"])
PRIORITIES = st.sampled_from(["low", "normal", "high", "urgent", "normal", "highest"])
FLAGS = st.booleans()
RESPONSES = st.sampled_from(["accepted", "declined", "tentative", "accepted", "maybe"])
INVITED = st.sampled_from(["ev_3", "ev_5", "ev_20"])
SCOPES = st.sampled_from(["occurrence", "series", "series", "series", "all"])


def taking(required: dict[str, SearchStrategy[Any]], optional: dict[str, SearchStrategy[Any]] | None = None) -> Any:
    """Return arguments that name all required ones and any of the others; an absent one may be null."""
    return st.fixed_dictionaries(required, optional={name: made for name, made in (optional or {}).items()})


def timed(arguments: dict[str, Any], times: tuple[str, str] | None) -> dict[str, Any]:
    return arguments if times is None else {**arguments, "start": times[0], "end": times[1]}


PAGES = {"limit": st.sampled_from([1, 2, 3, 50, 0])}
UPDATE = {"scope": SCOPES, "title": TEXTS, "location": TEXTS, "description": TEXTS}
MEANT: dict[str, SearchStrategy[dict[str, Any]]] = {
    "mail.list": taking({}, {"folder": st.sampled_from(["inbox", "sent", "bin"]), "unread_only": FLAGS, **PAGES}),
    "mail.search": taking({"query": WORDS}, {"sender": WORDS, **PAGES}),
    "mail.read": taking({"email_id": EMAILS}),
    "mail.send": taking({"to": PEOPLE, "subject": TEXTS, "body": TEXTS}, {"cc": PEOPLE, "bcc": PEOPLE}),
    "mail.reply": taking({"email_id": EMAILS, "body": TEXTS}),
    "mail.reply_all": taking({"email_id": EMAILS, "body": TEXTS}),
    "mail.forward": taking({"email_id": EMAILS, "to": PEOPLE}, {"cc": PEOPLE, "note": TEXTS}),
    "mail.label": taking({"email_id": EMAILS}, {"add": LABELS, "remove": LABELS}),
    "mail.mark_read": taking({"email_id": EMAILS}, {"read": FLAGS}),
    "mail.archive": taking({"email_id": EMAILS}),
    "mail.delete": taking({"email_id": EMAILS}),
    "calendar.list": taking({}, {"after": MOMENTS, "before": MOMENTS, "include_cancelled": FLAGS, **PAGES}),
    "calendar.search": taking({"query": WORDS}, {"after": MOMENTS, **PAGES}),
    "calendar.read": taking({"event_id": EVENTS}),
    "calendar.create": st.builds(
        timed,
        taking({"title": TEXTS}, {"attendees": PEOPLE, "location": TEXTS, "description": TEXTS}),
        TIMES,
    ),
    "calendar.update": st.builds(timed, taking({"event_id": OPEN_EVENTS | EVENTS}, UPDATE), st.none() | TIMES),
    "calendar.cancel_occurrence": taking({"event_id": EVENTS}),
    "calendar.cancel_series": taking({"series_id": SERIES}),
    "calendar.respond": taking(
        {
            "event_id": INVITED | EVENTS,
            "response": RESPONSES,
        }
    ),
    "calendar.invite": taking({"event_id": OPEN_EVENTS | EVENTS, "attendees": PEOPLE}),
    "tickets.list": taking({}, {"status": STATUSES, "priority": PRIORITIES, "parent": TICKETS, **PAGES}),
    "tickets.search": taking({"query": WORDS}, {"include_closed": FLAGS, **PAGES}),
    "tickets.read": taking({"ticket_id": TICKETS}),
    "tickets.create": taking(
        {"title": TEXTS},
        {
            "description": TEXTS,
            "priority": PRIORITIES,
            "assignee": COLLEAGUES | ADDRESSES | st.none(),
            "requester": KNOWN | st.none(),
            "parent": TICKETS | st.none(),
        },
    ),
    "tickets.comment": taking(
        {"ticket_id": TICKETS, "body": TEXTS}, {"visibility": st.sampled_from(["internal", "public", "secret"])}
    ),
    "tickets.update": taking(
        {"ticket_id": TICKETS},
        {"status": STATUSES | st.none(), "priority": PRIORITIES, "assignee": COLLEAGUES | KNOWN | st.just("")},
    ),
    "tickets.link": taking(
        {
            "ticket_id": TICKETS,
            "relation": st.sampled_from(["blocks", "duplicates", "relates_to", "child_of", "child_of", "likes"]),
            "target_id": TICKETS,
        }
    ),
    "tickets.close": taking(
        {"ticket_id": TICKETS},
        {
            "resolution": st.sampled_from(["done", "wont_do", "maybe"]),
            "close_children": FLAGS,
            "notify_requester": FLAGS,
        },
    ),
}


@st.composite
def calls(draw: st.DrawFn) -> ToolCall:
    """Return a call, one in ten of them spoilt: an argument missing, of another type, null, or not known."""
    name = draw(st.sampled_from([*MEANT, "mail.unsend"]))
    arguments = dict(draw(MEANT.get(name, MEANT["mail.read"])))
    if draw(st.integers(0, 9)) == 0:
        spoilt = draw(st.sampled_from([*arguments, "colour"]))
        value = draw(st.sampled_from([None, 7, True, [], {"a": 1}, "gone"]))
        if value == "gone":
            arguments.pop(spoilt, None)
        else:
            arguments[spoilt] = value
    return ToolCall(name, arguments)


#: Turns in which every tool works at least once, and some writes change nothing; the last call is of no tool.
EVERY_TOOL = [
    Turn(f"{name}.", (ToolCall(name, arguments),))
    for name, arguments in [
        ("mail.list", {}),
        ("mail.search", {"query": "oak", "folder": "inbox"}),
        ("mail.read", {"email_id": "em_3"}),
        ("mail.mark_read", {"email_id": "em_3", "read": False}),
        ("mail.send", {"to": [ANN, ME], "cc": [MILL.upper()], "bcc": [SUPPLIER], "subject": "Beams", "body": "Two."}),
        ("mail.reply", {"email_id": "em_3", "body": "Yes."}),
        ("mail.reply_all", {"email_id": "em_1", "body": "All."}),
        ("mail.forward", {"email_id": "em_4", "to": [ANNE]}),
        ("mail.label", {"email_id": "em_3", "add": ["new", "mill"], "remove": ["hold"]}),
        ("mail.label", {"email_id": "em_3", "add": ["mill"]}),
        ("mail.archive", {"email_id": "em_3"}),
        ("mail.delete", {"email_id": "em_6"}),
        ("calendar.list", {"limit": 2}),
        ("calendar.search", {"query": "stand-up"}),
        ("calendar.read", {"event_id": "ev_11"}),
        ("calendar.create", {"title": "Talk", "start": "2026-03-12T10:00", "end": "2026-03-12T11:00"}),
        ("calendar.invite", {"event_id": "ev_901", "attendees": [ANN, MILL, ANN.upper()]}),
        ("calendar.update", {"event_id": "ev_901", "title": "Long talk", "location": "Yard"}),
        ("calendar.update", {"event_id": "ev_12", "scope": "series", "title": "Stand-up", "location": "Loft"}),
        (
            "calendar.update",
            {"event_id": "ev_12", "scope": "series", "start": "2026-03-16T09:15", "end": "2026-03-16T09:30"},
        ),
        ("calendar.update", {"event_id": "ev_12", "scope": "series", "location": "Yard"}),
        ("calendar.cancel_occurrence", {"event_id": "ev_11"}),
        ("calendar.cancel_series", {"series_id": "se_1"}),
        ("calendar.respond", {"event_id": "ev_5", "response": "declined"}),
        ("calendar.respond", {"event_id": "ev_5", "response": "declined"}),
        ("tickets.list", {"assignee": ANN}),
        ("tickets.search", {"query": "sluice"}),
        ("tickets.read", {"ticket_id": "TK-1"}),
        ("tickets.create", {"title": "Oil the gate", "parent": "TK-1", "assignee": RAJ}),
        ("tickets.comment", {"ticket_id": "TK-1", "body": "On its way.", "visibility": "public"}),
        ("tickets.close", {"ticket_id": "TK-1", "close_children": True, "notify_requester": True}),
        ("tickets.update", {"ticket_id": "TK-4", "status": "open", "priority": "high", "assignee": ""}),
        ("tickets.update", {"ticket_id": "TK-4", "priority": "high"}),
        ("tickets.link", {"ticket_id": "TK-7", "relation": "relates_to", "target_id": "TK-6"}),
        ("tickets.link", {"ticket_id": "TK-7", "relation": "child_of", "target_id": "TK-6"}),
        ("mail.unsend", {"email_id": "em_3"}),
    ]
]

TURNS = st.lists(st.lists(calls(), min_size=1, max_size=3).map(lambda made: Turn("", tuple(made))), max_size=15)
