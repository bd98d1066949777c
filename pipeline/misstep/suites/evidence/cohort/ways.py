"""The ways in which an episode of the cohort can end, as far as the printed figures tell them apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

PROTOCOLS = ("Legacy", "V0", "V1", "V2", "V3")
WORKFLOWS = ("V2", "V3")


@dataclass(frozen=True)
class Way:
    """How an episode ends.

    Attributes:
        name: unique in its protocol.
        end: what the labels call it: `solved`, else the failure (of Legacy: `wrong`).
        complete: whether the investigation is complete by the end; Legacy has none.
        weight: share that it has before any figure is looked at, compared with others of its protocol.
    """

    name: str
    end: str
    complete: bool
    weight: float = 1.0


SOLVED = "solved"
_RIGHT = Way(SOLVED, SOLVED, complete=True, weight=12)
_OF_WORKFLOWS = (
    _RIGHT,
    Way("gap", "gap", complete=False, weight=3),
    Way("gap, investigated late", "gap", complete=True),
    Way("partial", "partial", complete=False),
    Way("partial, investigated", "partial", complete=True),
    Way("gap and partial", "gap_partial", complete=False, weight=3),
    Way("gap and partial, investigated late", "gap_partial", complete=True),
    Way("other", "other", complete=False, weight=0.6),
    Way("other, investigated", "other", complete=True, weight=0.4),
)
#: Protocol → its ways. What is not printed is left to the weights, among it how often an agent reads on after it acted.
WAYS: Mapping[str, tuple[Way, ...]] = {
    "Legacy": (
        Way(SOLVED, SOLVED, complete=False, weight=12),
        Way("wrong: ALLOW", "wrong", complete=False),
        Way("wrong: BLOCK", "wrong", complete=False),
        Way("wrong: DEFER", "wrong", complete=False),
    ),
    "V0": (
        _RIGHT,
        Way("stopped early", "incomplete_investigation", complete=False, weight=6),
        Way("acted", "other", complete=False),
        Way("acted, investigated", "other", complete=True, weight=0.5),
        Way("wrong stop", "other", complete=True, weight=0.5),
    ),
    "V1": (
        _RIGHT,
        Way("acted early", "early_action", complete=False, weight=6),
        Way("acted early, investigated late", "early_action", complete=True),
        Way("failed after investigation", "covered_action_failure", complete=True, weight=0.4),
        Way("no action", "no_action", complete=False, weight=0.4),
        Way("no action, investigated", "no_action", complete=True, weight=0.3),
    ),
    "V2": _OF_WORKFLOWS,
    "V3": _OF_WORKFLOWS,
}


@dataclass(frozen=True, order=True)
class Configuration:
    """A model in a harness, by the names that [E] prints."""

    model: str
    harness: str

    @property
    def own(self) -> bool:
        """Whether it is the harness of the model's family."""
        return self.harness != "Inspect"


CONFIGURATIONS: tuple[Configuration, ...] = tuple(
    Configuration(model, harness)
    for model, family in (
        ("Claude-5", "Claude Code"),
        ("GPT-5.6", "Codex"),
        ("DeepSeek-V4", "DSH"),
        ("Qwen3.8", "Qwen Code"),
        ("GLM-5.2", "ZCode"),
    )
    for harness in (family, "Inspect")
)
REPLICATES = (1, 2, 3)
#: The way of a run that is not scored.
LOST = "not scored"
MAIN, ORIGINAL = "main", "original"


@dataclass(frozen=True)
class Case:
    """A case as the plan sees it.

    Attributes:
        case_id: its name.
        domain: name of its domain.
        protocol: one of `PROTOCOLS`.
        workflow: name of what it is made from.
        ways: names of those ways of its protocol in which an episode can end.
        answer: the right judgement, ALLOW, BLOCK or DEFER (V1 to V3: ALLOW).
        altered: whether it can be given with its evidence withheld or contradicted; only V1 cases are.
    """

    case_id: str
    domain: str
    protocol: str
    workflow: str
    ways: frozenset[str]
    answer: str = "ALLOW"
    altered: bool = True

    def able(self, way: Way) -> bool:
        """Return whether an episode of the case can end so."""
        return way.name in self.ways


@dataclass(frozen=True)
class Role:
    """What a configuration does on a case.

    Attributes:
        configuration: who.
        case: on which case.
        way: name of how it ends: a way of the protocol in the main runs, else what `conditions` says.
        replicate: which of the replicates.
        condition: `original`, or what is different about the case.
        status: how the run ended, in the words of traces; `infrastructure_failure`: it is not scored.
        run: `main`, or the name of a run of its own.
        group: which triple of cases it belongs to, where these count together.
    """

    configuration: Configuration
    case: Case
    way: str
    replicate: int = 1
    condition: str = ORIGINAL
    status: str = "completed"
    run: str = MAIN
    group: str = ""


def way_of(protocol: str, name: str) -> Way:
    """Return the way of a protocol that has this name.

    Raises:
        KeyError: it has none.
    """
    return _BY_NAME[protocol, name]


_BY_NAME = {(protocol, way.name): way for protocol, ways in WAYS.items() for way in ways}
