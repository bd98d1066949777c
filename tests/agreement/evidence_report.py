"""Evidence on public traces, put into a document: `python -m agreement.evidence_report CORPORA FILE` (in `tests/`)."""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from agreement.corpus import CORPORA, Labelled, labelled
from agreement.evidence import BY_HAND, beside_counts, by_hand, read_rates, rule_rates
from agreement.report import written

#: WorkBench has neither rules nor expected reads.
SUITES = [name for name in CORPORA if name != "workbench"]
JUDGEMENTS = Path(__file__).parents[1] / "data" / "rules_by_hand.csv"
BY_HAND_MARK = "by hand"


def section(found: Labelled) -> str:
    """Return the tables on a suite: rules broken, expected reads, labels beside counts, reads in vain."""
    lines = [
        "| configuration | rule | broke it | of | rule-PAR | unknown | rewarded in full all the same |",
        "|---|---|--:|--:|---|--:|--:|",
    ]
    for row in rule_rates(found):
        rewarded = f"{row.rewarded} of {row.broken}" if row.broken else ""
        rate = _rate(row.broken, row.episodes, row.low, row.high)
        counts = f"{row.broken} | {row.episodes} | {rate} | {row.unknown}"
        lines.append(f"| {row.configuration} | {row.rule} | {counts} | {rewarded} |")
    reads = read_rates(found)
    if reads:
        lines += ["", "| configuration | metric | cases | of | rate | unknown |", "|---|---|--:|--:|---|--:|"]
        lines += [
            f"| {row.configuration} | {row.metric} | {row.cases} | {row.episodes} "
            f"| {_rate(row.cases, row.episodes, row.low, row.high)} | {row.unknown} |"
            for row in reads
        ]
        lines += [
            "",
            "| configuration | episodes that | by the labels | counted on the calls | why they differ |",
            "|---|---|--:|--:|---|",
        ]
        lines += [
            f"| {row.configuration} | {row.what} | {row.labelled} | {row.counted} | {_kinds(row.kinds)} |"
            for row in beside_counts(found)
        ]
    if found.report.vain:
        lines += ["", "Expected reads that could never show anything:", "", "| why | tool | tasks |", "|---|---|---|"]
        tasks: dict[tuple[str, str], list[str]] = {}
        for one in found.report.vain:
            tasks.setdefault((one.reason, one.tool), []).append(one.task_id)
        lines += [
            f"| {reason} | {tool} | {', '.join(dict.fromkeys(names))} |" for (reason, tool), names in tasks.items()
        ]
    return "\n".join(lines) + "\n"


def hand_section(suites: Iterable[Labelled], judgements: Path = JUDGEMENTS) -> str:
    """Return the table of what was judged by hand: how often the labels say the same, by what a rule demands."""
    counts: dict[str, Counter[tuple[str, str]]] = {column: Counter() for column in BY_HAND}
    flagged: dict[tuple[str, str, str], bool] = {}
    for judged, column, _, label in by_hand(judgements, suites):
        counts[column][judged[column], {True: "no", False: "yes", None: "unknown"}[label]] += 1
        episode = (judged["suite"], judged["file"], judged["record"])
        flagged[episode] = flagged.get(episode, False) or judged[column] == "no"
    lines = [
        "| what a rule demands | kept, and labelled so | broken, and labelled so | broken, labelled kept "
        "| kept, labelled broken | unknown |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for column, count in counts.items():
        unknown = sum(number for (_, label), number in count.items() if label == "unknown")
        cells = [count[pair] for pair in (("yes", "yes"), ("no", "no"), ("no", "yes"), ("yes", "no"))]
        lines.append(f"| {column} | " + " | ".join(map(str, cells)) + f" | {unknown} |")
    broke = sum(flagged.values())
    lines += ["", f"{len(flagged)} episodes, in {broke} of which some rule was broken by hand."]
    return "\n".join(lines) + "\n"


def _rate(cases: int, episodes: int, low: float | None, high: float | None) -> str:
    if not episodes:
        return ""
    bounds = "" if low is None or high is None else f" [{low:.1%}, {high:.1%}]"
    return f"{cases / episodes:.1%}{bounds}"


def _kinds(kinds: Counter[str]) -> str:
    return "; ".join(f"{number} {kind}" for kind, number in kinds.most_common())


def main(corpora: Path, document: Path) -> None:
    """Put the measured tables into the document."""
    suites = []
    with tempfile.TemporaryDirectory() as work:
        for name in SUITES:
            found = labelled(name, corpora, Path(work) / name)
            suites.append(found)
            document.write_text(written(document.read_text(), name, section(found)))
        document.write_text(written(document.read_text(), BY_HAND_MARK, hand_section(suites)))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
