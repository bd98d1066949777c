"""What happened in an episode, call by call, and the rule behind every label."""

from __future__ import annotations

from misstep.report.explain.episode import Explanation, explain, explain_all
from misstep.report.explain.text import as_text

__all__ = ["Explanation", "as_text", "explain", "explain_all"]
