"""Printed tables: cells from the parts of table, row and column, on runs with replicates and conditions."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from misstep.contracts.errors import SpecificationError
from misstep.report.compared import turns
from misstep.report.numbers import Numbers
from misstep.report.printed import read_published
from misstep.report.published import Comparison, compared
from misstep.stats.audits import SCHEMA as AUDITS
from misstep.stats.specified import specified
from report.conftest import html_of, listed_of, numbers_of
from report.made_evidence import made_runs

CONDITIONS = {"baseline": "original", "run": "r", "compare": ["withheld"], "metrics": ["acted", "decided"]}
HEAD = "schema: misstep.published/1\nsource: A paper\n"


@pytest.fixture(scope="module")
def tables() -> dict[str, pl.LazyFrame]:
    return made_runs()


@pytest.fixture(scope="module")
def numbers(tables: dict[str, pl.LazyFrame]) -> Numbers:
    return numbers_of(tables, strata=["domain"], conditions=CONDITIONS)


@pytest.fixture
def beside(tmp_path: Path, numbers: Numbers, tables: dict[str, pl.LazyFrame]) -> Any:
    """Return a function: YAML of the tables, and the CSV file that they are about → what is beside each other."""

    def made(yaml: str, csv: str) -> Comparison:
        (tmp_path / "t.csv").write_text(csv)
        (tmp_path / "paper.yaml").write_text(HEAD + yaml)
        printed = [read_published(tmp_path / "paper.yaml")]
        return compared(printed, numbers, AUDITS.to_frame(), turns(tables), specified(tables))

    return made


def verdicts(found: Comparison) -> list[tuple[str, str, str | None, str]]:
    return found.rows.select("row", "column", "rebuilt", "verdict").rows()


def test_a_table_takes_its_rows_from_keys_and_its_rates_from_columns(beside: Any) -> None:
    yaml = """tables:
  - file: t.csv
    title: Table 1
    keys: [model, harness]
    every: {rate: ecs}
    columns: {ecs: {}, macro: {rate: ecs_protocol_macro}, v0: {where: {protocol: V0}}, v1: {where: {protocol: V1}}}
"""
    found = beside(yaml, "model,harness,ecs,macro,v0,v1\npatient,loop,65.4,67.5,75.0,62.6\nrash,chat,15,10,,25.00\n")
    assert verdicts(found) == [
        ("patient · loop", "ecs", "65.38", "equal"),  # 8 and 9 of the 13 that are known
        ("patient · loop", "macro", "67.50", "equal"),
        ("patient · loop", "v0", "75.00", "equal"),
        ("patient · loop", "v1", "62.50", "differs"),
        ("rash · chat", "ecs", "15.4", "equal"),
        ("rash · chat", "macro", "10", "equal"),
        ("rash · chat", "v0", "25", "not published"),
        ("rash · chat", "v1", "25.000", "equal"),
    ]
    assert found.rows["quantity"][0] == "Table 1: patient · loop, ecs"
    assert found.tables["t"].columns == ["model", "harness", "ecs", "macro", "v0", "v1"]
    assert found.tables["t"]["v0"].to_list() == [pytest.approx(75.0), pytest.approx(25.0)]


def test_values_of_keys_say_differences_and_columns_replicates(beside: Any) -> None:
    yaml = """tables:
  - file: t.csv
    keys:
      who: {first: {where: {harness: {not: chat}}}, second: {where: {harness: chat}},
            delta: {where: {harness: loop}, minus: {where: {harness: chat}}}}
    every: {rate: ecs_planned, where: {protocol: [V1]}}
    columns:
      {r1: {where: {replicate: 1}}, r2: {where: {replicate: 2}}, mean: {}, sd: {take: spread}}
"""
    csv = "who,r1,r2,mean,sd\nfirst,50,75,62.5,17.7\nsecond,25,25,25,0\ndelta,25,50,37.5,17.7\n"
    assert {row[3] for row in verdicts(beside(yaml, csv))} == {"equal"}


PAIRS = """tables:
  - file: t.csv
    keys: [model]
    every: {rate: acted, where: {replicate: 1, run: r}, minus: {where: {run: tries, condition: withheld}}}
    columns:
      pairs: {take: pairs}
      before: {take: first}
      after: {take: second}
      gap: {}
      low: {take: low}
      said: {take: apart}
