"""tau-bench and tau2-bench: replayed calls, and whether the database ends as the expected calls leave it."""

from __future__ import annotations

from agreement.corpus import Labelled, Rate, read_lines

ORACLES = {"tau-airline": "replay_gpt-4o-airline", "tau-retail": "replay_grok-3-retail"}
SPENT = "an expected write that can never take effect for a reason the tools file cannot say (a balance that is short)"
STOPPED = "the run stopped at its limit of turns, with the database as expected"
ASSERTED = (
    "the database differs and nothing unauthorized was written: the task is judged by assertions, not by this state"
)
OTHER = "other"


def compare_tau(found: Labelled) -> list[Rate]:
    """Return agreement with the replay of every call, and with the entities that differ at the end."""
    effective = Rate("effective = state changed, per write call", least=0.995)
    silent = Rate("calls that answered without an error and changed nothing are no-ops", least=1.0)
    extra = Rate("CD where an entity changed that the expected calls leave alone", least=1.0)
    matched = Rate("CD where the database ends as expected", most=0.01)
    goal = Rate("goal = the database ends as expected")
    replayed = list(read_lines(found.corpus / "oracle" / f"{ORACLES[found.name]}.jsonl.gz"))
    for episode in found.episodes:
        truth = replayed[episode["source_line"] - 1]
        assert str(truth["task_id"]) == episode["task_id"]
        for call, one in zip(found.calls.get(episode["episode"], []), truth["calls"], strict=True):
            if call["kind"] in ("write", "both"):
                effective.count(found.effective(call) == one["state_changed"], OTHER)
                if call["outcome"] == "applied" and not one["state_changed"]:
                    silent.count(not found.effective(call), OTHER)
        if any(not entity.startswith("users/") for entity in truth["extra_entities"]):
            extra.count(episode["cd"] is True, OTHER)
        if truth["db_match"]:
            matched.count(episode["cd"] is True, OTHER)
        goal.count(episode["goal"] == truth["db_match"], STOPPED if episode["status"] == "budget_exhausted" else OTHER)
    return [effective, *([silent] if silent.total else []), extra, matched, goal]


def compare_tau2(found: Labelled) -> list[Rate]:
    """Return agreement with the benchmark's check of the database; episodes of which the task is unknown are left out.

    In telecom there is no bound: several ways lead to the goal, and the benchmark does not judge by the database there.
    """
    bounded = found.name != "tau2-telecom"
    check = Rate("CD, or the goal is missed, = the database differs", least=0.99 if bounded else None)
    matched = Rate("CD where the database ends as expected", most=0.01 if bounded else None, rare=True)
    for episode in found.episodes:
        told = ((found.record(episode).get("reward_info") or {}).get("db_check") or {}).get("db_match")
        if told is None or episode["task_id"].startswith("unresolved:"):
            continue
        missed = episode["cd"] is True or episode["goal"] is False
        check.count(missed == (not told), (SPENT if told and not episode["cd"] else OTHER) if bounded else ASSERTED)
        if told:
            matched.count(episode["cd"] is True, OTHER)
    return [check, matched]
