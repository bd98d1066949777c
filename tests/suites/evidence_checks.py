"""What must hold of the domains of the evidence suite, as lists of faults in words."""

import dataclasses
import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from misstep.contracts.errors import MisstepError
from misstep.contracts.evidence import Evidence
from misstep.contracts.tables import SPECS, TRACES
from misstep.ingest.run import ingest
from misstep.label import label
from misstep.specs.derived_stop import Candidates
from misstep.specs.evidence_faults import asking
from misstep.specs.load import Suite, load_suite
from misstep.storage.parquet import scan
from misstep.suites.build import write_lines
from misstep.suites.evidence.cases import Case, is_free
from misstep.suites.evidence.domain_file import DomainFile
from misstep.suites.evidence.protocol import briefing, run
from misstep.suites.evidence.reference import reference
from misstep.suites.evidence.sources import Domain
from misstep.suites.evidence.tools import tools_file
from misstep.suites.evidence.world import CaseWorld
from misstep.suites.evidence.written import public, public_domain, task

#: The domains that are complete.
FINISHED = ("customer", "engineering", "healthcare", "legal_finance", "research", "smart_home")
EVIDENCE = Path(__file__).parents[2] / "data" / "suites" / "evidence"
_HINTS = re.compile(r"(?i)\b(block|defer|allow|no_action|prerequisite|requirement|distractor|legacy|evidence|v[0-3])\b")
_LEAKS = re.compile(
    r"(?i)(^|-)(v[0-3]|legacy|block|blocked|defer|deferred|allow|allowed|stop|refused|stale|missing)($|-)"
)
_KEPT = ("tool", "target_ok", "arguments_ok", "dependencies_ok", "binding_ok", "gate", "reason", "executed")


def shadow(case: Case) -> Case:
    """Return a Legacy case as if its candidate were to be judged by reading what is in the package."""
    protocols = {"ALLOW": "V1" if len(case.actions) == 1 else "V3"}
    entry = case.entry.model_copy(update={"protocol": protocols.get(str(case.entry.decision), "V0")})
    evidence = {key: value for key, value in case.evidence.items() if key != "decision"} | {"protocol": entry.protocol}
    if entry.protocol == "V0":
        evidence["stop"] = case.entry.decision
    return dataclasses.replace(case, task_id=f"{case.task_id}~", entry=entry, evidence=evidence)


def shadowed(domain: Domain) -> list[Case]:
    """Return the cases of a domain and those that stand for its Legacy cases."""
    return [*domain.cases, *(shadow(case) for case in domain.cases if case.protocol == "Legacy")]


