"""The plan of the constructed cohort of the evidence suite: every printed cell, counted from the roles."""

from collections import Counter
from itertools import combinations
from pathlib import Path
from statistics import fmean, stdev

import pytest

from misstep.contracts.errors import ContractError
from misstep.suites.evidence.cohort.balanced import RUN as BALANCED
from misstep.suites.evidence.cohort.casting import cast
from misstep.suites.evidence.cohort.conditions import conditions
from misstep.suites.evidence.cohort.counting import counted, whole_rates
from misstep.suites.evidence.cohort.plan import likeness, plan
from misstep.suites.evidence.cohort.printed import Printed as Figures
from misstep.suites.evidence.cohort.sample import named
from misstep.suites.evidence.cohort.ways import (
    CONFIGURATIONS,
    LOST,
    PROTOCOLS,
    REPLICATES,
    WAYS,
    Case,
    Configuration,
    Role,
)
from suites.evidence_cohort_rates import (
    INVESTIGATED,
    by_replicate,
    cases,
    complete,
    ended,
    equal,
    of,
    rate,
    rows,
    solved,
)

SEED = 5
Printed = dict[str, str]
Roles = dict[Configuration, list[Role]]


@pytest.fixture(scope="module")
def published(root: Path) -> Path:
    return root / "data" / "published"


@pytest.fixture(scope="module")
def suite(published: Path) -> list[Case]:
    return cases(published)


@pytest.fixture(scope="module")
def roles(suite: list[Case], published: Path) -> list[Role]:
    return plan(suite, published, SEED)


@pytest.fixture(scope="module")
def mine(roles: list[Role]) -> Roles:
    return {one: [role for role in roles if role.configuration == one] for one in CONFIGURATIONS}


@pytest.fixture(scope="module")
def others(roles: list[Role], published: Path) -> list[Role]:
    return conditions(roles, published, SEED)


def _of_row(row: Printed) -> Configuration:
    return Configuration(row["model"], row["harness"])


def _sides(model: str) -> list[Configuration]:
    return [one for one in CONFIGURATIONS if one.model == model]


def test_every_case_is_tried_once_by_everyone_in_a_way_that_it_has(roles: list[Role], suite: list[Case]) -> None:
    tried = Counter((role.configuration, role.replicate, role.case) for role in roles)
    assert len(roles) == len(tried) == 10 * 3 * 656
    assert {case for _, _, case in tried} == set(suite)
    assert all(role.way in role.case.ways or role.way == LOST for role in roles)


def test_hardly_a_run_of_the_main_ones_is_not_scored(roles: list[Role]) -> None:
    lost = [role for role in roles if role.way == LOST]
    assert len(lost) <= 4
    assert {role.status for role in lost} == {"infrastructure_failure"}


def test_table_2(mine: Roles, published: Path) -> None:
    for row in rows(published, "table2_ecs"):
        those = mine[_of_row(row)]
        protocols = {name: rate(those, solved, of(name)) for name in PROTOCOLS}
        domains = {role.case.domain for role in those}
        values = {
            "ecs": rate(those, solved, of(*PROTOCOLS)),
            "protocol_macro": fmean(protocols.values()),
            "domain_macro": fmean(
                rate(those, solved, lambda role, of=domain: role.case.domain == of) for domain in domains
            ),
            **{name.lower(): value for name, value in protocols.items()},
        }
        assert {name: equal(value, row[name]) for name, value in values.items()} == dict.fromkeys(values, True)


def test_table_3(mine: Roles, published: Path) -> None:
    for row in rows(published, "table3_diagnostics"):
        those = mine[_of_row(row)]
        acted = [role for role in those if role.way == LOST or not ended("no_action")(role)]
        after = [role for role in acted if role.way == LOST or not ended("early_action")(role)]
        values = {
            "v0_bsr": rate(those, ended("incomplete_investigation"), of("V0")),
            "v1_par": rate(acted, ended("early_action"), of("V1")),
            "v1_cas": rate(after, solved, of("V1")),
            **{
                f"{name.lower()}_{end}": rate(those, ended(end, "gap_partial"), of(name))
                for name in ("V2", "V3")
                for end in ("gap", "partial")
            },
        }
        assert {name: equal(value, row[name]) for name, value in values.items()} == dict.fromkeys(values, True)


