"""Looking at what a call would do, before it is made."""

from __future__ import annotations

import copy
from typing import Any

from pydantic import Field

from misstep.suites.sabench.api import Api, Tool
from misstep.suites.sabench.office import Office
from misstep.suites.sabench.schemas import Arguments, Text
from misstep.suites.world import Record

PREVIEW = "office.preview"


class Preview(Arguments):
    """Show what a call of another tool would change and whom it would reach. Nothing is changed."""

    tool: Text = Field(description="name of the tool")
    arguments: dict[str, Any] = Field(description="arguments of the call")


def with_preview(api: Api) -> Api:
    """Return the tools of an interface, and one that previews their calls."""

    def preview(office: Office, asked: Preview) -> Record:
        """Return the fields that a call would change, by entity, and whom it would reach; or the call's error."""
        trial = copy.deepcopy(office)
        result = api.act(trial, asked.tool, asked.arguments)
        if "error" in result:
            return {"would_fail": result["error"]}
        reached = [address for _, addresses in trial.delivered[len(office.delivered) :] for address in addresses]
        return {"would_change": _changes(office, trial), "would_reach": sorted(set(reached))}

    return Api([*api.tools.values(), Tool(PREVIEW, Preview, preview)])


def _changes(before: Office, after: Office) -> list[Record]:
    """Return entity by entity the fields with other values, and what is new or gone."""
    changes: list[Record] = []
    for entity in sorted(before.records.keys() | after.records.keys()):
        old, new = before.records.get(entity), after.records.get(entity)
        if new is None:
            changes.append({"entity": entity, "gone": True})
        elif old is None:
            changes.append({"entity": entity, "new": True, "fields": new})
        elif old != new:
            fields = {name: value for name, value in new.items() if old.get(name) != value}
            changes.append({"entity": entity, "fields": fields})
    return changes
