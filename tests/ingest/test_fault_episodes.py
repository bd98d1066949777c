"""Faults of episodes and identity, and of versions, as far as reading is concerned."""

import json
from typing import Any

import pytest

from ingest.reading import Reading, asks, chat, gives, line
from misstep.contracts.errors import InputError, UsageError
from misstep.ingest.files import nothing_recognised


@pytest.mark.parametrize(
    ("value", "task_id", "numeric"),
    [
        pytest.param(1, "1", True, id="53-number"),
        pytest.param("1", "1", False, id="53-text"),
        pytest.param(1.0, "1", True, id="53-float"),
        pytest.param("0030", "0030", False, id="53-text-with-zeros"),
    ],
)
def test_ids_become_text_and_say_what_they_were(reads: Reading, value: Any, task_id: str, numeric: bool) -> None:
    (episode,) = reads(line({"episode_id": value, "messages": [{"role": "user"}]})).episodes

    assert (episode.task_id, episode.numeric_id) == (task_id, numeric)


@pytest.mark.parametrize(
    ("fields", "task_id", "replicate", "run"),
    [
        pytest.param({"episode_id": "e1", "task_id": "t1", "epoch": 1}, "t1", 1, "e1", id="54-epoch"),
        pytest.param({"episode_id": "e1", "task_id": "t1", "trial": "2"}, "t1", 2, "e1", id="54-trial-as-text"),
        pytest.param({"episode_id": "e1", "trial": 0}, "e1", 0, None, id="54-only-an-episode-id"),
        pytest.param({"task_id": "t1", "run": "r2"}, "t1", None, "r2", id="56-run"),
        pytest.param({"task_id": "t1", "run_id": 7}, "t1", None, "7", id="56-run-is-a-number"),
        pytest.param({}, "a:1", None, None, id="54-no-id-at-all"),
    ],
)
def test_identity(reads: Reading, fields: Any, task_id: str, replicate: int | None, run: str | None) -> None:
    (episode,) = reads(line({"messages": [{"role": "user"}], **fields})).episodes

    assert (episode.task_id, episode.replicate, episode.run) == (task_id, replicate, run)


def test_55_lineage_and_event_ids_are_kept(reads: Reading) -> None:
    (episode,) = reads(line(chat(lineage="s1", event_ids=["a", 2]))).episodes

    assert (episode.lineage, episode.event_ids) == ("s1", ["a", "2"])


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        pytest.param({"termination": "context_length"}, "aborted", id="59-context"),
        pytest.param({"termination": "infrastructure_error"}, "infrastructure_failure", id="59-infrastructure"),
        pytest.param({"status": "max_steps"}, "budget_exhausted", id="59-steps"),
        pytest.param({"termination_reason": "TerminationReason.MAX_STEPS"}, "budget_exhausted", id="59-enumeration"),
        pytest.param({"termination": "user_stop"}, "completed", id="59-stopped-by-the-user"),
        pytest.param({"termination": "no idea"}, "unknown", id="59-other-word"),
        pytest.param({"termination": 3}, "unknown", id="59-no-word"),
        pytest.param({"error": "Error code: 503"}, "infrastructure_failure", id="59-error-of-a-server"),
        pytest.param({"error": "maximum context length exceeded"}, "aborted", id="59-error-of-context"),
        pytest.param({"error": "KeyError: x", "status": "completed"}, "aborted", id="59-error-though-completed"),
        pytest.param({}, "completed", id="59-nothing-said"),
    ],
)
def test_status(reads: Reading, fields: Any, status: str) -> None:
    (episode,) = reads(line(chat({"role": "assistant", "content": "Done."}, **fields))).episodes

    assert episode.status == status


def test_59_a_run_that_still_wanted_to_call_is_not_called_complete(reads: Reading) -> None:
    (episode,) = reads(line(chat(asks(("c1", "pay", "{}"))))).episodes

    assert episode.status == "unknown"


def test_60_an_episode_without_calls_is_an_episode(reads: Reading) -> None:
    got = reads(line({"episode_id": "e60", "messages": [{"role": "assistant", "content": "Done."}]}))

    (episode,) = got.episodes
    assert (episode.calls, episode.steps, episode.calls_lost, got.codes) == ([], 1, False, [])


def test_60_an_episode_without_messages_is_not_clean(reads: Reading) -> None:
    (episode,) = reads(line({"episode_id": "e", "messages": []})).episodes

    assert (episode.status, episode.calls_lost) == ("unknown", True)


def trace(*events: dict[str, Any], **fields: Any) -> bytes:
    return line({"schema": "misstep.trace/1", "task_id": "t1", "events": list(events), **fields})


SAID = {"type": "message", "step": 0, "role": "user", "text": "do it"}


def called(**fields: Any) -> dict[str, Any]:
    return {"type": "call", "step": 1, "tool": "pay", "arguments": {}, "result": {"id": "T-1"}, **fields}


