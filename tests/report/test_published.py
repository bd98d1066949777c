"""Published files: every construct on the made tables, and faults with file, line and field."""

import dataclasses
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from misstep.contracts.errors import SpecificationError
from misstep.report.compared import turns
from misstep.report.numbers import Numbers
from misstep.report.printed import read_published
from misstep.report.published import compared
from misstep.stats.audits import audits
from report.conftest import numbers_of
from report.made_conditions import CONDITIONS, made_conditions

ROW = "cd all,15,58,25.9,,,derived,,\n"
HEAD = "quantity,numerator,denominator,percent,low,high,basis,unit,note\n"
AUDITS = pl.DataFrame(
    {"label": ["cd"] * 4, "of": ["episode"] * 4, "found": [True] * 4, "judged": [True, True, False, None]}
)


@pytest.fixture(scope="module")
def tables() -> dict[str, pl.LazyFrame]:
    return made_conditions()


@pytest.fixture(scope="module")
def numbers(tables: dict[str, pl.LazyFrame]) -> Numbers:
    return numbers_of(tables, conditions=CONDITIONS)


def written(tmp_path: Path, rules: str, rows: str, also: str = "") -> Path:
    """Return a published file of rules (lines of YAML) and rows."""
    (tmp_path / "printed.csv").write_text(HEAD + rows)
    path = tmp_path / "paper.yaml"
    body = "".join(f"  {line}\n" for line in rules.splitlines())
    head = "schema: misstep.published/1\nsource: A paper\nfiles: [printed.csv]\nquantities:\n"
    path.write_text(head + body + also)
    return path


@pytest.fixture
def row(tmp_path: Path, numbers: Numbers, tables: dict[str, pl.LazyFrame]) -> Any:
    """Return a function: rule of the quantity `q` and its printed cells → its row."""

    def made(rule: str, cells: str) -> dict[str, Any]:
        read = read_published(written(tmp_path, f"q: {rule}", f"q,{cells}\n"))
        return compared([read], numbers, audits(AUDITS), turns(tables)).row(0, named=True)

    return made


RATES = [
    ("{rate: cd}", "15,58,25.9,,,,,", "15 of 58, 25.86 %", ""),
    ("{rate: cd, where: {model: hasty}}", "13,18,72.2,,,,,", "13 of 18, 72.22 %", "2 unknown"),
    ("{rate: cd, policy: external_only, where: {model: hasty}}", "2,18,11.1,,,,,", "2 of 18, 11.11 %", "2 unknown"),
    ("{rate: cd, where: {ambiguous: true}}", "4,12,33.3,,,,,", "4 of 12, 33.33 %", ""),
    ("{rate: cd, where: {model: hasty, goal: true}}", "8,13,61.5,,,,,", "8 of 13, 61.54 %", "2 unknown"),
    ("{rate: cd_given_goal, where: {model: hasty}}", "8,13,,,,,,", "8 of 13, 61.54 %", "2 unknown"),
    ("{rate: cd, where: {model: hasty, domain: calendar, ambiguous: false}}", "5,7,,,,,,", "5 of 7, 71.43 %", ""),
    ("{rate: cd, where: {model: hasty, condition: guarded}}", "2,10,20.0,,,,,", "2 of 10, 20.00 %", ""),
    ("{rate: ab}", "4,12,,,,,,", "4 of 12, 33.33 %", ""),
    ("{least: {rate: cd}}", "0,20,,,,,,", "0 of 20, 0.00 %", "terse"),
    ("{greatest: {rate: cd, where: {ambiguous: true}}}", "4,4,100,,,,,", "4 of 4, 100.00 %", "hasty"),
]


@pytest.mark.parametrize(("rule", "cells", "rebuilt", "reason"), RATES)
def test_rates_are_rebuilt(row: Any, rule: str, cells: str, rebuilt: str, reason: str) -> None:
    found = row(rule, cells)
    assert (found["rebuilt"], found["verdict"]) == (rebuilt, "equal")
    if "goal: true" not in rule:
        assert reason in found["reason"]
    assert found["low"] <= found["value"] <= found["high"] or found["value"] in (0.0, 1.0)


