"""What is generated from the contracts: JSON Schemas of the file formats and the data dictionary of the tables."""

from __future__ import annotations

import json
from typing import Any

import dataframely as dy
from pydantic import BaseModel

from misstep.contracts.corpora import CorporaFile
from misstep.contracts.problems import CODES
from misstep.contracts.published import PublishedFile
from misstep.contracts.study import Study
from misstep.contracts.suite import SuiteFile, Task
from misstep.contracts.tables import ALL
from misstep.contracts.tools import ToolsFile
from misstep.contracts.trace_file import TraceLine

#: File formats, by the name of their published schema.
FORMATS: dict[str, type[BaseModel]] = {
    "trace": TraceLine,
    "suite": SuiteFile,
    "tools": ToolsFile,
    "task": Task,
    "study": Study,
    "published": PublishedFile,
    "corpora": CorporaFile,
}


def format_schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema of a file format (a key of `FORMATS`)."""
    schema = FORMATS[name].model_json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"misstep.{name}/1", **schema}


def table_columns(name: str) -> list[dict[str, Any]]:
    """Return name, type, nullability, key and description of each column of a table (a key of `tables.ALL`)."""
    return [
        {
            "column": column,
            "type": type_text(definition),
            "nullable": definition.nullable,
            "key": definition.primary_key,
            "description": definition.description or "",
        }
        for column, definition in ALL[name].columns().items()
    ]


def type_text(column: dy.Column) -> str:
    """Return a column's type as one reads it: `text`, `list of {field: text, …}`."""
    if isinstance(column, dy.List):
        return f"list of {type_text(column.inner)}"
    if isinstance(column, dy.Struct):
        return "{" + ", ".join(f"{name}: {type_text(inner)}" for name, inner in column.inner.items()) + "}"
    if isinstance(column, dy.Enum):
        return " | ".join(column.categories)
    names = {"String": "text", "Int64": "integer", "Float64": "number", "Bool": "boolean"}
    return names[type(column).__name__]


def dictionary() -> str:
    """Return the data dictionary of all tables and problem codes as Markdown."""
    lines = ["# Data dictionary", "", "Generated from the contracts by `misstep schema --write`; do not edit.", ""]
    for name, schema in ALL.items():
        lines += [f"## {name}", "", (schema.__doc__ or "").strip(), ""]
        lines += ["| column | type | null | meaning |", "| --- | --- | --- | --- |"]
        for row in table_columns(name):
            mark = " (key)" if row["key"] else ""
            null = "yes" if row["nullable"] else ""
            kind = str(row["type"]).replace("|", "\\|")
            lines.append(
                f"| {row['column']}{mark} | {kind} | {null} | {row['description'].replace('|', chr(92) + '|')} |"
            )
        lines.append("")
    lines += ["## Codes of the problems table", "", "| code | severity | meaning |", "| --- | --- | --- |"]
    lines += [f"| {code} | {known.severity} | {known.meaning} |" for code, known in CODES.items()]
    return "\n".join(lines) + "\n"


def generated() -> dict[str, str]:
    """Return the text of every generated file, by its path below the repository."""
    files = {"docs/dictionary.md": dictionary()}
    for name in FORMATS:
        files[f"docs/schemas/{name}.json"] = json.dumps(format_schema(name), indent=2, ensure_ascii=False) + "\n"
    return files
