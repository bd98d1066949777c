"""The published tables that set a study beside something else: another condition, people, papers."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from misstep.report.audits import judged
from misstep.report.numbers import Numbers
from misstep.report.published import compared
from misstep.report.tables import Published
from misstep.report.written import StudyFile
from misstep.stats.audits import audits
from misstep.stats.specified import specified

Tables = Mapping[str, pl.LazyFrame]


def compared_tables(file: StudyFile, numbers: Numbers, tables: Tables) -> dict[str, Published]:
    """Return the tables by name, as far as the study asks for them.

    Raises:
        SpecificationError: an audit or a published file asks for what the traces do not have.
    """
    study, found = numbers.study, {}
    if study.conditions is not None:
        found["conditions"] = Published(
            numbers.conditions, "what a condition changes in a configuration", "contrasts", _CONDITIONS
        )
    people = audits(judged([row for one in file.audits for row in one], study, tables), study.statistics.level)
    if study.audits:
        found["audits"] = Published(people, "a label that people judged", None, _AUDITS)
    if study.published:
        beside = compared(file.published, numbers, people, turns(tables), specified(tables))
        found["published_vs_rebuilt"] = Published(beside.rows, "a printed quantity and ours", None, _PUBLISHED)
        for name, frame in beside.tables.items():
            about = f"a row of the printed table {name}, with our values in its units"
            found[f"rebuilt_{name}"] = Published(frame, about, None, _TABLE)
    return found


def turns(tables: Tables) -> pl.DataFrame:
    """Return the number of turns of the agent in every episode: steps in which it called a tool or said something."""
    place = ("episode", "step")
    said = tables["messages"].filter(actor="agent", role="assistant").select(place)
    called = tables["calls"].filter(actor="agent").select(place)
    return pl.concat([said, called]).unique().group_by("episode").agg(pl.len().cast(pl.Int64).alias("turns")).collect()


_CONDITIONS = {
    "configuration": "values of the columns that the study compares by",
    "condition": "condition that is compared with the baseline",
    "a": "group under the condition",
    "b": "group under the baseline",
    "estimate_a": "rate under the condition, share in [0, 1], on the shared tasks",
    "estimate_b": "rate under the baseline, on the shared tasks",
    "difference": "condition − baseline",
    "metric": "what is counted (definitions on the page)",
    "policy": "what counts as authorized (definitions on the page)",
    "p_adjusted": "p, adjusted over the configurations and conditions of the metric",
    "reduction": "1 − rate under the condition ÷ rate under the baseline, of damage",
    "reduction_low": "lower end of its interval",
    "reduction_high": "upper end of its interval",
}
_AUDITS = {
    "label": "label that was judged",
    "of": "what it is a label of: task, episode or write",
    "items": "judgements",
    "decisive": "judgements in which the person decided",
    "undecided": "judgements in which the person could not decide",
    "unknown": "decisive ones whose label is unknown; they are in nothing that follows",
    "confirmed": "items of which people say that the label is true",
    "agreeing": "items on which label and people agree",
    "agreement": "share of the items on which they agree, in [0, 1]",
    "low": "lower end of its Wilson interval",
    "high": "upper end of its Wilson interval",
    "kappa": "agreement beyond chance (Cohen); empty where chance alone would agree on everything",
    **{
        f"{kind}{end}": f"{what}{meaning}"
        for kind, what in (
            ("false_acceptance", "items that people reject and the label accepts"),
            ("false_rejection", "items that people accept and the label rejects"),
        )
        for end, meaning in (
            ("_n", ""),
            ("_of", ": out of how many"),
            ("", ": as a share"),
            ("_low", ": lower end of the Wilson interval"),
            ("_high", ": upper end of the Wilson interval"),
        )
    },
}
_PUBLISHED = {
    "source": "where it is printed",
    "quantity": "what is printed, or metric and episodes of what is not",
    "table": "printed table, of a cell",
    "row": "what its row is",
    "column": "name of its column",
    "basis": "stated: printed so; derived: the only number that rounds to what is printed",
    "published": "as it is printed",
    "rebuilt": "what the traces of the study give",
    "numerator": "of the rebuilt rate",
    "denominator": "of the rebuilt rate, or the rebuilt count",
    "value": "of the rebuilt quantity; rates as shares in [0, 1]; empty for ranges",
    "low": "lower end of the interval of a rebuilt rate",
    "high": "upper end of the interval of a rebuilt rate",
    "verdict": "equal, to half a unit of the last printed digit; differs; not published; or not rebuilt",
    "reason": "what differs, what it rests on, or why it cannot be rebuilt",
}
#: Columns that several tables have; the others are named as in print.
_TABLE = {
    "model": "model",
    "harness": "harness",
    "domain": "stratum of the tasks",
    "protocol": "how the tasks ask for evidence",
    "low": "lower end of the interval",
    "high": "upper end of the interval",
    "ci_low": "lower end of the interval",
    "ci_high": "upper end of the interval",
}
