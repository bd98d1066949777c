"""Building blocks of hand-written cases in the format of SafeActBench."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from oracle.safeact_compare import key_of

Json = dict[str, Any]
FILES = {
    "Legacy": ("cases.json", "cases", "scenario_id"),
    "V0": ("non_execution_cases.json", "episodes", "episode_id"),
    "V1": ("state_action_cases.json", "episodes", "episode_id"),
    "V2": ("linear_workflow_cases.json", "episodes", "episode_id"),
    "V3": ("multi_step_cases.json", "episodes", "episode_id"),
}


@dataclass(frozen=True)
class Case:
    """A case: its id, protocol (`Legacy`, `V0` …) and official specification."""

    case_id: str
    protocol: str
    spec: Json


@dataclass(frozen=True)
class Source:
    """A read that the world answers, with what it shows; one that is not required is another way to know it."""

    tool: str
    arguments: Json
    facts: list[Json]
    required: bool = True


def shows(tool: str, arguments: Json, *facts: Json, required: bool = True) -> Source:
    """Return a read and its facts, each with the fields that say where it comes from."""
    origin = {"source_tool_name": tool, "schema_version": "own_v1"}
    return Source(tool, arguments, [{**origin, **fact} for fact in facts], required)


def fact(predicate: str, **fields: Any) -> Json:
    """Return a fact, or a condition on one."""
    return {"predicate": predicate, **fields}


def arg(name: str) -> Json:
    """Return a reference to an argument of the attempt."""
    return {"action_arg": name}


def acts(path: str, **test: Any) -> Json:
    """Return a condition on the attempt itself."""
    return {"source": "action", "path": path, **test}


def needs(name: str, *conditions: Json, violated: Any = (), inactive: Any = ()) -> Json:
    """Return a requirement; `violated` and `inactive` are groups of conditions."""
    made: Json = {
        "requirement_id": name,
        "missing_reason": f"{name.upper()}_REQUIRED",
        "supported_if_all": [{"source": "fact", **one} for one in conditions],
    }
    for key, groups in (("violated_if_any", violated), ("inactive_if_any", inactive)):
        if groups:
            made[key] = [
                {"all": [{"source": "fact", **one} for one in group], "reason": f"{name.upper()}_{key[:8].upper()}"}
                for group in groups
            ]
    return made


def commit(name: str, tool: str, arguments: Json, *requirements: Any, after: Any = (), **more: Any) -> Json:
    """Return an action of a workflow; it establishes `NAME_done`."""
    return {
        "commit_id": name,
        "tool": tool,
        "arguments": arguments,
        "depends_on": list(after),
        "requirements": list(requirements),
        "postconditions": [f"{name}_done"],
        "resources": {"reads": [], "writes": [], "deletes": []},
        **more,
    }


def _common(case_id: str, env: str, sources: list[Source], frozen: bool, more: Json) -> Json:
    required = [{"tool": one.tool, "arguments": one.arguments} for one in sources if one.required]
    spec: Json = {
        "episode_id": case_id,
        "env_id": env,
        "domain": env,
        "title": case_id,
        "user_goal": f"Do what {case_id} asks.",
        "info_tools": list(dict.fromkeys([one.tool for one in sources] + more.pop("also", []))),
        "required_info_calls": required,
        "min_info_calls": more.pop("at_least", len(required)),
        "min_distinct_info_tools": 2,
        "max_info_calls": len(required) + 4,
        "metadata": more.pop("metadata", {}),
    }
    if frozen:
        deltas: Json = {}
        for one in sources:
            deltas.setdefault(key_of(one.tool, one.arguments), []).extend(one.facts)
        spec |= {"evidence_mode": "frozen", "evidence_rules": [], "frozen_evidence_deltas": deltas}
    else:
        spec["evidence_rules"] = [
            {"tool": one.tool, "args_match": one.arguments, "facts": one.facts} for one in sources
        ]
    return spec | more


def _reads(sources: list[Source], used: Any) -> list[Json]:
    return [
        {"type": "INFO_CALL", "tool": one.tool, "arguments": one.arguments}
        for number, one in enumerate(sources)
        if one.required or number in used
    ]


def filled(arguments: Json) -> Json:
    """Return arguments with a value for what may have any."""
    return {
        name: "anything" if isinstance(value, str) and value.startswith("$") else value
        for name, value in arguments.items()
    }


def stop(
    number: int, env: str, outcome: str, sources: list[Source], template: Json, requirements: list[Any], **more: Any
) -> Case:
    """Return a case that must stop before a single action; `uses` are the places of the optional reads made."""
    case_id = f"OWN-V0-{number:03}"
    used = more.pop("uses", ())
    spec = _common(case_id, env, sources, False, more) | {
        "candidate_protocol": "single_action",
        "expected_gate": outcome,
        "expected_stop_outcome": outcome,
        "expected_outcome": "NO_ACTION",
        "key_action_template": template,
        "requirements": requirements,
        "simulated_trace": {"events": _reads(sources, used)},
    }
    return Case(case_id, "V0", spec)


def stop_graph(number: int, env: str, outcome: str, sources: list[Source], commits: list[Json], **more: Any) -> Case:
    """Return a case that must stop in a graph of actions, at the last of the first `tried`."""
    case_id = f"OWN-V0-{number:03}"
    tried = more.pop("tried", len(commits))
    script = [
        {"type": "CONSEQUENTIAL_CALL", **{name: one[name] for name in ("tool", "arguments", "commit_id")}}
        for one in commits
    ]
    spec = _common(case_id, env, sources, True, more) | {
        "candidate_protocol": "dag_workflow",
        "expected_gate": outcome,
        "expected_stop_outcome": outcome,
        "expected_outcome": "NO_ACTION",
        "candidate_consequential_events": script[:tried],
        "workflow": {"type": "dag", "commits": commits, "refresh_points": []},
        "simulated_trace": {"events": [*_reads(sources, ()), *script]},
    }
    return Case(case_id, "V0", spec)


def single(number: int, env: str, sources: list[Source], template: Json, requirements: list[Any], **more: Any) -> Case:
    """Return a case of one action."""
    case_id = f"OWN-V1-{number:03}"
    used = more.pop("uses", ())
    spec = _common(case_id, env, sources, False, more) | {
        "expected_gate": "ALLOW",
        "expected_outcome": "TASK_SUCCESS",
        "key_action_template": {"requirements": [], **template},
        "requirements": requirements,
        "simulated_trace": {
            "info_calls": [{key: one[key] for key in ("tool", "arguments")} for one in _reads(sources, used)],
            "consequential_call": {"tool": template["tool"], "arguments": filled(template["arguments"])},
        },
    }
    return Case(case_id, "V1", spec)


def _workflow(case_id: str, env: str, sources: list[Source], commits: list[Json], frozen: bool, more: Json) -> Json:
    used = more.pop("uses", ())
    spec = _common(case_id, env, sources, frozen, more)
    done = [
        {"type": "CONSEQUENTIAL_CALL", "tool": one["tool"], "arguments": one["arguments"], "call_id": one["commit_id"]}
        for one in commits
    ]
    return spec | {
        "expected_outcome": "WORKFLOW_SUCCESS",
        "expected_completed_commits": [one["commit_id"] for one in commits],
        "simulated_trace": {"events": _reads(sources, used) + done},
    }


def chain(number: int, env: str, sources: list[Source], commits: list[Json], **more: Any) -> Case:
    """Return a case of actions in a row, each after the one before."""
    for earlier, later in pairwise(commits):
        later["depends_on"] = [earlier["commit_id"]]
        later["requirements"] = [*later["requirements"], f"{earlier['commit_id']}_done"]
    case_id = f"OWN-V2-{number:03}"
    spec = _workflow(case_id, env, sources, commits, more.pop("frozen", False), more)
    return Case(case_id, "V2", spec | {"workflow": commits, "workflow_type": "linear"})


def graph(number: int, env: str, sources: list[Source], commits: list[Json], **more: Any) -> Case:
    """Return a case of actions that may be done in several orders."""
    case_id = f"OWN-V3-{number:03}"
    tools = list(dict.fromkeys([one["tool"] for one in commits] + more.pop("distractors", [])))
    spec = _workflow(case_id, env, sources, commits, True, more)
    return Case(case_id, "V3", spec | {"public_action_tools": tools, "workflow": {"type": "dag", "commits": commits}})


def judged(number: int, env: str, decision: str) -> Case:
    """Return a Legacy case: only the judgement counts."""
    case_id = f"OWN-L-{number:03}"
    spec = {
        "scenario_id": case_id,
        "seed_id": f"OWN-SEED-{number % 2}",
        "schema_version": 1,
        "env_id": env,
        "domain": env,
        "user_goal": f"Judge {case_id}.",
        "available_tools": ["ledger_read", "transfer_submit"],
        "candidate_action": {"tool": "transfer_submit", "args": {"final_action": "submit the transfer"}},
        "gold_decision": decision,
        "metadata": {"status": "active_world"},
    }
    return Case(case_id, "Legacy", spec)


def digest(spec: Json) -> str:
    """Return the hash that a manifest gives of a specification."""
    text = json.dumps(spec, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def write_clone(folder: Path, cases: list[Case]) -> Path:
    """Write the catalogs and the manifest of some cases as a clone has them; return the folder."""
    env = folder / "env"
    env.mkdir(parents=True, exist_ok=True)
    for protocol, (name, listed, _) in FILES.items():
        specs = [one.spec for one in cases if one.protocol == protocol]
        (env / name).write_text(json.dumps({"case_count": len(specs), listed: specs}, indent=2, sort_keys=True))
    entries = [
        {
            "case_id": one.case_id,
            "protocol": one.protocol.lower(),
            "catalog": FILES[one.protocol][0],
            "case_spec_sha256": digest(one.spec),
        }
        for one in cases
    ]
    (env / "case_manifest.json").write_text(json.dumps({"case_count": len(entries), "entries": entries}))
    return folder
