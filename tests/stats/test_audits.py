"""Audits: what people say beside what labels say."""

import polars as pl
import pytest

from misstep.stats.audits import audits
from misstep.stats.intervals import wilson

SCHEMA = {"label": pl.String, "of": pl.String, "found": pl.Boolean, "judged": pl.Boolean}


def items(*rows: tuple[str, str, bool | None, bool | None]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def test_an_audit_worked_by_hand() -> None:
    found = items(
        *[("cd", "episode", True, True)] * 6,
        *[("cd", "episode", False, False)] * 3,
        ("cd", "episode", False, True),  # people see damage that the label does not
        *[("cd", "episode", True, False)] * 2,
        ("cd", "episode", True, None),
        ("cd", "episode", None, True),
    )
    row = audits(found).row(0, named=True)
    assert [row[name] for name in ("items", "decisive", "undecided", "unknown", "confirmed", "agreeing")] == [
        14, 13, 1, 1, 7, 9,
    ]  # fmt: skip
    assert row["agreement"] == 0.75 and (row["low"], row["high"]) == wilson(9, 12, 0.95)
    assert (row["false_acceptance_n"], row["false_acceptance_of"]) == (1, 7)
    assert (row["false_rejection_n"], row["false_rejection_of"]) == (2, 5)
    assert row["kappa"] == pytest.approx((9 / 12 - (8 * 7 + 4 * 5) / 144) / (1 - (8 * 7 + 4 * 5) / 144))


def test_of_a_good_label_true_means_accepted() -> None:
    row = audits(items(("goal", "episode", True, False), ("goal", "episode", True, True))).row(0, named=True)
    assert (row["false_acceptance_n"], row["false_acceptance_of"], row["false_rejection_of"]) == (1, 1, 1)


def test_labels_of_episodes_and_of_writes_are_apart_and_sorted() -> None:
    found = items(("violation", "write", True, True), ("cd", "write", True, True), ("cd", "episode", True, True))
    assert audits(found).select("label", "of").rows() == [("cd", "episode"), ("cd", "write"), ("violation", "write")]


def test_nobody_decided() -> None:
    row = audits(items(("ambiguous", "task", True, None))).row(0, named=True)
    assert (row["items"], row["decisive"], row["agreement"], row["kappa"]) == (1, 0, None, None)
    assert audits(items()).is_empty()
