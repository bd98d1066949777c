"""A tiny suite, episodes of it, and what an ingest makes of them."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from misstep.contracts.tables import TRACES
from misstep.ingest.run import ingest
from misstep.specs.load import Suite, load_suite
from misstep.storage.parquet import digest, scan

TOOLS: dict[str, Any] = {
    "schema": "misstep.tools/1",
    "tools": {
        "orders.get": {
            "kind": "read",
            "parameters": {"id": "text"},
            "observes": [{"entity": "order:{result.id}", "facts": "result"}],
        },
        "orders.close": {
            "kind": "write",
            "parameters": {"id": "text"},
            "failed_when": {"result": "^no such"},
            "writes": [{"action": "close", "entity": "order:{arguments.id}", "set": {"state": "closed"}}],
        },
        "orders.create": {
            "kind": "write",
            "parameters": {"sku": "text"},
            "writes": [{"action": "create", "entity": "order:new", "set": {"sku": "arguments.sku"}}],
        },
        "delegate": {"kind": "none"},
    },
}
SUITE = {
    "suite.yaml": {"schema": "misstep.suite/1", "name": "shop", "title": "Shop", "tasks": "tasks.jsonl"},
    "tools.yaml": TOOLS,
    "tasks.jsonl": [{"task_id": name, "template_id": "t", "instruction": "Close it."} for name in ("a", "b", "1")],
}


def say(text: str, role: str = "assistant", **more: Any) -> dict[str, Any]:
    """Return a message event."""
    return {"type": "message", "role": role, "text": text, **more}


def call(tool: str, arguments: Mapping[str, Any], result: Any = "ok", **more: Any) -> dict[str, Any]:
    """Return a call event; `result=None` leaves the result out."""
    event = {"type": "call", "tool": tool, "arguments": arguments, **more}
    return event if result is None else {**event, "result": result}


def episode(task: Any = "a", *events: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return an episode of `misstep.trace/1`."""
    return {"schema": "misstep.trace/1", "task_id": task, "model": "m", "events": list(events), **more}


def lines(*episodes: Mapping[str, Any]) -> bytes:
    """Return episodes as JSON Lines."""
    return b"".join(json.dumps(one).encode() + b"\n" for one in episodes)


def many(count: int, *, start: int = 0) -> bytes:
    """Return episodes that share some results and not others."""
    return lines(
        *(
            episode(
                "ab"[number % 2],
                say("Close it.", role="user"),
                say(f"Which of {number % 5} orders?"),
                call("orders.get", {"id": "O1"}, {"id": "O1", "state": "open", "lines": number % 7}),
                call("orders.close", {"id": f"O{number}"}, "done"),
                replicate=number,
            )
            for number in range(start, start + count)
        )
    )


def run(suite: Path | Suite, out: Path, *paths: Path, **options: Any) -> dict[str, pl.DataFrame]:
    """Return the tables of traces that an ingest of `paths` writes."""
    loaded = suite if isinstance(suite, Suite) else load_suite(suite)
    ingest(paths, loaded, out, **options)
    return tables(out)


def tables(out: Path) -> dict[str, pl.DataFrame]:
    """Return the tables of traces in a folder."""
    return {name: scan(out, name).collect() for name in TRACES}


def digests(out: Path, names: Sequence[str] = tuple(TRACES)) -> dict[str, str]:
    """Return the digests of tables of traces."""
    return {name: digest(out, name) for name in names}


def codes(found: Mapping[str, pl.DataFrame]) -> list[str]:
    """Return the codes in `problems`, sorted."""
    return sorted(found["problems"]["code"])
