"""The tables of misstep: one dataframely class each, a description a column."""

from __future__ import annotations

import dataframely as dy

from misstep.contracts.tables.estimates import Contrasts, Estimates
from misstep.contracts.tables.evidence import (
    ActionLabels,
    Actions,
    Bindings,
    Conditions,
    Dependencies,
    Evidence,
    ReadFacts,
    RequiredReads,
    RequirementLabels,
    Requirements,
    Rules,
)
from misstep.contracts.tables.labels import EpisodeLabels, WriteLabels
from misstep.contracts.tables.specs import (
    Allowances,
    Authorizations,
    Goals,
    Links,
    Overrides,
    ReferenceWrites,
    States,
    Strata,
    Tasks,
)
from misstep.contracts.tables.traces import (
    Arguments,
    Calls,
    Episodes,
    Files,
    Messages,
    Observations,
    Problems,
    Results,
    Writes,
)

#: Tables of traces, by the name of their folder in an output directory.
TRACES: dict[str, type[dy.Schema]] = {
    "files": Files,
    "episodes": Episodes,
    "messages": Messages,
    "calls": Calls,
    "arguments": Arguments,
    "results": Results,
    "observations": Observations,
    "writes": Writes,
    "problems": Problems,
}
#: Tables of the suite, by the name of their file in `spec/`.
SPECS: dict[str, type[dy.Schema]] = {
    "tasks": Tasks,
    "strata": Strata,
    "states": States,
    "overrides": Overrides,
    "links": Links,
    "authorizations": Authorizations,
    "allowances": Allowances,
    "goals": Goals,
    "reference_writes": ReferenceWrites,
    "evidence": Evidence,
    "required_reads": RequiredReads,
    "read_facts": ReadFacts,
    "requirements": Requirements,
    "conditions": Conditions,
    "actions": Actions,
    "dependencies": Dependencies,
    "bindings": Bindings,
    "rules": Rules,
}
LABELS: dict[str, type[dy.Schema]] = {
    "write_labels": WriteLabels,
    "requirement_labels": RequirementLabels,
    "action_labels": ActionLabels,
    "episode_labels": EpisodeLabels,
}
ESTIMATES: dict[str, type[dy.Schema]] = {"estimates": Estimates, "contrasts": Contrasts}
ALL: dict[str, type[dy.Schema]] = {
    **TRACES,
    **{f"spec/{name}": schema for name, schema in SPECS.items()},
    **LABELS,
    **ESTIMATES,
}
