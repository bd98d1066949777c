"""The measured agreement as Markdown; `python -m agreement.report CORPORA` prints it (in `tests/`)."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from agreement import agentdojo, tau, workbench
from agreement.corpus import CORPORA, Labelled, Rate, labelled

TITLES = {
    "workbench": "WorkBench",
    "tau-airline": "tau-bench, airline",
    "tau-retail": "tau-bench, retail",
    "tau2-airline": "tau2-bench, airline",
    "tau2-retail": "tau2-bench, retail",
    "tau2-telecom": "tau2-bench, telecom",
    "agentdojo": "AgentDojo, workspace and banking",
}


def measured(corpora: Path, work: Path) -> Iterator[tuple[str, list[Labelled], list[Rate]]]:
    """Yield benchmark, its labelled suites and how far they agree, in the order of the report."""
    for name in CORPORA:
        if name.startswith("agentdojo"):
            continue
        found = labelled(name, corpora, work / name)
        compare = workbench.compare if name == "workbench" else tau.compare_tau2 if "2" in name else tau.compare_tau
        yield name, [found], compare(found)
    both = [labelled(name, corpora, work / name) for name in CORPORA if name.startswith("agentdojo")]
    yield "agentdojo", both, agentdojo.compare(both)


def section(name: str, suites: list[Labelled], rates: list[Rate]) -> str:
    """Return the part of the report on a benchmark."""
    lines = [f"### {TITLES[name]}", "", "| compared | agrees | of | share | bound |", "|---|--:|--:|--:|---|"]
    lines += [f"| {rate.what} | {rate.hits} | {rate.total} | {rate.share:.2%} | {_bound(rate)} |" for rate in rates]
    kinds = [(rate, kind, number) for rate in rates for kind, number in rate.kinds.most_common()]
    if kinds:
        lines += ["", "| compared | kind of difference | cases |", "|---|---|--:|"]
        lines += [f"| {rate.what} | {kind or 'no difference is known'} | {number} |" for rate, kind, number in kinds]
    inert = [one for suite in suites for one in suite.report.inert]
    if inert:
        lines += ["", "Expected writes that could never take effect:", "", "| task | tool | why |", "|---|---|---|"]
        lines += [f"| {one.task_id} | {one.tool} | {one.reason} |" for one in inert]
    return "\n".join(lines) + "\n"


def _bound(rate: Rate) -> str:
    if rate.least is not None:
        return f"≥ {rate.least:.1%}"
    return f"≤ {rate.most:.1%}" if rate.most is not None else "reported"


def main(corpora: Path) -> None:
    """Print the report."""
    with tempfile.TemporaryDirectory() as work:
        for part in measured(corpora, Path(work)):
            print(section(*part), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
