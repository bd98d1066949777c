"""A case prepared for acting: what its reads show, and which values are known once some of them were made."""

from __future__ import annotations

import copy
import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from misstep.suites.evidence.cases import Case, is_free
from misstep.suites.evidence.domain_file import DomainFile
from misstep.suites.evidence.layers import Step
from misstep.suites.evidence.protocol import Briefing, briefing
from misstep.suites.evidence.sources import Domain
from misstep.suites.evidence.world import CaseWorld
from misstep.suites.evidence.written import public, public_domain
from misstep.suites.world import Record


@dataclass(frozen=True)
class Prepared:
    """A case, its domain, and what all of its episodes have in common; worked out once.

    Attributes:
        case: the case.
        domain: its domain.
        reads_of: action → the reads of the solution that belong to it, or to the case as a whole, in their order.
    """

    case: Case
    domain: DomainFile
    reads_of: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, case: Case, domain: Domain) -> Prepared:
        """Return a case of a domain, prepared."""
        actions = domain.workflows[case.workflow].actions
        names = [step.id for step in case.reads]
        also = case.entry.also
        own = {step.id: {*actions[step.id].reads, *actions[step.id].looks, *also} for step in case.actions}
        return cls(case, domain.file, {one: [name for name in names if name in reads] for one, reads in own.items()})

    @cached_property
    def brief(self) -> Briefing:
        """What an agent is told."""
        return briefing(public(self.case, self.domain), public_domain(self.domain))

    @cached_property
    def digested(self) -> Briefing:
        """The same with a system prompt that says no more than which one it was: all cases of a domain share it."""
        text = self.brief.system
        line = f"[handbook and {len(self.brief.tools)} tools of {self.domain.title}, sha256 {_sha(text)}]"
        return replace(self.brief, system=line, tools=[])

    @cached_property
    def world(self) -> CaseWorld:
        """The world before anybody did anything; reads only."""
        return CaseWorld(self.domain, self.case)

    @cached_property
    def reads(self) -> dict[str, Step]:
        """The reads of the solution by their names, in an order in which they can be made."""
        return {step.id: step for step in self.case.reads}

    @cached_property
    def required(self) -> tuple[str, ...]:
        """The names of the reads that must be made."""
        return tuple(read["id"] for read in self.case.evidence.get("reads", ()))

    @cached_property
    def results(self) -> dict[str, Record]:
        """What each read of the solution shows."""
        return {name: self.shown(step.tool, step.arguments) for name, step in self.reads.items()}

    @cached_property
    def _seen(self) -> dict[str, Record]:
        return {}

    def shown(self, tool: str, arguments: Mapping[str, Any]) -> Record:
        """Return what a read gives before anything was done."""
        key = f"{tool} {json.dumps(dict(arguments), sort_keys=True, default=str)}"
        if key not in self._seen:
            self._seen[key] = self.world.act(tool, arguments)
        return self._seen[key]

    @cached_property
    def _texts(self) -> dict[str, str]:
        return {name: json.dumps(result, ensure_ascii=False) for name, result in self.results.items()}

    @cached_property
    def _told(self) -> str:
        return "\n".join((self.brief.instruction, self.brief.system, json.dumps(self.brief.tools, ensure_ascii=False)))

    @cached_property
    def _where(self) -> dict[str, frozenset[str] | None]:
        return {}

    def _sources(self, value: Any) -> frozenset[str] | None:
        """Return the reads that show a value; null: everybody is told of it."""
        word = str(value)
        if word not in self._where:
            pattern = re.compile(rf"(?i)(?<![A-Za-z0-9]){re.escape(word)}(?![A-Za-z0-9])")
            told = pattern.search(self._told) is not None
            showing = frozenset(name for name, text in self._texts.items() if pattern.search(text))
            self._where[word] = None if told else showing
        return self._where[word]

    def unknown(self, step: Step, made: Iterable[str]) -> list[str]:
        """Return the arguments of a read or an action whose values nothing has shown once these reads were made.

        Results of earlier actions, free text, and what is chosen or worked out are no such arguments.
        """
        before = frozenset(made)
        return [
            name
            for name, value in step.arguments.items()
            if name not in self._open(step)
            and any(
                (where := self._sources(leaf)) is not None and not where & before
                for leaf in leaves(value)
                if not isinstance(leaf, bool)
            )
        ]

    def _open(self, step: Step) -> set[str]:
        tool = self.domain.acts.get(step.tool)
        if tool is None:
            return set()
        chosen = {name for name, one in tool.args.items() if one.free or one.one_of or one.type == "flag"}
        return chosen | {name for name, value in step.arguments.items() if is_free(value)} | self._worked_out(step)

    def _worked_out(self, step: Step) -> set[str]:
        return set(self.case.worked_out.get(step.id, ()))

    def compared(self, step: Step) -> list[str]:
        """Return the arguments of an action that count."""
        (written,) = (one for one in self.case.evidence["actions"] if one["id"] == step.id)
        return [name for name, value in written["arguments"].items() if value != "*"]

    @cached_property
    def entities(self) -> dict[str, list[str]]:
        """Type → ids that some read of the solution shows, or that are told of, of records that there are."""
        text = "\n".join((self.brief.instruction, *self._texts.values()))
        words = set(re.findall(r"[A-Za-z0-9_-]+", text))
        found: dict[str, list[str]] = {}
        for entity in sorted(self.world.records):
            kind, _, name = entity.partition(":")
            if name in words:
                found.setdefault(kind, []).append(name)
        return found

    def anyone(self, kind: str) -> str:
        """Return the id of some record of a type, whether anything shows it or not."""
        names = (entity.partition(":")[2] for entity in sorted(self.world.records) if entity.startswith(f"{kind}:"))
        return next(names, "none")

    @cached_property
    def neighbours(self) -> list[tuple[str, Record]]:
        """Reads beside those of the solution: (tool, arguments), each of a record that something shows."""
        own = [(step.tool, step.arguments) for step in self.case.reads]
        found = [
            (name, {tool.by: entity})
            for name, tool in self.domain.info.items()
            if tool.by is not None
            for entity in self.entities.get(tool.on, ())
            if (name, {tool.by: entity}) not in own
        ]
        return [one for one in found if self.shown(*one).get("ok")]


class Staged(CaseWorld):
    """The world of an episode on a prepared case: it is copied only when something is changed."""

    def __init__(self, prepared: Prepared, seed: int | str = 0) -> None:
        self._prepared, self._untouched = prepared, True
        self._episode = seed

    def act(self, tool: str, arguments: Mapping[str, Any]) -> Record:
        """Return what a call gives, errors included."""
        if self._untouched and tool not in self._prepared.domain.acts:
            return self._prepared.shown(tool, arguments)
        if self._untouched:
            self._untouched = False
            self.domain = self._prepared.domain
            self.records = {entity: dict(fields) for entity, fields in self._prepared.world.records.items()}
            self._seed = f"{self._episode}/{self._prepared.case.task_id}"
            self._made = 0
            self._returned = {key: list(values) for key, values in self._prepared.case.given.items()}
        return super().act(tool, arguments)


def leaves(value: Any) -> Iterable[Any]:
    """Yield the plain values in an argument; none where it is a result of an earlier action."""
    if isinstance(value, dict):
        return
    if isinstance(value, list):
        for one in value:
            yield from leaves(one)
    else:
        yield value


def plain(step: Step) -> Record:
    """Return the arguments of a step with its free text as text, its own copy."""
    return {name: value["any"] if is_free(value) else copy.deepcopy(value) for name, value in step.arguments.items()}


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
