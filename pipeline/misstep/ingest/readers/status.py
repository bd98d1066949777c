"""How an episode ended: words and error texts of harnesses → the closed list of statuses."""

from __future__ import annotations

import re

from misstep.contracts.trace import STATUSES, Status

_WORDS: dict[Status, str] = {
    "completed": "complete success successful succeeded done finished ok stop stopped user_stop agent_stop end_turn "
    "submitted exit resolved",
    "budget_exhausted": "max_steps max_turns max_iterations max_rounds max_tokens step_limit turn_limit budget length "
    "iteration_limit iterations time_limit token_limit cost_limit message_limit working_limit timeout timed_out "
    "exit_cost",
    "aborted": "abort cancelled canceled interrupted killed error errored crashed exception context_length context "
    "context_length_exceeded context_window_exceeded exit_context too_many_errors agent_error user_error "
    "invalid_agent_message exit_error exit_format",
    "infrastructure_failure": "infrastructure_error infra_error internal_server_error server_error unexpected_error "
    "rate_limit rate_limited api_error environment_error service_unavailable",
}
_BY_WORD: dict[str, Status] = {status: status for status in STATUSES} | {
    word: status for status, words in _WORDS.items() for word in words.split()
}

_BUDGET = re.compile(
    r"(iteration|time|step|turn|round|message|token|cost) limit|max(imum)?[ _](steps|turns|iterations)", re.IGNORECASE
)
_CONTEXT = re.compile(r"context.?(length|window)|maximum context|prompt is too long", re.IGNORECASE)
_INFRASTRUCTURE = re.compile(
    r"internal server error|(error|status)[ _]code:? *(429|5\d\d)|\b(429|50[0234])\b.*(error|unavailable|time.?out)"
    r"|rate.?limit|overloaded|service unavailable|bad gateway|gateway time.?out|temporarily unavailable"
    r"|connection (error|reset|refused|aborted)|read timed? ?out|api.?connection",
    re.IGNORECASE,
)


def status_of(word: object) -> Status | None:
    """Return the status that a word for how a run ended stands for; None without a word, `unknown` for other words."""
    if word is None or word == "":
        return None
    if not isinstance(word, str):
        return "unknown"
    key = re.sub(r"[^a-z0-9]+", "_", word.rstrip(". ").rsplit(".", 1)[-1].lower()).strip("_")
    return _BY_WORD.get(key) or _of_text(word) or "unknown"


def status_of_error(text: str) -> Status:
    """Return the status of an episode that ended with an error text: it is never a clean run."""
    return _of_text(text) or "aborted"


def _of_text(text: str) -> Status | None:
    if _CONTEXT.search(text):
        return "aborted"
    if _INFRASTRUCTURE.search(text):
        return "infrastructure_failure"
    return "budget_exhausted" if _BUDGET.search(text) else None
