"""Evidence and action on public traces: rules that first writes broke, and expected reads that came late or never."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import polars as pl

from agreement.corpus import Labelled, Row
from agreement.expected_reads import counted, why
from misstep.contracts.tables.evidence import END
from misstep.stats.population import population
from misstep.stats.rates import rates

#: What makes a configuration.
BY = ["model", "harness"]
ANY = "any"
#: What stands for a column that a trace does not have.
NONE = "(none)"
#: Columns of the judgements by hand → the rules that they are about.
BY_HAND = {
    "identify": ("customer-said-who", "customer-found"),
    "read": ("reservation-read", "order-read", "email-seen", "event-seen", "file-seen", "order-seen"),
    "consent": ("customer-said-yes",),
    "known": ("recipients-known", "participants-known", "reader-known", "recipient-known", "password-known"),
}


class RuleRate(NamedTuple):
    """How often the first call that a rule is about broke it, and how often the reward was full all the same."""

    configuration: str
    rule: str
    broken: int
    episodes: int
    low: float | None
    high: float | None
    unknown: int
    rewarded: int


class ReadRate(NamedTuple):
    """How often a write came before expected reads (or they were left out), and how often the reward was full."""

    configuration: str
    metric: str
    cases: int
    episodes: int
    low: float | None
    high: float | None
    unknown: int
    rewarded: int
    tools: Counter[str]


class Beside(NamedTuple):
    """Episodes by the label and by the count on the recorded calls, and why they differ."""

    configuration: str
    what: str
    labelled: int
    counted: int
    kinds: Counter[str]


def rule_rates(found: Labelled) -> list[RuleRate]:
    """Return the rates of every configuration and rule, and of all rules together (`any`)."""
    episodes = population(found.tables)
    rewarded = {row["episode"] for row in found.episodes if rewarded_in_full(found.record(row))}
    by_rule = episodes.along["rule"]
    whole = episodes.frame.select("episode", pl.lit(ANY).alias("rule"), "rule_par")
    broken = pl.concat([by_rule.select("episode", "rule", "rule_par"), whole]).filter("rule_par")
    counts: Counter[tuple[str, str]] = Counter()
    names = {row["episode"]: _configuration(row) for row in found.episodes}
    for episode, rule in broken.select("episode", "rule").iter_rows():
        counts[names[episode], rule] += episode in rewarded
    rows = []
    for by in ([*BY, "rule"], BY):
        for one in rates(episodes, ["rule_par"], by).iter_rows(named=True):
            group = _group(one["group"])
            rule = group.get("rule", ANY)
            if one["denominator"] + one["unknown"] and rule != NONE:
                name = _configuration(group)
                told = (int(one["numerator"]), one["denominator"], one["low"], one["high"], one["unknown"])
                rows.append(RuleRate(name, rule, *told, counts[name, rule]))
    order = [ANY, *(rule.id for rule in found.suite.tools.rules)]
    return sorted(rows, key=lambda row: (row.configuration, order.index(row.rule)))


def read_rates(found: Labelled) -> list[ReadRate]:
    """Return gold_par and gold_bsr of every configuration."""
    rewarded: Counter[tuple[str, str]] = Counter()
    tools: dict[tuple[str, str], Counter[str]] = {}
    missing = _missing_reads(found)
    for row in found.episodes:
        for metric, label, when in (("gold_par", "par", 0), ("gold_bsr", "bsr", END)):
            if row[label]:
                key = (_configuration(row), metric)
                rewarded[key] += bool(rewarded_in_full(found.record(row)))
                tools.setdefault(key, Counter()).update(missing.get((row["episode"], when), ()))
    rows = []
    for one in rates(population(found.tables), ["gold_par", "gold_bsr"], BY).iter_rows(named=True):
        if one["denominator"] + one["unknown"]:
            name = _configuration(_group(one["group"]))
            counts = (int(one["numerator"]), one["denominator"], one["low"], one["high"], one["unknown"])
            key = (name, one["metric"])
            rows.append(ReadRate(*key, *counts, rewarded[key], tools.get(key, Counter())))
    return sorted(rows, key=lambda row: (row.configuration, row.metric != "gold_par"))


def _missing_reads(found: Labelled) -> dict[tuple[str, int], set[str]]:
    """Return (episode, 0: by the first attempt, END: by the end) → tools of required reads that were not covered."""
    suite = ["suite", "task_id"]
    first = (
        found.tables["action_labels"].filter("consequential").group_by("episode").agg(pl.col("attempt").min())
    ).with_columns(when=pl.lit(0))
    end = found.tables["episodes"].select("episode", pl.lit(END).cast(pl.Int64).alias("attempt"), when=pl.lit(END))
    named = found.tables["spec/required_reads"].select(*suite, pl.col("read").alias("requirement"), "tool")
    rows = (
        found.tables["requirement_labels"]
        .filter((pl.col("kind") == "coverage") & (pl.col("status") == "MISSING"))
        .join(pl.concat([first, end]), on=["episode", "attempt"])
        .join(found.tables["episodes"].select("episode", *suite), on="episode")
        .join(named, on=[*suite, "requirement"])
        .select("episode", "when", "tool")
        .collect()
    )
    missing: dict[tuple[str, int], set[str]] = {}
    for episode, when, tool in rows.iter_rows():
        missing.setdefault((episode, when), set()).add(tool)
    return missing


def beside_counts(found: Labelled) -> list[Beside]:
    """Return labels beside the counts on the recorded calls: acted too early, and some expected read never made."""
    rows: dict[tuple[str, bool], list[tuple[bool, bool, str]]] = {}
    for episode in found.episodes:
        count = counted(found, episode)
        for early in (True, False):
            label = episode["par"] is True if early else episode["investigation"] is False
            seen = count.early if early else count.never
            kind = why(found, episode, early=early) if label != seen else ""
            rows.setdefault((_configuration(episode), early), []).append((label, seen, kind))
    return [
        Beside(
            name,
            "acted before some expected read" if early else "some expected read never made",
            sum(label for label, _, _ in cases),
            sum(seen for _, seen, _ in cases),
            Counter(("more: " if label else "fewer: ") + kind for label, _, kind in cases if kind),
        )
        for (name, early), cases in sorted(rows.items(), key=lambda item: (item[0][0], not item[0][1]))
    ]


def rewarded_in_full(record: Row) -> bool | None:
    """Return whether the benchmark was fully content with an episode; None where it does not say.

    tau-bench gives 0 or 1, or a mean of several parts that is 0 where the database is wrong.
    """
    if "utility" in record:
        return bool(record["utility"])
    reward = record.get("reward", (record.get("reward_info") or {}).get("reward"))
    if reward is None:
        return None
    return bool(reward > 0 if "traj" in record else reward == 1)


def by_hand(judgements: Path, suites: Iterable[Labelled]) -> Iterator[tuple[Row, str, bool | None]]:
    """Yield (judgement, column, label: was a rule of the column broken) of the first step with a ruled call."""
    rows = {}
    with judgements.open(newline="") as stream:
        for row in csv.DictReader(stream):
            rows[row["suite"], row["file"], int(row["record"])] = row
    for found in suites:
        first = _first_labels(found)
        for episode in found.episodes:
            name = Path(episode["source_file"]).name.removesuffix(".gz")
            judged = rows.get((found.name, name, episode["source_line"]))
            for column, rules in BY_HAND.items() if judged is not None else ():
                labels = [first[key] for rule in rules if (key := (episode["episode"], rule)) in first]
                if judged[column] and labels:
                    yield judged, column, any(labels) or (None if None in labels else False)


def _first_labels(found: Labelled) -> dict[tuple[str, str], bool | None]:
    """Return (episode, rule) → broken, for the calls of the first step in which any rule is about a call."""
    steps = found.tables["action_labels"].select("episode", "attempt", "step")
    status = pl.col("status").cast(pl.String)
    labels = (
        found.tables["requirement_labels"]
        .filter(pl.col("kind") == "rule")
        .join(steps, on=["episode", "attempt"])
        .filter(pl.col("step") == pl.col("step").min().over("episode"))
        .group_by("episode", "requirement")
        .agg(status.is_in(["MISSING", "VIOLATED"]).any(ignore_nulls=False).alias("broken"))
        .collect()
    )
    return {(episode, rule): broken for episode, rule, broken in labels.iter_rows()}


def _group(name: str) -> dict[str, str]:
    return dict(part.split("=", 1) for part in name.split(", ") if "=" in part)


def _configuration(row: Row) -> str:
    """Return the model, and the harness where there is one."""
    parts = [row.get(name) for name in BY]
    return ", ".join(part for part in parts if part and part != NONE)
