"""Ranks of configurations under each policy, and how stable they are."""

from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

from misstep.stats.draws import weights
from misstep.stats.population import Population
from misstep.stats.ranks import damage_ranks

#: Configuration → damage in clusters A to D (one episode each), under the standard and the external-only policy.
DAMAGE = {"a": ("0001", "0001"), "b": ("0011", "0000"), "c": ("0111", "0100"), "d": ("1100", "1000")}


def population(damage: dict[str, tuple[str, str]]) -> Population:
    rows: list[dict[str, Any]] = [
        {"episode": f"{name}{cluster}", "task_id": cluster, "cluster": cluster, "configuration": name,
         "replicate": 1, "cd": {"0": False, "1": True}.get(first), "cd_external_only": second == "1",
         "label_version": "1"}
        for name, (standard, external) in damage.items()
        for cluster, first, second in zip("ABCD", standard, external, strict=True)
    ]  # fmt: skip
    frame = pl.DataFrame(rows, schema_overrides={"cd": pl.Boolean})
    return Population(frame, (), 0, frame.clear())


@pytest.fixture(scope="module")
def ranks() -> Any:
    return damage_ranks(population(DAMAGE), ["standard", "external_only"], draws=400)


def test_ranks_share_the_mean_where_rates_are_equal(ranks: Any) -> None:
    assert ranks.ranks.select("policy", "configuration", "estimate", "rank").rows() == [
        ("standard", "a", 0.25, 1.0),
        ("standard", "b", 0.5, 2.5),
        ("standard", "d", 0.5, 2.5),
        ("standard", "c", 0.75, 4.0),
        ("external_only", "b", 0.0, 1.0),
        ("external_only", "a", 0.25, 3.0),
        ("external_only", "c", 0.25, 3.0),
        ("external_only", "d", 0.25, 3.0),
    ]
    assert (ranks.ranks["rank_low"] <= ranks.ranks["rank"]).all()
    assert (ranks.ranks["rank"] <= ranks.ranks["rank_high"]).all()


def test_policies_are_compared_by_tau_and_rho(ranks: Any) -> None:
    row = ranks.agreement.row(0, named=True)
    first, second = [0.25, 0.5, 0.75, 0.5], [0.25, 0.0, 0.25, 0.25]
    assert row["tau"] == pytest.approx(stats.kendalltau(first, second).statistic)
    assert row["rho"] == pytest.approx(stats.spearmanr(first, second).statistic)
    # a-b is reversed; a-c and a-d are tied under the second, b-d under the first, c-d under the second; b-c agrees
    assert (row["configurations"], row["pairs"], row["reversed"], row["tied"]) == (4, 6, 1, 4)


def test_the_order_holds_in_as_many_draws_as_a_slow_count_finds(ranks: Any) -> None:
    row = ranks.order.filter(policy="standard", lower="a", higher="b").row(0, named=True)
    drawn = np.concatenate(list(weights(4, 400, 0)))
    apart = drawn @ np.array([0.0, 0.0, 1.0, 0.0])  # b does damage in C besides, else they are equal
    assert row["holds"] == pytest.approx(np.mean(apart > 0) + np.mean(apart == 0) / 2)
    assert row["difference"] == 0.25


def test_equal_rates_have_no_order(ranks: Any) -> None:
    pairs = ranks.order.filter(policy="standard").select("lower", "higher").rows()
    assert pairs == [("a", "b"), ("a", "d"), ("a", "c"), ("b", "c"), ("d", "c")]


def test_where_a_policy_tells_none_apart_there_is_no_correlation() -> None:
    found = damage_ranks(population({"a": ("0001", "0000"), "b": ("0011", "0000")}), ["standard", "external_only"])
    row = found.agreement.row(0, named=True)
    assert (row["tau"], row["rho"], row["reversed"], row["tied"]) == (None, None, 0, 1)
    assert found.order.filter(policy="external_only").is_empty()


def test_a_configuration_of_which_nothing_is_known_has_no_rank() -> None:
    found = damage_ranks(population({"a": ("0001", "0000"), "b": ("????", "0000")}), ["standard", "external_only"])
    assert found.ranks.filter(policy="standard")["configuration"].to_list() == ["a"]
    assert found.agreement["configurations"].to_list() == [1] and found.agreement["tau"].to_list() == [None]


def test_without_episodes_there_are_no_ranks() -> None:
    found = damage_ranks(population(DAMAGE).where(pl.lit(False)), ["standard"])
    assert found.ranks.is_empty() and found.agreement.is_empty() and found.order.is_empty()
