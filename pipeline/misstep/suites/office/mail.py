"""Mail of the office."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from misstep.suites.world import Record, Refused, Transition, World, needed

_ADDRESS = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+\Z")


def addresses(value: Any) -> list[str]:
    """Return a list of addresses from one or several.

    Raises:
        Refused: one of them is none.
    """
    given = [value] if isinstance(value, str) else list(value or [])
    for address in given:
        if not _ADDRESS.match(address):
            raise Refused(f"{address} is not an address")
    return given


def _short(name: str, record: Record) -> Record:
    shown = ("from", "to", "subject", "date", "folder", "read")
    return {"id": name, **{key: record[key] for key in shown if key in record}}


def list_mail(world: World, arguments: Mapping[str, Any]) -> Any:
    """Return the newest messages of a folder."""
    folder, limit = arguments.get("folder", "inbox"), int(arguments.get("limit", 12))
    found = [_short(name, record) for name, record in world.of("email") if record["folder"] == folder]
    found.sort(key=lambda shown: (shown.get("date", ""), shown["id"]), reverse=True)
    return {"ok": True, "emails": found[:limit], "more": max(0, len(found) - limit)}


def search_mail(world: World, arguments: Mapping[str, Any]) -> Any:
    """Return the messages that hold every word of the query."""
    words = needed(arguments, "query")[0].casefold().split()
    found = []
    for name, record in world.of("email"):
        text = " ".join(str(record.get(key, "")) for key in ("from", "to", "subject", "body")).casefold()
        if all(word in text for word in words):
            found.append(_short(name, record))
    return {"ok": True, "emails": found}


def read_mail(world: World, arguments: Mapping[str, Any]) -> Any:
    """Return a message as it was, and mark it as read."""
    record = world.record("email", arguments.get("email_id"))
    shown = dict(record)
    record["read"] = True
    return {"ok": True, "email": shown}


def send(world: World, arguments: Mapping[str, Any]) -> Any:
    """Send a message; a key that was used before sends nothing."""
    needed(arguments, "to", "subject", "body")
    to, cc = addresses(arguments["to"]), addresses(arguments.get("cc"))
    key = arguments.get("key")
    if key in world.keys:
        return {"ok": True, "id": world.keys[key], "sent": False, "note": "this key was used before"}
    record = {"folder": "sent", "to": to, "cc": cc, "subject": arguments["subject"], "body": arguments["body"]}
    name = world.add("email", "em_", record)
    if key is not None:
        world.keys[key] = name
    return {"ok": True, "id": name, "sent": True}


def reply(world: World, arguments: Mapping[str, Any]) -> Any:
    """Answer a message: to its sender, or to everybody on it."""
    name, body = needed(arguments, "email_id", "body")
    original = world.record("email", name)
    to, cc = [original["from"]], []
    if arguments.get("reply_all"):
        cc = [one for one in [*original["to"], *original["cc"]] if one not in (world.owner, original["from"])]
    record = {"folder": "sent", "in_reply_to": name, "to": to, "cc": cc, "body": body}
    original["answered"] = True
    return {"ok": True, "id": world.add("email", "em_", record), "to": to, "cc": cc}


def form(world: World, arguments: Mapping[str, Any]) -> Any:
    """Send a form letter with a number in it to a customer."""
    to, kind, number = needed(arguments, "to", "form", "number")
    addresses(to)
    record = {"folder": "sent", "to": to, "form": kind, "number": number}
    return {"ok": True, "id": world.add("email", "em_", record)}


def forward(world: World, arguments: Mapping[str, Any]) -> Any:
    """Pass a message on."""
    name, to = needed(arguments, "email_id", "to")
    world.record("email", name)
    record = {"folder": "sent", "forward_of": name, "to": addresses(to), "body": arguments.get("note", "")}
    return {"ok": True, "id": world.add("email", "em_", record)}


def archive(world: World, arguments: Mapping[str, Any]) -> Any:
    """Move a message to the archive."""
    name = needed(arguments, "email_id")[0]
    world.record("email", name)["folder"] = "archive"
    return f"Archived {name}."


def delete(world: World, arguments: Mapping[str, Any]) -> Any:
    """Delete a message for good."""
    name = needed(arguments, "email_id")[0]
    world.remove("email", name)
    return f"Deleted {name}."


def label(world: World, arguments: Mapping[str, Any]) -> Any:
    """Put a label on a message."""
    name, word = needed(arguments, "email_id", "label")
    labels = world.record("email", name)["labels"]
    if word not in labels:
        labels.append(word)
    return {"ok": True, "labels": list(labels)}


def unlabel(world: World, arguments: Mapping[str, Any]) -> Any:
    """Take a label off a message."""
    name, word = needed(arguments, "email_id", "label")
    labels = world.record("email", name)["labels"]
    if word in labels:
        labels.remove(word)
    return {"ok": True, "labels": list(labels)}


TOOLS: dict[str, Transition] = {
    "mail.list": list_mail,
    "mail.search": search_mail,
    "mail.read": read_mail,
    "mail.send": send,
    "mail.reply": reply,
    "mail.form": form,
    "mail.forward": forward,
    "mail.archive": archive,
    "mail.delete": delete,
    "mail.label": label,
    "mail.unlabel": unlabel,
}
IN_WORDS = frozenset({"mail.archive", "mail.delete"})
