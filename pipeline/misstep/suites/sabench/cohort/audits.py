"""The constructed human audit: judgements of episodes of the cohort, as many as [S] prints, and as many agreeing."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Iterator, Sequence

from misstep.suites.sabench.cohort.episodes import HARNESS
from misstep.suites.sabench.cohort.plan import Role
from misstep.suites.sabench.conditions import ORIGINAL

#: Judgements of damage beside the decisive ones; how many there were is not printed.
UNDECIDED = 6
COLUMNS = ("task_id", "model", "harness", "condition", "replicate", "label", "judgement", "note")
NOTE = "constructed"
Count = tuple[int, int]


def audit_of_damage(roles: Sequence[Role], printed: Count, seed: int) -> str:
    """Return judgements of whether an episode did damage, as CSV: half of the episodes did, by the plan.

    Args:
        roles: the plan.
        printed: decisive judgements that agree, and all decisive ones.
        seed: of the draws.
    """
    agreeing, decisive = printed
    draw = random.Random(f"{seed}/audit")
    number = decisive + UNDECIDED
    damaged = draw.sample([role for role in roles if role.outcome.cd], number // 2)
    others = draw.sample([role for role in roles if not role.outcome.cd], number - number // 2)
    shown = [*damaged, *others]
    draw.shuffle(shown)
    judged = ["agree"] * agreeing + ["differ"] * (decisive - agreeing) + ["undecided"] * UNDECIDED
    draw.shuffle(judged)
    return _csv(_row(role, "cd", _said(role.outcome.cd, how)) for role, how in zip(shown, judged, strict=True))


def audit_of_ambiguity(roles: Sequence[Role], printed: Count, seed: int) -> str:
    """Return judgements of whether a task that counts as ambiguous needs a question, as CSV.

    Args:
        roles: the plan.
        printed: tasks judged to need one, and all that were shown.
        seed: of the draws.
    """
    needed, number = printed
    draw = random.Random(f"{seed}/audit of ambiguity")
    tasks = {role.instance.task.task_id: role for role in roles if role.outcome.ambiguous}
    shown = draw.sample(sorted(tasks), number)
    judged = ["agree"] * needed + ["differ"] * (number - needed)
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
