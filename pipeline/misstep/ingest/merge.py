"""Parts of all units → one set of tables: nothing is there twice."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from misstep.contracts.problems import severity
from misstep.ingest.buffers import BY_EPISODE, HIDDEN, ONCE
from misstep.ingest.parts import UNITS, Done, Rewrite, write_part
from misstep.ingest.repeats import Attempts, Contents, check_ids, copied, repeated
from misstep.storage.parquet import arrow_schema

#: Tables whose rows of one event are found by step and position.
_BY_EVENT = {"messages": ("messages",), "calls": ("calls", "writes")}
_WHERE = ("source_file", "source_line", "source_byte", "episode")


class Merge:
    """Puts the parts of units together.

    `parts` are the names of the parts that make up the tables by now; `replaced` the units of which a part was replaced
    by one that depends on the other units too.
    """

    def __init__(self, out: Path, units: Sequence[Done]) -> None:
        self._out = out
        self._units = {done.unit: done for done in units}
        self.replaced: set[str] = set()
        self.parts: dict[str, dict[str, str]] = {}
        for done in units:
            for table, names in done.parts.items():
                if table not in HIDDEN:
                    self.parts.setdefault(table, {}).update({name: done.unit for name in names})

    def set_aside(self, attempts: Attempts, contents: Contents) -> pl.DataFrame:
        """Set aside episodes and events that are there twice; return `identity` with the columns `unit` and `aside`.

        `calls` and `unknown` count what is left. `contents` gives the content of episodes that share a key.

        Raises:
            InputError: task ids collide.
        """
        identity = self._hidden("identity")
        check_ids(identity)
        aside = repeated(identity, attempts, contents)
        gone = aside.select(*_WHERE).with_columns(aside=pl.lit(True))
        identity = identity.join(gone, on=_WHERE, how="left", nulls_equal=True).with_columns(
            pl.col("aside").fill_null(False)
        )
        problems = [problem_row(row["source_file"], row) for row in aside.iter_rows(named=True)]
        for (unit,), rows in aside.filter(pl.col("kept")).group_by("unit"):
            self._drop_episodes(str(unit), rows["episode"].to_list())
        lineage = self._hidden("lineage").join(
            identity.filter(pl.col("aside") & pl.col("kept")), on=["unit", "episode"], how="anti"
        )
        events = copied(lineage, identity.filter(~pl.col("aside")))
        if events.height:
            identity = _less(identity, events)
            problems.extend(_history(events, identity))
            for (unit,), rows in events.group_by("unit"):
                self._drop_events(str(unit), rows)
        if problems:
            self.add("problems", pa.Table.from_pylist(problems, schema=plain_schema(arrow_schema("problems"))))
        return identity

    def add(self, table: str, rows: pa.Table) -> None:
        """Add a part of rows that belong to no unit."""
        rows = rows.cast(arrow_schema(table))
        name = f"all-{hashlib.sha256(repr(rows.to_pylist()).encode()).hexdigest()[:24]}.parquet"
        write_part(self._out / table / name, table, rows)
        self.parts.setdefault(table, {})[name] = ""

    def store_once(self, run: Callable[[Sequence[Rewrite]], None]) -> None:
        """Leave rows with one hash in one part only; `run` carries out the rewriting of the others."""
        work: list[Rewrite] = []
        for table, column in ONCE.items():
            names = sorted(self.parts.get(table, {}))
            if len(names) < 2:
                continue
            ids = pl.concat(
                [
                    pl.DataFrame({"id": _distinct(self._out / table / name, column)}).with_columns(
                        part=pl.lit(index, pl.Int32)
                    )
                    for index, name in enumerate(names)
                ]
            )  # one by one: a lazy frame of hundreds of files takes longer to plan than they do to read
            again = ids.filter(pl.col("part") != pl.col("part").min().over("id")).sort("part", "id")
            sizes = dict(ids.group_by("part").len().iter_rows())
            for (index,), rows in again.group_by("part", maintain_order=True):
                name, gone = names[int(str(index))], rows["id"].to_list()
                if len(gone) == sizes[index]:
                    self._leave_out(table, name)
                    continue
                target = self._replace(table, name, repr(gone))
                work.append(Rewrite(self._out / table / name, self._out / table / target, table, column, gone))
        run(work)

    def _hidden(self, table: str) -> pl.DataFrame:
        frames = [
            pl.read_parquet(self._out / UNITS / table / name).with_columns(unit=pl.lit(unit))
            for unit, done in self._units.items()
            for name in done.parts.get(table, [])
        ]
        empty = pl.DataFrame(pl.from_arrow(HIDDEN[table].empty_table())).with_columns(unit=pl.lit("", pl.String))
        return pl.concat([empty, *frames])

    def _replace(self, table: str, name: str, reason: str) -> str:
        """Return the name of the part that takes the place of `name`, whose content depends on `reason` too."""
        unit = self._leave_out(table, name)
        target = f"{name.split('.')[0]}.{hashlib.sha256((name + reason).encode()).hexdigest()[:16]}.parquet"
        self.parts[table][target] = unit
        return target

    def _leave_out(self, table: str, name: str) -> str:
        """Return the unit of a part that is none of the table any more."""
        unit = self.parts[table].pop(name)
        self.replaced.add(unit)
        return unit

    def _names(self, table: str, unit: str) -> list[str]:
        return sorted(name for name, owner in self.parts.get(table, {}).items() if owner == unit)

    def _drop_episodes(self, unit: str, episodes: list[str]) -> None:
        keys = pa.array(episodes, pa.large_string())
        for table in (*(name for name in BY_EPISODE if name not in HIDDEN), "problems"):
            for name in self._names(table, unit):
                rows = pq.read_table(self._out / table / name)
                kept = pc.invert(pc.is_in(rows.column("episode"), value_set=keys))
                self._rewrite(table, name, rows, rows.filter(kept), repr(sorted(episodes)))

    def _drop_events(self, unit: str, events: pl.DataFrame) -> None:
        for kind, tables in _BY_EVENT.items():
            gone = events.filter(pl.col("table") == kind).select("episode", "step", "position")
            for table in tables:
                for name in self._names(table, unit):
                    rows = pq.read_table(self._out / table / name)
                    places = pl.DataFrame(
                        {
                            "episode": rows.column("episode"),
                            "step": rows.column("step"),
                            "position": rows.column("position"),
                        }
                    ).with_row_index()
                    left = places.join(gone, on=["episode", "step", "position"], how="anti").sort("index")["index"]
                    self._rewrite(table, name, rows, rows.take(left.to_arrow()), repr(gone.sort("*").rows()))
        lost = dict(events.filter(pl.col("table") == "calls").group_by("episode").len().iter_rows())
        for name in self._names("episodes", unit):
            rows = pq.read_table(self._out / "episodes" / name)
            counts = [
                count - lost.get(episode, 0)
                for episode, count in zip(
                    rows.column("episode").to_pylist(), rows.column("calls").to_pylist(), strict=True
                )
            ]
            at = rows.schema.get_field_index("calls")
            self._rewrite("episodes", name, None, rows.set_column(at, rows.schema.field(at), [counts]), repr(lost))

    def _rewrite(self, table: str, name: str, before: pa.Table | None, after: pa.Table, reason: str) -> None:
        if before is not None and before.num_rows == after.num_rows:
            return
        target = self._replace(table, name, reason)
        if after.num_rows:
            write_part(self._out / table / target, table, after)
        else:
            self.parts[table].pop(target)


def _distinct(path: Path, column: str) -> pa.Array:
    """Return the distinct values of a column of text; those of its dictionary come without the rows."""
    rows = pq.ParquetFile(path, read_dictionary=[column]).read(columns=[column], use_threads=False)
    return rows.column(0).unique().dictionary_decode()


def _less(identity: pl.DataFrame, events: pl.DataFrame) -> pl.DataFrame:
    """Return `identity` with the counts of calls less those of `events`."""
    lost = (
        events.filter(pl.col("table") == "calls")
        .group_by("unit", "episode")
        .agg(pl.len().cast(pl.Int64).alias("fewer"), pl.col("unknown").sum().cast(pl.Int64).alias("fewer_unknown"))
    )
    return (
        identity.join(lost, on=["unit", "episode"], how="left")
        .with_columns(
            calls=pl.col("calls") - pl.col("fewer").fill_null(0),
            unknown=pl.col("unknown") - pl.col("fewer_unknown").fill_null(0),
        )
        .drop("fewer", "fewer_unknown")
    )


def _history(events: pl.DataFrame, identity: pl.DataFrame) -> Iterable[dict[str, object]]:
    """Yield a row of problems for every episode that tells events of another one."""
    told = events.group_by("episode", "unit").agg(pl.len().alias("told"), pl.col("owner").unique().sort())
    places = identity.filter(~pl.col("aside") & pl.col("kept")).select("unit", *_WHERE)
    for row in told.join(places, on=["episode", "unit"]).sort("source_file", "source_line").iter_rows(named=True):
        message = (
            f"{row['told']} events belong to episode {', '.join(row['owner'])} of the same lineage and count there"
        )
        yield problem_row(row["source_file"], {**row, "code": "copied-history", "message": message})


def problem_row(file: str, row: Mapping[str, object]) -> dict[str, object]:
    """Return a row of `problems` about a whole file or episode: `row` has code and message, and place if known."""
    code = str(row["code"])
    return {
        "file": file,
        "line": row.get("source_line"),
        "byte": row.get("source_byte"),
        "episode": row.get("episode"),
        "path": None,
        "code": code,
        "severity": severity(code),
        "message": row["message"],
        "raw": None,
    }


def plain_schema(schema: pa.Schema) -> pa.Schema:
    """Return a schema with text in place of dictionaries."""
    return pa.schema(
        [pa.field(f.name, f.type.value_type if pa.types.is_dictionary(f.type) else f.type) for f in schema]
    )
