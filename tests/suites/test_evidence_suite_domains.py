"""The finished domains: every reference solution is taken for solved, and the composition is the published one."""

import csv
import json
from collections import Counter

import pytest

from misstep.storage.bundled import bundled
from misstep.suites.evidence import solved
from misstep.suites.evidence.composition import CASES, GRAPHS, ORDER, target, total
from misstep.suites.evidence.shapes import dag_shape, requirement_shape
from misstep.suites.evidence.sources import Domain, read_domains
from misstep.suites.evidence.variety import to_do
from suites.evidence_checks import EVIDENCE, FINISHED, faults, word_openings
from suites.evidence_house import house
from suites.evidence_reads import needless_faults, replaceable_faults


@pytest.fixture(scope="module", params=FINISHED)
def domain(request: pytest.FixtureRequest) -> Domain:
    return read_domains(EVIDENCE, [request.param])[0]


def test_every_reference_solution_is_solved_and_every_word_is_right(domain: Domain) -> None:
    assert list(faults([domain])) == []


def test_the_composition_is_what_it_is_to_be(domain: Domain) -> None:
    assert list(to_do(domain)) == []


def test_every_required_read_is_one_that_something_rests_on(domain: Domain) -> None:
    assert list(needless_faults(domain)) == []


def test_no_required_read_can_be_replaced_by_another(domain: Domain) -> None:
    assert list(replaceable_faults(domain)) == []


def test_the_same_is_played_every_time(domain: Domain) -> None:
    assert json.dumps(list(solved(domain))) == json.dumps(list(solved(domain)))


def test_no_shape_has_more_than_a_tenth_of_a_protocol() -> None:
    cases = [case for one in read_domains(EVIDENCE, FINISHED) for case in one.cases]
    for protocol in ORDER:
        own = [case for case in cases if case.protocol == protocol]
        most = total(protocol).cases / 10
        assert max(Counter(map(requirement_shape, own)).values()) <= most
        if protocol in ("V2", "V3"):
            assert max(Counter(map(dag_shape, own)).values()) <= most


def test_no_two_instructions_begin_alike() -> None:
    assert list(word_openings(read_domains(EVIDENCE, FINISHED))) == []


def test_the_small_house_is_right_too() -> None:
    found = [fault for fault in faults([house()]) if "characters" not in fault]
    assert found == []


def test_targets_add_up_to_the_published_tables() -> None:
    with (bundled("published") / "safeact_table6_cases.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["domain"] != "total"]
    printed = sorted(tuple(int(row[name.lower()]) for name in ORDER) for row in rows)
    assert sorted(CASES.values()) == printed
    with (bundled("published") / "safeact_table7_complexity.csv").open() as file:
        table = {row["property"]: row for row in csv.DictReader(file)}
    for protocol in ("V2", "V3"):
        made = total(protocol)
        assert made.actions == int(table["action nodes"][protocol.lower()])
        assert made.edges == int(table["dependency edges"][protocol.lower()])
        assert made.references == int(table["result references"][protocol.lower()])
    assert total("V3").forks == int(table["cases with a fork"]["v3"])
    assert total("V3").joins == int(table["cases with a join"]["v3"])
    assert all(target(name, "V2").edges == GRAPHS[name][0][0] - CASES[name][3] for name in CASES)
