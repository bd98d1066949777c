"""Nothing private reaches an agent: it sees the public part of its case, and what its own calls return."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from misstep.suites.evidence import bundle
from misstep.suites.evidence.cases import Case
from misstep.suites.evidence.protocol import Briefing, briefing, run
from misstep.suites.evidence.reference import reference
from misstep.suites.evidence.sources import Domain, read_domains
from misstep.suites.evidence.world import CaseWorld
from misstep.suites.evidence.written import public, public_domain
from misstep.suites.turns import Exchange, Turn
from suites.evidence_checks import EVIDENCE, FINISHED
from suites.evidence_house import house


def seen_by_agent(domain: Domain, case: Case) -> list[str]:
    """Return all that an agent is given on a case before its first and before its last turn, as text."""
    seen: list[str] = []
    turns = len(case.reads) + (0 if case.protocol == "V0" else len(case.actions))
    solve = reference(case)

    def spy(brief: Briefing, past: Sequence[Exchange]) -> Turn:
        if len(past) in (0, turns):
            seen.append(json.dumps([brief.__dict__, [one.results for one in past]], ensure_ascii=False))
        return solve(brief, past)

    brief = briefing(public(case, domain.file), public_domain(domain.file))
    run(spy, brief, CaseWorld(domain.file, case), {"task_id": case.task_id})
    return seen


def private_texts(case: Case, domain: Domain) -> list[str]:
    """Return what would give a case away: its id, what it requires, how it fails, how it is to be ended.

    A requirement in the very words of the handbook, which everybody sees, gives nothing away.
    """
    evidence, handbook = case.evidence, " ".join(" ".join(domain.file.rules.values()).split())
    texts = [case.task_id, "supported_if", "violated_if", "result_of", "template_id", "Legacy"]
    described = [need["description"] for need in evidence["requirements"]]
    texts += [text for text in described if text not in handbook]
    texts += [
        one["reason"] for need in evidence["requirements"] for one in need.get("violated_if", []) if "reason" in one
    ]
    texts += [need["missing_reason"] for need in evidence["requirements"] if "missing_reason" in need]
    return [json.dumps(text, ensure_ascii=False)[1:-1] for text in texts]


@pytest.fixture(scope="module", params=["house", *FINISHED])
def domain(request: pytest.FixtureRequest) -> Domain:
    return house() if request.param == "house" else read_domains(EVIDENCE, [request.param])[0]


def test_no_agent_sees_what_is_private(domain: Domain) -> None:
    leaks = [
        (case.task_id, text)
        for case in domain.cases
        for seen in seen_by_agent(domain, case)[-1:]
        for text in private_texts(case, domain)
        if text in seen
    ]
    assert leaks == []


def test_no_receipt_is_shown_before_it_is_returned(domain: Domain) -> None:
    for case in domain.cases:
        last = seen_by_agent(domain, case)
        results: list[dict[str, Any]] = [one for turn in json.loads(last[-1])[1] for one in turn]
        for number, result in enumerate(results):
            if "receipt" in result:
                assert result["receipt"] not in json.dumps(results[:number]) + last[0]


def test_before_the_first_turn_a_stop_looks_like_any_other_case(domain: Domain) -> None:
    told = public_domain(domain.file)
    acting = [case for case in domain.cases if case.protocol != "Legacy"]
    briefs = [briefing(public(case, domain.file), told) for case in acting]
    assert len({(brief.system, json.dumps(brief.tools)) for brief in briefs}) == 1


def test_the_public_part_has_these_keys_and_no_others(domain: Domain) -> None:
    for case in domain.cases:
        assert public(case, domain.file).keys() == {"case", "domain", "kind", "instruction", "context"}
    told = public_domain(domain.file)
    assert told.keys() == {"domain", "role", "now", "rules", "tools"}
    assert all(tool.keys() == {"name", "description", "parameters"} for tool in told["tools"])


def test_an_agent_can_be_briefed_from_the_public_files_alone(domain: Domain) -> None:
    told = json.loads(json.dumps(public_domain(domain.file)))
    for case in domain.cases:
        line = json.loads(json.dumps(public(case, domain.file)))
        assert briefing(line, told) == briefing(public(case, domain.file), public_domain(domain.file))


def test_public_and_private_are_different_files(tmp_path: Path) -> None:
    for name in FINISHED:
        shutil.copytree(EVIDENCE / "domains" / name, tmp_path / "domains" / name)
    made = bundle(tmp_path)
    lines = made.documents["public.jsonl"].splitlines()
    assert len(lines) == len(made.tasks)
    for text in ("supported_if", "violated_if", "result_of", "template_id", '"requires"', '"evidence"'):
        assert text not in made.documents["public.jsonl"] + made.documents["public_domains.jsonl"]