OTHERS = [
    ("{difference: [{rate: goal, where: {model: careful}}, {rate: goal, where: {model: hasty}}]}",
     ",,7.8,,,,,", "7.78 %", "equal"),
    ("{difference: [{rate: ab, where: {model: hasty}}, {rate: ab, where: {model: terse}}]}",
     "4,4,100,,,,,", "4 of 4, 100.00 %", "equal"),
    ("{ratio: [{greatest: {rate: goal}}, {least: {rate: goal}}]}", ",,,1.3,1.3,,ratio,", "1.31", "equal"),
    ("{ratio: [{rate: goal}, {least: {rate: cd}}]}", ",,,1,1,,,", None, "differs"),
    ("{count: episodes}", ",60,,,,,,", "60", "equal"),
    ("{count: episodes, where: {model: hasty, condition: guarded}}", ",10,,,,,,", "10", "equal"),
    ("{count: tasks, where: {condition: guarded}}", ",,,10,10,,tasks,", "10", "equal"),
    ("{count: templates}", ",,,12,12,,,", "12", "equal"),
    ("{count: configurations, where: {cd: true}}", ",,,3,3,,,", "2", "differs"),
    ("{count: turns}", ",,,3,3,,,", "3", "equal"),
    ("{setting: draws}", ",,,200,200,,,", "200", "equal"),
    ("{audit: cd, share: agreeing}", "2,3,66.7,,,,,", "2 of 3, 66.67 %", "equal"),
    ("{audit: cd, share: confirmed}", "2,3,,,,,,", "2 of 3, 66.67 %", "equal"),
    ("{audit: goal, share: agreeing}", "2,3,,,,,,", None, "differs"),
    ("{change: relative_reduction, metric: cd, condition: guarded}", ",,,66,100,,percent,", "66.67 to 100.00 %",
     "equal"),
    ("{change: loss, metric: goal, condition: guarded}", ",,,10,22,,points,", "10.00 to 22.22 %", "equal"),
    ("{change: difference, metric: goal, condition: guarded}", ",,,-22,-12,,,", "-22.22 to -10.00 %", "differs"),
    ("{change: loss, metric: goal, condition: asked}", ",,,10,22,,,", None, "differs"),
    ("{claims: [{falls: cd, condition: guarded, only: [careful]}]}", ",,,,,,,in words", "does not hold", "differs"),
    ("{claims: [{falls: cd, condition: guarded, only: []}]}", ",,,,,,,in words", "holds", "equal"),
    ("{claims: [{less: [{change: loss, metric: goal, condition: guarded},"
     " {change: loss, metric: cd, condition: guarded}]}]}", ",,,,,,,", "does not hold", "differs"),
    ("{claims: [{falls: cd, condition: asked, only: []}]}", ",,,,,,,", None, "differs"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "cells", "rebuilt", "verdict"), OTHERS)
def test_everything_else_is_rebuilt_or_says_why_not(
    row: Any, rule: str, cells: str, rebuilt: str | None, verdict: str
) -> None:
    found = row(rule, cells)
    assert (found["rebuilt"], found["verdict"]) == (rebuilt, verdict)
    assert found["reason"] or verdict == "equal"


@pytest.mark.parametrize(
    ("rule", "cells", "reason"),
    [
        ("{change: loss, metric: cd, condition: guarded}", ",,,0,100,,,", "loss of cd is not known of careful"),
        ("{claims: [{falls: cd, condition: guarded, only: []}]}", ",,,,,,,",
         "whether cd falls significantly is not known of careful"),
        ("{claims: [{less: [{change: loss, metric: cd, condition: guarded},"
         " {change: difference, metric: goal, condition: guarded}]}]}", ",,,,,,,",
         "loss of cd is not known of careful"),
    ],
)  # fmt: skip
def test_what_is_not_known_of_a_configuration_cannot_be_rebuilt(
    tmp_path: Path, numbers: Numbers, tables: dict[str, pl.LazyFrame], rule: str, cells: str, reason: str
) -> None:
    apart = (pl.col("configuration") == "careful") & (pl.col("metric") == "cd")
    emptied = [pl.when(~apart).then(name).alias(name) for name in ("difference", "reduction", "p", "p_adjusted")]
    read = read_published(written(tmp_path, f"q: {rule}", f"q,{cells}\n"))
    blind = dataclasses.replace(numbers, conditions=numbers.conditions.with_columns(emptied))
    found = compared([read], blind, audits(AUDITS), turns(tables)).row(0, named=True)
    assert (found["rebuilt"], found["verdict"], found["reason"]) == (None, "differs", reason)


def test_claims_compare_each_configuration(row: Any) -> None:
    goal, damage = (f"{{change: loss, metric: {name}, condition: guarded}}" for name in ("goal", "cd"))
    reason = row(f"{{claims: [{{less: [{goal}, {damage}]}}]}}", ",,,,,,,")["reason"]
    assert reason == "loss of goal: careful 10.0 against 10.0, hasty 22.2 against 44.4"


def test_what_is_not_printed_is_listed_once(tmp_path: Path, numbers: Numbers, tables: dict[str, pl.LazyFrame]) -> None:
    also = "also:\n  - {rate: goal, each: [model]}\n  - {rate: cd, where: {ambiguous: false}, each: [domain, trap]}\n"
    rules = "cd all: {rate: cd}\ngoal of one: {rate: goal, where: {model: hasty}}"
    path = written(tmp_path, rules, ROW + "goal of one,13,18,72.2,,,,,\n", also)
    found = compared([read_published(path)], numbers, audits(AUDITS), turns(tables))
    assert found["quantity"].to_list()[:4] == ["cd all", "goal of one", "goal, model=careful", "goal, model=terse"]
    assert found["verdict"].to_list()[:4] == ["equal", "equal", "not published", "not published"]
    assert found.height == 4 + 2 * 3
    assert found["basis"].to_list()[0] == "derived" and found["source"].unique().to_list() == ["A paper"]


