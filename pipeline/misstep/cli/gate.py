"""`misstep gate`: fail a build when a rate may be too high, or too low."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from misstep.cli.folder import Folder, population_of
from misstep.cli.options import Completed, Draws, Level, MissingTemplate, Planned, Policy, Seed, named
from misstep.cli.output import Json, Quiet, print_json, print_table


def command(
    folder: Folder,
    max: Annotated[list[str] | None, typer.Option(help="metric=limit; may be given several times.")] = None,
    min: Annotated[list[str] | None, typer.Option(help="metric=limit, of what shall be high; the same.")] = None,
    by: Annotated[list[str] | None, typer.Option(help="Each of these groups must hold the limit.")] = None,
    policy: Policy = "standard",
    level: Level = 0.95,
    draws: Draws = 10_000,
    seed: Seed = 0,
    completed: Completed = False,
    planned: Planned = False,
    missing_template: MissingTemplate = "error",
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Exit 1 when a rate may exceed its limit, or may fall below it (--min), or has no interval to trust.

    The bound of the interval counts, and unknown episodes count against the gate: where all of them having the label
    (--min: lacking it) would break the limit, it fails too. Groups that no episode of the metric belongs to are left
    out.

    Example: misstep gate out --max cd=0.05
    """
    from misstep.contracts.errors import GateFailed, UsageError
    from misstep.stats.rates import rates

    limits = [(_limit(text, option), option) for option, texts in (("max", max), ("min", min)) for text in texts or []]
    if not limits:
        raise UsageError("name a limit: --max metric=limit or --min metric=limit")
    episodes = population_of(folder, missing_template, completed, planned)
    names = [name for (name, _), _ in limits]
    frame = rates(episodes, names, named(by), [policy], level=level, draws=draws, seed=seed)
    asked = frame.filter(frame["denominator"] + frame["unknown"] > 0)
    rows = [
        _row(row, limit, option)
        for (name, limit), option in limits
        for row in asked.filter(asked["metric"] == name).to_dicts()
    ]
    if json:
        print_json(rows)
    elif not quiet:
        print_table([_shown(row) for row in rows])
    faults = {
        "the limit may be exceeded": [_named(row) for row in rows if "max" in row and not row["holds"]],
        "the limit may not be reached": [_named(row) for row in rows if "min" in row and not row["holds"]],
        "there is no episode": [name for name in names if name not in set(asked["metric"])],
    }
    if any(faults.values()):
        raise GateFailed("; ".join(f"{fault}: {', '.join(of)}" for fault, of in faults.items() if of))


def _shown(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row with limits of both kinds in one column."""
    limit = f"<= {row['max']:g}" if "max" in row else f">= {row['min']:g}"
    return {name: value for name, value in row.items() if name not in ("max", "min", "holds")} | {
        "limit": limit,
        "holds": row["holds"],
    }


def _named(row: Mapping[str, Any]) -> str:
    return f"{row['metric']} of {row['group']}"


def _limit(text: str, option: str) -> tuple[str, float]:
    """Return metric and limit of an option."""
    from misstep.contracts.errors import UsageError
    from misstep.stats.metrics import metric

    found = re.fullmatch(r"\s*(\w+)\s*=\s*(\d*\.?\d+)\s*", text)
    if found is None or (metric(found[1]).bounded and float(found[2]) > 1):
        raise UsageError(f"--{option} {text}: write metric=limit, the limit of a rate a share between 0 and 1")
    return found[1], float(found[2])


def _row(row: Mapping[str, Any], limit: float, option: str) -> dict[str, Any]:
    """Return what is told of a group: the worst of bound and unknown must hold the limit, and there must be both."""
    bound, unknown = ("high", "ceiling") if option == "max" else ("low", "floor")
    told = [row[name] for name in (bound, unknown)]
    holds = None not in told and all(value <= limit if option == "max" else value >= limit for value in told)
    shown = {name: row[name] for name in ("metric", "group", "estimate", "low", "high", "floor", "ceiling", "unknown")}
    return {**shown, option: limit, "holds": holds}
