"""What the sections of the page hold: tasks, unauthorized actions, ranks; another condition, people and papers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import polars as pl

from misstep.report.numbers import Numbers
from misstep.report.tables import Published
from misstep.report.words import percent
from misstep.stats.contrasts import sentence
from misstep.stats.metrics import METRICS
from misstep.stats.verdicts import NOT_REBUILT

Rows = list[dict[str, Any]]
#: Rows of the page's tables of actions; the CSV files have all of them.
SHOWN = 15


def effect_sections(numbers: Numbers, tables: Mapping[str, Published]) -> dict[str, Any]:
    """Return the parts of the page on tasks, unauthorized actions and ranks by name."""
    return {
        "corpus": _corpus(tables["corpus"].frame, numbers.study.strata),
        "examples": tables["examples"].frame.to_dicts(),
        "actions": _actions(numbers.actions),
        "together": tables["together"].frame.head(SHOWN).to_dicts(),
        "ranks": _ranks(numbers) if "ranks" in tables else None,
    }


def _corpus(frame: pl.DataFrame, crossed: Sequence[str]) -> Rows:
    """Return what each suite has: its totals, the values of its strata, and the cells of the two crossed ones."""
    found = []
    for (suite,), rows in frame.group_by("suite", maintain_order=True):
        cells = {(row["value_1"], row["value_2"]): row for row in rows.drop_nulls("name_2").to_dicts()}
        found.append(
            {
                "suite": suite,
                "all": rows.filter(pl.col("name_1").is_null()).row(0, named=True),
                "strata": rows.filter(pl.col("name_1").is_not_null(), pl.col("name_2").is_null()).to_dicts(),
                "crossed": list(crossed),
                "rows": list(dict.fromkeys(first for first, _ in cells)),
                "columns": sorted({second for _, second in cells}),
                "cells": cells,
            }
        )
    return found


def _actions(frame: pl.DataFrame) -> Rows:
    """Return the most frequent tools and actions of all configurations together."""
    return (
        frame.group_by("tool", "action", maintain_order=True)
        .agg(pl.col("writes", "external", "episodes").sum(), pl.len().alias("configurations"))
        .head(SHOWN)
        .to_dicts()
    )


def _ranks(numbers: Numbers) -> dict[str, Any]:
    """Return how policies agree, and how firm the order of neighbours is under the policy of the page."""
    ranks = numbers.ranks
    names = ranks.ranks.filter(policy=numbers.policy)["configuration"].to_list()
    held = {(row["lower"], row["higher"]): row for row in ranks.order.filter(policy=numbers.policy).to_dicts()}
    neighbours = [held[pair] for pair in pairwise(names) if pair in held]
    return {"agreement": ranks.agreement.to_dicts(), "neighbours": neighbours}


def compared_sections(numbers: Numbers, tables: Mapping[str, Published]) -> dict[str, Any]:
    """Return the parts of the page by name; one is empty where the study does not ask for it."""
    return {
        "conditions": _conditions(numbers) if "conditions" in tables else None,
        "audits": _audits(tables["audits"].frame) if "audits" in tables else [],
        "printed": _printed(tables["published_vs_rebuilt"].frame) if "published_vs_rebuilt" in tables else None,
    }


def _conditions(numbers: Numbers) -> dict[str, Any]:
    conditions = numbers.study.conditions
    baseline = "" if conditions is None else conditions.baseline
    families = [
        {"title": METRICS[metric].title, "rows": [_change(row, baseline, numbers) for row in rows.to_dicts()]}
        for (metric,), rows in numbers.conditions.group_by("metric", maintain_order=True)
    ]
    counted = numbers.whole.frame.group_by(pl.col("condition").fill_null("(none)")).len().sort("condition")
    return {"baseline": baseline, "families": families, "episodes": counted.rows()}


def _change(row: dict[str, Any], baseline: str, numbers: Numbers) -> dict[str, Any]:
    other = row["b"].rpartition("condition=")[2] or baseline
    named = {"a": f"{row['configuration']} under {row['condition']}", "b": other}
    level = numbers.study.statistics.level
    told = sentence(row | named | {"metric": METRICS[row["metric"]].title}, level)
    if row["reduction"] is not None:
        told += f" Relative reduction {percent(row['reduction'])}"
        ends = [row["reduction_low"], row["reduction_high"]]
        told += "." if None in ends else f" (interval {percent(ends[0])} to {percent(ends[1])})."
    apart = row["low"] is not None and row["high"] is not None and not row["low"] <= 0 <= row["high"]
    return {"sentence": told, "apart": apart}


def _audits(frame: pl.DataFrame) -> Rows:
    return [
        {
            "label": row["label"],
            "of": row["of"],
            **{name: row[name] for name in ("items", "decisive", "undecided", "unknown", "confirmed")},
            "agreement": _share(
                row["agreeing"], row["decisive"] - row["unknown"], row["agreement"], row["low"], row["high"]
            ),
            "kappa": "–" if row["kappa"] is None else f"{row['kappa']:.2f}",
            **{
                kind: _share(*(row[f"{kind}{end}"] for end in ("_n", "_of", "", "_low", "_high")))
                for kind in ("false_acceptance", "false_rejection")
            },
        }
        for row in frame.to_dicts()
    ]


def _share(count: int, of: int, value: float | None, low: float | None, high: float | None) -> str:
    if value is None or low is None or high is None:
        return f"{count} of {of}"
    return f"{percent(value)} [{100 * low:.1f}, {100 * high:.1f}], {count} of {of}"


def _printed(frame: pl.DataFrame) -> dict[str, Any]:
    rows = [row | {"interval": _interval(row)} for row in frame.to_dicts()]
    return {
        "rows": [row for row in rows if row["published"] is not None and row["table"] is None],
        "tables": [_sheet(title, part) for (title,), part in _of_tables(frame)],
        "more": [row for row in rows if row["published"] is None and row["table"] is None],
        "verdicts": _counted(row["verdict"] for row in rows),
        "sources": list(dict.fromkeys(row["source"] for row in rows)),
    }


def _of_tables(frame: pl.DataFrame) -> Iterable[tuple[tuple[Any, ...], pl.DataFrame]]:
    return frame.filter(pl.col("table").is_not_null()).group_by("table", maintain_order=True)


def _sheet(title: str, cells: pl.DataFrame) -> dict[str, Any]:
    """Return a printed table in its own shape; why nothing of it is rebuilt stands once above it."""
    at = {(row["row"], row["column"]): row for row in cells.to_dicts()}
    reasons = set(cells["reason"]) if set(cells["verdict"]) == {NOT_REBUILT} else set()
    return {
        "title": title,
        "rows": list(dict.fromkeys(row for row, _ in at)),
        "columns": list(dict.fromkeys(column for _, column in at)),
        "cells": at,
        "verdicts": _counted(cells["verdict"]),
        "why": "; ".join(sorted(reasons)),
    }


def _interval(row: Mapping[str, Any]) -> str:
    if row["low"] is None or row["high"] is None:
        return ""
    return f"[{100 * row['low']:.1f}, {100 * row['high']:.1f}]"


def _counted(verdicts: Iterable[str]) -> str:
    return ", ".join(f"{count} {verdict}" for verdict, count in sorted(Counter(verdicts).items()))
