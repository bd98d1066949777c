"""The scripted agents and varied solutions of the evidence suite, judged by the pipeline, as the tables of a page.

Run in `tests/`. What is expected was written down before, in `suites/evidence_expected.yaml`.
"""

import csv
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from agreement.evidence_variations import varied
from agreement.report import written
from misstep.suites.evidence.acting.agents import AGENTS, episode
from misstep.suites.evidence.acting.prepared import Prepared
from misstep.suites.evidence.sources import Domain, read_domains
from suites.evidence_checks import EVIDENCE
from suites.evidence_labels import ended, labelled

EXPECTED = Path(__file__).resolve().parents[1] / "suites" / "evidence_expected.yaml"
PUBLISHED = EVIDENCE.parents[1] / "published" / "safeact_table8_evaluator_variations.csv"
PROTOCOLS = ("Legacy", "V0", "V1", "V2", "V3")
#: Variation → as [E] prints it.
PRINTED = {
    "additional read": "additional information read",
    "v3 swap": "independent V3 action swap",
    "equal number": "equivalent numeric representation",
    "alternative path": "alternative retrieval path",
    "equal fact": "equivalent facts from different tools",
    "joint support": "joint support from multiple observations",
    "discovery": "candidate discovery followed by entity resolution",
    "indirect state": "indirect state confirmation",
    "wrong entity": "wrong-entity evidence",
    "stale": "stale evidence",
}
Row = Mapping[str, Any]
Judged = dict[str, list[Row]]


def expected() -> dict[str, Any]:
    """Return what was written down before."""
    found: dict[str, Any] = yaml.safe_load(EXPECTED.read_text(encoding="utf-8"))
    return found


def judged(domains: Sequence[Domain]) -> tuple[Judged, Judged]:
    """Return agent → labels of its episodes, and variation → labels of its runs."""
    prepared = [Prepared.of(case, domain) for domain in domains for case in domain.cases]
    agents = [episode(one, name) for name in AGENTS for one in prepared]
    runs = [record for one in prepared for _, record in varied(one)]
    found = labelled(domains, [*agents, *runs])
    sides = [{key: row for key, row in found.items() if (key[4] == "varied") == varying} for varying in (False, True)]
    played, tried = (_by_model(side.values()) for side in sides)
    return {name: played[name] for name in AGENTS}, tried


def _by_model(rows: Any) -> Judged:
    found: Judged = {}
    for row in rows:
        found.setdefault(row["model"], []).append(row)
    return found


def outcomes(rows: Sequence[Row]) -> dict[str, Counter[str]]:
    """Return protocol → outcomes."""
    found: dict[str, Counter[str]] = {protocol: Counter() for protocol in PROTOCOLS}
    for row in rows:
        found[row["protocol"]][ended(dict(row))[0]] += 1
    return found


def apart(agents: Judged, runs: Judged) -> Iterator[str]:
    """Yield what is not as it was written down, in words."""
    told = expected()
    for name, wanted in told["agents"].items():
        found = outcomes(agents[name])
        for protocol, numbers in wanted["outcomes"].items():
            rest = Counter(found[protocol])
            for outcome, number in numbers.items():
                had = sum(rest.pop(one, 0) for one in outcome.split(" or "))
                if had != number:
                    yield f"{name}, {protocol}: {outcome} {had} times, not {number}"
            yield from (f"{name}, {protocol}: {outcome} {number} times" for outcome, number in rest.items())
        for row in agents[name]:
            failed = row["ecs"] is not True and row["attempts"]
            if failed and not set(row["reasons"]) & set(wanted.get("reasons", ())):
                yield f"{name}, {row['task_id']}: {row['reasons']}"
    for name, wanted in told["variations"].items():
        right = sum((row["ecs"] is True) == wanted["accepted"] for row in runs[name])
        if right != len(runs[name]) or right < wanted["least"]:
            yield f"{name}: {right} of {len(runs[name])} as they should be, at least {wanted['least']} are to be tried"


def agents_table(agents: Judged) -> str:
    """Return the table of agents."""
    lines = [f"| agent | {' | '.join(PROTOCOLS)} | first things wrong |", f"|---|{'---|' * (len(PROTOCOLS) + 1)}"]
    for name, rows in agents.items():
        cells = [_counted(counts) for counts in outcomes(rows).values()]
        wrong = Counter(
            next((one for one in row["reasons"] if one != "right"), "") for row in rows if row["ecs"] is not True
        )
        wrong.pop("", None)
        lines.append(f"| {' | '.join([name, *cells, _counted(wrong)])} |")
    return "\n".join(lines) + "\n"


def _counted(counts: Counter[str]) -> str:
    return "; ".join(f"{number} {name}" for name, number in sorted(counts.items(), key=lambda one: (-one[1], one[0])))


def variations_table(runs: Judged) -> str:
    """Return the table of variations, beside what [E] prints."""
    with PUBLISHED.open(encoding="utf-8", newline="") as stream:
        printed = {row["variation"]: f"{row['accepted']}/{row['tested']}" for row in csv.DictReader(stream)}
    lines = ["| variation | should be | accepted/tested | the paper |", "|---|---|--:|--:|"]
    for name, wanted in expected()["variations"].items():
        accepted = sum(row["ecs"] is True for row in runs[name])
        should = "accepted" if wanted["accepted"] else "refused"
        lines.append(f"| {name} | {should} | {accepted}/{len(runs[name])} | {printed[PRINTED[name]]} |")
    return "\n".join(lines) + "\n"


def page(text: str, agents: Judged, runs: Judged) -> str:
    """Return a document with the tables as they are now."""
    return written(written(text, "agents", agents_table(agents)), "variations", variations_table(runs))


def main(document: Path) -> None:
    """Judge everything and put the tables into the document; print what is not as it was written down."""
    found = judged(read_domains(EVIDENCE))
    print(*apart(*found), sep="\n")
    document.write_text(page(document.read_text(encoding="utf-8"), *found), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[-1]))
