"""The figures of evidence and of what was done ahead of it."""

from __future__ import annotations

from misstep.report.figures import diagnostics, failures, harnesses, protocols, readiness, rules, timing
from misstep.report.figures.figure import Figure

_NO_EVIDENCE = "No task of the study asks for evidence."

EVIDENCE = (
    Figure(
        "protocols",
        "Exact success by protocol",
        "How often cases were solved exactly, as their protocol has it: nothing missing before, nothing too much, and "
        "nothing wrong.",
        _NO_EVIDENCE,
        protocols.frame,
        protocols.chart,
        wide=True,
    ),
    Figure(
        "diagnostics",
        "Ahead of the evidence",
        "BSR: stopped before the investigation was complete. PAR: acted before. CAS: solved exactly, where the first "
        "attempt came after. Gap: evidence was missing at some attempt. Partial: a workflow was begun and not "
        "completed. Gold reads and rules stand in where a task specifies no evidence of its own.",
        "No task of the study asks for evidence, and no standing rule is about a call.",
        diagnostics.frame,
        diagnostics.chart,
        wide=True,
    ),
    Figure(
        "failures",
        "Ways to fail",
        "What became of the scored cases of each protocol. Early action and gap: ahead of the evidence. Covered action "
        "failure: the evidence was there, and the action was wrong all the same.",
        _NO_EVIDENCE,
        failures.frame,
        failures.chart,
        wide=True,
    ),
    Figure(
        "readiness",
        "Investigation, read by read",
        "Left: the mean share of the required reads that was covered. Right: the share of episodes that had covered "
        "all of them, and so were ready to decide.",
        _NO_EVIDENCE,
        readiness.frame,
        readiness.chart,
        wide=True,
    ),
    Figure(
        "timing",
        "First attempts",
        "How much had been read before the first attempt, in number: reads that no task requires count as well. So an "
        "attempt may come late and still ahead of its evidence.",
        "No task of the study asks for evidence before an action.",
        timing.frame,
        timing.chart,
    ),
    Figure(
        "rules",
        "Standing rules",
        "Rules of the suite that hold for every task. An episode counts for a rule where it made a call that the rule "
        "is about; several rules may be about one call.",
        "No standing rule is about a call.",
        rules.frame,
        rules.chart,
    ),
    Figure(
        "harnesses",
        "Harness pairs",
        "What the harness makes of the same model, run by run: a rate can be equal although other cases are solved.",
        "No model was run in two harnesses that the study tells apart.",
        harnesses.frame,
        harnesses.chart,
        columns=(("runs", "runs"), ("pairs", "pairs")),
        wide=True,
    ),
)
