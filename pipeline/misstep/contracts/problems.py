"""The codes of the `problems` table: everything that could not be read as it was written."""

from __future__ import annotations

from typing import Literal, NamedTuple

Severity = Literal["note", "problem"]


class Code(NamedTuple):
    """A kind of trace fault: how severe it is, and what it means to the reader of the table."""

    severity: Severity
    meaning: str


#: note = read after a harmless normalisation, row kept; problem = the smallest part was set aside.
CODES: dict[str, Code] = {
    # bytes and lines
    "torn-tail": Code("problem", "the last line is cut off: the file is incomplete"),
    "bad-json": Code("problem", "a record is not valid JSON"),
    "nul-bytes": Code("problem", "a line holds a run of NUL bytes"),
    "bom": Code("note", "a UTF-8 byte order mark at the start of the file was skipped"),
    "line-too-long": Code("problem", "a line is longer than the limit and was not held in memory"),
    "empty-file": Code("problem", "the file holds no record"),
    "json-array": Code("note", "the file is one JSON array; its elements are the records"),
    "bad-utf8": Code("problem", "a record holds bytes that are not UTF-8"),
    "bad-compression": Code("problem", "the compressed data ends early or is damaged"),
    "not-an-episode": Code("problem", "a record is valid JSON but no episode of the recognised format"),
    "unknown-format": Code("problem", "no reader recognises the file"),
    "unread-file": Code("note", "something in a folder that is no trace file by its name, or no file, was left out"),
    # values
    "non-finite": Code("note", "NaN or an infinite number outside of arguments was read as null"),
    "non-finite-arg": Code("problem", "NaN or an infinite number in arguments was kept as text"),
    "lone-surrogate": Code("note", "half a surrogate pair in text was replaced by U+FFFD"),
    "lone-surrogate-arg": Code("problem", "half a surrogate pair in an id or an argument was replaced by U+FFFD"),
    "duplicate-key": Code("problem", "an object names a key twice (looked for with --strict-json)"),
    "double-encoded": Code("note", "arguments were JSON text inside JSON text"),
    "naive-time": Code("note", "a time without a zone was left out"),
    "time-goes-back": Code("note", "times are not in the order of the record; the record's order counts"),
    "nested-too-deep": Code("problem", "a record is nested deeper than can be read"),
    "bad-value": Code("problem", "a field holds another kind of value than the format says; it was left out"),
    # calls
    "bad-arguments": Code("problem", "arguments are not JSON; kept as text, their values are unknown"),
    "empty-arguments": Code("note", "arguments were absent, null or blank and read as no arguments"),
    "arguments-not-object": Code("problem", "arguments are JSON but no object; their values are unknown"),
    "arguments-rewritten": Code("note", "the harness ran other arguments than the agent asked for"),
    "undeclared-argument": Code("note", "a call has an argument that the tools file does not declare"),
    "bare-string-input": Code("note", "a bare string was read as the tool's only parameter"),
    "unjoined-deltas": Code("problem", "streamed fragments of a call cannot be joined"),
    "unknown-tool": Code("problem", "the tools file does not know the tool that was called"),
    # results and pairing
    "conflicting-outcome": Code("problem", "the status and the text of a result contradict each other"),
    "error-like-text": Code("note", "a result reads like an error, but no rule of the tools file says so"),
    "missing-attachment": Code("problem", "a result points to an attachment that is not in the record"),
    "truncated-result": Code("note", "a result was cut by the harness: it proves only what it shows"),
    "non-text-block": Code("note", "a block of content that is not text was counted, not read"),
    "redacted": Code("note", "a value was redacted and is unknown"),
    "missing-result": Code("note", "a call has no result: its outcome is unknown"),
    "duplicate-call-id": Code("note", "several calls share an id; they were paired by position"),
    "ambiguous-pair": Code("problem", "a result fits more than one call; outcomes are unknown"),
    "orphan-result": Code("problem", "a result belongs to no call"),
    "possible-duplicate": Code("note", "a write repeats one whose outcome is unknown"),
    "batch-duplicate": Code("note", "a batch call names an element twice"),
    "unbound-record": Code("note", "a shown record or written entity has no id where the tools file says it is"),
    # episodes and identity
    "id-collision": Code("problem", 'two ids are equal as text but not as JSON (1 and "1")'),
    "duplicate-episode": Code("problem", "an episode with the key of another one, but other content, was set aside"),
    "repeated-episode": Code("problem", "an identical copy of an episode was set aside"),
    "copied-history": Code("note", "events that another record of the same lineage tells were counted there"),
    "superseded-attempt": Code("note", "an attempt that --attempts leaves out was set aside"),
    "failed-run": Code("note", "the run failed, or its record breaks the benchmark's contract; what it did is there"),
    "lost-calls": Code("problem", "the record lost calls that were made; labels that need them are unknown"),
    "repaired-task-id": Code("problem", "the recorded task id contradicts the gold actions; another task fits them"),
    "unresolved-task-id": Code("problem", "the recorded task id contradicts the gold actions; no one task fits them"),
    "unknown-task": Code("problem", "the suite has no task of that id"),
    "missing-template": Code("note", "a task without a template counts as its own cluster"),
    # versions
    "newer-schema": Code("problem", "the record was written by a newer major version of the format"),
    "missing-schema": Code("note", "the record names no schema and was read as version 1"),
    "extra-field": Code("note", "a field that the format does not know was set aside"),
    "unknown-record-kind": Code("note", "a kind of record that the format does not know was set aside"),
}

#: Codes of records that are no whole JSON text: whatever they were is lost.
DAMAGE = frozenset(
    {"torn-tail", "bad-json", "nul-bytes", "line-too-long", "bad-utf8", "bad-compression", "nested-too-deep"}
)


def severity(code: str) -> Severity:
    """Return how severe a problem code is; a code that is not in `CODES` is a defect (KeyError)."""
    return CODES[code].severity