"""


def test_a_pair_is_of_tasks_that_count_on_both_sides(beside: Any) -> None:
    found = beside(PAIRS, "model,pairs,before,after,gap,low,said\npatient,2,100,50,50,,the interval excludes zero\n")
    assert [row[2:] for row in verdicts(found)][:4] == [
        ("2", "equal"), ("100", "equal"), ("50", "equal"), ("50", "equal"),
    ]  # fmt: skip
    said = found.rows.filter(column="said").row(0, named=True)
    assert (said["verdict"], said["rebuilt"]) == ("differs", "does not hold") and "interval" in said["reason"]
    assert beside(PAIRS, "model,pairs,before,after,gap,low,said\nrash,0,,,,,\n").rows["verdict"].to_list() == ["equal"]


def test_a_difference_can_be_of_all_tasks_that_each_side_has(beside: Any) -> None:
    yaml = """tables:
  - file: t.csv
    keys: {what: {V3: {rate: ecs, where: {protocol: V3, model: patient}, minus: {where: {model: rash}}}}}
    columns: {shared: {}, all: {tasks: all}}
"""
    # patient solves d0, not d1, and d2 is unknown; of rash d1 is not scored, and nothing is solved
    assert [row[2:] for row in verdicts(beside(yaml, "what,shared,all\nV3,100,50\n"))] == [
        ("100", "equal"), ("50", "equal"),
    ]  # fmt: skip


def test_pairs_can_count_by_whole_groups(beside: Any) -> None:
    yaml = """tables:
  - file: t.csv
    keys: [model]
    every: {count: episodes, where: {run: "pair-*", scored: true}}
    columns: {static: {where: {condition: static}}, played: {where: {condition: original}}}
  - file: t.csv
    keys: [model]
    every:
      {rate: decided, where: {run: "pair-*", condition: static}, minus: {where: {condition: original}}, COMPLETE}
    columns: {pairs: {take: pairs}, right: {take: first}, delta: {}}
"""
    csv = "model,static,played,pairs,right,delta\npatient,3,4,{}\n"
    assert {row[3] for row in verdicts(beside(yaml.replace("COMPLETE", "complete: run"), csv.format("2,100,0")))} == {
        "equal"
    }
    loose = beside(yaml.replace(", COMPLETE", ""), csv.format("3,66.7,-33.3"))
    assert {row[3] for row in verdicts(loose)} == {"equal"}


def test_tasks_can_be_those_that_other_runs_have(beside: Any) -> None:
    yaml = """tables:
  - file: t.csv
    keys: [model]
    every: {count: episodes, where: {replicate: 1, run: r}, tasks_of: {run: tries}}
    columns: {planned: {}, done: {where: {completed: true}}, acted: {where: {acted: true}}}
"""
    assert {row[3] for row in verdicts(beside(yaml, "model,planned,done,acted\npatient,3,3,3\nrash,3,3,3\n"))} == {
        "equal"
    }


def test_what_tasks_specify_is_counted_by_rows_and_columns(beside: Any) -> None:
    yaml = """names:
  domain: {office: {where: {domain: office}}, all: {}}
tables:
  - file: t.csv
    keys: [domain]
    rows: {what: [cases]}
    every: {specified: tasks}
    columns: &protocols {v0: {where: {protocol: V0}}, v2: {where: {protocol: V2}}}
  - file: t.csv
    rows: {domain: [""]}
    keys:
      what: {reads mean: {specified: required_reads, take: mean}, actions: {specified: actions},
             forks: {specified: forks}}
    columns: *protocols
