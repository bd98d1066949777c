"""The hand-written stock of everyday records: `everyday.yaml`, little stories of mail, events and tickets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from misstep.contracts.written import Written
from misstep.specs.written import YamlFile


def _listed(written: Any) -> Any:
    return [written] if isinstance(written, str) else written


#: One of these is drawn; a text stands for itself.
Choice = Annotated[list[str], BeforeValidator(_listed), Field(min_length=1)]


class Message(Written):
    """A message of a story. Names are roles of its cast, `me`, people of the world, or addresses."""

    from_: str = Field(alias="from")
    to: list[str] = Field(default_factory=list, description="default: whom it answers; of a first message: `me`")
    cc: list[str] = Field(default_factory=list)
    day: int = Field(0, description="working days after the first day of the story")
    text: str
    answers: int | None = Field(None, description="which message of the story it answers (default: the one before)")
    fresh: bool = Field(False, description="answers nothing, though it is not the first")
    all: bool = Field(False, description="goes to everybody who got what it answers")
    forward: bool = Field(False, description="passes the one before on")


class Appointment(Written):
    """An event of a story; who is invited by somebody else always includes `me`."""

    title: str
    from_: str = Field(alias="from")
    to: str
    day: int = 0
    location: str = ""
    description: str = ""
    organizer: str = "me"
    attendees: list[str] = Field(default_factory=list)
    status: str = "confirmed"
    response: str = Field("accepted", description="while it is still to come")


class Remark(Written):
    """A comment on a ticket."""

    by: str
    text: str
    day: int = 0
    public: bool = False


class Job(Written):
    """A ticket of a story; `parent` and `links` name other tickets of the story by their `key`."""

    key: str = ""
    title: str
    text: str = ""
    status: Choice = Field(default_factory=lambda: ["open"])
    priority: Choice = Field(default_factory=lambda: ["normal"])
    assignee: str = ""
    requester: str = "me"
    parent: str = ""
    links: list[str] = Field(default_factory=list, description="`blocks toner`; the inverse is added to the other")
    resolution: str = Field("done", description="if it is closed")
    locked: bool = False
    comments: list[Remark] = Field(default_factory=list)


class Story(Written):
    """Records that belong together. In texts, `{a}` is a first name or a choice, `{day.2}` and `{date.2}` a day."""

    weeks: list[str] = Field(default_factory=list, description="the weeks that it fits (default: all)")
    group: str = Field("", description="of stories with the same, a week has one")
    ago: tuple[int, int] | None = Field(None, description="working days since its first day; negative: still to come")
    cast: dict[str, Choice] = Field(default_factory=dict)
    with_: dict[str, Choice] = Field(default_factory=dict, alias="with")
    subject: str = ""
    labels: list[str] = Field(default_factory=list)
    filed: bool = Field(False, description="what came in is in the archive")
    mail: list[Message] = Field(default_factory=list)
    events: list[Appointment] = Field(default_factory=list)
    tickets: list[Job] = Field(default_factory=list)

    @property
    def size(self) -> dict[str, int]:
        """How many records of the main types it has."""
        return {"email": len(self.mail), "event": len(self.events), "ticket": len(self.tickets)}

    @property
    def span(self) -> int | None:
        """On which of its days the last thing happens that must be over."""
        remarks = [remark.day for job in self.tickets for remark in job.comments]
        return max([*(message.day for message in self.mail), *remarks], default=None)


class Recurring(Written):
    """A recurring event."""

    title: str
    weekday: int = Field(ge=0, le=4, description="0 is Monday")
    every: int = Field(1, description="weeks from one to the next")
    from_: str = Field(alias="from")
    to: str
    location: str = ""
    description: str = ""
    organizer: str = "me"
    attendees: list[str] = Field(default_factory=list)
    sequence: int = 0
    weeks: list[str] = Field(default_factory=list)


class Stock(Written):
    """A whole `everyday.yaml`."""

    holidays: list[str]
    series: dict[str, Recurring]
    stories: dict[str, Story]


def read_stock(folder: Path) -> Stock:
    """Return the stock of a suite.

    Raises:
        SpecificationError: the file is not there or not well formed.
    """
    return YamlFile(folder / "everyday.yaml").validate(Stock)
