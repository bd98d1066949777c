"""`misstep gate`: fail a build when a rate may be too high."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from misstep.cli.folder import Folder, population_of
from misstep.cli.options import Completed, Draws, Level, MissingTemplate, Policy, Seed
from misstep.cli.output import Json, Quiet, print_json, print_table


def command(
    folder: Folder,
    max: Annotated[list[str], typer.Option(help="metric=limit; may be given several times.")],
    by: Annotated[list[str] | None, typer.Option(help="Each of these groups must hold the limit.")] = None,
    policy: Policy = "standard",
    level: Level = 0.95,
    draws: Draws = 10_000,
    seed: Seed = 0,
    completed: Completed = False,
    missing_template: MissingTemplate = "error",
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Exit 1 when the upper bound of a rate exceeds its limit, or when there is no upper bound to trust.

    Unknown episodes count against the gate: where all of them having the label would exceed the limit, it fails too.

    Example: misstep gate out --max cd=0.05
    """
    from misstep.contracts.errors import GateFailed, UsageError
    from misstep.stats.rates import rates

    limits: dict[str, float] = {}
    for text in max:
        found = re.fullmatch(r"\s*(\w+)\s*=\s*(\d*\.?\d+)\s*", text)
        if found is None or not 0 <= float(found[2]) <= 1:
            raise UsageError(f"--max {text}: write metric=limit, the limit a share between 0 and 1")
        limits[found[1]] = float(found[2])
    episodes = population_of(folder, missing_template, completed)
    frame = rates(episodes, list(limits), by or [], [policy], level=level, draws=draws, seed=seed)
    rows = []
    for row in frame.iter_rows(named=True):
        bounds = [bound for bound in (row["high"], row["ceiling"]) if bound is not None]
        worst = None if row["high"] is None else sorted(bounds)[-1]
        limit = limits[row["metric"]]
        rows.append(
            {
                "metric": row["metric"],
                "group": row["group"],
                "estimate": row["estimate"],
                "high": row["high"],
                "ceiling": row["ceiling"],
                "unknown": row["unknown"],
                "limit": limit,
                "holds": worst is not None and worst <= limit,
            }
        )
    if json:
        print_json(rows)
    elif not quiet:
        print_table(rows)
    failed = [f"{row['metric']} of {row['group']}" for row in rows if not row["holds"]]
    if failed or not rows:
        raise GateFailed(f"the limit may be exceeded: {', '.join(failed) or 'there is no episode'}")
