"""Axes along which an episode counts several times: standing rules, numbers of reads, ranges of first attempts."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from misstep.contracts.tables.evidence import END
from misstep.stats.evidence import INVESTIGATED

#: Axis → the only metrics that may be grouped by it are those defined along it; None: any metric may.
AXES_ALONG: dict[str, str | None] = {"rule": None, "reads": "reads", "timing": "timing"}
#: Numbers of reads that curves go up to at most.
MOST_READS = 24
#: Ranges of reads before the first attempt ÷ required reads, in order; a range begins where the one before it ends.
TIMINGS = ("none", "under half", "at least half", "at least all", "over 1.5 times")
_BROKEN = pl.col("status").cast(pl.String).is_in(["MISSING", "VIOLATED"])


def along(episodes: pl.DataFrame, tables: Mapping[str, pl.LazyFrame]) -> dict[str, pl.DataFrame]:
    """Return axis → rows (episode, value of the axis) with the labels of the episode for that value.

    Args:
        episodes: rows are episodes with task, labels and `required_reads`.
        tables: traces, labels and specification.
    """
    return {"rule": by_rule(episodes, tables), "reads": by_reads(episodes, tables), "timing": by_timing(episodes)}


def by_rule(episodes: pl.DataFrame, tables: Mapping[str, pl.LazyFrame]) -> pl.DataFrame:
    """Return (episode, rule, ruled, rule_par): for each rule, whether the first call that it is about broke it.

    Parallel calls of one step are first together: some broken one is enough. Episodes without such a call have no row;
    those of which that is unknown have one of nulls for every rule of their suite. Where several suites have rules,
    equal names of different suites stay apart (`suite/rule`).
    """
    rules = tables["spec/rules"].select("suite", pl.col("rule").alias("requirement"))
    several = rules.select(pl.col("suite").n_unique()).collect().item() > 1
    name = pl.format("{}/{}", "suite", "requirement") if several else pl.col("requirement")
    known = episodes.lazy().filter(pl.col("ruled").is_not_null()).select("episode", "suite")
    doubted = episodes.lazy().filter(pl.col("ruled").is_null()).select("episode", "suite")
    found = (
        tables["requirement_labels"]
        .filter(pl.col("kind") == "rule")
        .join(tables["action_labels"].select("episode", "attempt", "step"), on=["episode", "attempt"])
        .join(known, on="episode")
        .filter(pl.col("step") == pl.col("step").min().over("episode", "requirement"))
        .group_by("episode", name.alias("rule"))
        .agg(_BROKEN.any(ignore_nulls=False).alias("rule_par"))
        .select("episode", "rule", pl.lit(True).alias("ruled"), "rule_par")
    )
    unknown = [pl.lit(None, pl.Boolean).alias(label) for label in ("ruled", "rule_par")]
    perhaps = doubted.join(rules, on="suite").select("episode", name.alias("rule"), *unknown)
    return pl.concat([found, perhaps]).sort("episode", "rule").collect()


def by_reads(episodes: pl.DataFrame, tables: Mapping[str, pl.LazyFrame]) -> pl.DataFrame:
    """Return (episode, reads, ready, covered) for 0, 1, … reads, of the episodes of cases.

    `ready`: everything that the investigation needs was covered by the reads up to that number (null: unknown);
    `covered`: the share of the required reads that was. Reads are the agent's calls of the tools in scope, whatever
    became of them; an episode that read no more stays where it is. Numbers end where no episode changes any more.
    """
    cases = episodes.filter(pl.col("protocol").cast(pl.String).is_in(INVESTIGATED))
    place = (1_000_000 * pl.col("step") + pl.col("position")).alias("place")
    scope = tables["spec/evidence"].select("suite", "task_id", "information")
    reads = (
        tables["calls"]
        .filter(pl.col("actor") == "agent")
        .join(cases.lazy().select("episode", "suite", "task_id"), on="episode")
        .join(scope, on=["suite", "task_id"])
        .filter(pl.col("tool").is_in(pl.col("information")))
        .select("episode", place)
        .sort("episode", "place")
        .with_columns(pl.int_range(1, pl.len() + 1).over("episode").alias("number"))
        .collect()
    )
    named = tables["spec/required_reads"].select("suite", "task_id", pl.col("read").alias("requirement"))
    needed = (
        tables["requirement_labels"]
        .filter((pl.col("kind") == "coverage") & (pl.col("attempt") == END))
        .join(cases.lazy().select("episode", "suite", "task_id"), on="episode")
        .join(named.with_columns(required=pl.lit(True)), on=["suite", "task_id", "requirement"], how="left")
        .select(
            "episode",
            pl.col("required").fill_null(value=False),
            pl.col("status").cast(pl.String),
            (1_000_000 * pl.col("established_step") + pl.col("established_position")).alias("place"),
        )
        .sort("place")
        .collect()
        .join_asof(reads.sort("place"), on="place", by="episode", check_sortedness=False)
        .with_columns(pl.when(pl.col("status") == "SUPPORTED").then(pl.col("number").fill_null(0)).alias("number"))
    )
    most = needed["number"].max()
    numbers = pl.DataFrame({"reads": range(min(MOST_READS, int(most)) + 1 if isinstance(most, int) else 1)})
    met = pl.when(pl.col("status").is_not_null()).then((pl.col("number") <= pl.col("reads")).fill_null(value=False))
    required = met.filter("required")
    of_cases = (
        needed.join(numbers, how="cross")
        .group_by("episode", "reads")
        .agg(
            met.all(ignore_nulls=False).alias("ready"),
            pl.when(required.is_not_null().all()).then(required.mean()).alias("covered"),
            pl.lit(True).alias("needs"),
        )
    )
    lost = (pl.col("evidence_reason") == "calls_lost").fill_null(value=False)
    ready = pl.when("needs").then("ready").otherwise(pl.lit(True))
    return (
        cases.select("episode", lost.alias("lost"))
        .join(numbers, how="cross")
        .join(of_cases, on=["episode", "reads"], how="left")
        .with_columns(pl.when(~pl.col("lost")).then(ready).alias("ready"))
        .with_columns(pl.when(~pl.col("lost")).then("covered").alias("covered"))
        .select("episode", pl.col("reads").cast(pl.Int64), "ready", "covered")
        .sort("episode", "reads")
    )


def by_timing(episodes: pl.DataFrame) -> pl.DataFrame:
    """Return (episode, timing, timed): for each range, whether the first attempt came in it; of episodes of cases."""
    cases = episodes.filter(pl.col("protocol").cast(pl.String).is_in(["V1", "V2", "V3"]))
    share = pl.col("reads_before_action") / pl.col("required_reads")
    none, under, half, whole, more = TIMINGS
    timed = (
        pl.when(share == 0).then(pl.lit(none))
        .when(share < 0.5).then(pl.lit(under))
        .when(share < 1).then(pl.lit(half))
        .when(share <= 1.5).then(pl.lit(whole))
        .when(share > 1.5).then(pl.lit(more))
    )  # fmt: skip
    ranges = pl.DataFrame({"timing": TIMINGS})
    return (
        cases.select("episode", timed.alias("found"))
        .join(ranges, how="cross")
        .select("episode", "timing", (pl.col("found") == pl.col("timing")).alias("timed"))
        .sort("episode", "timing")
    )
