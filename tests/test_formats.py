"""The published file formats are those that the code reads and writes."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from misstep.contracts.publish import FORMATS, format_schema, table_columns
from misstep.contracts.tables import ALL
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


def undescribed(schema: dict[str, Any]) -> Iterator[str]:
    """Yield the fields of a schema, and of what it is made of, that no description explains."""
    for name, part in {"": schema, **schema.get("$defs", {})}.items():
        for field, known in part.get("properties", {}).items():
            if not known.get("description"):
                yield f"{name}.{field}"


@pytest.mark.parametrize("name", FORMATS)
def test_every_field_of_a_format_is_described(name: str) -> None:
    assert list(undescribed(format_schema(name))) == []


@pytest.mark.parametrize("name", ALL)
def test_every_column_of_a_table_is_described(name: str) -> None:
    assert (ALL[name].__doc__ or "").strip()
    assert [row["column"] for row in table_columns(name) if not row["description"]] == []


def test_a_field_without_description_is_found() -> None:
    part = {"properties": {"a": {"type": "string"}, "b": {"description": "the b"}}}
    assert list(undescribed({**part, "$defs": {"Inner": part}})) == [".a", "Inner.a"]
