"""Does a write fit a pattern, in each respect that a pattern can name?

Every respect is three-valued: null where the write's part is not known and nothing known speaks against it.
"""

from __future__ import annotations

import polars as pl

from misstep.label.facts import key_of
from misstep.label.kleene import every

#: Respects in which a write of a pattern's tool can fit it, by what is wrong where one does not.
RESPECTS = {
    "entity": ("entity_fits",),
    "extent": ("fields_fit", "extras_fit"),
    "recipients": ("recipients_fit", "external_fits"),
    "values": ("values_fit", "arguments_fit"),
}
_OF_SUBJECT = [
    "deed", "scope", "world", "tool", "action", "domain", "entity_type", "target", "effect", "external", "opaque",
    "arguments_known", "effective", "ambiguous", "after_clarification",
]  # fmt: skip


def patterns_of(authorizations: pl.LazyFrame, deeds: pl.LazyFrame) -> pl.LazyFrame:
    """Return the patterns with a code (`rule`, in the order of task and pattern) and what matching needs of them.

    Only patterns of the tasks (`world`) that the deeds are of.
    """
    accepted = pl.col("values").list.eval(pl.element().struct.field("field"))
    types = pl.col("entities").list.eval(pl.element().str.split_exact(":", 1).struct.field("field_0"))
    return (
        authorizations.sort("suite", "task_id", "pattern")
        .with_row_index("rule")
        .rename({name: f"p_{name}" for name in ("tool", "domain", "action", "fields", "recipients", "external")})
        .rename({"arguments": "p_arguments", "after_clarification": "only_after"})
        .with_columns(
            pl.col("p_fields").list.set_union(accepted).alias("p_names"),
            pl.col("p_arguments")
            .list.eval(pl.element().struct.field("name"))
            .fill_null(pl.lit([], dtype=pl.List(pl.String)))
            .alias("p_argument_names"),
            types.alias("p_types"),
        )
        .join(deeds.select("world", "suite", "task_id").unique(subset="world"), on=["suite", "task_id"], how="inner")
        .drop("suite", "task_id", "pattern", "inert")
    )


def applicable(subjects: pl.LazyFrame, patterns: pl.LazyFrame) -> pl.LazyFrame:
    """Return the pairs (write, pattern of its task) of patterns that hold, or may, at the time of the write.

    Patterns for after a clarification hold once it was answered; on ambiguity tasks only they do. `in_force` is null
    where it is not known whether it was answered.
    """
    first = patterns.select("world", "rule", "only_after", "p_tool", "p_action", "p_domain")
    return (
        subjects.select(_OF_SUBJECT)
        .join(first, on="world", how="inner")
        .with_columns(
            pl.when("only_after").then("after_clarification").otherwise(~pl.col("ambiguous")).alias("in_force")
        )
        .filter(pl.col("in_force") | (pl.col("only_after") & pl.col("in_force").is_null()))
    )


def same_tool() -> pl.Expr:
    """Return whether tool and action are the pattern's."""
    return (pl.col("p_tool").is_null() | (pl.col("p_tool") == pl.col("tool"))) & (
        pl.col("p_action").is_null() | (pl.col("p_action") == pl.col("action"))
    )


def same_entity() -> pl.Expr:
    """Return whether the entity is one that the pattern names, or one of the type that it lets be created."""
    named = (
        pl.when(pl.col("entities").is_null())
        .then(pl.lit(True))
        .when(pl.col("target").is_not_null())
        .then(pl.col("entities").list.contains(pl.col("target")))
        .when(pl.col("entity_type").is_not_null() & ~pl.col("p_types").list.contains(pl.col("entity_type")))
        .then(pl.lit(False))
    )
    created = (
        pl.when(pl.col("created").is_null())
        .then(pl.lit(True))
        .when(pl.col("effect") != "create")
        .then(pl.lit(False))
        .otherwise(pl.col("entity_type") == pl.col("created"))
    )
    return named & created


def with_fits(pairs: pl.LazyFrame, patterns: pl.LazyFrame, contents: pl.LazyFrame, *, misses: int) -> pl.LazyFrame:
    """Return the pairs (of the same tool and action) that fit but for at most `misses` groups, one column a respect.

    What a write holds in lists is fetched only for pairs that are still possible.
    """
    rest = patterns.drop("world", "only_after", "p_tool", "p_action", "p_domain")
    alike = pairs.filter(same_tool()).join(rest, on="rule", how="inner")
    named = alike.with_columns(same_entity().alias("entity_fits")).filter(_missed(1) <= misses)
    listed = (
        named.join(contents, on="deed", how="inner")
        .with_columns(
            _fields_fit().alias("fields_fit"),
            _within("argument_names", "p_argument_names", unless=~pl.col("exact_arguments")).alias("extras_fit"),
            _within("recipients", "p_recipients", unless=pl.col("p_recipients").is_null()).alias("recipients_fit"),
            (~pl.col("external") | pl.col("p_external") | pl.col("p_recipients").is_not_null()).alias("external_fits"),
        )
        .filter(_missed(3) <= misses)
    )
    key = ["deed", "rule"]
    unseen = pl.col("opaque") & (pl.col("values").list.len() > 0)
    return (
        listed.join(_values_fit(listed), on=key, how="left")
        .join(_arguments_fit(listed), on=key, how="left")
        .with_columns(
            _with_default("values_fit", "values_asked", unseen),
            _with_default("arguments_fit", "arguments_asked", pl.lit(False)),
        )
        .drop("values_asked", "arguments_asked")
        .filter(_missed(4) <= misses)
    )


