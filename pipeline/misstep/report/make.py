"""The steps of a report: tables, labels, numbers, then everything that shows them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from os.path import relpath
from pathlib import Path
from typing import Any, Literal, cast

import polars as pl

from misstep.contracts.tables import LABELS
from misstep.report import fresh
from misstep.report.compared import compared_tables
from misstep.report.database import DATABASE, write_database
from misstep.report.explain import as_text, explain_all
from misstep.report.figures import FIGURES
from misstep.report.figures.theme import Style
from misstep.report.numbers import Numbers, numbers
from misstep.report.page import Contents, page
from misstep.report.provenance import provenance
from misstep.report.render import as_json, as_svg, vega_lite
from misstep.report.sources import Prepared, missing_template, prepare, together
from misstep.report.study import INDEX, Steps
from misstep.report.tables import Published, published, write_tables
from misstep.report.violations import judged_writes
from misstep.report.written import StudyFile
from misstep.stats.population import population
from misstep.storage.atomic import sweep, write_bytes
from misstep.storage.manifest import MANIFEST
from misstep.storage.names import path_of
from misstep.storage.parquet import parts, write

PROVENANCE = "provenance.json"
FIGURE_FOLDER, EPISODE_FOLDER = "figures", "episodes"


@dataclass(slots=True)
class Made:
    """What making a report used and wrote: files, what is told of it, seconds by step."""

    inputs: list[Path] = field(default_factory=list)
    outputs: list[Path] = field(default_factory=list)
    told: dict[str, Any] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)


def make(file: StudyFile, out: Path, steps: Steps, workers: int | None) -> Made:
    """Return what was used and written: the report of a study is in `out` then."""
    made, study = Made(), file.study

    @contextmanager
    def step(name: str, text: str) -> Iterator[None]:
        steps.step(text)
        started = time.perf_counter()
        yield
        made.seconds[name] = time.perf_counter() - started

    sweep(out)
    with step("tables", "reading and labelling traces"):
        prepared = prepare(file, out, workers, steps.reading())
        tables = together(prepared)
    with step("numbers", "estimating"):
        missing = cast(Literal["error", "own"], missing_template(study))
        found = numbers(study, population(tables, missing, study.planned), judged_writes(tables))
        for one in prepared:
            _write_results(one, found, made)
    with step("figures", "drawing"):
        specifications = _figures(found, out, made)
    with step("database", "writing the database"):
        counts = write_database(
            out / DATABASE,
            [one.folder for one in prepared],
            [one.folder for one in prepared if one.first],
            {"estimates": found.estimates, "contrasts": found.contrasts},
            study.by,
        )
        made.outputs.append(out / DATABASE)
    with step("page", "writing tables and page"):
        listed = published(found, tables, lambda name: _shown(Path(name), file.root))
        listed |= compared_tables(file, found, tables)
        made.outputs += write_tables(out, listed, study.notice)
        told = [listed[name].frame["episode"] for name in ("worst", "examples", "ahead") if name in listed]
        explained = _explained(prepared, pl.concat(told).unique(), study.notice, out, made)
        suites = {one.suite.file.name: _suite_files(one, file.root) for one in prepared if one.first}
        beside = [(_shown(path, file.root), fresh.sha256(path)) for path in file.beside]
        origin = provenance(
            study,
            (_shown(file.path, file.root), fresh.sha256(file.path)),
            listed["accounting"].frame.to_dicts(),
            suites,
            beside,
            counts,
        )
        _put(out / PROVENANCE, _as_json(origin), made)
        folders = [Path(relpath(one.folder, out)).as_posix() for one in prepared]
        html = page(Contents(found, listed, specifications, explained, origin, folders))
        _put(out / INDEX, html.encode(), made)
    made.inputs += [file.path, *file.beside, *(path for named in suites.values() for _, path in named)]
    made.inputs += [path_of(name) for name in tables["files"].select("file").collect()["file"]]
    made.told = _told(prepared, found, specifications, listed)
    return made


def _figures(found: Numbers, out: Path, made: Made) -> dict[str, dict[str, Any]]:
    """Return the Vega-Lite of every figure that has rows, after writing it and its picture."""
    style = Style(found.configurations, found.study.notice, found.study.statistics.level)
    specifications = {}
    for figure in FIGURES:
        frame = figure.frame(found)
        if frame.is_empty():
            continue
        specification = vega_lite(figure.chart(frame, style))
        specifications[figure.name] = specification
        _put(out / FIGURE_FOLDER / f"{figure.name}.vl.json", as_json(specification), made)
        _put(out / FIGURE_FOLDER / f"{figure.name}.svg", as_svg(specification), made)
    return specifications


def _explained(
    prepared: Sequence[Prepared], episodes: pl.Series, notice: str | None, out: Path, made: Made
) -> dict[str, str]:
    """Return episode → path of the text that explains it, from the page; each text begins with the notice."""
    paths = {}
    head = f"{notice}\n\n" if notice else ""
    for one in prepared:
        tables = one.tables
        mine = tables["episodes"].filter(pl.col("episode").is_in(episodes.implode())).select("episode")
        for told in explain_all(tables, mine.collect()["episode"].to_list()):
            episode = told.episode["episode"]
            path = f"{EPISODE_FOLDER}/{episode}.txt"
            _put(out / path, (head + as_text(told)).encode(), made)
            paths[episode] = path
    return paths


def _write_results(one: Prepared, found: Numbers, made: Made) -> None:
    """Put estimates and contrasts beside the tables of a source, so that `misstep sql` finds them there."""
    made.outputs += [write(one.folder, "estimates", found.estimates), write(one.folder, "contrasts", found.contrasts)]
    made.outputs += [one.folder / MANIFEST, *(path for name in LABELS for path in parts(one.folder, name))]


def _suite_files(one: Prepared, root: Path) -> list[tuple[str, Path]]:
    suite = one.suite
    paths = [*suite.files, *(suite.state_path(name) for name in suite.state_names)]
    return [(_shown(path, root), path) for path in paths]


def _shown(path: Path, root: Path) -> str:
    """Return a path as readers shall see it: from the root of the study, or its end, so that no machine shows."""
    whole, top = path.resolve(), root.resolve()
    if whole.is_relative_to(top):
        return whole.relative_to(top).as_posix()
    return Path(*whole.parts[-3:]).as_posix()


def _put(path: Path, content: bytes, made: Made) -> None:
    write_bytes(path, content)
    made.outputs.append(path)


def _as_json(value: Mapping[str, Any]) -> bytes:
    return (json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode()


def _told(
    prepared: Sequence[Prepared], found: Numbers, figures: Mapping[str, Any], tables: Mapping[str, Published]
) -> dict[str, Any]:
    notes = [
        f"suite {one.suite.file.name} has no tasks, so every label that needs one is unknown "
        "(`misstep suite import` derives them from a public benchmark)"
        for one in prepared
        if not one.suite.tasks
    ]
    if found.population.own_clusters:
        notes.append(f"{found.population.own_clusters} tasks without a template count as their own cluster")
    return {
        "files": [line for one in prepared for line in one.report.lines()],
        "notes": notes,
        "episodes": found.whole.frame.height,
        "configurations": len(found.configurations),
        "figures": len(figures),
        "tables": len(tables),
    }
