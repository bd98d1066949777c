"""Stories of everyday office life, turned into records."""

from __future__ import annotations

import re
from datetime import date

from misstep.contracts.errors import SpecificationError
from misstep.suites.sabench.everyday_stock import Appointment, Job, Message, Story
from misstep.suites.sabench.everyday_week import Cast, Draw, Week
from misstep.suites.sabench.records import INVERSE
from misstep.suites.world import Record

_SLOT = re.compile(r"\{([a-z]+)(?:\.(-?\d+))?\}")
_OPENS, _SHUTS = 7 * 60 + 30, 17 * 60 + 45


class Telling:
    """One story in one week: its people, choices and first day, and the records that it makes."""

    def __init__(self, made: Week, name: str, story: Story, draw: Draw) -> None:
        self.made, self.name, self.story, self.draw = made, name, story, draw
        roles: dict[str, str] = {}
        for role, among in sorted(story.cast.items(), key=lambda one: (len(one[1]), one[0])):
            roles[role] = draw.one([key for key in among if key not in roles.values()] or among)
        self.cast = Cast(made, roles)
        self.words = {key: draw.one(among) for key, among in sorted(story.with_.items())}
        least, most = story.ago or ((-7, 8) if story.span is None else (story.span + 1, story.span + 8))
        if story.span is not None and least < story.span:
            raise SpecificationError(f"the story {name} is not over after {least} days")
        self.start = made.day(made.today, -(least + draw.below(most - least + 1)))

    def tell(self) -> None:
        """Add its records to those of the week."""
        if self.story.mail:
            self._mail(f"{self.name}/email/")
        for place, planned in enumerate(self.story.events):
            self._event(f"{self.name}/event/{place}", planned)
        keys = {job.key or str(place): f"{self.name}/ticket/{place}" for place, job in enumerate(self.story.tickets)}
        for job, name in zip(self.story.tickets, keys.values(), strict=True):
            self._ticket(name, job, keys)

    def _mail(self, name: str) -> None:
        recent = self.made.day(self.made.today, -1).isoformat()
        labels = self.story.labels if self.draw.random() < 0.7 else []
        times = self._times([message.day for message in self.story.mail])
        sent: list[Record] = []
        for place, (message, when) in enumerate(zip(self.story.mail, times, strict=True)):
            mine = message.from_ == "me"
            if mine:
                for earlier in sent:
                    earlier["read"] = True
            before = place - 1 if message.answers is None else message.answers
            answers = place > 0 and not message.fresh and not message.forward
            record = self._message(message, sent[before] if answers else None)
            record["in_reply_to"] = f"{name}{before}" if answers else ""
            record["forward_of"] = f"{name}{before}" if message.forward else ""
            if answers:
                sent[before]["answered"] |= mine
            sent.append(
                record
                | {
                    "date": when,
                    "folder": "sent" if mine else "archive" if self.story.filed else "inbox",
                    "thread": f"{self.name}/thread",
                    "read": mine or self.story.filed or self.draw.random() > (0.6 if when >= recent else 0.2),
                    "answered": False,
                    "labels": [] if mine else labels[:],
                }
            )
        for place, record in enumerate(sent):
            self.made.add("email", record["date"], f"{name}{place}", record)

    def _message(self, message: Message, answered: Record | None) -> Record:
        """Return who writes what to whom."""
        sender = self.cast.address(message.from_)
        to, cc = self.cast.addresses(message.to), self.cast.addresses(message.cc)
        subject = self._text(self.story.subject)
        if answered is not None:
            subject = "Re: " + answered["subject"].removeprefix("Re: ")
            to = to or (answered["to"] if answered["from"] == sender else [answered["from"]])
            if message.all:
                cc = [*answered["to"], *answered["cc"], *cc]
        elif message.forward:
            subject = f"Fwd: {subject}"
        text, name = self._text(message.text), self.cast.first_name(message.from_)
        if name and self.draw.random() < (0.8 if answered is None else 0.4):
            text += f" {name}"
        to = to or [self.made.owner]
        cc = [one for one in dict.fromkeys(cc) if one not in (sender, *to)]
        return {"from": sender, "to": list(to), "cc": cc, "subject": subject, "body": text}

    def _event(self, name: str, planned: Appointment) -> None:
        day = self._day(planned.day)
        past = f"{day}T{planned.from_}" < self.made.now
        guests = planned.attendees if planned.organizer == "me" else ["me", *planned.attendees]
        record: Record = {
            "title": self._text(planned.title),
            "start": f"{day}T{planned.from_}",
            "end": f"{day}T{planned.to}",
            "location": self._text(planned.location),
            "description": self._text(planned.description),
            "organizer": self.cast.address(planned.organizer),
            "attendees": self.cast.addresses(guests),
            "status": planned.status,
            "response": "accepted" if past and planned.response == "none" else planned.response,
            "series": "",
        }
        self.made.add("event", record["start"], name, record)

    def _ticket(self, name: str, job: Job, keys: dict[str, str]) -> None:
        links = [(relation, keys[target]) for relation, target in (link.split() for link in job.links)]
        for other, there in zip(self.story.tickets, keys.values(), strict=True):
            told = (link.split() for link in other.links)
            links += [(INVERSE[relation], there) for relation, target in told if keys[target] == name]
        status = self.draw.one(job.status)
        record: Record = {
            "title": self._text(job.title),
            "description": self._text(job.text),
            "status": status,
            "priority": self.draw.one(job.priority),
            "assignee": self.cast.address(job.assignee) if job.assignee else "",
            "requester": self.cast.address(job.requester),
            "parent": keys[job.parent] if job.parent else "",
            "links": [f"{relation} {other}" for relation, other in links],
            "resolution": job.resolution if status == "closed" else "",
        }
        if job.locked:
            record["locked"] = True
        self.made.add("ticket", self.start.isoformat(), name, record)
        times = self._times([remark.day for remark in job.comments])
        for place, (remark, when) in enumerate(zip(job.comments, times, strict=True)):
            comment = {"ticket": name, "author": self.cast.address(remark.by), "body": self._text(remark.text)}
            comment |= {"visibility": "public" if remark.public else "internal", "date": when}
            self.made.add("comment", when, f"{name}/comment/{place}", comment)

    def _times(self, days: list[int]) -> list[str]:
        """Return when things happen that happen on these days of the story, one after the other and before now."""
        times = []
        for place, number in enumerate(days):
            day, on_it = self._day(number), days.count(number)
            shuts = _SHUTS
            if day == self.made.today:
                shuts = int(self.made.now[11:13]) * 60 + int(self.made.now[14:16]) - 1
            turn = days[:place].count(number)
            minute = _OPENS + int((shuts - _OPENS) * (turn + self.draw.random()) / on_it)
            times.append(f"{day}T{minute // 60:02}:{minute % 60:02}")
        return times

    def _day(self, number: int) -> date:
        return self.made.day(self.start, number)

    def _text(self, text: str) -> str:
        filled = _SLOT.sub(self._word, text)
        return filled[:1].upper() + filled[1:]

    def _word(self, slot: re.Match[str]) -> str:
        name, number = slot[1], slot[2]
        if number is not None:
            day = self._day(int(number))
            return f"{day:%A}" if name == "day" else f"{day.day} {day:%B}"
        if name in self.words:
            return self.words[name]
        if name == "me" or name in self.cast.roles:
            return self.cast.first_name(name)
        raise SpecificationError(f"the story {self.name} has no {{{name}}}")
