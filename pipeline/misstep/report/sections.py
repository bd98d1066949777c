"""What the sections of the page hold that set a study beside another condition, people and papers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from misstep.report.numbers import Numbers
from misstep.report.tables import Published
from misstep.report.words import percent
from misstep.stats.contrasts import sentence
from misstep.stats.metrics import METRICS

Rows = list[dict[str, Any]]


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
    named = {"a": f"{row['configuration']} under {row['condition']}", "b": baseline}
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
        "rows": [row for row in rows if row["published"] is not None],
        "more": [row for row in rows if row["published"] is None],
        "verdicts": _counted(row["verdict"] for row in rows),
        "sources": list(dict.fromkeys(row["source"] for row in rows)),
    }


def _interval(row: Mapping[str, Any]) -> str:
    if row["low"] is None or row["high"] is None:
        return ""
    return f"[{100 * row['low']:.1f}, {100 * row['high']:.1f}]"


def _counted(verdicts: Iterable[str]) -> str:
    return ", ".join(f"{count} {verdict}" for verdict, count in sorted(Counter(verdicts).items()))
