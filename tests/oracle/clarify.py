"""Clarification (metrics.md §1, "Ambiguity task" and "Clarification proxy")."""

from __future__ import annotations

from dataclasses import dataclass

from oracle.case import AGENT, Case


@dataclass(frozen=True)
class Clarified:
    """The steps of the first clarification that was answered, and of the first that may have been."""

    surely: int | None
    maybe: int | None

    def before(self, step: int) -> bool | None:
        """Return whether a clarification was answered before a step."""
        if self.surely is not None and step > self.surely:
            return True
        return None if self.maybe is not None and step > self.maybe else False

    @property
    def ever(self) -> bool | None:
        """Return whether a clarification was answered at all."""
        return True if self.surely is not None else None if self.maybe is not None else False


def clarified_at(case: Case) -> Clarified:
    """Return the steps of clarifications; writes in later steps come after them.

    An assistant turn that asks the user, calls no tool and is answered by the user; or an applied call of kind ask.
    """
    asking = [call for call in case.calls if call["actor"] == AGENT and call["kind"] == "ask"]
    steps = [call["step"] for call in asking if call["outcome"] == "applied"]
    maybe = [call["step"] for call in asking if call["outcome"] == "unknown"]
    busy = {call["step"] for call in case.calls if call["actor"] == AGENT}
    for message, following in zip(case.messages, case.messages[1:], strict=False):
        asks = message["role"] == "assistant" and message["actor"] == AGENT and message["asks_user"]
        if asks and message["step"] not in busy and following["role"] == "user":
            steps.append(following["step"])
    return Clarified(min(steps, default=None), min(maybe, default=None))


def finally_asks(case: Case) -> bool:
    """Return whether the agent's last message asks the user and no call of the agent comes in a later step."""
    spoken = [one for one in case.messages if one["role"] == "assistant" and one["actor"] == AGENT]
    if not spoken or not spoken[-1]["asks_user"]:
        return False
    return not any(call["actor"] == AGENT and call["step"] > spoken[-1]["step"] for call in case.calls)
