"""What the tutorial says of the office suite is so."""

import re
from pathlib import Path
from textwrap import indent

import polars as pl

from misstep.contracts.tables.labels import FAILURES
from misstep.suites.build import build_suite
from misstep.suites.instances import read_sources
from suites.office_suite import copy_written_files, episodes

PATTERN_ROW = re.compile(r"^\| `(\w+)` \| `([\w-]+)@(\w+)` \|", re.MULTILINE)
FAILURE_ROW = re.compile(r"^\| `(\w+)` \| `([\w-]+)@(\w+)`, replicate (\d) \|", re.MULTILINE)
STALE_ROW = re.compile(r"^\| `([\w-]+)` \| (\w+) \| `([\w-]+)` \|", re.MULTILINE)
RATE_ROW = re.compile(r"^\| (\w+) \| (\d\.\d\d) \| (\d\.\d\d) \| (\d\.\d\d) \|", re.MULTILINE)
HARMLESS_ROW = re.compile(r"^\| `([\w-]+)@(\w+)`, replicate (\d) \|", re.MULTILINE)


def test_the_episodes_it_names_show_the_patterns_it_names(root: Path) -> None:
    intended = {(one.record["task_id"], one.model, one.replicate): one.intent for one in episodes()}
    text = (root / "docs" / "tutorial.md").read_text(encoding="utf-8")
    rows = PATTERN_ROW.findall(text)
    assert len(rows) == 8
    for pattern, task, model in rows:
        assert intended[task, model, 1].patterns == [pattern], task
    harmless = HARMLESS_ROW.findall(text)
    assert len(harmless) == 6
    for task, model, replicate in harmless:
        assert intended[task, model, int(replicate)].cd is False, task


def test_the_variant_it_shows_becomes_a_task(root: Path, tmp_path: Path) -> None:
    text = (root / "docs" / "tutorial.md").read_text(encoding="utf-8")
    variant = re.search(r"\n\n((?:    .*\n)+)\nA script lists moves", text)
    assert variant is not None
    folder = copy_written_files(tmp_path / "office")
    template = folder / "templates" / "cancel-one.yaml"
    before = template.read_text(encoding="utf-8")
    shown = indent("\n".join(line[4:] for line in variant[1].splitlines()), "  ")
    template.write_text(before.replace("\nscripts:", f"\n{shown}\nscripts:"), encoding="utf-8")
    assert "cancel-one-tyres" in {str(one.task.task_id) for one in read_sources(folder, "office").instances}
    assert build_suite("office", folder)["episodes"] == len(episodes()) + 3


def labelled(tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    return tables["episodes"].join(tables["episode_labels"], on="episode")


def test_the_episodes_it_names_fail_as_it_says(root: Path, tables: dict[str, pl.DataFrame]) -> None:
    failures = {
        (row["task_id"], row["model"], str(row["replicate"])): row for row in labelled(tables).iter_rows(named=True)
    }
    rows = FAILURE_ROW.findall((root / "docs" / "tutorial.md").read_text(encoding="utf-8"))
    assert [failure for failure, *_ in rows] == list(FAILURES)
    named = [failures[*episode] for _, *episode in rows]
    assert [row["failure"] for row in named] == list(FAILURES)
    assert [row["cd"] for row in named] == [failure == "covered_action_failure" for failure in FAILURES]
    assert sum(row["goal"] for row in named) == 5


def test_its_rates_of_evidence_are_those_of_the_labels(root: Path, tables: dict[str, pl.DataFrame]) -> None:
    text = (root / "docs" / "tutorial.md").read_text(encoding="utf-8")
    columns = ("par", "bsr", "ecs", "rule_par")
    rates = (
        labelled(tables)
        .group_by("model", "replicate")
        .agg(pl.col(columns).mean())
        .group_by("model")
        .agg(pl.col(columns).mean())
        .sort("model")
    )
    shown = [(model, *(f"{rate:.2f}" for rate in three)) for model, *three in rates.drop("rule_par").iter_rows()]
    assert RATE_ROW.findall(text) == shown
    ruled = dict(rates.select("model", "rule_par").iter_rows())
    assert "in 3 % of such episodes of *careful*, in half of those of *eager*" in " ".join(text.split())
    assert (round(ruled["careful"], 2), round(ruled["eager"], 1), round(ruled["tidy"], 2)) == (0.03, 0.5, 0.23)


def test_the_evidence_it_shows_was_late_or_stale(root: Path, tables: dict[str, pl.DataFrame]) -> None:
    text = (root / "docs" / "tutorial.md").read_text(encoding="utf-8")
    gaps = (
        tables["requirement_labels"]
        .filter(pl.col("status") == "MISSING", pl.col("attempt") >= 0)
        .join(tables["episodes"], on="episode")
    )
    stale = gaps.filter(pl.col("near_miss") == "stale").select("task_id", "model", "requirement").sort("task_id")
    assert STALE_ROW.findall(text) == stale.rows()
    explained = re.search(r"misstep explain out (\w+)\n\n +✗ ([\w-]+) .*\n.*\n.*in step (\d+) ", text)
    assert explained is not None
    key, requirement, step = explained.groups()
    (found,) = gaps.filter(
        pl.col("episode").str.starts_with(key), pl.col("requirement") == requirement, pl.col("near_miss") == "later"
    )["near_step"]
    assert found == int(step)
