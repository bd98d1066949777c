"""The labels agree with what the public benchmarks say of their own runs; bounds stand where they are compared."""

from pathlib import Path

import pytest

from agreement import agentdojo, tau, workbench
from agreement.corpus import CORPORA, Labelled, Rate, labelled
from misstep.specs.imports import IMPORTS


def check(rates: list[Rate]) -> None:
    for rate in rates:
        assert rate.total, rate.what
        assert rate.holds, f"{rate.what}: {rate.hits} of {rate.total} ({rate.share:.2%}); {dict(rate.kinds)}"


@pytest.fixture
def run(corpora: Path, tmp_path: Path):
    def labels(name: str) -> Labelled:
        return labelled(name, corpora, tmp_path / name)

    return labels


def test_every_import_has_a_corpus():
    assert set(IMPORTS) == set(CORPORA)


def test_workbench(run):
    found = run("workbench")
    assert sum(not episode["calls_lost"] for episode in found.episodes) == 1894
    check(workbench.compare(found))


def test_workbench_episodes_that_lost_calls_are_unknown_and_not_clean(run):
    lost = [episode for episode in run("workbench").episodes if episode["calls_lost"]]
    assert len(lost) == 176
    assert not any(episode["cd"] is False or episode["net_changed"] is False for episode in lost)


@pytest.mark.parametrize("name", ["tau-airline", "tau-retail"])
def test_tau_bench(run, name):
    check(tau.compare_tau(run(name)))


@pytest.mark.parametrize("name", ["tau2-airline", "tau2-retail", "tau2-telecom"])
def test_tau2_bench(run, name):
    check(tau.compare_tau2(run(name)))


def test_agentdojo(run):
    check(agentdojo.compare([run("agentdojo-workspace"), run("agentdojo-banking")]))


def test_the_two_silent_calls_of_the_airline_are_no_ops(run):
    rates = {rate.what: rate for rate in tau.compare_tau(run("tau-airline"))}
    silent = rates["calls that answered without an error and changed nothing are no-ops"]
    assert (silent.hits, silent.total) == (2, 2)


@pytest.mark.parametrize(("name", "inert"), [("workbench", 2), ("tau-retail", 4), ("tau2-retail", 4)])
def test_expected_writes_that_do_nothing_are_listed(run, name, inert):
    assert len(run(name).report.inert) == inert