def test_table_12(mine: Roles, published: Path) -> None:
    for row in rows(published, "table12_rollouts"):
        family, inspect = (by_replicate(mine[one]) for one in _sides(row["model"]))
        delta = [one - other for one, other in zip(family, inspect, strict=True)]
        rates = {"family": family, "inspect": inspect, "delta": delta}[row["quantity"]]
        values = {"r1": rates[0], "r2": rates[1], "r3": rates[2], "mean": fmean(rates), "sd": stdev(rates)}
        assert {name: equal(value, row[name]) for name, value in values.items()} == dict.fromkeys(values, True)


def test_success_and_investigation_of_table_4(mine: Roles, published: Path) -> None:
    for row in rows(published, "table4_harness_pairs"):
        success, investigated = (
            [rate(mine[one], label, of(*INVESTIGATED)) for one in _sides(row["model"])] for label in (solved, complete)
        )
        assert equal(success[0], row["family_success"])
        assert equal(success[1], row["inspect_success"])
        assert equal(success[0] - success[1], row["delta"])
        assert equal(investigated[0], row["family_investigation"])
        assert equal(investigated[1], row["inspect_investigation"])


def test_figure_5(mine: Roles, published: Path) -> None:
    ends = {
        ("v0", "other failure"): "other",
        ("v2", "other failure"): "other",
        ("v2", "gap only"): "gap",
        ("v2", "partial only"): "partial",
        ("v2", "gap + partial"): "gap_partial",
    }
    for row in rows(published, "fig5_failure_modes"):
        end = ends.get((row["protocol"], row["category"]), row["category"].replace(" ", "_"))
        share = rate(mine[_of_row(row)], ended(end), of(row["protocol"].upper())) / 100
        assert equal(share, row["share"]), row


def test_nobody_is_like_another_and_replicates_are_alike(roles: list[Role], mine: Roles) -> None:
    shares = likeness(roles)
    assert len(shares) == 45
    assert max(shares.values()) < 0.9
    for those in mine.values():
        ends = {(role.case.case_id, role.replicate): role.way for role in those}
        names = {case for case, _ in ends}
        again = [
            fmean(ends[name, one] == ends[name, other] for name in names) for one, other in combinations(REPLICATES, 2)
        ]
        assert max(shares.values()) < min(again) < 1


def test_the_plan_is_the_same_twice_and_another_with_another_seed(
    roles: list[Role], others: list[Role], suite: list[Case], published: Path
) -> None:
    assert plan(suite, published, SEED) == roles
    assert conditions(roles, published, SEED) == others
    figures = Figures(published)
    other = whole_rates(suite, CONFIGURATIONS[1], figures)
    space, counts = counted(suite, CONFIGURATIONS[0], figures, other)
    again, another = (list(cast(CONFIGURATIONS[0], space, counts, seed)) for seed in (SEED, SEED + 1))
    assert [role.way for role in again] == [role.way for role in roles[: len(again)]]
    assert [role.way for role in again] != [role.way for role in another]


def test_cases_that_cannot_fail_have_no_plan(suite: list[Case], published: Path) -> None:
    stuck = [
        Case(case.case_id, case.domain, case.protocol, case.workflow, frozenset({WAYS[case.protocol][0].name}))
        for case in suite
    ]
    with pytest.raises(ContractError, match="no cohort meets the margins"):
        plan(stuck, published, SEED)


def test_table_9(roles: list[Role], others: list[Role], published: Path) -> None:
    did = {(role.configuration, role.case): solved(role) for role in roles if role.replicate == 1}
    for row in rows(published, "table9_matched_static_interactive"):
        judged = [role for role in others if role.run == "matched" and role.configuration == _of_row(row)]
        assert len({role.case for role in judged}) == len(judged) == int(row["cases"])
        right = 100 * fmean(role.way == "right" for role in judged)
        played = 100 * fmean(did[role.configuration, role.case] for role in judged)
        assert equal(right, row["static_accuracy"])
        assert equal(played, row["interactive_ecs"])
        assert equal(right - played, row["gap"])