def test_61_calls_of_every_branch_count_and_compaction_is_nothing(reads: Reading) -> None:
    compaction = {"type": "compaction", "step": 2, "text": "the story so far"}
    got = reads(trace(SAID, called(id="a"), called(id="b", parent="a"), compaction, called(id="c", parent="a", step=3)))

    (episode,) = got.episodes
    assert [(call.call_id, call.parent) for call in episode.calls] == [("a", None), ("b", "a"), ("c", "a")]
    assert got.codes == ["unknown-record-kind"]


@pytest.mark.parametrize(
    "kinds", [pytest.param(["response_item/message_v9"], id="73-one"), pytest.param(["x", "y", "x"], id="73-several")]
)
def test_only_unknown_kinds_are_named(reads: Reading, kinds: list[str]) -> None:
    got = reads(trace(*({"type": kind} for kind in kinds)))

    assert got.codes == ["not-an-episode"]
    assert set(got.account.kinds) == set(kinds)
    assert all(kind in str(nothing_recognised("a.jsonl", got.account)) for kind in kinds)


@pytest.mark.parametrize(
    ("fields", "codes"),
    [
        pytest.param({}, [], id="74-ours"),
        pytest.param({"schema": "misstep.trace/1.3"}, [], id="74-minor"),
        pytest.param({"schema": None}, ["missing-schema"], id="74-absent"),
        pytest.param({"schema": None, "schema_version": 1}, [], id="74-number"),
        pytest.param({"colour": 1, "shape": 2}, ["extra-field", "extra-field"], id="74-extra-fields"),
    ],
)
def test_versions(reads: Reading, fields: Any, codes: list[str]) -> None:
    got = reads(trace(SAID, **fields))

    assert got.ids == ["t1"]
    assert got.codes == codes


@pytest.mark.parametrize(
    "record",
    [
        pytest.param({"schema": "misstep.trace/2", "task_id": "t", "events": []}, id="74-newer"),
        pytest.param({"schema": "misstep.trace/2", "task_id": "t", "episodes": []}, id="74-newer-and-other"),
        pytest.param({"schema_version": 99, "task_id": "t", "events": []}, id="74-newer-number"),
        pytest.param({"schema_version": "99.1", "task_id": "t", "events": []}, id="74-newer-text"),
        pytest.param({"schema_version": 99, "episode_id": "e", "messages": []}, id="74-newer-messages"),
        pytest.param({"schema": "other", "task_id": "t", "events": []}, id="74-unreadable"),
    ],
)
def test_newer_versions_stop(reads: Reading, record: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="upgrade misstep"):
        reads(line(record))


def test_extra_fields_of_events_are_counted(reads: Reading) -> None:
    got = reads(trace(SAID, called(cost=1), called(cost=2)))

    assert [message for _, message in got.faults] == ["the field is not of the format (2 times)"]
    assert len(got.episodes[0].calls) == 2


def test_trace_events(reads: Reading) -> None:
    got = reads(
        trace(
            SAID,
            called(id="c1", outcome="applied", time="2026-01-01T00:00:00Z"),
            called(outcome="failed", result=None, error="no"),
            called(step=2, actor="user", arguments="{}", executed={"a": 1}, outcome=None, error={"message": "late"}),
            {"type": "message", "step": 2, "role": "assistant", "text": "done"},
            status="budget_exhausted",
            decision={"type": "NO_ACTION", "outcome": "DEFER"},
            replicate=3,
            model="m",
        )
    )

    (episode,) = got.episodes
    first, second, third = episode.calls
    assert (first.step, first.position, first.outcome, first.structured) == (1, 0, "applied", {"id": "T-1"})
    assert (second.step, second.position, second.outcome, second.error) == (1, 1, "failed", "no")
    assert (third.step, third.actor, third.executed, third.failed, third.error) == (2, "user", {"a": 1}, True, "late")
    assert (episode.decision_type, episode.decision_outcome, episode.status) == (
        "NO_ACTION",
        "DEFER",
        "budget_exhausted",
    )
    assert (episode.replicate, episode.model, episode.steps) == (3, "m", 3)
    assert got.codes == ["arguments-rewritten"]


def test_trace_without_steps_counts_messages(reads: Reading) -> None:
    bare = {"type": "call", "tool": "get", "result": "x"}
    talk = {"type": "message", "role": "assistant", "text": "hm"}
    (episode,) = reads(trace({"type": "message", "role": "user", "text": "a"}, talk, bare, bare, talk, bare)).episodes

    assert [(call.step, call.position) for call in episode.calls] == [(1, 0), (1, 1), (2, 0)]


@pytest.mark.parametrize("result", [pytest.param({}, id="absent"), pytest.param({"outcome": "unknown"}, id="unknown")])
def test_37_trace_call_without_result(reads: Reading, result: Any) -> None:
    event = {"type": "call", "step": 1, "tool": "pay", "arguments": {}, **result}
    (episode,) = reads(trace(SAID, event)).episodes

    assert not episode.calls[0].has_result


