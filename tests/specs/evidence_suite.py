"""A tiny suite whose tasks ask for evidence, for tests that change a part of it."""

import copy
from typing import Any

TOOLS: dict[str, Any] = {
    "schema": "misstep.tools/1",
    "fields": {"order": {"state": "casefold"}},
    "tools": {
        "user.find": {"kind": "read", "parameters": {"email": "text"}},
        "orders.get": {
            "kind": "read",
            "parameters": {"id": "text"},
            "observes": [{"entity": "order:{arguments.id}", "facts": "result"}],
        },
        "stock.get": {"kind": "read", "aliases": ["get_stock"], "parameters": {"sku": "text"}},
        "orders.close": {
            "kind": "write",
            "parameters": {"id": "text", "why": "text", "tags": "list"},
            "compare": {"why": "free", "tags": "set"},
            "writes": [{"action": "close", "entity": "order:{arguments.id}", "set": {"state": "closed"}}],
        },
        "refunds.make": {
            "kind": "write",
            "parameters": {"order": "text", "amount": "number", "receipt": "text", "lines": "list", "counts": "list"},
            "compare": {"amount": "number", "lines": {"zip": ["lines", "counts"]}},
            "writes": [{"action": "create", "entity": "refund:new", "set": {"amount": "arguments.amount"}}],
        },
        "log": {"kind": "none"},
    },
}

READ = {"tool": "stock.get", "arguments": {"sku": "S1"}}
CLOSE = {"id": "close", "tool": "orders.close", "arguments": {"id": "O1"}, "requires": ["open"]}
REFUND = {
    "id": "refund",
    "tool": "refunds.make",
    "arguments": {"order": "O1", "amount": 5},
    "after": ["close"],
    "requires": ["open"],
}
OPEN = {"id": "open", "supported_if": [{"record": {"state": "open"}, "entity": "order:O1"}]}


def evidence(**changes: Any) -> dict[str, Any]:
    """Return the evidence of a task of protocol V1 with some parts in place of the usual ones."""
    usual = {"protocol": "V1", "reads": [READ], "requirements": [OPEN], "actions": [CLOSE]}
    return {name: value for name, value in copy.deepcopy({**usual, **changes}).items() if value is not ...}


def requiring(*conditions: Any, **more: Any) -> dict[str, Any]:
    """Return evidence with one requirement, which is supported where some conditions hold."""
    return evidence(requirements=[{"id": "open", "supported_if": list(conditions), **more}])


def files(*asked: Any, profile: str = "standard", rules: Any = None) -> dict[str, Any]:
    """Return the files of a suite with a task for each evidence."""
    return {
        "suite.yaml": {"schema": "misstep.suite/1", "name": "shop", "title": "Shop", "evidence": profile},
        "tools.yaml": TOOLS if rules is None else {**TOOLS, "rules": rules},
        "tasks.jsonl": [
            {"task_id": f"t{number}", "template_id": "t", **({} if one is None else {"evidence": one})}
            for number, one in enumerate(asked)
        ],
    }