def test_table_10(others: list[Role], published: Path) -> None:
    for row in rows(published, "table10_balanced_static_interactive"):
        static, played = (
            {
                role.case: role
                for role in others
                if (role.run, role.condition, role.configuration) == (BALANCED, condition, _of_row(row))
            }
            for condition in ("static", "original")
        )
        assert len(static) == 99
        groups = [{case: role.group for case, role in side.items()} for side in (static, played)]
        assert groups[0] == groups[1]
        assert Counter(case.answer for case in static) == {"ALLOW": 33, "BLOCK": 33, "DEFER": 33}
        for side, name in ((static, "scored_static"), (played, "scored_interactive")):
            assert sum(role.status == "completed" for role in side.values()) == int(row[name])
        pairs = _paired(static, played)
        assert len(pairs) == int(row["paired_n"])
        if row["static"]:
            accuracies = [100 * fmean(side[case].way == "right" for case in pairs) for side in (static, played)]
            assert equal(accuracies[0], row["static"])
            assert equal(accuracies[1], row["interactive"])
            assert equal(accuracies[0] - accuracies[1], row["delta"])


def _paired(static: dict[Case, Role], played: dict[Case, Role]) -> list[Case]:
    """Return the cases of triples of which everything is scored."""
    gone = {role.group for role in (*static.values(), *played.values()) if role.way == LOST}
    return [case for case, role in static.items() if role.group not in gone]


def _studied(others: list[Role], roles: list[Role], name: str, condition: str) -> dict[Case, Role]:
    """Return the episodes of a configuration under a condition, those of the main runs where it has no others."""
    found = {
        role.case: role
        for role in others
        if (role.run, role.configuration, role.condition) == ("interventions", named(name), condition)
    }
    if found or condition != "original":
        return found
    first = {role.case: role for role in roles if role.configuration == named(name) and role.replicate == 1}
    sampled = {role.case for role in others if (role.run, role.condition) == ("interventions", "original")}
    return {case: first[case] for case in first if case in sampled}


def _acts(role: Role) -> bool:
    return role.way in ("acted", "acted elsewhere") or (role.run == "main" and role.way not in NO_ACTION)


NO_ACTION = ("no action", "no action, investigated")


def test_table_11(roles: list[Role], others: list[Role], published: Path) -> None:
    for row in rows(published, "table11_intervention_coverage"):
        studied = {
            condition: _studied(others, roles, row["configuration"], condition)
            for condition in ("original", "withheld", "contradicted")
        }
        done = {
            condition: {case for case, role in those.items() if role.status == "completed"}
            for condition, those in studied.items()
        }
        for condition, those in studied.items():
            assert len(those) == int(row[f"{condition}_planned"])
            assert len(done[condition]) == int(row[f"{condition}_completed"])
        for condition in ("withheld", "contradicted"):
            assert set(studied[condition]) <= set(studied["original"])
            assert len(done[condition] & done["original"]) == int(row[f"pairs_{condition}"])


def test_interventions(roles: list[Role], others: list[Role], published: Path) -> None:
    for row in rows(published, "interventions"):
        condition = row["condition"].removeprefix("original-minus-")
        those = _studied(others, roles, row["configuration"], condition)
        done = {case: role for case, role in those.items() if role.status == "completed"}
        if condition == row["condition"]:
            assert len(done) == int(row["n"])
            assert sum(map(_acts, done.values())) == int(row["actions"])
        else:
            originals = _studied(others, roles, row["configuration"], "original")
            pairs = [case for case in done if originals[case].status == "completed"]
            assert len(pairs) == int(row["n"])
            fewer = fmean(_acts(originals[case]) - _acts(done[case]) for case in pairs)
            assert equal(100 * fewer, row["actions"])


def test_paired_differences_are_clear_of_zero_where_printed_so(others: list[Role], published: Path) -> None:
    for row in rows(published, "interventions"):
        if row["compared_with"] == "withheld":
            before, after = (
                _studied(others, [], row["configuration"], condition) for condition in ("withheld", row["condition"])
            )
            pairs = [case for case, role in after.items() if role.status == "completed"]
            steps = [_acts(before[case]) - _acts(after[case]) for case in pairs]
            error = stdev(steps) / len(steps) ** 0.5
            assert (abs(fmean(steps)) / error > 1.96) == ("excludes zero" in row["note"]), row


def test_withheld_episodes_that_act_call_the_affected_tool_but_for_one(others: list[Role]) -> None:
    ways = Counter(role.way for role in others if role.condition == "withheld")
    assert (ways["acted"], ways["acted elsewhere"]) == (65, 1)


def test_only_the_named_configuration_has_an_original_run_of_its_own(others: list[Role]) -> None:
    own = {role.configuration for role in others if (role.run, role.condition) == ("interventions", "original")}
    assert own == {Configuration("GLM-5.2", "ZCode")}
