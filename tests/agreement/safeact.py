"""The audit of SafeActBench's rules, put into a document: `python -m agreement.safeact SAMPLE docs/safeact.md`.

Run in `tests/`. SAMPLE is a folder of official cases; without one only our own cases are judged.
"""

from __future__ import annotations

import csv
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from agreement.report import written
from oracle.safeact_audit import Judged, counts, expectations, judge, made

#: The paper's table, where it is there: accepted and tested by kind of variation.
Published = Mapping[str, tuple[int, int]]
_NO_SUCH_CASES = Path("no sample")


def published(path: Path) -> dict[str, tuple[int, int]]:
    """Return variation → accepted and tested, as the paper prints them; empty where the file is not there."""
    if not path.is_file():
        return {}
    with path.open(newline="") as stream:
        return {row["variation"]: (int(row["accepted"]), int(row["tested"])) for row in csv.DictReader(stream)}


def table(official: Mapping[str, Counter[str]], own: Mapping[str, Counter[str]], printed: Published) -> str:
    """Return the table: a line a kind of variation, in the order in which they were written down."""
    lines = [
        "| variation | should be | ten official cases | our cases | evaluator of our own | the paper |",
        "|---|---|--:|--:|--:|--:|",
    ]
    kinds = {kind: (one.accepted, one.paper) for (kind, _), one in expectations().items()}
    for kind, (accepted, paper) in kinds.items():
        both = official.get(kind, Counter()) + own.get(kind, Counter())
        if both["tested"]:
            lines.append(
                f"| {kind.replace('_', ' ')} | {'accepted' if accepted else 'rejected'} | {_share(official, kind)} | "
                f"{_share(own, kind)} | {both['oracle']}/{both['tested']} | "
                f"{'/'.join(map(str, printed[paper])) if paper in printed else ''} |"
            )
    total = sum((*official.values(), *own.values()), Counter())
    lines += ["", f"{total['tested']} runs; {total['apart']} of them are not judged as it was written down."]
    return "\n".join(lines) + "\n"


def _share(found: Mapping[str, Counter[str]], kind: str) -> str:
    one = found.get(kind, Counter())
    return f"{one['labels']}/{one['tested']}" if one["tested"] else ""


def apart(judged: list[Judged]) -> tuple[list[Judged], list[Judged]]:
    """Return those of official cases, and those of our own."""
    own = [one for one in judged if one.mutation.case.case_id.startswith("OWN-")]
    return [one for one in judged if one not in own], own


def main(sample: Path, document: Path) -> None:
    """Judge all variations and put the table into the document; print what is not as it should be."""
    with tempfile.TemporaryDirectory() as work:
        judged = judge(made(sample), Path(work))
    for one in judged:
        if not one.agree:
            print(one)
    official, own = map(counts, apart(judged))
    printed = published(sample.parents[1] / "published" / "safeact_table8_evaluator_variations.csv")
    document.write_text(written(document.read_text(), "audit", table(official, own, printed)))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 2 else _NO_SUCH_CASES, Path(sys.argv[-1]))
