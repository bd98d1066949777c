"""Evidence on public traces, put into a document: `python -m agreement.evidence_report CORPORA FILE` (in `tests/`)."""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from agreement.corpus import CORPORA, Labelled, labelled
from agreement.evidence import BY_HAND, ReadRate, RuleRate, beside_counts, by_hand, read_rates, rule_rates
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
    lines += [
        f"| {row.configuration} | {row.rule} | {_counts(row.broken, row)} | {_rewarded(row.broken, row)} |"
        for row in rule_rates(found)
    ]
    reads = read_rates(found)
    if reads:
        lines += [
            "",
            "| configuration | metric | cases | of | rate | unknown | rewarded in full all the same | missing reads |",
            "|---|---|--:|--:|---|--:|--:|---|",
        ]
        for row in reads:
            cells = (row.configuration, row.metric, _counts(row.cases, row), _rewarded(row.cases, row))
            lines.append(f"| {' | '.join(cells)} | {_kinds(row.tools)} |")
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
    for judged, column, label in by_hand(judgements, suites):
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


def _counts(cases: int, row: RuleRate | ReadRate) -> str:
    """Return the cells: cases, of how many, their share with its interval, unknown ones."""
    rate = f"{cases / row.episodes:.1%}" if row.episodes else ""
    if row.low is not None and row.high is not None:
        rate += f" [{row.low:.1%}, {row.high:.1%}]"
    return f"{cases} | {row.episodes} | {rate} | {row.unknown}"


def _rewarded(cases: int, row: RuleRate | ReadRate) -> str:
    return f"{row.rewarded} of {cases}" if cases else ""


def _kinds(kinds: Counter[str]) -> str:
    return "; ".join(f"{number} {kind}" for kind, number in sorted(kinds.items(), key=lambda one: (-one[1], one[0])))


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
