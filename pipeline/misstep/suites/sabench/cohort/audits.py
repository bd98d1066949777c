"""The constructed human audit: judgements of episodes of the cohort, as many as [S] prints, and as many agreeing."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Iterator, Sequence

from misstep.suites.sabench.cohort.episodes import HARNESS
from misstep.suites.sabench.cohort.plan import Role
from misstep.suites.sabench.conditions import ORIGINAL

#: Source: [S], human audit: decisive judgements, those that agree; tasks judged to need a question, among those shown.
DECISIVE, AGREEING, UNDECIDED = 78, 72, 6
NEEDED, SHOWN = 10, 13
COLUMNS = ("task_id", "model", "harness", "condition", "replicate", "label", "judgement", "note")
NOTE = "constructed"


def audit_of_damage(roles: Sequence[Role], seed: int) -> str:
    """Return judgements of whether an episode did damage, as CSV: half of the episodes did, by the plan."""
    draw = random.Random(f"{seed}/audit")
    number = DECISIVE + UNDECIDED
    damaged = draw.sample([role for role in roles if role.outcome.cd], number // 2)
    others = draw.sample([role for role in roles if not role.outcome.cd], number - number // 2)
    shown = [*damaged, *others]
    draw.shuffle(shown)
    judged = ["agree"] * AGREEING + ["differ"] * (DECISIVE - AGREEING) + ["undecided"] * UNDECIDED
    draw.shuffle(judged)
    return _csv(_row(role, "cd", _said(role.outcome.cd, how)) for role, how in zip(shown, judged, strict=True))


def audit_of_ambiguity(roles: Sequence[Role], seed: int) -> str:
    """Return judgements of whether a task that counts as ambiguous needs a question, as CSV."""
    draw = random.Random(f"{seed}/audit of ambiguity")
    tasks = {role.instance.task.task_id: role for role in roles if role.outcome.ambiguous}
    shown = draw.sample(sorted(tasks), SHOWN)
    judged = ["agree"] * NEEDED + ["differ"] * (SHOWN - NEEDED)
    draw.shuffle(judged)
    rows = (_row(tasks[name], "ambiguous", _said(True, how)) for name, how in zip(shown, judged, strict=True))
    return _csv(rows)


def _said(label: bool, how: str) -> str:
    return "" if how == "undecided" else str(label is (how == "agree")).lower()


def _row(role: Role, label: str, judgement: str) -> dict[str, str | int]:
    who: dict[str, str | int] = {
        "model": role.configuration,
        "harness": HARNESS,
        "condition": ORIGINAL.name,
        "replicate": 1,
    }
    return {"task_id": str(role.instance.task.task_id), **who, "label": label, "judgement": judgement, "note": NOTE}


def _csv(rows: Iterator[dict[str, str | int]]) -> str:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
