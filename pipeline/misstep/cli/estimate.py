"""`misstep estimate`: rates with intervals."""

from __future__ import annotations

from typing import Annotated

import typer

from misstep.cli.folder import Folder, population_of
from misstep.cli.options import Completed, Csv, Draws, Level, Metrics, MissingTemplate, Planned, Policy, Seed, named
from misstep.cli.output import Json, Quiet, print_json, print_table

_SHOWN = ("metric", "policy", "group", "estimate", "low", "high", "numerator", "denominator", "clusters", "unknown")


def command(
    folder: Folder,
    metric: Metrics = ["cd"],  # noqa: B006  (typer reads it, nobody changes it)
    by: Annotated[
        list[str] | None,
        typer.Option(help="What makes a group: model, protocol, rule, a stratum, …; joined by commas."),
    ] = None,
    policy: Policy = "standard",
    method: Annotated[
        str, typer.Option(help="percentile, bca or studentized (clusters); wilson or clopper_pearson (episodes).")
    ] = "percentile",
    level: Level = 0.95,
    draws: Draws = 10_000,
    seed: Seed = 0,
    completed: Completed = False,
    planned: Planned = False,
    missing_template: MissingTemplate = "error",
    csv: Csv = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Estimate rates and means over episodes, with intervals that resample templates.

    Metrics of evidence can also be taken per protocol, and per standing rule (`--metric rule_par --by rule`).

    Example: misstep estimate out --metric cd --by model --policy external_only
    """
    from misstep.stats.rates import rates

    episodes = population_of(folder, missing_template, completed, planned)
    found = rates(episodes, named(metric), named(by), [policy], level=level, draws=draws, seed=seed, method=method)
    if csv is not None:
        from misstep.report.publish import publish

        publish(found, csv, "estimates")
    if json:
        print_json(found.to_dicts())
    elif not quiet:
        print_table(found.select(_SHOWN).to_dicts())
        if episodes.own_clusters:
            print(f"{episodes.own_clusters} tasks without a template count as their own cluster")
        print(f"{100 * level:g} % intervals, {draws} draws of templates, seed {seed}; `?` is unknown")
