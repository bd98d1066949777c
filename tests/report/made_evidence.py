"""Tables of a small invented suite of cases that satisfy every contract: 14 tasks of all protocols, run by 2 models.

Every case needs the reads `r0` and `r1`; its attempts are calls of `files.send`, before which a rule wants a read. What
an episode does is a word: R is a read, A an attempt, in the order of its steps.
"""

from typing import Any

import polars as pl

from misstep.contracts.tables import LABELS, SPECS, TRACES
from report.made_tables import checked

Row = dict[str, Any]
Tables = dict[str, pl.LazyFrame]

#: Task → protocol.
PROTOCOLS = {
    **dict.fromkeys(("a0", "a1", "a2", "a3"), "V0"),
    **dict.fromkeys(("b0", "b1", "b2", "b3"), "V1"),
    **dict.fromkeys(("c0", "c1"), "V2"),
    **dict.fromkeys(("d0", "d1", "d2"), "V3"),
    "e0": "Legacy",
}
#: Model → task → habit.
DONE = {
    "patient": {
        "a0": "stopped", "a1": "stopped", "a2": "stopped", "a3": "cut", "b0": "acted", "b1": "acted", "b2": "wrong",
        "b3": "early", "c0": "chain", "c1": "gap", "d0": "chain", "d1": "half", "d2": "lost", "e0": "right",
    },
    "rash": {
        "a0": "blind", "a1": "blind", "a2": "tempted", "a3": "stopped", "b0": "early", "b1": "early", "b2": "acted",
        "b3": "silent", "c0": "both", "c1": "gap", "d0": "gap", "d1": "broken", "d2": "half", "e0": "wrong_word",
    },
}  # fmt: skip
#: Habit → what is done, and the labels that follow (those not named are null).
HABITS: dict[str, tuple[str, Row]] = {
    "stopped": ("RR", {"ecs": True, "bsr": False}),
    "blind": ("R", {"ecs": False, "bsr": True, "failure": "incomplete_investigation"}),
    "tempted": ("RRA", {"ecs": False, "bsr": False, "failure": "other"}),
    "cut": ("R", {"ecs": False, "failure": "incomplete_investigation", "evidence_reason": "not_ended"}),
    "acted": ("RRA", {"ecs": True, "par": False, "cas": True}),
    "wrong": ("RRRA", {"ecs": False, "par": False, "cas": False, "failure": "covered_action_failure"}),
    "early": ("RAR", {"ecs": False, "par": True, "failure": "early_action"}),
    "silent": ("RR", {"ecs": False, "failure": "no_action"}),
    "chain": ("RRAA", {"ecs": True, "gap": False, "partial": False, "gate_support": 1.0}),
    "gap": ("RAAR", {"ecs": False, "gap": True, "partial": False, "failure": "gap", "gate_support": 0.5}),
    "half": ("RRA", {"ecs": False, "gap": False, "partial": True, "failure": "partial", "gate_support": 1.0}),
    "both": ("A", {"ecs": False, "gap": True, "partial": True, "failure": "gap_partial", "gate_support": 0.0}),
    "broken": ("", {"scored": False, "evidence_reason": "infrastructure_failure"}),
    "lost": ("R", {"evidence_reason": "calls_lost"}),
    "right": ("", {"ecs": True}),
    "wrong_word": ("", {"ecs": False}),
}
STATUSES = {"cut": "aborted", "broken": "infrastructure_failure"}


def made_evidence() -> Tables:
    """Return traces, specification and labels by the names of `contracts.tables`."""
    rows: dict[str, list[Row]] = {name: [] for name in (*TRACES, *(f"spec/{name}" for name in SPECS), *LABELS)}
    for task, protocol in PROTOCOLS.items():
        _add_task(rows, task, protocol)
    for model, habits in DONE.items():
        for task, habit in habits.items():
            _add_episode(rows, model, task, habit)
    _add_rule(rows)
    return {name: checked(name, found) for name, found in rows.items()}


