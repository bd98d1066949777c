"""Clarification (metrics.md §1, "Ambiguity task" and "Clarification proxy")."""

from __future__ import annotations

from oracle.case import AGENT, Case


def clarified_at(case: Case) -> int | None:
    """Return the step of the first answered clarification; writes in later steps come after it.

    An assistant turn that asks the user, calls no tool and is answered by the user; or an applied call of kind ask.
    """
    steps = [
        call["step"]
        for call in case.calls
        if call["actor"] == AGENT and call["kind"] == "ask" and call["outcome"] == "applied"
    ]
    busy = {call["step"] for call in case.calls if call["actor"] == AGENT}
    for message, following in zip(case.messages, case.messages[1:], strict=False):
        asks = message["role"] == "assistant" and message["actor"] == AGENT and message["asks_user"]
        if asks and message["step"] not in busy and following["role"] == "user":
            steps.append(following["step"])
    return min(steps, default=None)


def finally_asks(case: Case) -> bool:
    """Return whether the agent's last message asks the user and no call of the agent comes in a later step."""
    spoken = [one for one in case.messages if one["role"] == "assistant" and one["actor"] == AGENT]
    if not spoken or not spoken[-1]["asks_user"]:
        return False
    return not any(call["actor"] == AGENT and call["step"] > spoken[-1]["step"] for call in case.calls)
