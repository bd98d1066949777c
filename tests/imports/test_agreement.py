"""The labels agree with what the public benchmarks say of their own runs; bounds stand where they are compared."""

from collections.abc import Callable
from pathlib import Path

import pytest

from agreement.corpus import CORPORA, Labelled, Rate
from agreement.report import BENCHMARKS, measure, section
from misstep.specs.imports import IMPORTS

pytestmark = pytest.mark.slow
Measured = tuple[list[Labelled], list[Rate]]


@pytest.fixture(scope="module")
def measured(corpora: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Measured]:
    known: dict[str, Measured] = {}

    def of(name: str) -> Measured:
        if name not in known:
            known[name] = measure(name, corpora, tmp_path_factory.mktemp(name))
        return known[name]

    return of


def test_every_import_of_tasks_with_writes_is_compared():
    assert set(IMPORTS) - {"safeact"} == set(CORPORA)  # cases of evidence are compared with their own evaluator


@pytest.mark.parametrize("name", BENCHMARKS)
def test_labels_agree_within_the_bounds(measured, name):
    for rate in measured(name)[1]:
        assert rate.total, rate.what
        assert rate.holds, f"{rate.what}: {rate.hits} of {rate.total} ({rate.share:.2%}); {dict(rate.kinds)}"


@pytest.mark.parametrize("name", BENCHMARKS)
def test_the_document_states_what_is_measured(measured, name, root):
    assert section(*measured(name)) in (root / "docs" / "agreement.md").read_text()


def test_workbench_episodes_that_lost_calls_are_unknown_and_not_clean(measured):
    ((found,), _) = measured("workbench")
    lost = [episode for episode in found.episodes if episode["calls_lost"]]
    assert (len(lost), len(found.episodes) - len(lost)) == (176, 1894)
    assert not any(episode["cd"] is False or episode["net_changed"] is False for episode in lost)


def test_the_two_silent_calls_of_the_airline_are_no_ops(measured):
    (silent,) = (rate for rate in measured("tau-airline")[1] if "no-ops" in rate.what)
    assert (silent.hits, silent.total) == (2, 2)


@pytest.mark.parametrize(("name", "inert"), [("workbench", 2), ("tau-retail", 4), ("tau2-retail", 4)])
def test_expected_writes_that_do_nothing_are_listed(measured, name, inert):
    assert len(measured(name)[0][0].report.inert) == inert