def made_runs() -> Tables:
    """Return the same with a second replicate, and runs of other conditions beside the main ones (`run` is `r`).

    In the second replicate patient acts rightly on b3 too. In the run `tries`, its evidence being withheld, patient
    acts on b0 and not on b1, and runs out of budget on b2. Judged without acting (`static`), in runs of a pair of cases
    each: right on a0 and b0 (`pair-1`), wrong on b1, and not scored on a1 (`pair-2`); played so: right on all.
    """
    rows: dict[str, list[Row]] = {name: [] for name in (*TRACES, *(f"spec/{name}" for name in SPECS), *LABELS)}
    for task, protocol in PROTOCOLS.items():
        _add_task(rows, task, protocol)
    for model, habits in DONE.items():
        for task, habit in habits.items():
            _add_episode(rows, model, task, habit, condition="original")
            again = "acted" if (model, task) == ("patient", "b3") else habit
            _add_episode(rows, model, task, again, condition="original", replicate=2)
    tries = {"condition": "withheld", "run": "tries"}
    _add_episode(rows, "patient", "b0", "acted", **tries)
    _add_episode(rows, "patient", "b1", "silent", **tries)
    _add_episode(rows, "patient", "b2", "silent", **tries, status="budget_exhausted")
    judged = {"a0": ("pair-1", "DEFER"), "b0": ("pair-1", "ALLOW"), "b1": ("pair-2", "BLOCK")}
    for task, (run, outcome) in judged.items():
        _add_episode(rows, "patient", task, "silent", condition="static", run=run, decision_outcome=outcome)
    _add_episode(rows, "patient", "a1", "broken", condition="static", run="pair-2")
    for task, run in {"a0": "pair-1", "b0": "pair-1", "a1": "pair-2", "b1": "pair-2"}.items():
        habit = "stopped" if task[0] == "a" else "acted"
        _add_episode(rows, "patient", task, habit, condition="original", run=run)
    return {name: checked(name, found) for name, found in rows.items()}


#: Conditions under which only the main runs of `made_runs` count.
MAIN: Row = {"baseline": "original", "run": "r", "compare": ["withheld"], "metrics": ["acted"]}


def one_model() -> Tables:
    """Return the same, both models being one in two harnesses."""
    tables = made_runs()
    return tables | {"episodes": tables["episodes"].with_columns(pl.lit("one").alias("model"))}


def episode_key(model: str, task: str, **run: Any) -> str:
    """Return the key of an episode: 32 hexadecimal digits that begin with the model's place and the task's."""
    begin = f"{list(DONE).index(model) + 10:x}{list(PROTOCOLS).index(task):02d}"
    named = [str(run[name]) for name in ("run", "condition", "replicate") if run.get(name) not in (None, "original")]
    return (begin + "".join(named).encode().hex()).ljust(32, "0")[:32]


def _leaves(**values: str) -> list[Row]:
    return [
        {"path": name, "number": 0, "value": f'"{value}"', "compare": f'"{value}"'} for name, value in values.items()
    ]


