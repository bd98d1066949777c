"""How the configurations of the cohort go about a task, apart from how it ends: reading, slips, words."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Habits:
    """Shares are chances an episode.

    Attributes:
        reads: fewest and most reads before the first write.
        browses: opens with the list of its main tool.
        together: makes two reads in one turn.
        slips: makes a read that fails, and goes on.
        stumbles: first makes the first write in a form that is refused.
        runs_out: of the episodes that come to nothing, reads on until its turns are used up.
        talks: says something in a turn with a call.
        courtesy: closes with a courtesy.
        voice: which of the common phrases it uses.
    """

    reads: tuple[int, int]
    browses: float
    together: float
    slips: float
    stumbles: float
    runs_out: float
    talks: float
    courtesy: float
    voice: int


#: By configuration; invented, like everything about them that is not printed.
HABITS: dict[str, Habits] = {
    "DeepSeek V3.2": Habits((2, 3), 0.2, 0.1, 0.10, 0.12, 0.2, 0.3, 0.2, 0),
    "GPT-5.4": Habits((3, 5), 0.3, 0.6, 0.03, 0.02, 0.0, 0.1, 0.1, 1),
    "GPT-5.4-mini": Habits((2, 4), 0.2, 0.5, 0.08, 0.06, 0.1, 0.1, 0.3, 1),
    "MiniMax M2.5": Habits((2, 4), 0.5, 0.2, 0.14, 0.12, 0.4, 0.6, 0.4, 2),
    "Kimi K2.5": Habits((2, 5), 0.4, 0.3, 0.09, 0.08, 0.3, 0.5, 0.1, 3),
    "Qwen 3.5 Plus": Habits((2, 4), 0.3, 0.2, 0.10, 0.10, 0.2, 0.4, 0.5, 4),
    "Gemini 3.1 Pro": Habits((3, 5), 0.2, 0.5, 0.04, 0.03, 0.1, 0.2, 0.2, 5),
    "model-08": Habits((3, 4), 0.1, 0.4, 0.05, 0.05, 0.1, 0.2, 0.0, 0),
    "model-09": Habits((2, 5), 0.6, 0.1, 0.12, 0.09, 0.3, 0.7, 0.3, 2),
    "model-10": Habits((2, 3), 0.1, 0.3, 0.06, 0.04, 0.2, 0.1, 0.1, 3),
    "model-11": Habits((3, 5), 0.5, 0.2, 0.08, 0.06, 0.4, 0.5, 0.6, 4),
}

#: What is said in a turn that looks something up, by voice.
LOOKING: tuple[tuple[str, ...], ...] = (
    ("Looking this up.", "Checking the records first.", "One moment, I am searching."),
    ("I'll check the details first.", "Let me pull up the relevant records.", "I'll start by finding the right entry."),
    (
        "Okay, first I need to find out what this is about.",
        "I will look for the entry and read it before I change anything.",
        "Let me see what is there already.",
    ),
    ("Searching for it now.", "Reading the record to be sure.", "Let me confirm what we have."),
    (
        "Sure! Let me find that for you.",
        "I am going to look through the records step by step.",
        "Let me get the full picture.",
    ),
    ("I'm retrieving the matching records.", "Opening the entry to check its details.", "Let me verify this."),
)
#: What is said after a call was refused, by voice.
AGAIN: tuple[tuple[str, ...], ...] = (
    ("That was refused, once more with the missing part.", "Again, complete this time."),
    ("The call failed validation; I'll correct it.", "I left something out. Retrying."),
    ("The tool did not accept this. I will fix the arguments and try again.", "Hm, that failed. Trying once more."),
    ("That did not go through, correcting.", "Correcting the call."),
    ("Oops, that call was incomplete. Let me fix it!", "Sorry, I need to send this again with all fields."),
    ("The request was rejected; adjusting it.", "I'm resubmitting this with the required field."),
)
#: Closing words that ask for nothing, by voice.
COURTESIES: tuple[tuple[str, ...], ...] = (
    ("Anything else?",),
    ("Let me know if you need anything else.",),
    ("If you want me to do more here, just say so.", "Happy to help further."),
    ("Is there anything else I can help with?",),
    ("Let me know if there is anything else I can do for you!", "Have a good day!"),
    ("Feel free to reach out if you need more.",),
)