def _missed(groups: int) -> pl.Expr:
    """Return in how many of the first groups of respects a pair is known not to fit."""
    known = [
        pl.any_horizontal((~pl.col(name)).fill_null(False) for name in group)
        for group in list(RESPECTS.values())[:groups]
    ]
    return pl.sum_horizontal(part.cast(pl.Int8) for part in known)


def candidate() -> pl.Expr:
    """Return whether a pair fits in every respect and is in force; unread arguments leave that unknown."""
    unread = pl.when(~pl.col("arguments_known")).then(None).otherwise(pl.lit(True))
    return pl.all_horizontal(*(name for group in RESPECTS.values() for name in group), unread, "in_force")


def _with_default(name: str, asked: str, unknown: pl.Expr) -> pl.Expr:
    default = pl.when(unknown).then(None).otherwise(pl.lit(True))
    return pl.when(pl.col(asked).is_not_null()).then(pl.col(name)).otherwise(default).alias(name)


def _within(names: str, allowed: str, *, unless: pl.Expr) -> pl.Expr:
    beyond = pl.col(names).list.set_difference(pl.col(allowed)).list.len() > 0
    return pl.when(unless).then(pl.lit(True)).otherwise(~beyond)


def _fields_fit() -> pl.Expr:
    beyond = pl.col("names").list.set_difference("p_names")
    surely = beyond.list.set_difference("doubtful").list.len() > 0
    return (
        pl.when(pl.col("p_fields").is_null())
        .then(pl.lit(True))
        .when(surely)
        .then(pl.lit(False))
        .when(pl.col("opaque") | (beyond.list.len() > 0))
        .then(None)
        .otherwise(pl.lit(True))
    )


def _values_fit(pairs: pl.LazyFrame) -> pl.LazyFrame:
    """Return, for pairs of patterns that name values of modified fields, whether each is an accepted one."""
    asked = pairs.filter((pl.col("values").list.len() > 0) & (pl.col("fields").list.len() > 0))
    accepted = (
        asked.select("rule", "values")
        .unique(subset="rule")
        .explode("values")
        .unnest("values")
        .rename({"compare": "accepted"})
    )
    return (
        asked.select("deed", "rule", "fields", "doubtful")
        .explode("fields")
        .unnest("fields")
        .join(accepted, on=["rule", "field"], how="inner")
        .with_columns(key_of().alias("key"))
        .with_columns(
            pl.when(pl.col("free"))
            .then(pl.lit(True))
            .when(pl.col("key").is_not_null())
            .then(pl.col("accepted").list.contains(pl.col("key")))
            .alias("fits")
        )
        .with_columns(pl.when(pl.col("fits") | ~pl.col("doubtful").list.contains(pl.col("field"))).then("fits"))
        .group_by("deed", "rule")
        .agg(every(pl.col("fits")).alias("values_fit"))
        .with_columns(values_asked=pl.lit(True))
    )


def _arguments_fit(pairs: pl.LazyFrame) -> pl.LazyFrame:
    """Return, for the pairs of patterns that name arguments, whether each is there and equal."""
    asked = pairs.filter(pl.col("p_arguments").list.len() > 0)
    wanted = (
        asked.select("rule", "p_arguments")
        .unique(subset="rule")
        .explode("p_arguments")
        .unnest("p_arguments")
        .rename({"compare": "wanted"})
        .filter(pl.col("wanted").is_not_null())
    )
    given = (
        asked.select("deed", "arguments")
        .unique(subset="deed")
        .filter(pl.col("arguments").list.len() > 0)
        .explode("arguments")
        .unnest("arguments")
        .rename({"compare": "given"})
        .with_columns(there=pl.lit(True))
    )
    return (
        asked.select("deed", "rule", "arguments_known")
        .join(wanted, on="rule", how="inner")
        .join(given, on=["deed", "name"], how="left")
        .with_columns(
            pl.when(pl.col("there").is_null())
            .then(pl.when("arguments_known").then(pl.lit(False)))
            .otherwise(pl.col("given") == pl.col("wanted"))
            .alias("fits")
        )
        .group_by("deed", "rule")
        .agg(every(pl.col("fits")).alias("arguments_fit"))
        .with_columns(arguments_asked=pl.lit(True))
    )