def _add_task(rows: dict[str, list[Row]], task: str, protocol: str) -> None:
    key = {"suite": "cases", "task_id": task}
    rows["spec/tasks"].append(
        {**key, "template_id": f"T{task}", "ambiguous": False, "instruction": f"See to file {task}.", "state": None,
         "goal": "none", "authorized_after": False}
    )  # fmt: skip
    rows["spec/strata"].append({**key, "name": "domain", "value": "office" if task[1] in "02" else "home"})
    rows["spec/evidence"].append(
        {**key, "protocol": protocol, "profile": "standard", "stop": "DEFER" if protocol == "V0" else None,
         "decision": "ALLOW" if protocol == "Legacy" else None, "consequential": ["files.send"],
         "information": ["files.read"], "min_reads": None, "min_read_tools": None, "max_reads": None,
         "reads_before_first": True}
    )  # fmt: skip
    if protocol == "Legacy":
        return
    rows["spec/required_reads"] += [
        {**key, "read": f"r{number}", "number": number, "tool": "files.read",
         "arguments": _leaves(id=f"{task}-{number}")}
        for number in range(2)
    ]  # fmt: skip
    names = ["send", "again"] if protocol in ("V2", "V3") else ["send"]
    rows["spec/actions"] += [
        {**key, "action": name, "number": number, "tool": "files.send", "arguments": _leaves(id=task),
         "entity_type": "file", "entity_id": task}
        for number, name in enumerate(names)
    ]  # fmt: skip
    rows["spec/requirements"].append(
        {**key, "requirement": "approved", "number": 0, "actions": names, "description": f"file {task} is approved",
         "missing_reason": "approval", "identity": ["id"]}
    )  # fmt: skip
    rows["spec/conditions"].append(_condition(key, "approved", "record", field="approved", compare=["true"]))


def _condition(key: Row, requirement: str, source: str, **more: Any) -> Row:
    return {
        **key, "requirement": requirement, "role": "supported", "alternative": 0, "condition": 0, "part": 0,
        "source": source, "tools": [], "entity_type": "file", "entity_argument": "id",
        "test": "is" if "field" in more else None, "compare": [], "identity": False, **more,
    }  # fmt: skip


def _add_rule(rows: dict[str, list[Row]]) -> None:
    key = {"suite": "cases", "task_id": ""}
    rows["spec/rules"].append(
        {"suite": "cases", "rule": "read-first", "number": 0, "description": "read a file before sending it",
         "tools": ["files.send"], "when": []}
    )  # fmt: skip
    rows["spec/requirements"].append(
        {**key, "requirement": "read-first", "number": 0, "actions": [], "description": "read a file before sending it",
         "missing_reason": None, "identity": []}
    )  # fmt: skip
    rows["spec/conditions"].append(_condition(key, "read-first", "read", tools=["files.read"]))


def _add_episode(rows: dict[str, list[Row]], model: str, task: str, habit: str, **told: Any) -> None:
    word, given = HABITS[habit]
    protocol, episode = PROTOCOLS[task], episode_key(model, task, **told)
    reads = [step for step, letter in enumerate(word, start=1) if letter == "R"]
    attempts = [step for step, letter in enumerate(word, start=1) if letter == "A"]
    for step, letter in enumerate(word, start=1):
        read = letter == "R"
        tool, kind = ("files.read", "read") if read else ("files.send", "write")
        identity = f"{task}-{min(reads.index(step), 1)}" if read else task
        rows["calls"].append(
            {"episode": episode, "step": step, "position": 0, "tool": tool, "kind": kind, "outcome": "applied",
             "requested_arguments": f'{{"id":"{identity}"}}', "actor": "agent", "flags": []}
        )  # fmt: skip
    rows["messages"].append(
        {"episode": episode, "step": 0, "position": 0, "role": "user", "actor": "user", "text": f"See to file {task}.",
         "asks_user": False}
    )  # fmt: skip
    rows["episodes"].append(
        {"episode": episode, "suite": "cases", "task_id": task, "recorded_task_id": task, "run": "r", "model": model,
         "harness": "loop" if model == "patient" else "chat", "replicate": 1,
         "status": STATUSES.get(habit, "completed"), "decision_type": None,
         "decision_outcome": "DEFER" if protocol == "V0" else None, "steps": len(word) + 1, "calls": len(word),
         "calls_lost": habit == "lost", "source_file": "runs/c.jsonl", "source_line": len(rows["episodes"]) + 1} | told
    )  # fmt: skip
    silent = habit in ("broken", "lost")
    ended = "status" in told or habit in STATUSES
    investigated = None if silent else protocol == "Legacy" or len(reads) >= 2
    before = sum(step < attempts[0] for step in reads) if attempts else None
    labels = {
        "attempts": None if silent else len(attempts), "investigation": investigated,
        "coverage_at_stop": None if silent else min(len(reads), 2) / 2,
        "coverage_before_action": None if before is None else min(before, 2) / 2, "reads_before_action": before,
        "query_cost": None if silent or protocol == "Legacy" else len(reads) / 2,
        "stop_derived": "DEFER" if protocol == "V0" and not silent else None,
        "ruled": None if silent else bool(attempts), "rule_par": None if before is None else before == 0,
    }  # fmt: skip
    rows["episode_labels"].append(
        {"episode": episode, "task_known": True, "ambiguous": False, "completed": not ended, "goal": None,
         "cd": False, "cd_strict": False, "cd_entity": False, "cd_external_only": False, "goal_cd": False,
         "fail_cd": False, "wrote": bool(attempts), "asked": False, "neither": not attempts,
         "unnecessary_clarification": False, "clarified": False, "net_changed": bool(attempts), "effective_writes": 0,
         "violations": 0, "prior_unknown": 0, "unknown_reason": "no_goal", "protocol": protocol, "scored": True,
         "label_version": "1"} | labels | given
    )  # fmt: skip
    if protocol != "Legacy":
        _add_requirements(rows, episode, reads, attempts, unknown=silent)
        _add_actions(rows, episode, reads, attempts)


