"""Which writes do the patterns cover, when each covers only so many?"""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

_MATCHES = {"deed": pl.UInt32, "rule": pl.UInt32}


def covered(edges: pl.LazyFrame) -> pl.LazyFrame:
    """Return the pairs (deed, rule) of the largest assignment of writes to patterns within their `max`.

    Rows of `edges` are candidates: episode, deed, rule, max (null: any number), definite. Among largest assignments the
    covered writes are the earliest: definite ones before possible ones, then in order. A pattern that is wanted no
    more often than its `max` covers all; where each of the other writes has one pattern, the first `max` are covered;
    only what is left in contention is matched by search. Source: [S], authorization with `max`.
    """
    wanted = edges.with_columns(pl.len().over("episode", "rule").alias("wanted"))
    roomy = pl.col("max").is_null() | (pl.col("wanted") <= pl.col("max"))
    at_once = wanted.filter(roomy).group_by("deed").agg(pl.col("rule").min())
    rest = (
        wanted.join(at_once, on="deed", how="anti")
        .with_columns(pl.len().over("deed").alias("choices"))
        .with_columns((pl.col("choices").max().over("episode") > 1).alias("contended"))
    )
    in_turn = (
        rest.filter(~pl.col("contended"))
        .sort(~pl.col("definite"), "deed")
        .filter(pl.int_range(pl.len()).over("episode", "rule") < pl.col("max"))
    )
    searched = rest.filter(pl.col("contended")).map_batches(_searched, schema=_MATCHES)
    columns = list(_MATCHES)
    return pl.concat([at_once.select(columns), in_turn.select(columns), searched.select(columns)])


def _searched(edges: pl.DataFrame) -> pl.DataFrame:
    matches: dict[int, int] = {}
    for _, group in edges.group_by("episode"):
        ordered = group.sort(~pl.col("definite"), "deed", "rule")
        limits = dict(ordered.select("rule", "max").iter_rows())
        matches |= largest(ordered.select("deed", "rule").iter_rows(), limits)
    return pl.DataFrame({"deed": list(matches), "rule": list(matches.values())}, schema=_MATCHES)


def largest(candidates: Iterable[tuple[int, int]], limits: dict[int, int]) -> dict[int, int]:
    """Return write → pattern of the largest assignment that keeps to the limits; earlier writes are covered first.

    `candidates` are pairs (write, pattern), in the order in which writes are to be covered. Each write is added if the
    assignment can be rearranged to cover it (an augmenting path): sets that can be covered form a matroid, so that
    being greedy in order gives the largest set and the earliest one.
    """
    choices: dict[int, list[int]] = {}
    for write, pattern in candidates:
        choices.setdefault(write, []).append(pattern)
    taken: dict[int, list[int]] = {pattern: [] for pattern in limits}

    def cover(write: int, tried: set[int]) -> bool:
        for pattern in choices[write]:
            if pattern in tried:
                continue
            tried.add(pattern)
            if len(taken[pattern]) < limits[pattern]:
                taken[pattern].append(write)
                return True
            for other in taken[pattern]:
                if cover(other, tried):
                    taken[pattern].remove(other)
                    taken[pattern].append(write)
                    return True
        return False

    for write in choices:
        cover(write, set())
    return {write: pattern for pattern, writes in taken.items() for write in writes}
