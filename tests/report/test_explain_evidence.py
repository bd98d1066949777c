"""The evidence of an episode in words: what was established, what attempts lacked, what came of it."""

import json

import polars as pl
import pytest

from misstep.report.explain import as_text, explain
from misstep.report.explain.evidence import evidence
from misstep.report.explain.evidence_words import filled, reason
from misstep.report.explain.parts import LEDGER, parts
from report.made_evidence import PROTOCOLS, episode_key

Tables = dict[str, pl.LazyFrame]


def story(tables: Tables, task: str, model: str) -> str:
    """Return the part of the text that tells the evidence."""
    text = as_text(explain(tables, f"{task}@{model}"))
    return text[text.index("\nEvidence (") : text.index("\nGoal, on the final state")]


def test_an_early_action_says_what_was_missing_and_when_it_came(case_tables: Tables) -> None:
    text = story(case_tables, "b0", "rash")
    for line in (
        "Evidence (V1: one action)",
        "Acted in step 2, when 1 of 2 required reads were covered.",
        '✓ r1: a read by files.read(id="b0-1") — in step 3, by the read files.read',
        'Attempt 0, step 2, taken for send: files.send({"id":"b0"})',
        "ahead of its evidence, executed: a requirement was not established",
        "gate DEFER; tool, target, arguments, dependencies, binding right; after 1 read, 1 required ones covered",
        "✗ r1 was not read",
        "near miss: it was established too late, in step 3 (files.read)",
        "✗ approved (for send) was not established [approval]: file b0 is approved",
        "needed: a record of file:b0 with approved = true",
        "near miss: something like it was seen, of another entity, in step 1 (files.read)",
        "first attempt ahead of the investigation: yes",
    ):
        assert line in text, text


def test_the_timeline_says_which_calls_were_attempts(case_tables: Tables) -> None:
    told = explain(case_tables, "b0@rash")
    verdict = "ahead of its evidence, executed: a requirement was not established"
    assert [entry.attempt for entry in told.timeline if entry.kind == "call"] == [None, verdict, None]
    assert f"\n        an attempt, {verdict}\n" in as_text(told)


def test_a_broken_rule_is_told_with_its_text(case_tables: Tables) -> None:
    text = story(case_tables, "c0", "rash")
    assert "Against a standing rule in step 1: read-first." in text and "against a rule" in text
    assert "✗ read-first is a rule that was broken: read a file before sending it" in text
    assert "needed: a read by files.read of file:c0" in text


def test_an_early_stop_says_what_was_covered_and_the_stops(case_tables: Tables) -> None:
    text = story(case_tables, "a0", "rash")
    assert "Stopped before the investigation was complete: 50 % of the required reads was covered." in text
    assert '✗ r1: a read by files.read(id="a0-1") — never' in text
    assert "At the end: reported DEFER; what was read says DEFER" in text


def test_a_solved_case_lacks_nothing(case_tables: Tables) -> None:
    told = explain(case_tables, "c0@patient").evidence
    assert told is not None and told.summary == "Solved exactly."
    assert [attempt.lacked for attempt in told.attempts] == [[], []]
    assert [attempt.verdict for attempt in told.attempts] == ["with its evidence, executed"] * 2
    assert "✗" not in story(case_tables, "c0", "patient")


@pytest.mark.parametrize(
    ("task", "model", "why"),
    [("d2", "patient", "the record lost calls that were made"), ("d1", "rash", "its infrastructure failed")],
)
def test_what_is_unknown_says_why(case_tables: Tables, task: str, model: str, why: str) -> None:
    assert why in " ".join(story(case_tables, task, model).split())


def test_checks_that_failed_or_are_unknown_are_named(case_tables: Tables) -> None:
    wrong = [
        pl.lit(False).alias("target_ok"), pl.lit(None, pl.Boolean).alias("binding_ok"),
        pl.lit("wrong_target").alias("reason"),
    ]  # fmt: skip
    text = story(case_tables | {"action_labels": case_tables["action_labels"].with_columns(wrong)}, "b2", "rash")
    assert "tool, arguments, dependencies right; target wrong; binding unknown" in text
    assert "it changes another entity than the action" in text


