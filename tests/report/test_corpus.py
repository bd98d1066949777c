"""What the tasks are: counts of strata and of their cells."""

import polars as pl

from misstep.report.corpus import corpus

KEY = {"suite": "s"}


def tables(**tasks: tuple[str, bool, dict[str, str]]) -> dict[str, pl.LazyFrame]:
    """Return the specification of tasks: name → template, ambiguous, strata."""
    rows = [
        {**KEY, "task_id": name, "template_id": template or None, "ambiguous": ambiguous}
        for name, (template, ambiguous, _) in tasks.items()
    ]
    strata = [
        {**KEY, "task_id": name, "name": stratum, "value": value}
        for name, (_, _, of) in tasks.items()
        for stratum, value in of.items()
    ]
    schema = {"suite": pl.String, "task_id": pl.String, "name": pl.String, "value": pl.String}
    return {"spec/tasks": pl.LazyFrame(rows), "spec/strata": pl.LazyFrame(strata, schema=schema)}


MADE = tables(
    t1=("A", False, {"trap": "x", "domain": "mail", "size": "big"}),
    t2=("A", False, {"trap": "x", "domain": "mail", "size": "small"}),
    t3=("B", True, {"trap": "y", "domain": "mail"}),
    t4=("C", True, {"trap": "y", "domain": "desk"}),
)


def test_tasks_and_templates_are_counted_by_stratum_and_cell() -> None:
    assert corpus(MADE, ["trap", "domain"]).drop("suite").rows() == [
        (None, None, None, None, 4, 3, 2),
        ("domain", "desk", None, None, 1, 1, 1),
        ("domain", "mail", None, None, 3, 2, 1),
        ("size", "big", None, None, 1, 1, 0),
        ("size", "small", None, None, 1, 1, 0),
        ("trap", "x", None, None, 2, 1, 0),
        ("trap", "y", None, None, 2, 2, 2),
        ("trap", "x", "domain", "mail", 2, 1, 0),
        ("trap", "y", "domain", "desk", 1, 1, 1),
        ("trap", "y", "domain", "mail", 1, 1, 1),
    ]


def test_tasks_without_strata_or_template_are_counted_all_the_same() -> None:
    assert corpus(tables(t1=("", False, {})), []).rows() == [("s", None, None, None, None, 1, 0, 0)]
