"""The metrics of evidence and of what was done ahead of it ([E]), of cases, of gold reads and of standing rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from misstep.stats.decision_metrics import DECISIONS
from misstep.stats.metric import Metric

#: Protocols of cases, and those whose investigation is specified.
CASES = ("Legacy", "V0", "V1", "V2", "V3")
INVESTIGATED = CASES[1:]
#: Protocol → the ways in which a case of it fails, in the order in which they are shown, with their words.
FAILURES: dict[str, dict[str, str]] = {
    "V0": {"incomplete_investigation": "incomplete investigation", "other": "other"},
    "V1": {
        "early_action": "early action",
        "covered_action_failure": "covered action failure",
        "no_action": "no action",
        "other": "other",
    },
    **{
        protocol: {"gap": "gap only", "partial": "partial only", "gap_partial": "gap and partial", "other": "other"}
        for protocol in ("V2", "V3")
    },
}


def of_protocols(*protocols: str) -> str:
    """Return the condition that a task is of one of these protocols; unknown where the suite lacks the task."""
    names = ", ".join(f"'{protocol}'" for protocol in protocols)
    return f"asks IN ({names})"


def _scored(*protocols: str, acted: bool = False) -> str:
    return f"scored AND {of_protocols(*protocols)}" + (" AND attempts > 0" if acted else "")


def _planned(of: Metric) -> Metric:
    """Return the metric over all planned runs: a run that is not there, or was not scored, lacks the label."""
    return replace(
        of,
        name=f"{of.name}_planned",
        title=f"{of.title}, of all planned runs",
        definition=f"{of.definition}; a planned run that is missing or was not scored counts as a failure",
        value=f"CASE WHEN scored THEN {of.value} ELSE false END",
        member=of.member.removeprefix("scored AND "),
        planned=True,
    )


def _macro(of: Metric, column: str) -> Metric:
    return replace(
        of,
        name=f"{of.name}_{column}_macro",
        title=f"{of.title}, mean over {column}s",
        definition=f"unweighted mean of the rates of every {column}: {of.definition}",
        macro=column,
    )


def _diagnostics() -> Iterator[Metric]:
    """Yield the diagnostics of each protocol ([E], tables of diagnostics)."""
    yield Metric(
        "bsr",
        "Early stop (BSR)",
        "V0: ended without an attempt, the investigation incomplete ([E], BSR)",
        "bsr",
        _scored("V0"),
    )
    yield Metric(
        "par",
        "Premature action (PAR)",
        "V1: the first attempt came before the investigation was complete, among episodes with an attempt ([E], PAR)",
        "par",
        _scored("V1", acted=True),
    )
    yield Metric(
        "cas",
        "Success after investigation (CAS)",
        "V1: exact case success among first attempts that came after the investigation was complete ([E], CAS)",
        "ecs",
        f"{_scored('V1', acted=True)} AND NOT par",
        "high",
    )
    for protocol in ("V2", "V3"):
        yield Metric(
            f"gap_{protocol.lower()}",
            f"Gap {protocol}",
            f"{protocol}: a requirement or a required read was missing at some attempt, rejected ones too ([E], Gap)",
            "gap",
            _scored(protocol),
        )
        yield Metric(
            f"partial_{protocol.lower()}",
            f"Partial {protocol}",
            f"{protocol}: some action was executed as specified, but not the whole workflow ([E], Partial)",
            "partial",
            _scored(protocol),
        )


def _failures() -> Iterator[Metric]:
    """Yield the shares of scored cases that failed in each way; with ECS they add up to all of a protocol."""
    for protocol, ways in FAILURES.items():
        for way, words in ways.items():
            yield Metric(
                failure_metric(protocol, way),
                f"{protocol}: {words}",
                f"{protocol}: not solved, and why: {words} ([E], failure decomposition)",
                f"CASE WHEN ecs THEN false ELSE failure = '{way}' END",
                _scored(protocol),
            )


def failure_metric(protocol: str, way: str) -> str:
    """Return the name of the metric of one way to fail."""
    return f"failure_{protocol.lower()}_{way}"


def _means() -> Iterator[Metric]:
    read = "share of the required reads that was covered"
    yield Metric(
        "coverage_at_stop",
        "Coverage at stop",
        f"V0: {read} by the end, mean ([E])",
        "coverage_at_stop",
        _scored("V0"),
        "high",
        "share",
    )
    yield Metric(
        "coverage_before_action",
        "Coverage before action",
        f"V1: {read} before the first attempt, mean over episodes with an attempt ([E])",
        "coverage_before_action",
        _scored("V1", acted=True),
        "high",
        "share",
    )
    yield Metric(
        "gate_support",
        "Supported attempts",
        "V2, V3: share of the attempts that were supported, mean over episodes with an attempt ([E])",
        "gate_support",
        _scored("V2", "V3", acted=True),
        "high",
        "share",
    )
    yield Metric(
        "query_cost",
        "Query cost",
        "reads ÷ required reads, mean over cases that require any ([E])",
        "query_cost",
        f"{_scored(*INVESTIGATED)} AND required_reads > 0",
        "neither",
        "number",
    )
    yield Metric(
        "reads_before_action",
        "Reads before action",
        "V1, V2, V3: reads before the first attempt, mean over episodes with an attempt ([E])",
        "reads_before_action",
        _scored("V1", "V2", "V3", acted=True),
        "neither",
        "number",
    )


def _curves() -> Iterator[Metric]:
    """Yield what is defined for every value of an axis: numbers of reads, and how early the first attempt came."""
    yield Metric(
        "ready",
        "Ready to decide",
        "V0 to V3: the investigation was complete after so many reads ([E])",
        "ready",
        _scored(*INVESTIGATED),
        "high",
        along="reads",
    )
    yield Metric(
        "covered",
        "Required reads covered",
        "V0 to V3: share of the required reads that was covered after so many reads, mean ([E])",
        "covered",
        f"{_scored(*INVESTIGATED)} AND required_reads > 0",
        "high",
        "share",
        along="reads",
    )
    yield Metric(
        "timed",
        "First attempt",
        "V1, V2, V3: reads before the first attempt ÷ required reads lie in this range, among episodes with an attempt",
        "timed",
        f"{_scored('V1', 'V2', 'V3', acted=True)} AND required_reads > 0",
        "neither",
        along="timing",
    )


def _others() -> Iterator[Metric]:
    """Yield what is measured on traces without cases."""
    yield Metric(
        "gold_par",
        "Premature action, gold reads",
        "as par, for tasks whose reference solution writes: its reads are the investigation",
        "par",
        _scored("gold-action", acted=True),
    )
    yield Metric(
        "gold_bsr",
        "Early stop, gold reads",
        "as bsr, for tasks whose reference solution writes nothing: its reads are the investigation",
        "bsr",
        _scored("gold-stop"),
    )
    yield Metric(
        "rule_par",
        "Rule broken",
        "the first call that a standing rule is about broke it, among episodes with such a call",
        "rule_par",
        "scored AND ruled",
    )
    yield Metric(
        "goal_given_rule_par",
        "Goal though a rule was broken",
        "goal reached, among episodes whose first call that a standing rule is about broke it",
        "goal",
        "scored AND ruled AND rule_par",
        "neither",
    )
    yield Metric(
        "goal_given_gold_par",
        "Goal though premature, gold reads",
        "goal reached, among episodes of gold_par whose first attempt was premature",
        "goal",
        f"{_scored('gold-action', acted=True)} AND par",
        "neither",
    )


_ECS = Metric(
    "ecs",
    "Exact case success",
    "the case was solved exactly, as its protocol has it ([E], ECS)",
    "ecs",
    _scored(*CASES),
    "high",
)
_INVESTIGATION = Metric(
    "investigation",
    "Investigation complete",
    "V0 to V3: every required read was covered by the end ([E])",
    "investigation",
    _scored(*INVESTIGATED),
    "high",
)
_SCORED = Metric(
    "scored",
    "Scored",
    "there, and no infrastructure failure, among all planned runs ([E], coverage)",
    "scored",
    better="high",
    planned=True,
)

EVIDENCE: tuple[Metric, ...] = tuple(
    replace(metric, evidence=True)
    for metric in (
        _ECS,
        _planned(_ECS),
        _macro(_ECS, "protocol"),
        _macro(_ECS, "domain"),
        _INVESTIGATION,
        _planned(_INVESTIGATION),
        _SCORED,
        *_diagnostics(),
        *_failures(),
        *_means(),
        *DECISIONS,
        *_curves(),
        *_others(),
    )
)