def test_the_ledger_says_which_call_established_what_and_since_when_it_is_stale(case_tables: Tables) -> None:
    key = episode_key("rash", "b0")
    found = parts(case_tables, [key])
    rows = found.of(found.frames["episodes"].row(0, named=True))
    shown = {"episode": key, "record": 1, "step": 1, "position": 0, "by": "observation",
             "entity": "file:b0", "sure": True, "stale_from": None, "doubt_from": None}  # fmt: skip
    ledger = [
        shown | {"record": 0, "step": -1, "position": None, "by": "context", "field": "owner", "value": '"ann"',
                 "stale_from": None},
        shown | {"field": "approved", "value": "true", "stale_from": 3},
        shown | {"field": "size", "value": None, "doubt_from": 2},
    ]  # fmt: skip
    told = evidence(rows | {LEDGER: ledger})
    assert told is not None
    first, second = told.ledger
    assert (first.step, first.source, first.facts) == (-1, "the task itself", {"owner": '"ann"'})
    assert (second.source, second.entity) == ("the result of files.read", "file:b0")
    assert (second.facts, second.stale) == (
        {"approved": "true", "size": "unknown"},
        {"approved": "stale from step 3", "size": "perhaps stale from step 2"},
    )


def test_the_ledger_stands_in_the_text(case_tables: Tables) -> None:
    observed = pl.DataFrame(
        [{"observation_id": "o" * 32, "record": 0, "field": name, "entity_type": "file", "entity_id": "b0",
          "value": value, "compare": value} for name, value in (("approved", "true"), ("note", '""'))],
        schema=case_tables["observations"].collect_schema(),
    )  # fmt: skip
    first = (pl.col("episode") == episode_key("rash", "b0")) & (pl.col("step") == 1)
    calls = case_tables["calls"].with_columns(pl.when(first).then(pl.lit("o" * 32)).alias("observation_id"))
    text = story(case_tables | {"observations": observed.lazy(), "calls": calls}, "b0", "rash")
    assert "  Established\n    step 1, by the result of files.read: file:b0: approved = true\n" in text


def test_without_evidence_and_rules_there_is_no_story(tables: Tables, case_tables: Tables) -> None:
    assert explain(tables, "t00@hasty").evidence is None
    bare = {name: case_tables[name].filter(False) for name in ("spec/evidence", "spec/rules")}
    assert explain(case_tables | bare, "b0@rash").evidence is None


def test_rules_alone_have_a_story_too(case_tables: Tables) -> None:
    kinds = case_tables["episode_labels"].collect_schema()
    unasked = ("protocol", "ecs", "gap", "partial", "failure")
    labels = case_tables["episode_labels"].with_columns(pl.lit(None).cast(kinds[name]).alias(name) for name in unasked)
    rules = case_tables["requirement_labels"].filter(pl.col("kind") == "rule")
    changed = {
        "episode_labels": labels,
        "requirement_labels": rules,
        "spec/evidence": case_tables["spec/evidence"].filter(False),
    }
    text = story(case_tables | changed, "c0", "rash")
    assert "required ones covered" not in text
    assert text.startswith("\nEvidence (standing rules)") and "Against a standing rule in step 1: read-first." in text


def test_every_episode_can_be_told_as_text_and_as_plain_values(case_tables: Tables) -> None:
    for task, protocol in PROTOCOLS.items():
        told = explain(case_tables, f"{task}@rash")
        assert json.loads(json.dumps(told.as_dict()))["evidence"]["protocol"] == protocol
        assert max(map(len, as_text(told).splitlines())) <= 115


def test_arguments_of_the_attempt_are_put_in(case_tables: Tables) -> None:
    call = {"executed_arguments": None, "requested_arguments": '{"id": "f1", "slots": {"n": 3}}'}
    assert filled("file:{id} with n = {slots.n}, x = {other}", call) == "file:f1 with n = 3, x = {other}"
    assert filled("file:{id}", call | {"requested_arguments": "not JSON"}) == "file:{id}"
    assert filled("file:{id}", None) == "file:{id}"


def test_an_unknown_label_does_not_merely_say_unknown() -> None:
    assert reason("unknown") == "what was read, compared or executed is not known well enough"
    assert reason("not_ended") == "the episode did not come to its own end"
