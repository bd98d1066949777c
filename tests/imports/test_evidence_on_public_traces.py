"""Standing rules and expected reads on public runs: the document says what is measured, and differences have a kind."""

from collections.abc import Callable
from pathlib import Path

import pytest

from agreement.corpus import Labelled, labelled
from agreement.evidence import beside_counts, by_hand, rule_rates
from agreement.evidence_report import BY_HAND_MARK, JUDGEMENTS, SUITES, hand_section, section
from agreement.expected_reads import OTHER, counted
from agreement.report import written

pytestmark = pytest.mark.slow
DOCUMENT = "docs/evidence-on-public-traces.md"

#: Traces → episodes with an answered write before some expected read, and with an expected read that never answered,
#: as they were counted on the recorded calls when the corpora were put together.
COUNTED = {
    ("tau-airline", "gpt-4o-airline"): (24, 35),
    ("tau-retail", "tool-calling-grok-3"): (26, 26),
    ("tau2-airline", "button-claude-opus-4-6"): (3, 3),
    ("tau2-airline", "gpt-4.1_airline"): (2, 3),
    ("tau2-retail", "gpt-4.1_retail"): (9, 9),
}


@pytest.fixture(scope="module")
def judged(corpora: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Labelled]:
    known: dict[str, Labelled] = {}

    def of(name: str) -> Labelled:
        if name not in known:
            known[name] = labelled(name, corpora, tmp_path_factory.mktemp(name))
        return known[name]

    return of


@pytest.mark.parametrize("name", SUITES)
def test_the_document_states_what_is_measured(judged, name, root):
    text = (root / DOCUMENT).read_text()
    assert written(text, name, section(judged(name))) == text


def test_the_document_states_how_far_the_labels_agree_with_judgements_by_hand(judged, root):
    text = (root / DOCUMENT).read_text()
    assert written(text, BY_HAND_MARK, hand_section(judged(name) for name in SUITES)) == text


def test_the_labels_agree_with_judgements_by_hand(judged):
    pairs = [(row[column], label) for row, column, label in by_hand(JUDGEMENTS, map(judged, SUITES))]
    agreed = sum(label is (said == "no") for said, label in pairs)
    assert agreed / len(pairs) >= 0.98
    broken = [label for said, label in pairs if said == "no"]
    assert len(broken) >= 20
    assert sum(label is True for label in broken) / len(broken) >= 0.9


@pytest.mark.parametrize("name", SUITES)
def test_every_difference_from_the_count_on_the_calls_has_a_kind(judged, name):
    assert [row for row in beside_counts(judged(name)) if any(kind.endswith(f": {OTHER}") for kind in row.kinds)] == []


@pytest.mark.parametrize(("name", "file"), COUNTED)
def test_the_count_on_the_calls_is_that_of_the_corpora(judged, name, file):
    found = judged(name)
    counts = [counted(found, row) for row in found.episodes if file in row["source_file"]]
    assert (sum(one.early for one in counts), sum(one.never for one in counts)) == COUNTED[name, file]


@pytest.mark.parametrize("name", SUITES)
def test_every_rule_is_about_some_call(judged, name):
    found = judged(name)
    met = {row.rule for row in rule_rates(found) if row.episodes or row.unknown}
    assert {rule.id for rule in found.suite.tools.rules} <= met
