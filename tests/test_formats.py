"""The published file formats are those that the code reads and writes."""

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from misstep.contracts.publish import FORMATS, format_schema
from misstep.contracts.trace_file import CallEvent, MessageEvent, TraceLine
from misstep.ingest.readers import misstep_trace
from misstep.storage.bundled import bundled
from misstep.suites.build import build_suite


def names(model: type[TraceLine] | type[CallEvent] | type[MessageEvent]) -> set[str]:
    return {field.alias or name for name, field in model.model_fields.items()}


def test_the_reader_knows_every_field_of_the_trace_format() -> None:
    line = set(misstep_trace.Line.__struct_fields__)
    event = set(misstep_trace.Event.__struct_fields__)
    assert names(TraceLine) == line - {"schema_version"}
    assert names(CallEvent) | names(MessageEvent) == event


def test_bundled_traces_are_of_the_published_format(tmp_path: Path) -> None:
    build_suite("office", tmp_path, bundled("suites/office"))
    traces = sorted((tmp_path / "traces").glob("*.jsonl"))
    lines = [json.loads(line) for path in traces for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(lines) >= 72
    for line in lines:
        TraceLine.model_validate(line)


def test_an_event_of_another_type_is_no_trace() -> None:
    line = {"schema": "misstep.trace/1", "task_id": "t", "events": [{"type": "thought", "text": "x"}]}
    with pytest.raises(ValidationError, match="thought"):
        TraceLine.model_validate(line)


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_has_a_schema_with_an_identity(name: str) -> None:
    schema = format_schema(name)
    assert schema["$id"] == f"misstep.{name}/1"
    assert schema["properties"]
