"""What people say of labels: a row a label that was judged, with agreement, kappa and both kinds of error."""

from __future__ import annotations

import polars as pl

from misstep.stats.agreement import Share, agreement
from misstep.stats.metrics import METRICS

SCHEMA = pl.Schema(
    {
        "label": pl.String(),
        "of": pl.String(),
        **{name: pl.Int64() for name in ("items", "decisive", "undecided", "unknown", "confirmed", "agreeing")},
        **{name: pl.Float64() for name in ("agreement", "low", "high", "kappa")},
        **{
            f"{kind}{end}": pl.Int64() if end in ("_n", "_of") else pl.Float64()
            for kind in ("false_acceptance", "false_rejection")
            for end in ("_n", "_of", "", "_low", "_high")
        },
    }
)


def audits(items: pl.DataFrame, level: float = 0.95) -> pl.DataFrame:
    """Return a row a (label, of) of what was judged.

    Of a label that says that something is wrong (`cd`, `violation`), false means accepted; of others, true does.

    Args:
        items: rows are judgements: label, of (task, episode or write), found (what the label says, null: unknown) and
            judged (what the person says, null: undecided).
        level: coverage of the Wilson intervals in (0, 1).

    Returns:
        Items, those on which the person decided (decisive) or not, those of which the label is unknown, and of the
        decisive ones with a known label how many people say true of (confirmed), how many agree, and the errors:
        `false_acceptance` is the share of what people reject that the label accepts, `false_rejection` the other way.
    """
    rows = []
    for (label, of), group in sorted(items.group_by("label", "of"), key=lambda pair: [str(part) for part in pair[0]]):
        decisive = group.filter(pl.col("judged").is_not_null())
        known = decisive.filter(pl.col("found").is_not_null())
        judged, found = known["judged"], known["found"]
        if _is_fault(str(label)):
            judged, found = ~judged, ~found
        told = agreement(judged, found, level)
        rows.append(
            {
                "label": label,
                "of": of,
                "items": group.height,
                "decisive": decisive.height,
                "undecided": group.height - decisive.height,
                "unknown": decisive.height - known.height,
                "confirmed": int(known["judged"].sum()),
                "agreeing": told.raw.numerator,
                "agreement": told.raw.estimate,
                "low": told.raw.low,
                "high": told.raw.high,
                "kappa": told.kappa,
                **_error("false_acceptance", told.false_acceptance),
                **_error("false_rejection", told.false_rejection),
            }
        )
    return pl.DataFrame(rows, schema=SCHEMA)


def _is_fault(label: str) -> bool:
    """Return whether the label says that something is wrong: of the metric of that name, little is good."""
    known = METRICS.get(label)
    return label == "violation" or label.startswith("cd_") or (known is not None and known.better == "low")


def _error(name: str, share: Share) -> dict[str, float | int | None]:
    return {
        f"{name}_n": share.numerator,
        f"{name}_of": share.denominator,
        name: share.estimate,
        f"{name}_low": share.low,
        f"{name}_high": share.high,
    }
