"""`misstep fetch`: a public corpus, verified by SHA-256."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from misstep.cli.output import Json, Quiet, print_json, print_table


def command(
    name: Annotated[str | None, typer.Argument(help="A corpus; without it, all are listed.")] = None,
    out: Annotated[Path, typer.Option(help="Folder to fill; the corpus gets a folder of its name there.")] = Path(
        "corpora"
    ),
    source: Annotated[
        Path | None, typer.Option("--from", help="Take files from this copy instead of downloading them.")
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Copy or download a public trace corpus and verify every file.

    Example: misstep fetch tau-bench --out corpora
    """
    from misstep.contracts.errors import InputError, UsageError
    from misstep.specs.fetch import fetch, load_corpora
    from misstep.storage.bundled import bundled

    corpora = load_corpora(bundled("corpora.yaml"))
    if name is None:
        listed = [
            {
                "name": key,
                "title": corpus.title,
                "licence": corpus.licence,
                "files": len(corpus.files),
                "megabytes": round(sum(file.bytes for file in corpus.files) / 1e6, 1),
            }
            for key, corpus in corpora.items()
        ]
        if json:
            print_json(listed)
        elif not quiet:
            print_table(listed)
        return
    if source is not None and not source.is_dir():
        raise UsageError(f"--from {source}: there is no such folder")
    told = (lambda line: None) if quiet or json else print
    result = fetch(name, corpora, out / name, source, told=told)
    counts = {kind: len(getattr(result, kind)) for kind in ("present", "copied", "downloaded", "missing")}
    if json:
        print_json({"folder": str(result.folder), **counts, "not_published": result.missing})
    elif not quiet:
        print(f"{result.folder}: " + ", ".join(f"{count} {kind}" for kind, count in counts.items()))
    if result.missing:
        raise InputError(
            f"{len(result.missing)} derived files are not published as such (first: {result.missing[0]}); "
            "take them from a copy with --from DIR"
        )
