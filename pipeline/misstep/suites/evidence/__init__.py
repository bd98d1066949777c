"""Six domains with their own worlds, workflows in them, and cases that ask for evidence before action.

A domain (`domains/*/domain.yaml`) is a world: types of records, tools that show them, tools that change them, a
handbook. A workflow (`workflows/*.yaml`) is a way of working in it: reads, requirements, a graph of actions. A protocol
is a way of asking: cases are listed in the file of their workflow and derived from it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from misstep.storage.bundled import bundled
from misstep.suites.bundle import Bundle
from misstep.suites.evidence.acting.agents import scripted
from misstep.suites.evidence.acting.files import Cohort
from misstep.suites.evidence.card import card
from misstep.suites.evidence.protocol import briefing, run
from misstep.suites.evidence.reference import reference
from misstep.suites.evidence.sources import Domain, read_domains
from misstep.suites.evidence.tools import tools_file
from misstep.suites.evidence.world import CaseWorld
from misstep.suites.evidence.written import public, public_domain, task

NAME = "evidence"


def bundle(folder: Path) -> Bundle:
    """Return the suite that the files of a folder describe, with traces of its scripted agents and of its cohort.

    What agents may see (`public.jsonl`, `public_domains.jsonl`) is apart from `tasks.jsonl`, which they may not.

    Raises:
        SpecificationError: a file is not well formed.
        ContractError: the cases do not allow a cohort that meets the printed figures.
    """
    domains = read_domains(folder)
    return Bundle(
        [task(case, domain.file) for domain in domains for case in domain.cases],
        {domain.file.domain: domain.file.records for domain in domains},
        chain(
            (("reference", record) for domain in domains for record in solved(domain)),
            scripted(domains),
            _acted(domains),
        ),
        {
            "CARD.md": card(domains),
            "tools.yaml": tools_file(domain.file for domain in domains),
            "public_domains.jsonl": _lines(public_domain(domain.file) for domain in domains),
            "public.jsonl": _lines(public(case, domain.file) for domain in domains for case in domain.cases),
        },
    )


def _acted(domains: Sequence[Domain]) -> Iterable[tuple[str, dict[str, Any]]]:
    """Yield the traces of the cohort; it is planned when the first of them is asked for."""
    yield from Cohort(domains, bundled("published")).traces()


def solved(domain: Domain) -> Iterable[dict[str, Any]]:
    """Yield the record of the reference agent on every case of a domain."""
    told = public_domain(domain.file)
    for case in domain.cases:
        identity = {"suite": NAME, "task_id": case.task_id, "model": "reference", "replicate": 1}
        brief = briefing(public(case, domain.file), told)
        yield run(reference(case), brief, CaseWorld(domain.file, case), identity)


def _lines(lines: Iterable[dict[str, Any]]) -> str:
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
