"""The audit page of the evidence suite is true, and nothing on it is other than was written down before."""

from pathlib import Path

import pytest

from agreement.evidence_suite import Judged, apart, expected, judged, page
from misstep.suites.evidence.acting.agents import AGENTS
from misstep.suites.evidence.card import card
from misstep.suites.evidence.sources import read_domains
from suites.evidence_checks import EVIDENCE


@pytest.fixture(scope="module")
def found() -> tuple[Judged, Judged]:
    return judged(read_domains(EVIDENCE))


def test_agents_and_variations_are_judged_as_was_written_down(found: tuple[Judged, Judged]) -> None:
    assert list(apart(*found)) == []
    assert expected()["agents"].keys() == AGENTS.keys()


def test_the_page_is_true(found: tuple[Judged, Judged], root: Path) -> None:
    text = (root / "docs" / "evidence-audit.md").read_text(encoding="utf-8")
    assert page(text, *found) == text


def test_the_card_is_that_of_the_suite() -> None:
    assert (EVIDENCE / "CARD.md").read_text(encoding="utf-8") == card(read_domains(EVIDENCE))


def test_what_differs_from_what_was_written_down_is_told(found: tuple[Judged, Judged]) -> None:
    agents, runs = found
    solved = [{**row, "ecs": True} for row in agents["hasty"]]
    assert "hasty, V1: early_action 0 times, not 131" in list(apart({**agents, "hasty": solved}, runs))
    assert any(line.startswith("stale: 0 of") for line in apart(agents, {**runs, "stale": runs["discovery"]}))
