"""The database of a study: all tables, the views, and no way to write or to reach anything else."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import polars as pl
import pytest

from misstep.contracts.errors import InputError, UsageError
from misstep.contracts.tables import ALL
from misstep.report.database import ask, listed, named, nearest_rules, write_database
from misstep.report.numbers import Numbers
from misstep.report.views import VIEWS
from misstep.storage.parquet import parts, write
from report.made_tables import HABITS, TASKS, episode_key

Tables = dict[str, pl.LazyFrame]
PARTED = ("files", "episodes", "messages", "calls", "results", "observations", "writes", "problems")


@pytest.fixture(scope="module")
def folder(tables: Tables, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("out")
    for name, frame in tables.items():
        write(made, name, frame)
    return made


@pytest.fixture(scope="module")
def database(folder: Path, made: Numbers, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("database") / "misstep.duckdb"
    results = {"estimates": made.estimates, "contrasts": made.contrasts}
    write_database(path, [folder], [folder], results, ["model"])
    return path


@pytest.fixture(scope="module")
def connection(database: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(database, read_only=True) as opened:
        yield opened


def content(path: Path) -> dict[str, list[tuple[object, ...]]]:
    with duckdb.connect(path, read_only=True) as opened:
        return {name: opened.execute(f"FROM {name}").fetchall() for name in map(named, ALL)} | {
            view: opened.execute(f"FROM {view} ORDER BY ALL").fetchall() for view in VIEWS
        }


def test_the_database_holds_every_table(connection: duckdb.DuckDBPyConnection, tables: Tables) -> None:
    for name in ALL:
        columns = [row[0] for row in connection.execute(f"DESCRIBE {named(name)}").fetchall()]
        assert columns == ALL[name].column_names()
        if name in tables:
            rows = connection.execute(f"SELECT count(*) FROM {named(name)}").fetchall()
            assert rows == [(tables[name].collect().height,)]


def test_only_the_database_is_left_behind(database: Path) -> None:
    assert [path.name for path in database.parent.iterdir()] == ["misstep.duckdb"]


def test_equal_tables_give_an_equal_database(database: Path, folder: Path, made: Numbers, tmp_path: Path) -> None:
    other = tmp_path / "misstep.duckdb"
    results = {"estimates": made.estimates, "contrasts": made.contrasts}
    write_database(other, [folder], [folder], results, ["model"])
    assert content(other) == content(database)


def test_a_write_that_fails_leaves_the_older_database(database: Path, folder: Path) -> None:
    before = database.read_bytes()
    with pytest.raises(pl.exceptions.PolarsError):
        write_database(database, [folder], [folder], {"estimates": pl.DataFrame({"odd": [1]})}, ["model"])
    assert database.read_bytes() == before
    assert [path.name for path in database.parent.iterdir()] == ["misstep.duckdb"]


def test_violations_are_the_unauthorized_writes(connection: duckdb.DuckDBPyConnection, tables: Tables) -> None:
    rows = connection.execute("SELECT episode, step, position, item FROM violations ORDER BY ALL").fetchall()
    labels = tables["write_labels"].filter("violation").select("episode", "step", "position", "item").collect()
    assert rows == labels.sort(pl.all()).rows()


@pytest.mark.parametrize(
    ("habit", "pattern", "differs"),
    [
        ("other", "wrong_entity", ["entity"]),
        ("value", "wrong_value", ["values"]),
        ("outside", "unintended_recipient", ["recipients"]),
        ("twice", "repetition", ["max"]),
    ],
)
def test_a_violation_names_the_nearest_rule(
    connection: duckdb.DuckDBPyConnection, habit: str, pattern: str, differs: list[str]
) -> None:
    key = episode_key("hasty", HABITS["hasty"].index(habit))
    row = connection.execute(
        "SELECT pattern, nearest_rule, differs, configuration, arguments FROM violations WHERE episode = ?", [key]
    ).fetchone()
    assert row is not None and row[:4] == (pattern, "authorized[0]", differs, "hasty")
    assert row[4].startswith('{"id":')


def test_a_kept_field_is_no_difference(tables: Tables) -> None:
    def differs(labels: pl.LazyFrame) -> set[str]:
        return set(nearest_rules(tables | {"write_labels": labels})["differs"].explode())

    assert "values" in differs(tables["write_labels"])
    assert "values" not in differs(tables["write_labels"].with_columns(kept=pl.lit(["status"])))


def test_on_an_ambiguity_task_no_rule_is_near(connection: duckdb.DuckDBPyConnection) -> None:
    rows = connection.execute(
        "SELECT nearest_rule, differs FROM violations WHERE pattern = 'unresolved_ambiguity'"
    ).fetchall()
    assert rows == [(None, None)] * 4


def test_failures_say_why(connection: duckdb.DuckDBPyConnection, tables: Tables) -> None:
    rows = dict(connection.execute("SELECT episode, reasons FROM failures").fetchall())
    assert rows[episode_key("hasty", 0)] == ["damage", "goal missed"]
    assert rows[episode_key("hasty", 2)] == ["damage", "external damage"]
    assert rows[episode_key("hasty", 6)] == ["damage unknown", "goal unknown"]
    assert rows[episode_key("terse", 3)] == ["goal missed", "status aborted"]
    assert rows[episode_key("hasty", 16)] == ["damage", "acted before asking"]
    labels = tables["episode_labels"].collect()
    fine = labels.filter(pl.col("goal").fill_null(value=False) & ~pl.col("cd").fill_null(value=True))
    assert len(rows) + fine.height == 3 * TASKS


def test_nearest_rules_of_frames_and_of_files_agree(folder: Path, tables: Tables) -> None:
    assert ask(folder, "FROM nearest_rules ORDER BY episode, step, position, item").equals(nearest_rules(tables))


def test_views_over_files_are_those_of_the_database(folder: Path, connection: duckdb.DuckDBPyConnection) -> None:
    for view in VIEWS:
        assert ask(folder, f"FROM {view} ORDER BY ALL").equals(connection.sql(f"FROM {view} ORDER BY ALL").pl()), view


def test_a_question_is_answered(folder: Path) -> None:
    frame = ask(folder, "SELECT pattern, count(*) AS n FROM violations GROUP BY ALL ORDER BY n DESC, pattern")
    assert frame.row(0) == ("wrong_entity", 5)


def test_tables_and_views_are_listed(folder: Path) -> None:
    frame = listed(folder)
    assert set(frame["name"]) == {*map(named, ALL), *VIEWS}
    assert dict(frame.select("name", "rows").iter_rows())["violations"] == 15
    assert frame["about"].str.len_chars().min() > 0


@pytest.mark.parametrize(
    "query",
    [
        "CREATE TABLE x AS SELECT 1",
        "DROP VIEW violations",
        "SELECT 1; SELECT 2",
        "COPY (SELECT 1) TO 'x.csv'",
        "SET enable_external_access = true",
        "SELECT * FROM nowhere",
        "SELEC",
        "",
    ],
)
def test_anything_but_one_select_is_refused(folder: Path, query: str) -> None:
    with pytest.raises(UsageError):
        ask(folder, query)


def test_other_files_cannot_be_reached(folder: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("a\n1\n")
    for query in (f"FROM read_csv('{secret}')", f"FROM '{secret}'", f"SELECT content FROM read_text('{secret}')"):
        with pytest.raises(UsageError, match="sql"):
            ask(folder, query)


def test_a_folder_without_tables_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="first run: misstep ingest"):
        ask(tmp_path, "FROM episodes")


def test_tables_of_another_version_are_named(tables: Tables, tmp_path: Path) -> None:
    for name in ("episodes", "calls"):
        write(tmp_path, name, tables[name])
    [calls] = parts(tmp_path, "calls")
    pl.read_parquet(calls).drop("arguments_id").write_parquet(calls)
    with pytest.raises(InputError, match="calls lacks arguments_id: it was written by another version, run ingest"):
        ask(tmp_path, "FROM episodes")


def test_long_queries_print_nothing_of_their_own(folder: Path) -> None:
    assert ask(folder, "SELECT current_setting('enable_progress_bar')").item() is False
