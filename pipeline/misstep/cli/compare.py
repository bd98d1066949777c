"""`misstep compare`: paired differences between configurations."""

from __future__ import annotations

from itertools import combinations
from typing import Annotated, Any

import typer

from misstep.cli.folder import Folder, population_of
from misstep.cli.options import Completed, Csv, Draws, Level, Metrics, MissingTemplate, Planned, Policy, Seed, named
from misstep.cli.output import Json, Quiet, print_json, print_table

_SHOWN = (
    "metric", "policy", "a", "b", "estimate_a", "estimate_b", "difference", "low", "high", "p", "p_adjusted", "only_a",
    "only_b",
)  # fmt: skip


def command(
    folder: Folder,
    metric: Metrics = ["cd"],  # noqa: B006  (typer reads it, nobody changes it)
    a: Annotated[str | None, typer.Option("--a", help="First side, name=value, several joined by commas.")] = None,
    b: Annotated[str | None, typer.Option("--b", help="Second side.")] = None,
    all_pairs: Annotated[str | None, typer.Option(help="Compare every two values of this column.")] = None,
    policy: Policy = "standard",
    correction: Annotated[str, typer.Option(help="holm or bh, over the pairs.")] = "holm",
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
    """Compare configurations on the tasks that both of them ran, jointly resampled.

    With --planned, success (ecs, investigation) is compared on all planned runs: one that is missing or was not scored
    is a failure. `only_a` and `only_b` count the pairs of runs in which one side alone has the label.

    Example: misstep compare out --metric cd --a model=careful --b model=eager
    """
    from misstep.contracts.errors import UsageError
    from misstep.stats.contrasts import sentence
    from misstep.stats.metrics import METRICS, group_name
    from misstep.stats.metrics import metric as registered
    from misstep.stats.rates import differences

    metric = named(metric)
    episodes = population_of(folder, missing_template, completed, planned)
    if planned:
        metric = [name if registered(name).planned else f"{name}_planned" for name in metric]
        if strange := [name for name in metric if name not in METRICS]:
            having = ", ".join(name for name in METRICS if name.endswith("_planned"))
            raise UsageError(f"there is no {strange[0]}: with --planned, compare {having}")
    if all_pairs is not None and a is None and b is None:
        by = episodes.checked([all_pairs])
        names = episodes.frame.select(group_name(by).alias("group"))["group"].unique().sort()
        if len(names) < 2:
            only = f"{names[0]} alone" if len(names) else "no episode"
            raise UsageError(f"--all-pairs {all_pairs}: nothing to compare, there is {only}")
        pairs = list(combinations(names, 2))
    elif all_pairs is None and a is not None and b is not None:
        if not all("=" in part for side in (a, b) for part in side.split(",")):
            raise UsageError("write a side as name=value, several joined by commas")
        by = episodes.checked([part.partition("=")[0].strip() for part in a.split(",")])
        pairs = [(_normal(a), _normal(b))]
    else:
        raise UsageError("name either --a and --b, or --all-pairs COLUMN")
    if correction not in ("holm", "bh"):
        raise UsageError(f"--correction is holm or bh, not {correction}")
    found = differences(
        episodes, metric, pairs, by, [policy], level=level, draws=draws, seed=seed,
        adjustment="bh" if correction == "bh" else "holm",
    )  # fmt: skip

    def said(row: dict[str, Any]) -> str:
        return sentence(row, level, shares=METRICS[row["metric"]].bounded)

    if csv is not None:
        from misstep.report.publish import publish

        publish(found, csv, "contrasts")
    if json:
        print_json([row | {"sentence": said(row)} for row in found.to_dicts()])
    elif not quiet:
        print_table(found.select(_SHOWN).to_dicts() if found.height else [])
        for row in found.iter_rows(named=True):
            print(said(row))


def _normal(side: str) -> str:
    """Return a side as groups are named: `model=x, condition=y`."""
    return ", ".join(part.strip() for part in side.split(","))
