"""`misstep check`: validate suite, tools, study and trace files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from misstep.cli.output import Json, Quiet, print_json, print_table


def command(
    files: Annotated[list[Path], typer.Argument(help="Suite folders, YAML files, or traces.")],
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Check that files are what misstep takes; every fault is named with file, line and field.

    Example: misstep check data/suites/office data/studies/office.yaml runs/a.jsonl
    """
    from misstep.contracts.errors import InputError, MisstepError, SpecificationError

    rows, worst = [], 0
    for path in files:
        try:
            rows.append({"file": str(path), "is": _checked(path), "faults": ""})
        except MisstepError as error:
            rows.append({"file": str(path), "is": "faulty", "faults": str(error)})
            worst = max(worst, error.exit_code)
    if json:
        print_json(rows)
    elif not quiet:
        print_table(rows)
    if worst:
        faults = [row["faults"] for row in rows if row["is"] == "faulty"]
        kind = InputError if worst == InputError.exit_code else SpecificationError
        raise kind(f"{len(faults)} of {len(rows)} files are faulty" + ("" if not quiet else f": {faults[0]}"))


def _checked(path: Path) -> str:
    """Return what a file or suite folder is, after reading it whole.

    Raises:
        MisstepError: it is faulty.
    """
    from misstep.contracts.errors import UsageError
    from misstep.specs.documents import check_suite

    if not path.exists():
        raise UsageError(f"{path}: there is no such file or folder")
    if path.is_dir():
        return check_suite(path)
    return _checked_document(path) if path.suffix in (".yaml", ".yml") else _checked_traces(path)


def _checked_document(path: Path) -> str:
    """Return what a YAML file is; what a study or a published file names is read too.

    Raises:
        SpecificationError: it, or a file that it names, is wrong.
    """
    from misstep.contracts import published, study
    from misstep.specs.documents import check_document
    from misstep.specs.written import YamlFile

    told = check_document(path)
    schema = YamlFile(path).value["schema"]
    if schema == study.SCHEMA:
        from misstep.report.written import load_study

        load_study(path)
    elif schema == published.SCHEMA:
        from misstep.report.printed import read_published

        read_published(path)
    return told


def _checked_traces(path: Path) -> str:
    from collections import Counter

    from misstep.contracts.errors import InputError, Place
    from misstep.contracts.problems import severity
    from misstep.contracts.trace import Fault
    from misstep.ingest.files import Options, nothing_recognised, open_trace, read

    options = Options()
    trace, account = open_trace(path, str(path), options)
    if trace is None:
        raise nothing_recognised(str(path), account)
    faults: list[tuple[int | None, Fault]] = [
        (record.line, fault)
        for record, episodes in read(trace, account, options)
        for episode in episodes
        for fault in episode.faults
    ]
    faults += [(found.line, found.fault) for found in account.found]
    if not account.recognised:
        raise nothing_recognised(str(path), account)
    problems = sorted((line or 0, fault.code, fault) for line, fault in faults if severity(fault.code) == "problem")
    notes = Counter(fault.code for _, fault in faults if severity(fault.code) == "note")
    if problems:
        line, code, fault = problems[0]
        more = f" (and {len(problems) - 1} more problems)" if len(problems) > 1 else ""
        raise InputError(f"{code}: {fault.message}{more}", Place(str(path), line or None, fault.path))
    noted = "".join(f", {code} {count}" for code, count in sorted(notes.items()))
    return f"{trace.format} traces of {account.recognised} records{noted}"
