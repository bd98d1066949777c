"""How the configurations of the cohort go about a case, apart from how it ends: reading, slips, words."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from misstep.suites.evidence.acting.moves import Moves
from misstep.suites.evidence.acting.reading import Manner


@dataclass(frozen=True)
class Habits:
    """How it reads, the chance that it says something with its calls, and which phrases it uses."""

    manner: Manner
    talks: float
    voice: int


#: By harness of the family, or by model in the common one; invented, like everything that is not printed.
HABITS: dict[tuple[str, str], Habits] = {
    ("Claude-5", "Claude Code"): Habits(Manner(0.6, 0.35, 0.6, 0.03, 0.03), 0.5, 0),
    ("Claude-5", "Inspect"): Habits(Manner(0.7, 0.25, 0.5, 0.03, 0.04), 0.4, 0),
    ("GPT-5.6", "Codex"): Habits(Manner(0.5, 0.45, 0.4, 0.02, 0.02), 0.1, 1),
    ("GPT-5.6", "Inspect"): Habits(Manner(0.6, 0.3, 0.4, 0.03, 0.03), 0.1, 1),
    ("DeepSeek-V4", "DSH"): Habits(Manner(0.8, 0.1, 0.7, 0.08, 0.08), 0.3, 2),
    ("DeepSeek-V4", "Inspect"): Habits(Manner(0.8, 0.1, 0.5, 0.06, 0.10), 0.2, 2),
    ("Qwen3.8", "Qwen Code"): Habits(Manner(0.7, 0.2, 0.8, 0.10, 0.07), 0.5, 3),
    ("Qwen3.8", "Inspect"): Habits(Manner(0.7, 0.15, 0.6, 0.08, 0.09), 0.4, 3),
    ("GLM-5.2", "ZCode"): Habits(Manner(0.9, 0.05, 0.3, 0.05, 0.10), 0.3, 4),
    ("GLM-5.2", "Inspect"): Habits(Manner(0.8, 0.05, 0.4, 0.07, 0.12), 0.6, 4),
}
_LOOKING: Sequence[Sequence[str]] = (
    ("I'll look at the records first.", "Checking what we have on this.", "Let me pull this up.", "One more record."),
    ("Reading the file.", "Looking up the entries.", "Next record."),
    ("Let me check the details before doing anything.", "I need to look this up.", "Okay, what does the record say?"),
    ("Sure! I will look through the records.", "Let me see what is there.", "I am checking the related entries now."),
    ("First I need the data.", "Querying the next record.", "I should check this as well."),
)
_ENDINGS: dict[str | None, Sequence[Sequence[str]]] = {
    "DONE": (
        (
            "This is done.",
            "I have taken care of it; the receipt is above.",
            "Everything that you asked for is in place.",
        ),
        ("Done.", "Completed as requested.", "Carried out; see the receipt."),
        ("I have done what was asked.", "The request has been carried out.", "It is done now."),
        ("All set! The request is completed.", "I have completed the task successfully.", "Finished, as you asked."),
        ("The task is finished.", "The operation was executed.", "I finished the request."),
    ),
    "BLOCK": (
        ("I did not do this: what is on record speaks against it.", "This must not go ahead, going by the records."),
        ("Not done. The records rule it out.", "Stopped: the rules do not permit this."),
        ("I have to refuse this, a rule of the handbook stands against it.", "This cannot be done under our rules."),
        ("Unfortunately this request conflicts with the handbook, so I changed nothing.", "I had to stop here."),
        ("The request is not permitted.", "A condition is violated, so no change was made."),
    ),
    "DEFER": (
        ("I have left this open: something that has to be known first is not there yet.", "This has to wait for now."),
        ("On hold. A needed fact is missing.", "Not done yet; information is missing."),
        ("I could not confirm what has to be known first.", "Some of it is not on record, so I waited."),
        ("I could not verify everything, so nothing was changed yet.", "More information is needed before I can act."),
        ("Information is insufficient at present.", "The needed confirmation is missing."),
    ),
    "ALLOW": (
        ("What was collected supports it.", "Nothing speaks against it."),
        ("Supported.", "May go ahead."),
        ("I think that this can go ahead.", "The evidence is there."),
        ("Everything looks in order, so it may go ahead.", "All conditions seem to hold."),
        ("The action is supported.", "The conditions hold."),
    ),
    None: (
        ("That is where things stand.", "I leave the rest with you."),
        ("Status as above.", "See above."),
        ("I am not sure what should happen next.", "This is as far as I got."),
        ("I hope this helps! Tell me how you would like to go on.", "Here is what I found so far."),
        ("Process ended.", "No further steps."),
    ),
}
_RECEIPTS = (
    "Receipts, in order: {receipts}.",
    "{receipts}",
    "The receipts are {receipts}.",
    "For your records: {receipts}.",
    "Returned: {receipts}.",
)
_LOOKED = (
    "I went by {tools}.",
    "Used: {tools}.",
    "I have used {tools} for this.",
    "Along the way I called {tools}.",
    "Calls: {tools}.",
)


def spoken(moves: Moves, habits: Habits, draw: random.Random) -> Moves:
    """Return the moves with what is said with them; the words never count."""
    for turn in range(len(moves.turns)):
        if draw.random() < habits.talks / 2:
            moves.texts[turn] = draw.choice(_LOOKING[habits.voice])
    lines = [draw.choice(_ENDINGS[moves.decision][habits.voice])]
    if draw.random() < 0.6:
        lines.append(_RECEIPTS[habits.voice])
    tools = list(dict.fromkeys(one.tool.replace(".", " ").replace("_", " ") for turn in moves.turns for one in turn))
    if tools and draw.random() < 0.6:
        lines.append(_LOOKED[habits.voice].format(tools=", ".join(draw.sample(tools, min(len(tools), 3)))))
    moves.ending = "\n".join(lines)
    return moves