@pytest.mark.parametrize(
    ("rules", "rows", "said"),
    [
        (
            "cd all: {rate: cd}",
            ROW + "more,1,2,,,,,,\n",
            r"printed.csv:3: quantity: nothing says how 'more' is rebuilt",
        ),
        ("cd all: {rate: cd}\nold: {rate: cd}", ROW, r"paper.yaml:6: quantities.old: no file prints 'old'"),
        ("cd all: {rate: cd}", ROW + ROW, r"printed.csv:3: quantity: 'cd all' is printed twice"),
        ("cd all: {rate: cd}", "cd all,x,,,,,,,\n", r"printed.csv:2: numerator: 'x' is no number"),
        ("cd all: {rate: cd}", "cd all,,,nan,,,,,\n", r"printed.csv:2: percent: 'nan' is no number"),
        ("cd all: {rate: cd}", "cd all,,,1e1,,,,,\n", r"printed.csv:2: percent: '1e1' is no number"),
        ("cd all: {rate: cd}", ",1,,,,,,,\n", r"printed.csv:2: quantity: the quantity has no name"),
        ("cd all: {rate: cd}", "cd all,,,,,,,,\n", r"printed.csv:2: quantity: a row without numbers is for claims"),
        ("cd all: {claims: []}", "cd all,,,,,,,,\n", r"paper.yaml:5: quantities.cd all.claims: .*at least 1"),
        ("cd all: {rate: cd, polcy: strict}", ROW, r"paper.yaml:5: quantities.cd all.polcy: Extra inputs"),
        ("cd all: {what: cd}", ROW, r"paper.yaml:5: quantities.cd all: one of these keys says what it is: rate, least"),
        ("cd all: {ratio: [{rate: cd}]}", ROW, r"paper.yaml:5: quantities.cd all.ratio: .*at least 2"),
        ("cd all: {ratio: [{rate: cd}, {count: tasks}]}", ROW, r"cd all.ratio\[1\]: one of these keys says"),
        ("cd all: 22.4", ROW, r"paper.yaml:5: quantities.cd all: one of these keys"),
    ],
)
def test_a_wrong_file_says_file_line_and_field(tmp_path: Path, rules: str, rows: str, said: str) -> None:
    with pytest.raises(SpecificationError, match=said):
        read_published(written(tmp_path, rules, rows))


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("{rate: damage}", "there is no metric 'damage'"),
        ("{rate: ready}", "ready is no rate of chosen episodes"),
        ("{rate: cd, where: {colour: red}}", "episodes have no 'colour'; there are configuration, model"),
        ("{rate: cd, where: {goal: yes please}}", "goal is true or false, not 'yes please'"),
        ("{least: {rate: cd, where: {colour: red}}}", "episodes have no 'colour'"),
        ("{count: tasks, where: {colour: red}}", "episodes have no 'colour'"),
        ("{change: loss, metric: ab, condition: guarded}", "conditions are not compared on 'ab', but on cd, goal"),
        ("{claims: [{falls: damage, condition: guarded, only: []}]}", "conditions are not compared on 'damage'"),
    ],
)
def test_a_rule_that_asks_for_what_there_is_not_is_named(row: Any, rule: str, said: str) -> None:
    with pytest.raises(SpecificationError, match=rf"paper.yaml:5: quantities.q: {said}"):
        row(rule, ",,,,,,,in words" if "claims" in rule else "1,,,,,,,")


def test_an_axis_that_there_is_not_is_named(tmp_path: Path, numbers: Numbers, tables: dict[str, pl.LazyFrame]) -> None:
    path = written(tmp_path, "cd all: {rate: cd}", ROW, "also:\n  - {rate: cd, each: [colour]}\n")
    with pytest.raises(SpecificationError, match=r"paper.yaml:7: also\[0\]: cannot take each 'colour'"):
        compared([read_published(path)], numbers, audits(AUDITS), turns(tables))


def test_a_csv_file_that_there_is_not_is_named(tmp_path: Path) -> None:
    path = written(tmp_path, "cd all: {rate: cd}", ROW)
    (tmp_path / "printed.csv").unlink()
    with pytest.raises(SpecificationError, match=r"paper.yaml:3: files\[0\]: there is no file 'printed.csv'"):
        read_published(path)


def test_the_bundled_files_have_a_rule_for_every_printed_quantity(root: Path) -> None:
    read = read_published(root / "data/published/sabench.yaml")
    assert len(read.lines) == len(read.file.quantities) == 44
