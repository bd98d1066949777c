"""Does an episode end in the state that the reference writes of its task lead to?"""

from __future__ import annotations

import polars as pl

from misstep.label.facts import EXISTS, FALSE
from misstep.label.kleene import every
from misstep.label.outcome import final_members, final_values, with_change
from misstep.label.settings import with_goal

#: An episode has two sides: what it reached (true), and what its reference leads to (false).
_SIDE = ("run", "reached")


def reference_goals(
    settings: pl.LazyFrame,
    deeds: pl.LazyFrame,
    contents: pl.LazyFrame,
    sides: pl.LazyFrame,
    hidden: pl.LazyFrame,
    left_out: pl.LazyFrame,
    created: pl.LazyFrame,
    ends: pl.LazyFrame,
    end_members: pl.LazyFrame,
    replayed: pl.LazyFrame,
    replayed_members: pl.LazyFrame,
) -> pl.LazyFrame:
    """Return (episode, reached) for the episodes of tasks with a reference: the final states are equal.

    Both sides are replayed alike, then compared part by part: every changed field of an entity that was there before;
    created entities by type and fields, never by id; and, where new values are not known (opaque replacements), by the
    calls that were made. What follows such a call is left out, and so are the fields of what both sides deleted.
    Source: [S], reference goals; [m] for opaque writes.
    """
    kept = sides.join(left_out, on=[*_SIDE, "deed"], how="anti")
    entities = kept.filter(pl.col("entity").is_not_null()).select(*_SIDE, "thing", "entity").unique()
    exempt = pl.concat([entities.join(created, on="entity", how="semi").select("run", "thing"), hidden]).unique()
    old = entities.join(exempt, on=["run", "thing"], how="anti")
    new = entities.join(created, on="entity", how="inner").join(hidden, on=["run", "thing"], how="anti")
    values = _of(entities, left_out, ends, replayed).filter(~pl.col("free") & pl.col("changed").fill_null(True))
    members = _of(entities, left_out, end_members, replayed_members).filter(
        ~pl.col("free") & (pl.col("net").fill_null(1) != 0)
    )
    side = [*_SIDE, "entity"]
    gone = _gone(values.join(old, on=side, how="semi"))
    old_values, old_members = (
        parts.join(old, on=side, how="semi").join(gone, on=["run", "thing"], how="anti") for parts in (values, members)
    )
    of_new, in_new = values.join(new, on=side, how="semi"), members.join(new, on=side, how="semi")
    counted = pl.concat(
        [
            _changed_members(old_members),
            _created(new, of_new, in_new, deeds),
            _calls(sides, hidden, deeds, contents, created),
        ]
    )
    nowhere = kept.filter(pl.col("entity").is_null()).select("run", equal=pl.lit(None, dtype=pl.Boolean))
    verdicts = (
        pl.concat([_same_fields(old_values), _same_counts(counted), nowhere])
        .group_by("run")
        .agg(every(pl.col("equal")).alias("reached"))
        .with_columns(compared=pl.lit(True))
    )
    answer = pl.when(pl.col("compared").is_null()).then(pl.lit(True)).otherwise("reached")
    return (
        with_goal(settings, "reference").join(verdicts, on="run", how="left").select("episode", answer.alias("reached"))
    )


def sides(deeds: pl.LazyFrame, effects: pl.LazyFrame, settings: pl.LazyFrame) -> pl.LazyFrame:
    """Return the writes that took effect or may have, of each episode that has a reference, and of its reference.

    Columns: run and reached (the side), deed, root, entity, thing, effective, opaque.
    """
    asked = with_goal(settings, "reference")
    took = effects.filter(pl.col("effective").fill_null(True)).select("deed", "effective")
    columns = [*_SIDE, "deed", "root", "entity", "thing", "effective", "opaque"]
    own = deeds.filter(~pl.col("reference")).join(asked.select("episode", "run"), on="episode", how="inner")
    tasks = asked.select("run", "suite", "task_id")
    meant = deeds.filter("reference").drop("episode").join(tasks, on=["suite", "task_id"], how="inner")
    return pl.concat(
        [
            own.join(took, on="deed", how="inner").with_columns(reached=pl.lit(True)).select(columns),
            meant.join(took, on="deed", how="inner").with_columns(reached=pl.lit(False)).select(columns),
        ]
    )


