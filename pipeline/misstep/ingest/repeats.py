"""Episodes that are there twice, attempts that do not count, and history that several files tell: what to set aside.

Which of several is kept goes by (file, line), never by the order in which files were read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import polars as pl

from misstep.contracts.errors import InputError, Place

Attempts = Literal["first", "last", "all"]
#: Rows of `identity` → a hash of what happened in each of them.
Contents = Callable[[pl.DataFrame], list[str]]
_WHERE = ("source_file", "source_line", "source_byte")


def check_ids(identity: pl.DataFrame) -> None:
    """Raise where two task ids are equal as text but not as JSON.

    Raises:
        InputError: id-collision, with both places.
    """
    both = (
        identity.filter(pl.col("numeric").n_unique().over("recorded_task_id") > 1)
        .sort("recorded_task_id", "numeric", *_WHERE)
        .unique(["recorded_task_id", "numeric"], keep="first", maintain_order=True)
    )
    if not both.height:
        return
    text, number = both[:2].iter_rows(named=True)
    name = text["recorded_task_id"]
    raise InputError(
        f"id-collision: the id {name} is a number at {number['source_file']}:{number['source_line']} and the text "
        f'"{name}" at {text["source_file"]}:{text["source_line"]}; as text they cannot be told apart',
        Place(text["source_file"], text["source_line"], "task_id"),
    )


def repeated(identity: pl.DataFrame, attempts: Attempts, contents: Contents) -> pl.DataFrame:
    """Return the episodes to set aside: the columns of `identity`, code and message.

    Of several episodes with one key the first is kept. Of several attempts (equal but for their run) `attempts` says
    which one is. `contents` is asked for the content of episodes that share a key, which is rare.
    """
    placed = identity.sort(_WHERE).with_row_index("order")
    shared = placed.filter(pl.len().over("episode") > 1)
    placed = placed.join(
        shared.select("order", pl.Series("content", contents(shared), dtype=pl.String)), on="order", how="left"
    ).sort("order")
    here = pl.concat_str(pl.col("source_file"), pl.lit(":"), pl.col("source_line").cast(pl.String))
    first = placed.with_columns(
        pl.col("content").first().over("episode").alias("first_content"),
        here.first().over("episode").alias("first_at"),
        pl.col("order").first().over("episode").alias("first_order"),
    )
    same = pl.col("content") == pl.col("first_content")
    twice = first.filter(pl.col("order") != pl.col("first_order")).with_columns(
        pl.when(same).then(pl.lit("repeated-episode")).otherwise(pl.lit("duplicate-episode")).alias("code"),
        pl.when(same)
        .then(pl.concat_str(pl.lit("an identical copy of "), "first_at"))
        .otherwise(
            pl.concat_str(
                pl.lit("has the key of "),
                "first_at",
                pl.lit(" but other content: a trial number or run id is missing"),
            )
        )
        .alias("message"),
    )
    found = [twice.select(*identity.columns, "code", "message")]
    if attempts != "all":
        kept = first.filter(pl.col("order") == pl.col("first_order"))
        chosen = pl.col("order").min() if attempts == "first" else pl.col("order").max()
        others = kept.filter(pl.col("order") != chosen.over("attempt"))
        message = f"another attempt of the same configuration counts (--attempts {attempts})"
        found.append(
            others.with_columns(pl.lit("superseded-attempt").alias("code"), pl.lit(message).alias("message")).select(
                *identity.columns, "code", "message"
            )
        )
    return pl.concat(found)


def copied(lineage: pl.DataFrame, identity: pl.DataFrame) -> pl.DataFrame:
    """Return the events to set aside because another episode of their lineage tells them, with their `owner`.

    An event that one episode logs inside of a call, and another as its own, is the other's (a sub-agent's own record
    counts). Else, where the episodes share their beginning (a fork, a resumed run), the first of them has it; where
    they do not, the one with fewer events (the record of the part against the record of the whole).
    """
    shared = lineage.filter(pl.col("episode").n_unique().over("lineage", "event") > 1)
    if not shared.height:
        return shared
    order = identity.sort(_WHERE).with_row_index("order").select("episode", "order").unique("episode", keep="first")
    size = lineage.group_by("lineage", "episode").len("events")
    first = shared.unique(["lineage", "event", "episode"], keep="first", maintain_order=True)
    ranked = (
        first.join(order, on="episode")
        .join(size, on=["lineage", "episode"])
        .with_columns(
            (pl.col("place").max().over("lineage", "event") == pl.col("place").min().over("lineage", "event")).alias(
                "level"
            )
        )
        .with_columns(pl.when("level").then(0).otherwise("events").alias("rank"))
        .sort("lineage", "event", "within", "rank", "order")
    )
    owners = ranked.group_by("lineage", "event", maintain_order=True).agg(pl.col("episode").first().alias("owner"))
    return (
        shared.join(owners, on=["lineage", "event"])
        .filter(pl.col("episode") != pl.col("owner"))
        .sort("episode", "place")
    )