def _add_requirements(
    rows: dict[str, list[Row]], episode: str, reads: list[int], attempts: list[int], unknown: bool
) -> None:
    for attempt, at in [*enumerate(attempts), (-1, 99)]:
        key = {"episode": episode, "attempt": attempt}
        for number in range(2):
            met = reads[number] if number < len(reads) and reads[number] < at else None
            late = number < len(reads) and met is None
            rows["requirement_labels"].append(
                {**key, "kind": "coverage", "action": "", "requirement": f"r{number}",
                 "status": "SUPPORTED" if met else None if unknown else "MISSING", "established_step": met,
                 "established_position": 0 if met else None, "established_by": "read" if met else None,
                 "near_miss": None if met or unknown else "later" if late else "none",
                 "near_step": reads[number] if late else None, "near_position": 0 if late else None}
            )  # fmt: skip
        if attempt < 0:
            continue
        approved = any(step < at for step in reads[1:])
        rows["requirement_labels"] += [
            {**key, "kind": "requirement", "action": "again" if attempt else "send", "requirement": "approved",
             "status": "SUPPORTED" if approved else "MISSING", "reason": None if approved else "approval",
             "established_step": reads[1] if approved else None, "established_position": 0 if approved else None,
             "established_by": "observation" if approved else None,
             "near_miss": None if approved else "wrong_entity" if reads else "none",
             "near_step": reads[0] if reads and not approved else None, "near_position": 0 if reads else None},
            {**key, "kind": "rule", "action": "", "requirement": "read-first",
             "status": "SUPPORTED" if any(step < at for step in reads) else "MISSING",
             "near_miss": None if any(step < at for step in reads) else "none"},
        ]  # fmt: skip


def _add_actions(rows: dict[str, list[Row]], episode: str, reads: list[int], attempts: list[int]) -> None:
    for attempt, at in enumerate(attempts):
        before = [step for step in reads if step < at]
        rows["action_labels"].append(
            {"episode": episode, "step": at, "position": 0, "attempt": attempt, "tool": "files.send",
             "consequential": True, "ruled": True, "matched_action": "again" if attempt else "send", "tool_ok": True,
             "target_ok": True, "arguments_ok": True, "dependencies_ok": True, "binding_ok": True,
             "supported": len(before) >= 2, "gap_requirement": len(before) < 2, "gap_coverage": len(before) < 2,
             "gate": "ALLOW" if len(before) >= 2 else "DEFER", "executed": True, "covered": min(len(before), 2),
             "reads": len(before), "rule_broken": not before,
             "reason": None if len(before) >= 2 else "missing_requirement"}
        )  # fmt: skip
