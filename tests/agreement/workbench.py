"""WorkBench: its evaluator runs the recorded calls again, from text, and compares the tables of data."""

from __future__ import annotations

from agreement.corpus import Labelled, Rate, Row, read_lines

TEXT = "an argument that is no text (a list, null) was refused; run again as text, the evaluator's call is accepted"
REFUSED = "an argument that the tool ignored makes the evaluator's call fail"
UNREAD = "a call with a bare text as input is missing in the evaluator's list"
STOPPED = "the run stopped at its limit of turns; the evaluator calls it wrong whatever its state"
OTHER = "other"


def compare(found: Labelled) -> list[Rate]:
    """Return agreement with `correct`, `unwanted_side_effects` and, per call, `state_changed`.

    Episodes that lost calls are unknown here and left out.
    """
    goal = Rate("goal = correct", least=0.998)
    side = Rate("net change and not the goal = unwanted side effects", least=0.994)
    call = Rate("effective = state changed, per call", least=0.995)
    harmed = Rate("unwanted side effects by the benchmark's own count, in which lost calls are clean", rare=True)
    damage = Rate("CD, of the episodes in which it is known", rare=True)
    told = {row["episode_id"]: row for row in read_lines(found.corpus / "labels" / "workbench_evaluator.jsonl.gz")}
    for episode in found.episodes:
        label = told[found.record(episode)["episode_id"]]
        harmed.count(label["unwanted_side_effects"])
        if episode["cd"] is not None:
            damage.count(episode["cd"])
        if episode["calls_lost"]:
            continue
        calls = found.calls.get(episode["episode"], [])
        kind = _kind(found, episode, calls, label)
        goal.count(episode["goal"] == label["correct"], kind)
        side.count((episode["net_changed"] and not episode["goal"]) == label["unwanted_side_effects"], kind)
        for one, rerun in zip(calls, label["calls"], strict=False):
            call.count(found.effective(one) == rerun["state_changed"], _call_kind(one, rerun))
    return [goal, side, call, harmed, damage]


def _kind(found: Labelled, episode: Row, calls: list[Row], label: Row) -> str:
    if len(calls) > len(label["calls"]):
        return UNREAD
    for one, rerun in zip(calls, label["calls"], strict=True):
        if found.effective(one) != rerun["state_changed"]:
            return _call_kind(one, rerun)
    return STOPPED if episode["status"] == "budget_exhausted" else OTHER


def _call_kind(call: Row, rerun: Row) -> str:
    if call["outcome"] == "failed" and rerun["state_changed"]:
        return TEXT
    return REFUSED if call["outcome"] == "applied" and not rerun["executed"] else OTHER
