"""Changing mail: sending and answering, labels and folders."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from misstep.suites.sabench.api import Tool
from misstep.suites.sabench.errors import conflict, denied, invalid
from misstep.suites.sabench.office import Office
from misstep.suites.sabench.schemas import Addresses, Arguments, SomeAddresses, Text
from misstep.suites.world import Record


class Send(Arguments):
    """Send a new message."""

    to: SomeAddresses
    cc: Addresses = Field(default_factory=list)
    bcc: Addresses = Field(default_factory=list)
    subject: Text
    body: Text


class Reply(Arguments):
    """Answer the sender of a message, and nobody else."""

    email_id: Text
    body: Text


class ReplyAll(Arguments):
    """Answer the sender of a message and everybody else who got it."""

    email_id: Text
    body: Text


class Forward(Arguments):
    """Pass a message on to somebody."""

    email_id: Text
    to: SomeAddresses
    cc: Addresses = Field(default_factory=list)
    note: str = Field("", description="text above the message")


class Label(Arguments):
    """Put labels on a message, or take them off."""

    email_id: Text
    add: list[Text] = Field(default_factory=list)
    remove: list[Text] = Field(default_factory=list)


class MarkRead(Arguments):
    """Mark a message as read, or as unread."""

    email_id: Text
    read: bool = True


class Archive(Arguments):
    """Move a message to the archive."""

    email_id: Text


class Delete(Arguments):
    """Delete a message for good. This cannot be undone."""

    email_id: Text


def send(office: Office, asked: Send) -> Record:
    """Return the new message: id, thread and date."""
    thread = office.number("thread", "th_")
    return _sent(office, thread, asked.subject, asked.body, to=asked.to, cc=asked.cc, bcc=asked.bcc)


def reply(office: Office, asked: Reply) -> Record:
    """Return the answer to the sender of a message; an answer to one's own goes to whom that went to."""
    original = office.record("email", asked.email_id)
    mine = original["from"].lower() == office.owner.lower()
    return _answer(office, asked.email_id, asked.body, to=original["to"] if mine else [original["from"]], cc=[])


def reply_all(office: Office, asked: ReplyAll) -> Record:
    """Return the answer to everybody on a message."""
    original = office.record("email", asked.email_id)
    mine = original["from"].lower() == office.owner.lower()
    to = original["to"] if mine else [original["from"]]
    known = {office.owner.lower(), *(address.lower() for address in to)}
    others = [*([] if mine else original["to"]), *original["cc"]]
    return _answer(office, asked.email_id, asked.body, to=to, cc=[one for one in others if one.lower() not in known])


def forward(office: Office, asked: Forward) -> Record:
    """Return the message that passes another on."""
    original = office.record("email", asked.email_id)
    subject = "Fwd: " + original["subject"].removeprefix("Fwd: ")
    made = {"forward_of": asked.email_id}
    return _sent(office, original["thread"], subject, asked.note, to=asked.to, cc=asked.cc, **made)


def label(office: Office, asked: Label) -> Record:
    """Return the labels that a message has now."""
    if not asked.add and not asked.remove:
        raise invalid("Nothing to do.", ("add", "neither add nor remove names a label"))
    both = set(asked.add) & set(asked.remove)
    if both:
        raise invalid("Invalid argument: remove.", ("remove", f"{min(both)!r} is to be added as well"))
    record = office.record("email", asked.email_id)
    record["labels"] = [one for one in dict.fromkeys([*record["labels"], *asked.add]) if one not in asked.remove]
    return {"id": asked.email_id, "labels": record["labels"]}


def mark_read(office: Office, asked: MarkRead) -> Record:
    """Return whether a message counts as read now."""
    office.record("email", asked.email_id)["read"] = asked.read
    return {"id": asked.email_id, "read": asked.read}


def archive(office: Office, asked: Archive) -> Record:
    """Return the folder of a message that was moved; one that is in the archive stays there."""
    record = office.record("email", asked.email_id)
    if record["folder"] == "sent":
        raise conflict("Messages in the folder sent cannot be archived.")
    record["folder"] = "archive"
    return {"id": asked.email_id, "folder": "archive"}


def delete(office: Office, asked: Delete) -> Record:
    """Return the id of a message that is gone."""
    if office.record("email", asked.email_id).get("hold"):
        raise denied("The message is under a retention hold and cannot be deleted.")
    office.remove("email", asked.email_id)
    return {"id": asked.email_id, "deleted": True}


def _answer(office: Office, name: str, body: str, to: list[str], cc: list[str]) -> Record:
    original = office.record("email", name)
    original["answered"] = True
    subject = "Re: " + original["subject"].removeprefix("Re: ")
    return _sent(office, original["thread"], subject, body, to=list(to), cc=list(dict.fromkeys(cc)), in_reply_to=name)


def _sent(office: Office, thread: str, subject: str, body: str, to: list[str], cc: list[str], **made: Any) -> Record:
    record = {
        "from": office.owner,
        "to": to,
        "cc": cc,
        "subject": subject,
        "body": body,
        "date": office.stamp(),
        "folder": "sent",
        "thread": thread,
        "read": True,
        "answered": False,
        "labels": [],
        "in_reply_to": "",
        "forward_of": "",
        **made,
    }
    name = office.add("email", "em_", record)
    office.deliver(f"email:{name}", [*to, *cc, *made.get("bcc", [])])
    return {"id": name, **{key: record[key] for key in ("from", "to", "cc", "subject", "thread", "date")}}


TOOLS: list[Tool[Any]] = [
    Tool("mail.send", Send, send),
    Tool("mail.reply", Reply, reply),
    Tool("mail.reply_all", ReplyAll, reply_all),
    Tool("mail.forward", Forward, forward),
    Tool("mail.label", Label, label),
    Tool("mail.mark_read", MarkRead, mark_read),
    Tool("mail.archive", Archive, archive),
    Tool("mail.delete", Delete, delete),
]