def hidden(sides: pl.LazyFrame, created: pl.LazyFrame, deeds: pl.LazyFrame) -> pl.LazyFrame:
    """Return (run, thing) of what is compared by calls: what has an opaque write on either side.

    Where that is a created one, all created ones of its type are: they have no ids to tell them apart by.
    """
    named = sides.filter(pl.col("entity").is_not_null())
    opaque = named.filter("opaque").select("run", "thing").unique()
    types = deeds.select("deed", "entity_type")
    new = named.join(created.select("entity"), on="entity", how="semi").join(types, on="deed", how="left")
    kinds = new.filter("opaque").select("run", "entity_type").unique()
    alike = new.join(kinds, on=["run", "entity_type"], how="semi").select("run", "thing")
    return pl.concat([opaque, alike]).unique()


def left_out(sides: pl.LazyFrame, hidden: pl.LazyFrame) -> pl.LazyFrame:
    """Return the writes (run, reached, entity, deed) that follow one on an entity that is compared by calls."""
    own_root = pl.col("root") == pl.col("deed")
    following = sides.filter(~own_root)
    roots = sides.filter(own_root).select(*_SIDE, pl.col("deed").alias("root"), "thing")
    return (
        roots.join(hidden, on=["run", "thing"], how="semi")
        .drop("thing")
        .join(following, on=[*_SIDE, "root"], how="inner")
        .select(*_SIDE, "entity", "deed")
    )


def kept_facts(sides: pl.LazyFrame, left_out: pl.LazyFrame, lasting: pl.LazyFrame) -> pl.LazyFrame:
    """Return, a side, the lasting facts on entities that writes which are left out were about, without those writes."""
    done = (
        sides.join(left_out, on=[*_SIDE, "entity"], how="semi")
        .join(left_out, on=[*_SIDE, "deed"], how="anti")
        .select(*_SIDE, "deed")
    )
    return lasting.join(done, on="deed", how="inner")


def replayed(kept_facts: pl.LazyFrame, cells: pl.LazyFrame) -> pl.LazyFrame:
    """Return the final values, a side, of those entities."""
    return with_change(final_values(kept_facts, cells, _SIDE), cells)


def replayed_members(kept_facts: pl.LazyFrame, replayed: pl.LazyFrame, cells: pl.LazyFrame) -> pl.LazyFrame:
    """Return the members that came or went, a side, in those entities."""
    place = cells.select("cell", "entity", "thing", "field")
    return final_members(kept_facts, replayed, _SIDE).join(place, on="cell", how="inner")


def _of(entities: pl.LazyFrame, left_out: pl.LazyFrame, ends: pl.LazyFrame, again: pl.LazyFrame) -> pl.LazyFrame:
    """Return the ends of these entities a side; where writes are left out, those of the replay without them."""
    side = [*_SIDE, "entity"]
    plain = entities.select(side).join(left_out, on=side, how="anti")
    return pl.concat([ends.join(plain, on="entity", how="inner"), again], how="diagonal")


def _gone(values: pl.LazyFrame) -> pl.LazyFrame:
    """Return (run, thing) of the entities that both sides deleted: what they held in the end is of no account."""
    absent = values.filter((pl.col("field") == EXISTS) & (pl.col("key") == FALSE)).select(*_SIDE, "thing").unique()
    both = absent.group_by("run", "thing").len().filter(pl.col("len") == 2)
    return both.select("run", "thing")


def _same_fields(values: pl.LazyFrame) -> pl.LazyFrame:
    """Return (run, equal) of the fields that differ from the start on some side; an unknown one may be anything."""
    place = ["run", "thing", "field"]
    ours = values.filter("reached").select(*place, pl.col("key").alias("ours"), here=pl.lit(True))
    theirs = values.filter(~pl.col("reached")).select(*place, pl.col("key").alias("theirs"), there=pl.lit(True))
    one_side = pl.col("here").is_null() | pl.col("there").is_null()
    known = pl.coalesce("ours", "theirs").is_not_null()
    return ours.join(theirs, on=place, how="full", coalesce=True).select(
        "run",
        pl.when(one_side & known).then(pl.lit(False)).otherwise(pl.col("ours") == pl.col("theirs")).alias("equal"),
    )


def _changed_members(members: pl.LazyFrame) -> pl.LazyFrame:
    """Return the members that came or went: field and member (group), how often (signature).

    Where one of them is not known, none is.
    """
    place = pl.concat_str(
        pl.lit("member"), pl.col("thing").cast(pl.String), "field", pl.col("member").fill_null(""), separator="\x1f"
    )
    clear = pl.col("member").is_not_null().all().over("run", "thing", "field")
    return members.with_columns(clear.alias("clear")).select(
        *_SIDE, place.alias("group"), pl.when("clear").then(pl.col("net").cast(pl.String)).alias("signature")
    )


