"""The measured agreement, put into a document: `python -m agreement.report CORPORA docs/agreement.md` (in `tests/`)."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from agreement import agentdojo, tau, workbench
from agreement.corpus import CORPORA, Labelled, Rate, labelled

#: What is reported apart: suites that share one policy are one benchmark.
BENCHMARKS = [name for name in CORPORA if not name.startswith("agentdojo")] + ["agentdojo"]


def measure(name: str, corpora: Path, work: Path) -> tuple[list[Labelled], list[Rate]]:
    """Return the labelled suites of a benchmark (one of `BENCHMARKS`), and how far they agree with its own labels."""
    if name == "agentdojo":
        both = [labelled(suite, corpora, work / suite) for suite in CORPORA if suite.startswith(name)]
        return both, agentdojo.compare(both)
    found = labelled(name, corpora, work / name)
    compare = workbench.compare if name == "workbench" else tau.compare_tau2 if "2" in name else tau.compare_tau
    return [found], compare(found)


def section(suites: list[Labelled], rates: list[Rate]) -> str:
    """Return the tables on a benchmark: how far labels agree, kinds of differences, expected writes that do nothing."""
    lines = ["| compared | cases | of | share | bound |", "|---|--:|--:|--:|---|"]
    lines += [f"| {rate.what} | {rate.hits} | {rate.total} | {rate.share:.2%} | {_bound(rate)} |" for rate in rates]
    kinds = [(rate, kind, number) for rate in rates for kind, number in rate.kinds.most_common()]
    if kinds:
        lines += ["", "| compared | kind of difference | cases |", "|---|---|--:|"]
        lines += [f"| {rate.what} | {kind} | {number} |" for rate, kind, number in kinds]
    inert = [one for suite in suites for one in suite.report.inert]
    if inert:
        lines += ["", "Expected writes that could never take effect:", "", "| task | tool | why |", "|---|---|---|"]
        lines += [f"| {one.task_id} | {one.tool} | {one.reason} |" for one in inert]
    return "\n".join(lines) + "\n"


def _bound(rate: Rate) -> str:
    if rate.least is not None:
        return f"≥ {rate.least:.1%}"
    return f"≤ {rate.most:.1%}" if rate.most is not None else "reported"


def written(text: str, name: str, table: str) -> str:
    """Return a document with another table for a benchmark: what stands between its two marks is replaced.

    Raises:
        ValueError: the document has no marks for the benchmark.
    """
    before, start, rest = text.partition(f"<!-- {name} -->\n")
    _, end, after = rest.partition(f"<!-- end of {name} -->")
    if not start or not end:
        raise ValueError(f"no marks for {name}")
    return f"{before}{start}\n{table}\n{end}{after}"


def main(corpora: Path, document: Path) -> None:
    """Put the measured tables into the document."""
    for name in BENCHMARKS:
        with tempfile.TemporaryDirectory() as work:
            table = section(*measure(name, corpora, Path(work)))
        document.write_text(written(document.read_text(), name, table))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
