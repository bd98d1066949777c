"""`misstep suite`: the bundled suites, and suites from public benchmarks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from misstep.cli.output import Json, Quiet, print_json, print_table

group = typer.Typer(help="Build a bundled suite, or derive one from a public benchmark.", no_args_is_help=True)


@group.command("build")
def build(
    name: Annotated[str, typer.Argument(help="A bundled suite.")],
    out: Annotated[Path, typer.Option(help="Folder that gets tasks.jsonl, states/ and traces/.")],
    source: Annotated[
        Path | None,
        typer.Option("--from", help="Folder with world.yaml and templates/; default: --out, else misstep's."),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write tasks, states and scripted traces of a bundled suite; the same bytes every time.

    Example: misstep suite build office --out data/suites/office
    """
    from misstep.storage.bundled import bundled
    from misstep.suites.build import build_suite

    if source is None:
        source = out if (out / "templates").is_dir() else bundled(f"suites/{name}")
    counts = build_suite(name, out, source)
    if json:
        print_json({"suite": name, "out": str(out), **counts})
    elif not quiet:
        print(f"{name}: " + ", ".join(f"{count} {what}" for what, count in counts.items()))


@group.command("import")
def import_(
    name: Annotated[str, typer.Argument(help="A suite of a public benchmark.")],
    source: Annotated[Path, typer.Argument(help="The benchmark's own files.")],
    out: Annotated[Path, typer.Option(help="Folder that gets the files of the suite.")],
    split: Annotated[str | None, typer.Option(help="tau-bench: test, dev or train; default: test.")] = None,
    database: Annotated[
        Path | None,
        typer.Option(help="tau2-bench: folder of tau-bench, whose database it shares, where SOURCE holds none."),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="A task that must be kept without its evidence is an error (exit 2).")
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Derive tasks, states and authorizations from the files of a public benchmark.

    Example: misstep suite import tau-retail corpora/tau-bench --out data/suites/tau-retail
    """
    from dataclasses import asdict

    from misstep.contracts.errors import SpecificationError
    from misstep.specs.imports import import_suite

    options: dict[str, Any] = {"split": split, "database_folder": database}
    report = import_suite(name, source, out, **{key: value for key, value in options.items() if value is not None})
    if json:
        print_json({"suite": name, "out": str(out), **asdict(report)})
    elif not quiet:
        print(f"{name}: {report.tasks} tasks of {report.templates} templates, {report.authorized} authorized writes")
        print(f"{report.investigated} tasks with required reads")
        states = ", ".join(f"{state} ({count} entities)" for state, count in report.states.items())
        print(f"states: {states or 'none; earlier values are those that the agent has seen'}")
        for tool, count in report.undeclared.items():
            print(f"{count} expected calls of {tool}, which the suite does not declare")
        if report.verified:
            print(f"{report.verified} tasks are those of the published hashes")
        for what in report.missing:
            print(f"not there: {what}")
        if report.inert:
            print_table([asdict(one) for one in report.inert], "Expected writes that could never take effect")
        if report.vain:
            print_table([asdict(one) for one in report.vain], "Expected reads that could never show anything")
        if report.refused:
            refused = [asdict(one) for one in report.refused]
            print_table(refused, f"{len(refused)} tasks kept without evidence: their labels of evidence are unknown")
    if strict and report.refused:
        raise SpecificationError(f"{len(report.refused)} tasks of {out} are kept without evidence")