def _created(new: pl.LazyFrame, values: pl.LazyFrame, members: pl.LazyFrame, deeds: pl.LazyFrame) -> pl.LazyFrame:
    """Return the created entities that are still there: their type (group) and fields (signature)."""
    pair = pl.concat_str("field", pl.lit("\x1f"), "key")
    held = pl.concat_str("field", pl.lit("\x1e"), "member", pl.lit("\x1f"), pl.col("net").cast(pl.String))
    described = (
        pl.concat(
            [
                values.filter(pl.col("field") != EXISTS).select(*_SIDE, "entity", pair.alias("part")),
                members.select(*_SIDE, "entity", held.alias("part")),
            ]
        )
        .sort("part")
        .group_by(*_SIDE, "entity", maintain_order=True)
        .agg(pl.col("part").is_null().any().alias("open"), pl.col("part").str.join("\x1d").alias("signature"))
    )
    types = deeds.select(pl.col("deed").alias("entity"), "entity_type")
    certain = pl.col("surely") & pl.col("there").fill_null(False) & ~pl.col("open").fill_null(False)
    return (
        new.filter(pl.col("there").fill_null(True))
        .select(*_SIDE, "entity", "surely", "there")
        .unique()
        .join(described, on=[*_SIDE, "entity"], how="left")
        .join(types, on="entity", how="left")
        .select(
            *_SIDE,
            pl.concat_str(pl.lit("created\x1f"), "entity_type").alias("group"),
            pl.when(certain).then(pl.col("signature").fill_null("")).alias("signature"),
        )
    )


def _calls(
    sides: pl.LazyFrame, hidden: pl.LazyFrame, deeds: pl.LazyFrame, contents: pl.LazyFrame, created: pl.LazyFrame
) -> pl.LazyFrame:
    """Return the writes on entities with opaque writes: the entity (group), tool and arguments (signature)."""
    element = pl.element().struct
    pair = pl.concat_str(element.field("name"), pl.lit("\x1f"), element.field("compare"))
    unread = pl.col("given").list.eval(pl.element().is_null()).list.any()
    asked = sides.filter(pl.col("root") == pl.col("deed")).join(hidden, on=["run", "thing"], how="semi")
    told = (
        deeds.select("deed", "tool", "entity_type", "arguments_known")
        .join(asked.select("deed").unique(), on="deed", how="semi")
        .join(contents.select("deed", "arguments"), on="deed", how="left")
        .with_columns(pl.col("arguments").list.eval(pair).list.sort().alias("given"))
        .select(
            "deed",
            "entity_type",
            pl.when(pl.col("arguments_known") & ~unread)
            .then(pl.concat_str("tool", pl.lit("\x1e"), pl.col("given").list.join("\x1d")))
            .alias("signature"),
        )
    )
    return (
        asked.join(told, on="deed", how="left")
        .join(created.select("entity", new=pl.lit(True)), on="entity", how="left")
        .select(
            *_SIDE,
            pl.when(pl.col("new").is_not_null())
            .then(pl.concat_str(pl.lit("calls of new\x1f"), "entity_type"))
            .otherwise(pl.concat_str(pl.lit("calls\x1f"), pl.col("thing").cast(pl.String)))
            .alias("group"),
            pl.when(pl.col("effective").is_not_null()).then("signature").alias("signature"),
        )
    )


def _same_counts(parts: pl.LazyFrame) -> pl.LazyFrame:
    """Return (run, equal) a group: the same signatures equally often on both sides; an unknown one may be any."""
    reached = pl.col("reached")
    known = pl.col("signature").is_not_null()
    surplus = pl.col("ours") - pl.col("theirs")
    return (
        parts.with_columns(
            (reached & known).cast(pl.Int64).alias("ours"),
            (~reached & known).cast(pl.Int64).alias("theirs"),
            (reached & ~known).cast(pl.Int64).alias("our_unknown"),
            (~reached & ~known).cast(pl.Int64).alias("their_unknown"),
        )
        .group_by("run", "group", "signature")
        .agg(pl.col("ours", "theirs", "our_unknown", "their_unknown").sum())
        .with_columns(
            surplus.clip(lower_bound=0).alias("more"),
            (-surplus).clip(lower_bound=0).alias("less"),
        )
        .group_by("run", "group")
        .agg(pl.col("more", "less", "our_unknown", "their_unknown").sum())
        .select(
            "run",
            pl.when((pl.col("more") > pl.col("their_unknown")) | (pl.col("less") > pl.col("our_unknown")))
            .then(pl.lit(False))
            .when(pl.sum_horizontal("more", "less", "our_unknown", "their_unknown") == 0)
            .then(pl.lit(True))
            .alias("equal"),
        )
    )
