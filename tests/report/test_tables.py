"""Published tables: golden rows, dictionaries, and no text of the traces."""

import csv
from pathlib import Path

import polars as pl
import pytest

from misstep.report.numbers import Numbers
from misstep.report.tables import Published, published, write_tables
from report.conftest import NOTICE, numbers_of

Listed = dict[str, Published]
NAMES = (
    "configurations", "estimates", "contrasts", "patterns", "unknown", "problems", "accounting", "worst",
    "corpus", "actions", "together", "examples", "ranks", "rank_agreement", "rank_order",
)  # fmt: skip


def read(path: Path) -> list[list[str]]:
    with path.open(newline="") as stream:
        return list(csv.reader(stream))


@pytest.fixture(scope="module")
def written(listed: Listed, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables")
    write_tables(folder, listed, NOTICE)
    return folder


def test_patterns_are_golden(written: Path) -> None:
    assert read(written / "patterns.csv") == [
        ["configuration", "pattern", "writes", "episodes", "notice"],
        ["careful", "wrong_entity", "2", "2", NOTICE],
        ["hasty", "repetition", "2", "2", NOTICE],
        ["hasty", "unintended_recipient", "2", "2", NOTICE],
        ["hasty", "unresolved_ambiguity", "4", "4", NOTICE],
        ["hasty", "wrong_entity", "3", "3", NOTICE],
        ["hasty", "wrong_value", "2", "2", NOTICE],
    ]


def test_reasons_of_the_unknown_are_golden(written: Path) -> None:
    assert [row[:4] for row in read(written / "unknown.csv")[1:]] == [
        ["hasty", "calls_lost", "2", "2"],
        ["terse", "unknown_outcome", "2", "0"],
    ]


def test_problems_are_golden(written: Path) -> None:
    assert [row[:5] for row in read(written / "problems.csv")[1:]] == [
        ["torn-tail", "problem", "1", "1", "0"],
        ["missing-result", "note", "1", "1", "1"],
    ]


def test_the_account_names_files_as_readers_see_them(written: Path) -> None:
    (row,) = read(written / "accounting.csv")[1:]
    assert row[0] == "shown/a.jsonl" and row[3:7] == ["62", "1", "60", "1"]


def test_worst_episodes_come_first(written: Path) -> None:
    rows = read(written / "worst.csv")
    assert len(rows) == 16
    assert [row[0][:3] for row in rows[1:3]] == ["b02", "b09"]  # those that reached somebody outside


@pytest.mark.parametrize("name", NAMES)
def test_every_column_has_its_meaning_beside_it(written: Path, name: str) -> None:
    header, words = read(written / f"{name}.csv")[0], read(written / f"{name}.dictionary.csv")
    assert words[0] == ["column", "type", "meaning"]
    assert [row[0] for row in words[1:]] == header
    assert [row[0] for row in words[1:] if not (row[1] and row[2])] == []


@pytest.mark.parametrize("name", NAMES)
def test_every_table_carries_the_notice(written: Path, name: str) -> None:
    rows = read(written / f"{name}.csv")
    assert rows[0][-1] == "notice" and {row[-1] for row in rows[1:]} <= {NOTICE}
    assert len(rows) > 1 or name == "together"


def test_without_a_notice_there_is_no_column_for_it(listed: Listed, tmp_path: Path) -> None:
    write_tables(tmp_path, {"patterns": listed["patterns"]}, None)
    assert read(tmp_path / "patterns.csv")[0] == ["configuration", "pattern", "writes", "episodes"]


def test_no_table_holds_text_of_the_traces(written: Path, tables: dict[str, pl.LazyFrame]) -> None:
    texts = {*tables["messages"].collect()["text"], *tables["spec/tasks"].collect()["instruction"]}
    texts |= {*tables["results"].collect()["text"], *tables["calls"].collect()["requested_arguments"]}
    everything = "\n".join(path.read_text() for path in written.glob("*.csv"))
    assert [text for text in texts if text in everything] == []


def test_tables_are_the_same_twice(
    written: Path, made: Numbers, tables: dict[str, pl.LazyFrame], tmp_path: Path
) -> None:
    again = numbers_of({name: frame.reverse() for name, frame in tables.items()})
    write_tables(tmp_path, published(again, tables, lambda name: f"shown/{Path(name).name}"), NOTICE)
    for path in sorted(written.glob("*.csv")):
        assert (tmp_path / path.name).read_bytes() == path.read_bytes(), path.name


def test_shares_have_at_most_six_digits(written: Path) -> None:
    estimates = read(written / "estimates.csv")
    place = estimates[0].index("low")
    assert all(len(row[place].partition(".")[2]) <= 6 for row in estimates[1:])
