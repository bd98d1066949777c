"""The end of an ingest: parts of units become tables, the counts are checked, and the manifest makes them valid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path

import polars as pl
import pyarrow as pa

from misstep import __version__
from misstep.contracts.errors import ClusterError, InputError, Place
from misstep.contracts.problems import severity
from misstep.contracts.tables import TRACES
from misstep.ingest.accounting import Counted, account, check_known, check_recognised, check_tables, counted
from misstep.ingest.again import contents_of
from misstep.ingest.merge import Merge, plain_schema, problem_row
from misstep.ingest.parts import UNITS, Done, Rewrite, Told
from misstep.ingest.pool import Pool
from misstep.ingest.report import FileReport, IngestReport
from misstep.ingest.survey import Asked, Survey
from misstep.specs.load import Suite
from misstep.storage.atomic import sweep
from misstep.storage.manifest import Manifest, write_manifest
from misstep.storage.parquet import arrow_schema, put


def finish(
    out: Path,
    suite: Suite,
    asked: Asked,
    survey: Survey,
    done: Mapping[str, Done],
    pool: Pool,
    specs: Mapping[str, bytes],
    *,
    strict: bool,
) -> IngestReport:
    """Return the report of an ingest whose units are all done; the tables are valid then.

    Raises:
        InputError: nothing is recognised, ids collide, too many tools are unknown, or the first problem with `strict`.
        ClusterError: an episode's task has no template, and that is not allowed.
        ContractError: counts do not add up.
    """
    units = [done[unit.unit] for unit in survey.units()]
    told = {file.name: [Told(file.name, None, reason=fault.message) for fault in file.faults] for file in survey.files}
    for one in chain.from_iterable(unit.files for unit in units):
        told[one.name].append(one)
    merge = Merge(out, units)
    identity = merge.set_aside(asked.attempts, lambda rows: contents_of(rows, survey))
    counts = counted(identity)
    files = [account(file.name, file.bytes, told[file.name], counts.get(file.name, Counted())) for file in survey.files]
    check_recognised(files, told)
    check_known(files, suite.tools.unknown_tool_limit)
    own = _templates(suite, identity.filter(~pl.col("aside")), asked)
    _more_problems(merge, survey, own)
    _files_table(merge, survey, files)
    merge.store_once(lambda work: _rewrite(pool, work))
    parts = {table: sorted(merge.parts.get(table, {})) for table in TRACES}
    check_tables(out, parts, files, int((~identity["aside"]).sum()))
    codes = _codes(out, parts["problems"], strict=strict)
    report = IngestReport(
        folder=str(out),
        suite=suite.file.name,
        files=files,
        codes=codes,
        attempts=asked.attempts,
        own_templates=own["task_id"].n_unique() if own.height else 0,
        units=len(done),
        reused=0,
        seconds=0.0,
    )
    for name, content in specs.items():
        put(out, name, content)
    for unit in merge.replaced - {""}:
        (out / UNITS / f"{unit}.json").unlink(missing_ok=True)
    manifest = Manifest(
        stamp=survey.stamp(),
        suite=suite.file.name,
        suite_stamp=survey.suite_stamp,
        version=__version__,
        options={"attempts": asked.attempts, "missing_template": asked.missing_template, "model": asked.model},
        parts=parts,
        report=report.as_dict(),
    )
    write_manifest(out, manifest)
    tidy(out, parts, done)
    return report


def _rewrite(pool: Pool, work: Sequence[Rewrite]) -> None:
    for future in [pool.rewrite(part) for part in work]:
        future.result()


def _templates(suite: Suite, episodes: pl.DataFrame, asked: Asked) -> pl.DataFrame:
    """Return the first episode of every task that has no template.

    Raises:
        ClusterError: there is one, and it was not asked for that such tasks count as their own cluster.
    """
    without = {task.task_id for task in suite.tasks if task.template_id is None}
    found = (
        episodes.filter(pl.col("task_id").is_in(without))
        .sort("source_file", "source_line")
        .unique("task_id", keep="first", maintain_order=True)
    )
    if found.height and asked.missing_template == "error":
        row = found.row(0, named=True)
        raise ClusterError(
            f"episode {row['episode']}: its task {row['task_id']!r} has no template_id ({found.height} tasks "
            "have none); --missing-template own makes each of them its own cluster",
            Place(row["source_file"], row["source_line"]),
        )
    return found


def _more_problems(merge: Merge, survey: Survey, own: pl.DataFrame) -> None:
    """Add the problems of files that were not read or left out, and of tasks without a template."""
    rows = [
        problem_row(file.name, {"code": fault.code, "message": fault.message})
        for file in survey.files
        for fault in file.faults
    ]
    rows += [problem_row(left.name, {"code": "unread-file", "message": left.message}) for left in survey.left]
    for row in own.iter_rows(named=True):
        message = f"task {row['task_id']!r} has no template and counts as its own cluster"
        rows.append(problem_row(row["source_file"], {**row, "code": "missing-template", "message": message}))
    if rows:
        merge.add("problems", pa.Table.from_pylist(rows, schema=plain_schema(arrow_schema("problems"))))


def _files_table(merge: Merge, survey: Survey, files: Sequence[FileReport]) -> None:
    columns = [name for name in arrow_schema("files").names if name != "sha256"]
    rows = [
        {**{name: getattr(report, name) for name in columns}, "sha256": file.sha256}
        for file, report in zip(survey.files, files, strict=True)
    ]
    merge.add("files", pa.Table.from_pylist(rows, schema=plain_schema(arrow_schema("files"))))


def _codes(out: Path, parts: Sequence[str], *, strict: bool) -> dict[str, int]:
    """Return how often each code stands in `problems`.

    Raises:
        InputError: with `strict`, for the first row that is more than a note.
    """
    if not parts:
        return {}
    problems = pl.scan_parquet([out / "problems" / name for name in parts])
    codes = dict(problems.group_by("code").len().collect().sort("code").iter_rows())
    if strict and any(severity(code) == "problem" for code in codes):
        first = (
            problems.filter(pl.col("severity") == "problem").sort("file", "line").limit(1).collect().row(0, named=True)
        )
        raise InputError(f"{first['message']} ({first['code']})", Place(first["file"], first["line"], first["path"]))
    return codes


def tidy(out: Path, parts: Mapping[str, Sequence[str]], units: Mapping[str, object] | None = None) -> None:
    """Remove parts that belong to no table any more, and what killed runs left unfinished.

    Args:
        out: The output folder.
        parts: The parts of every table of traces.
        units: The units of the input; others are forgotten (None: none is).
    """
    for table in TRACES:
        wanted = set(parts.get(table, ()))
        for path in (out / table).glob("*.parquet"):
            if path.name not in wanted:
                path.unlink()
    sweep(out)
    if units is not None:
        for path in (*(out / UNITS).glob("*.json"), *(out / UNITS).glob("*/*.parquet")):
            if path.stem.split("-")[0] not in units:
                path.unlink()


def complete(out: Path, manifest: Manifest) -> bool:
    """Return whether all parts that a manifest names are there."""
    return all((out / table / name).is_file() for table, names in manifest.parts.items() for name in names)
