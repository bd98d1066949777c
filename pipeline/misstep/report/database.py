"""`misstep.duckdb`: all tables of a study and the views for failure modes in one file; and the same in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import duckdb
import polars as pl

from misstep.contracts.errors import UsageError
from misstep.contracts.tables import ALL
from misstep.report.views import VIEWS, define_views
from misstep.storage.atomic import replacing
from misstep.storage.parquet import parts, scan

DATABASE = "misstep.duckdb"
#: DuckDB draws a bar on standard output during long queries, in between what a program reads from there.
_SILENT = "SET enable_progress_bar = false"


def write_database(
    path: Path,
    folders: Sequence[Path],
    suites: Sequence[Path],
    results: Mapping[str, pl.DataFrame],
    by: Sequence[str],
) -> dict[str, int]:
    """Write the database of a study and return the number of rows of each table.

    Args:
        path: of the database; an older one stays until the new one is complete.
        folders: output folders of ingest and label, one a source.
        suites: those of them whose `spec/` tables count, one a suite.
        results: `estimates` and `contrasts`.
        by: columns that make a configuration.
    """
    with replacing(path) as temporary:
        temporary.unlink(missing_ok=True)
        with duckdb.connect(temporary) as connection:
            connection.execute(_SILENT)
            connection.execute("SET preserve_insertion_order = true")
            connection.execute("CREATE SCHEMA spec")
            for table in ALL:
                _fill(connection, table, suites if table.startswith("spec/") else folders, results.get(table))
            define_views(connection, by)
            counts = {table: _count(connection, table) for table in ALL}
        Path(f"{temporary}.wal").unlink(missing_ok=True)
    return counts


def open_folders(folders: Sequence[Path], by: Sequence[str] = ("model",)) -> duckdb.DuckDBPyConnection:
    """Return a connection in memory whose tables are the Parquet files of the folders, with the views on top.

    No other file can be reached through it, and that cannot be undone by a query.

    Raises:
        UsageError: a folder holds no tables.
        InputError: a table was written by another version.
    """
    for folder in folders:
        if not parts(folder, "episodes"):
            raise UsageError(f"{folder} holds no tables; first run: misstep ingest PATH… --suite DIR --out {folder}")
    connection = duckdb.connect()
    connection.execute(_SILENT)
    connection.execute("CREATE SCHEMA spec")
    for table in ALL:
        files = [str(file.resolve()) for folder in folders for file in parts(folder, table)]
        for folder in folders:
            scan(folder, table)  # an error of ours where columns are missing, before DuckDB has one
        if files:
            connection.execute(f"CREATE VIEW {named(table)} AS SELECT {_columns(table)} FROM read_parquet({files!r})")
        else:
            _create_empty(connection, table)
    define_views(connection, by)
    reachable = [str(folder.resolve()) for folder in folders]
    connection.execute(f"SET allowed_directories = {reachable!r}")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


def nearest_rules(tables: Mapping[str, pl.LazyFrame]) -> pl.DataFrame:
    """Return the view `nearest_rules` over frames: the rule that each unauthorized write came nearest to."""
    needed = ("episodes", "episode_labels", "writes", "write_labels", "spec/authorizations")
    views = ("judged_writes", "nearest_rules")
    return _viewed(tables, needed, views, "FROM nearest_rules ORDER BY episode, step, position, item")


def needs(tables: Mapping[str, pl.LazyFrame]) -> pl.DataFrame:
    """Return the view `needs` over frames: what establishes each read, requirement and rule, in words."""
    needed = ("spec/conditions", "spec/requirements", "spec/required_reads", "spec/evidence")
    return _viewed(tables, needed, ("needs",), "FROM needs ORDER BY ALL")


def _viewed(
    tables: Mapping[str, pl.LazyFrame], needed: Sequence[str], views: Sequence[str], query: str
) -> pl.DataFrame:
    with duckdb.connect() as connection:
        connection.execute("CREATE SCHEMA spec")
        for table in needed:
            _create(connection, table, tables[table].collect())
        define_views(connection, names=views)
        found: pl.DataFrame = connection.sql(query).pl()
    return found


def ask(folder: Path, query: str) -> pl.DataFrame:
    """Return the rows of a SELECT over the tables and views of a folder.

    Raises:
        UsageError: the query is no single SELECT, or DuckDB refuses it.
    """
    with open_folders([folder]) as connection:
        try:
            statements = connection.extract_statements(query)
            if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
                raise UsageError("one SELECT, please: the tables can only be read")
            found: pl.DataFrame = connection.sql(query).pl()
            return found
        except duckdb.Error as error:
            raise UsageError(f"sql: {error}") from error
        except pl.exceptions.PolarsError as error:
            raise UsageError("sql: a column is of a type that cannot be shown; cast it to VARCHAR") from error


def listed(folder: Path) -> pl.DataFrame:
    """Return the tables and views of a folder: name, number of rows, what one row is."""
    with open_folders([folder]) as connection:
        rows = [
            {"name": named(table), "rows": _count(connection, table), "about": (ALL[table].__doc__ or "").strip()}
            for table in ALL
        ]
        rows += [
            {"name": view, "rows": _count(connection, view), "about": f"View: {about}."}
            for view, about in VIEWS.items()
        ]
    return pl.DataFrame(rows)


def named(table: str) -> str:
    """Return the SQL name of a table: `spec/tasks` is `spec.tasks`."""
    return table.replace("/", ".")


def _fill(
    connection: duckdb.DuckDBPyConnection, table: str, folders: Sequence[Path], result: pl.DataFrame | None
) -> None:
    if result is not None:
        _create(connection, table, result)
        return
    files = [str(file) for folder in folders for file in parts(folder, table)]
    if not files:
        _create_empty(connection, table)
        return
    keys = ALL[table].primary_key() or ALL[table].column_names()
    quoted = ", ".join(f'"{key}"' for key in keys)
    once = f"DISTINCT ON ({quoted}) " if table in ("arguments", "results", "observations") else ""
    connection.execute(
        f"CREATE TABLE {named(table)} AS SELECT {once}{_columns(table)} FROM read_parquet({files!r}) ORDER BY {quoted}"
    )


def _create(connection: duckdb.DuckDBPyConnection, table: str, frame: pl.DataFrame) -> None:
    connection.register("given", frame.select(ALL[table].column_names()).to_arrow())
    connection.execute(f"CREATE TABLE {named(table)} AS SELECT * FROM given")
    connection.unregister("given")


def _create_empty(connection: duckdb.DuckDBPyConnection, table: str) -> None:
    _create(connection, table, ALL[table].create_empty())


def _columns(table: str) -> str:
    return ", ".join(f'"{name}"' for name in ALL[table].column_names())


def _count(connection: duckdb.DuckDBPyConnection, table: str) -> int:
    found = connection.execute(f"SELECT count(*) FROM {named(table)}").fetchone()
    return int(found[0]) if found else 0