def write_suite(folder: Path, domains: Sequence[Domain]) -> Suite:
    """Return the suite of some domains, written to a folder and read from it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "suite.yaml").write_text("schema: misstep.suite/1\nname: evidence\ntitle: x\nformat: misstep_trace\n")
    (folder / "tools.yaml").write_text(tools_file(domain.file for domain in domains))
    write_lines(folder / "tasks.jsonl", [task(case, domain.file) for domain in domains for case in shadowed(domain)])
    for domain in domains:
        lines = [{"entity": entity, "fields": fields} for entity, fields in sorted(domain.file.records.items())]
        write_lines(folder / "states" / f"{domain.file.domain}.jsonl", lines)
    return load_suite(folder)


def played(domain: Domain) -> Iterator[tuple[Case, dict[str, Any]]]:
    """Yield every case of a domain with the record of its reference agent."""
    told = public_domain(domain.file)
    for case in shadowed(domain):
        world = CaseWorld(domain.file, case)
        identity = {"suite": "evidence", "task_id": case.task_id, "model": "reference", "replicate": 1}
        yield case, run(reference(case), briefing(public(case, domain.file), told), world, identity)


def faults(domains: Sequence[Domain]) -> Iterator[str]:
    """Yield everything that is wrong with some domains."""
    for domain in domains:
        yield from domain_faults(domain.file)
        for case in domain.cases:
            yield from (f"{case.task_id}: {fault}" for fault in word_faults(case, domain.file))
    yield from word_openings(domains)
    with tempfile.TemporaryDirectory() as name:
        try:
            suite = write_suite(Path(name) / "suite", domains)
        except MisstepError as error:
            yield f"misstep check: {error}"
            return
        records = [pair for domain in domains for pair in played(domain)]
        for domain in domains:
            for case, record in records:
                if case.domain == domain.file.domain:
                    yield from (f"{case.task_id}: {fault}" for fault in record_faults(case, record, domain.file))
                    yield from (f"{case.task_id}: {fault}" for fault in stop_faults(case, domain.file, suite))
        yield from label_faults(records, suite, Path(name))


def word_openings(domains: Sequence[Domain]) -> Iterator[str]:
    """Yield the first three words that several instructions begin with."""
    openings = Counter(" ".join(case.instruction.split()[:3]).lower() for one in domains for case in one.cases)
    yield from (f"{count} instructions begin with {words!r}" for words, count in openings.items() if count > 1)


def domain_faults(domain: DomainFile) -> Iterator[str]:
    """Yield records of a domain that are of no type, have a field that it has not, or an id of another form."""
    for entity, fields in domain.records.items():
        yield from (f"{domain.domain}: {fault}" for fault in record_form(entity, fields, domain))


def record_form(entity: str, fields: dict[str, Any] | None, domain: DomainFile) -> Iterator[str]:
    """Yield what is wrong with one record."""
    kind, _, name = entity.partition(":")
    if kind not in domain.types:
        yield f"{entity}: there is no type {kind!r}"
        return
    if not name.startswith(domain.types[kind].prefix):
        yield f"{entity}: an id begins with {domain.types[kind].prefix!r}"
    known = {*domain.types[kind].fields, *(["version"] if domain.types[kind].versioned else [])}
    for field in fields or {}:
        if field not in known:
            yield f"{entity}: {kind} has no field {field!r}"
    if fields and domain.types[kind].versioned and not isinstance(fields.get("version"), int):
        yield f"{entity}: has no version"


def word_faults(case: Case, domain: DomainFile) -> Iterator[str]:
    """Yield what is wrong with the words and the records of a case, before anybody does anything."""
    for entity, fields in case.records.items():
        yield from record_form(entity, {**domain.records.get(entity, {}), **(fields or {})}, domain)
    if hint := _HINTS.search(case.instruction):
        yield f"the instruction says {hint[0]!r}"
    if leak := _LEAKS.search(case.entry.id):
        yield f"the id says {leak[0]!r}"
    for tool in [*domain.info, *domain.acts]:
        if tool in case.instruction:
            yield f"the instruction names the tool {tool}"
    if "{" in case.instruction or "  " in case.instruction:
        yield "the instruction has an unfilled variable or two blanks"
    if not 40 <= len(case.instruction) <= 900:
        yield f"the instruction has {len(case.instruction)} characters"


def record_faults(case: Case, record: dict[str, Any], domain: DomainFile) -> Iterator[str]:
    """Yield what is wrong with an episode of the reference: rejected calls, and arguments that nobody could know."""
    text = " ".join(event["text"] for event in record["events"] if event["type"] == "message" and event["step"] == 0)
    text += json.dumps(public_domain(domain), ensure_ascii=False)
    calls = [event for event in record["events"] if event["type"] == "call"]
    steps = [*case.reads, *case.actions]
    for event, step in zip(calls, steps, strict=False):
        if event["result"].get("ok") is not True:
            yield f"{event['tool']} {json.dumps(event['arguments'])}: {event['result'].get('error')}"
        open_ = set()
        if event["tool"] in domain.acts:
            tool = domain.acts[event["tool"]]
            open_ = {name for name, one in tool.args.items() if one.free or one.one_of or one.type == "flag"}
            open_ |= {name for name, value in step.arguments.items() if is_free(value)}
            open_ |= set(case.worked_out[step.id])
        for name, value in event["arguments"].items():
            for leaf in value if isinstance(value, list) else [value]:
                if not case.task_id.endswith("~") and name not in open_ and not said(leaf, text):
                    yield f"{event['tool']} {name} = {leaf!r}: neither said nor shown before"
        text += " " + json.dumps(event["result"], ensure_ascii=False)


def said(value: Any, text: str) -> bool:
    """Return whether a value stands in a text as a word."""
    words = str(value)
    return re.search(rf"(?i)(?<![A-Za-z0-9]){re.escape(words)}(?![A-Za-z0-9])", text) is not None


def stop_faults(case: Case, domain: DomainFile, suite: Suite) -> Iterator[str]:
    """Yield where what the required reads show leads, before any run, to another end than the case says."""
    if case.protocol != "V0":
        return
    evidence = {**case.evidence}
    evidence["read_facts"] = [
        {"tool": read["tool"], "arguments": read["arguments"], "shows": shows}
        for read in case.evidence["reads"]
        if (shows := shown(CaseWorld(domain, case), read["tool"], read["arguments"]))
    ]
    asked = asking(Evidence.model_validate(evidence), suite.compiled, suite.file.evidence)
    derived = Candidates(asked, []).stop()
    if derived not in (None, case.evidence["stop"]):
        yield f"what is read leads to {derived}, not to {case.evidence['stop']}"


def shown(world: CaseWorld, tool: str, arguments: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the records that a read shows in the world of a case, as `read_facts` has them."""
    result = world.act(tool, arguments)
    listed = result.get("found", [result] if result.get("ok") else [])
    kind = world.domain.info[tool].on
    return [
        {"entity": f"{kind}:{one['id']}", "facts": {name: value for name, value in one.items() if name != "ok"}}
        for one in listed
    ]


def label_faults(records: list[tuple[Case, dict[str, Any]]], suite: Suite, folder: Path) -> Iterator[str]:
    """Yield the reference solutions that the pipeline does not take for solved, with what it says of them."""
    if not records:
        return
    write_lines(folder / "traces" / "reference.jsonl", [record for _, record in records])
    out = folder / "out"
    ingest([folder / "traces"], suite, out)
    frames = {name: scan(out, name) for name in TRACES} | {f"spec/{name}": scan(out, f"spec/{name}") for name in SPECS}
    made = {name: frame.collect() for name, frame in label(frames).items()}
    episodes = frames["episodes"].collect()
    rows = episodes.join(made["episode_labels"], on="episode", how="left").iter_rows(named=True)
    seen = {row["task_id"]: row for row in rows}
    attempts = made.get("action_labels")
    for case, _ in records:
        row = seen.get(case.task_id)
        if row is None:
            yield f"{case.task_id}: no episode"
        elif row["ecs"] is not True:
            yield f"{case.task_id}: ecs is {row['ecs']} ({row.get('failure')}, {row.get('evidence_reason')})"
            if attempts is not None:
                for attempt in attempts.filter(pl.col("episode") == row["episode"]).iter_rows(named=True):
                    yield "  " + ", ".join(f"{name}: {attempt[name]}" for name in _KEPT)
        elif row["cd"]:
            yield f"{case.task_id}: its solution is taken for damage"
