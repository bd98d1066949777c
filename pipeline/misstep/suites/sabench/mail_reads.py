"""Looking at mail: lists, searches, and reading a message, which marks it as read."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from misstep.suites.sabench.api import Tool
from misstep.suites.sabench.office import Office
from misstep.suites.sabench.pages import holds_words, page
from misstep.suites.sabench.schemas import Arguments, Limit, PageToken, Text
from misstep.suites.world import Record

Folder = Literal["inbox", "sent", "archive"]
_SHOWN = ("from", "to", "cc", "subject", "date", "folder", "read", "labels", "thread")
_SNIPPET = 80


class ListMail(Arguments):
    """List the messages of a folder, newest first."""

    folder: Folder = "inbox"
    label: Text | None = Field(None, description="only messages with this label")
    unread_only: bool = False
    limit: Limit = 10
    page_token: PageToken = None


class SearchMail(Arguments):
    """Find messages whose addresses, subject or body hold every word of the query, newest first."""

    query: Text
    folder: Folder | None = Field(None, description="default: all folders")
    sender: Text | None = Field(None, description="part of the address of the sender")
    limit: Limit = 10
    page_token: PageToken = None


class ReadMail(Arguments):
    """Show a message in full, and which other messages its thread has. Marks it as read."""

    email_id: Text


def list_mail(office: Office, asked: ListMail) -> Record:
    """Return a page of a folder."""
    found = [
        _summary(name, record)
        for name, record in office.of("email")
        if record["folder"] == asked.folder
        and (asked.label is None or asked.label in record["labels"])
        and not (asked.unread_only and record["read"])
    ]
    return page("emails", _newest_first(found), asked, asked.limit, asked.page_token)


def search_mail(office: Office, asked: SearchMail) -> Record:
    """Return a page of the messages that fit a query."""
    found = [
        _summary(name, record)
        for name, record in office.of("email")
        if asked.folder in (None, record["folder"])
        and (asked.sender or "").casefold() in record["from"].casefold()
        and holds_words(asked.query, *(record[key] for key in ("from", "to", "cc", "subject", "body")))
    ]
    return page("emails", _newest_first(found), asked, asked.limit, asked.page_token)


def read_mail(office: Office, asked: ReadMail) -> Record:
    """Return a message as it was, and mark it as read."""
    record = office.record("email", asked.email_id)
    shown = {"id": asked.email_id, **record}
    record["read"] = True
    others = [
        {"id": name, "from": other["from"], "date": other["date"]}
        for name, other in office.of("email")
        if other["thread"] == record["thread"] and name != asked.email_id
    ]
    return {"email": shown, "thread": sorted(others, key=lambda other: (other["date"], other["id"]))}


def _summary(name: str, record: Record) -> Record:
    text = record["body"]
    snippet = text if len(text) <= _SNIPPET else text[:_SNIPPET].rstrip() + "…"
    return {"id": name, **{key: record[key] for key in _SHOWN}, "snippet": snippet}


def _newest_first(found: list[Record]) -> list[Record]:
    return sorted(found, key=lambda shown: (shown["date"], shown["id"]), reverse=True)


TOOLS: list[Tool[Any]] = [
    Tool("mail.list", ListMail, list_mail),
    Tool("mail.search", SearchMail, search_mail),
    Tool("mail.read", ReadMail, read_mail),
]