def test_unknown_words_are_said(reads: Reading) -> None:
    got = reads(trace(SAID, called(outcome="maybe"), status="odd"))

    assert (got.episodes[0].status, got.episodes[0].calls[0].outcome) == ("unknown", "unknown")
    assert got.codes == ["unknown-record-kind", "unknown-record-kind"]


def test_forced_formats(reads: Reading) -> None:
    data = line({"task_id": 1, "traj": [{"role": "user", "content": "x"}]})

    assert reads(data).file is not None and reads(data, format="tau-bench").file.format == "tau_bench"  # type: ignore[union-attr]
    with pytest.raises(UsageError, match="there is no format"):
        reads(data, format="excel")


def test_72_text_is_never_run(reads: Reading) -> None:
    subject = 'say "hi"; __import__("os").abort()'
    (episode,) = reads(line(chat(asks(("c1", "send", json.dumps({"subject": subject}))), gives("c1", "ok")))).episodes

    assert episode.calls[0].arguments == {"subject": subject}


@pytest.mark.parametrize(
    "forced", [pytest.param(None, id="73-detected"), pytest.param("misstep_trace", id="73-forced")]
)
def test_kinds_of_other_records_are_named(reads: Reading, forced: str | None) -> None:
    got = reads(b"".join(line({"type": kind, "id": 1}) for kind in ("item/a_v9", "item/b_v9")), format=forced)

    assert got.episodes == []
    assert any("item/a_v9" in message for _, message in got.faults)


def test_74_a_version_nobody_reads_comes_with_advice(reads: Reading) -> None:
    got = reads(line({"schema_version": 99, "spans": []}))

    assert "schema_version may be newer" in got.faults[0][1]


@pytest.mark.parametrize(
    ("value", "read", "codes"),
    [
        pytest.param(2, 2, [], id="number"),
        pytest.param("3", 3, [], id="text"),
        pytest.param(None, None, [], id="absent"),
        pytest.param(1.5, None, ["bad-value"], id="fraction"),
        pytest.param(True, None, ["bad-value"], id="flag"),
        pytest.param("x", None, ["bad-value"], id="word"),
        pytest.param(2**70, None, ["bad-value"], id="too-large"),
        pytest.param("9" * 5000, None, ["bad-value"], id="digits-without-end"),
    ],
)
def test_replicates(reads: Reading, value: Any, read: int | None, codes: list[str]) -> None:
    for got in (reads(trace(SAID, replicate=value)), reads(line(chat(epoch=value)))):
        assert ([episode.replicate for episode in got.episodes], got.codes) == ([read], codes)


@pytest.mark.parametrize(
    ("schema", "ids", "code", "said"),
    [
        pytest.param("other/1", 0, "not-an-episode", "'other/1', not misstep.trace/1", id="another-format"),
        pytest.param("other/2", 0, "not-an-episode", "'other/2', not misstep.trace/1", id="another-format-and-version"),
        pytest.param(1, 1, "missing-schema", "1 names no format", id="number-alone"),
        pytest.param("1", 1, "missing-schema", "'1' names no format", id="text-alone"),
    ],
)
def test_74_schemas_of_no_or_another_name(reads: Reading, schema: Any, ids: int, code: str, said: str) -> None:
    got = reads(trace(SAID, schema=schema))

    assert len(got.episodes) == ids
    assert got.codes == [code]
    assert said in got.faults[0][1]


@pytest.mark.parametrize(
    ("fields", "there", "failed"),
    [
        pytest.param({"result": "ok", "error": ""}, True, None, id="empty-error"),
        pytest.param({"error": ""}, False, None, id="empty-error-alone"),
        pytest.param({"error": True}, True, True, id="flag"),
        pytest.param({"error": "no such"}, True, True, id="text"),
    ],
)
def test_errors_of_trace_calls(reads: Reading, fields: Any, there: bool, failed: bool | None) -> None:
    (episode,) = reads(trace(SAID, {"type": "call", "tool": "pay", "arguments": {}, **fields})).episodes
    (call,) = episode.calls

    assert (call.has_result, call.failed) == (there, failed)


@pytest.mark.parametrize(
    ("event", "lost"),
    [
        pytest.param({"type": "tool_call", "name": "pay"}, True, id="kind-of-call"),
        pytest.param({"type": "action", "tool": "pay", "more": 1}, True, id="event-with-a-tool"),
        pytest.param({"type": "note", "text": "x"}, False, id="something-else"),
    ],
)
def test_events_of_unknown_kinds_that_are_calls_are_lost_calls(reads: Reading, event: Any, lost: bool) -> None:
    (episode,) = reads(trace(SAID, event)).episodes

    assert episode.calls_lost == lost
    assert [fault.code for fault in episode.faults if fault.code == "lost-calls"] == ["lost-calls"] * lost