"""
    csv = "domain,what,v0,v2\noffice,cases,2,1\nall,cases,4,2\n,reads mean,2,2.0\n,actions,4,4\n,forks,,0\n"
    found = beside(yaml, csv)
    assert found.rows.filter(verdict="equal").height == 9
    assert found.rows.filter(pl.col("verdict") != "equal").select("row", "column", "verdict").rows() == [
        ("forks", "v0", "not published")
    ]


def test_what_is_not_rebuilt_says_why(beside: Any) -> None:
    found = beside("tables:\n  - {file: t.csv, keys: [model], every: {unbuilt: it is of others}}\n", "model,x\na,1\n")
    row = found.rows.row(0, named=True)
    assert (row["verdict"], row["reason"], row["published"], row["rebuilt"]) == (
        "not rebuilt", "it is of others", "1", None,
    )  # fmt: skip


def test_further_rates_are_those_that_no_cell_has(beside: Any) -> None:
    yaml = "tables:\n  - {file: t.csv, keys: [model], every: {rate: ecs}}\nalso:\n  - {rate: ecs, each: [model]}\n"
    found = beside(yaml, "model,x\npatient,65.4\n").rows
    assert found["verdict"].to_list() == ["equal", "not published"] and "rash" in found["quantity"][1]


FAULTS = [
    ("{file: u.csv, keys: [model]}", "paper.yaml:4: tables[0].file: there is no file 'u.csv'"),
    ("{file: t.csv, keys: [model]}", "paper.yaml:4: tables[0].every: one of rate, count, specified, unbuilt is needed"),
    ("{file: t.csv, keys: [colour], every: {rate: ecs}}", "tables[0].keys: t.csv has no column 'colour'; there are"),
    ("{file: t.csv, keys: [model], columns: {y: {rate: ecs}}}", "tables[0].columns.y: t.csv has no column 'y'"),
    ("{file: t.csv, keys: [model], columns: {}}", "t.csv:2: x: nothing says how it is rebuilt"),
    ("{file: t.csv, keys: {model: {rash: {}}}, every: {rate: ecs}}",
     "t.csv:2: model: nothing says what 'patient' means; there are rash"),
    ("{file: t.csv, keys: [model], rows: {model: [calm]}, every: {rate: ecs}}",
     "tables[0].rows.model: no row has 'calm' there"),
    ("{file: t.csv, keys: [model], every: {rate: ecs, count: tasks}}", "but there are rate and count"),
    ("{file: t.csv, keys: [model], every: {rate: ecs, take: low}}", "low is of a difference"),
    ("{file: t.csv, keys: [model], every: {rate: ecs, tkae: low}}", "tables[0].every.tkae: Extra inputs"),
    ("{file: t.csv, keys: [model], every: {rate: speed}}", "tables[0].every: there is no metric 'speed'"),
    ("{file: t.csv, keys: [x], every: {rate: ecs}}", "t.csv:2: model: 'patient' is no number"),
    ("{file: t.csv, keys: [model], every: {rate: ecs, where: {colour: red}}}",
     "tables[0].every: episodes have no 'colour'; there are"),
    ("{file: t.csv, keys: [model], every: {specified: tasks}}", "tables[0].every: tasks have no 'model'; there are"),
]  # fmt: skip


@pytest.mark.parametrize(("entry", "said"), FAULTS)
def test_a_wrong_table_says_file_line_and_field(beside: Any, entry: str, said: str) -> None:
    with pytest.raises(SpecificationError) as caught:
        beside(f"tables:\n  - {entry}\n", "model,x\npatient,1\n")
    assert said in str(caught.value)


def test_a_cell_has_one_rule(beside: Any) -> None:
    entry = "  - {file: t.csv, keys: [model], every: {rate: ecs}}\n"
    with pytest.raises(SpecificationError, match=r"t\.csv:2: x: two tables say how it is rebuilt"):
        beside(f"tables:\n{entry}{entry}", "model,x\npatient,1\n")


def test_the_page_has_the_table_in_its_shape(beside: Any, numbers: Numbers, tables: dict[str, pl.LazyFrame]) -> None:
    from misstep.report.tables import Published

    yaml = "tables:\n  - {file: t.csv, title: Table 9, keys: [model], every: {rate: ecs}}\n"
    rows = beside(yaml, "model,x\npatient,65.4\nrash,1\n").rows
    listed = listed_of(numbers, tables) | {
        "published_vs_rebuilt": Published(rows, "", None, {}),
        "conditions": Published(numbers.conditions, "", None, {}),
    }
    html = html_of(numbers, listed, {})
    assert "<h3>Table 9</h3>" in html and "1 differs, 1 equal" in html
    assert '<td class="differs" title="differs: 15.38 is not 1">1<span class="basis">15.4</span></td>' in html


def test_the_bundled_tables_have_a_rule_for_every_cell(root: Path) -> None:
    read = read_published(root / "data/published/evidence.yaml")
    names = {table.path.name for table in read.tables}
    assert names == {path.name for path in (root / "data/published").glob("safeact_*.csv")}
    assert sum(bool(cell.text) for table in read.tables for cell in table.cells) == 670
