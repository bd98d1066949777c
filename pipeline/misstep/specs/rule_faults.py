"""What standing rules name that their tools file does not have."""

from __future__ import annotations

from collections.abc import Iterator

from misstep.contracts.evidence import Rule
from misstep.specs.argument_faults import TaskFault, argument_faults, unknown_tool
from misstep.specs.argument_paths import from_root
from misstep.specs.condition_faults import Around, alternative_faults, pattern_fault, unfit_faults
from misstep.specs.effects import CompiledTools
from misstep.specs.foreseen import shown_by
from misstep.specs.names import declared
from misstep.specs.reachable import Sources, unknown_types, why_never
from misstep.specs.requirements import Owner
from misstep.specs.rules import ruled


def rule_faults(rules: list[Rule], tools: CompiledTools) -> Iterator[TaskFault]:
    """Yield the faults of the rules of one file, whose tools are those of all files it is merged from."""
    sources = Sources([], shown_by(tools.file), tools)
    seen: set[str] = set()
    for index, rule in enumerate(rules):
        if rule.id in seen:
            yield f"rules[{index}].id", f"two rules are called {rule.id!r}"
        seen.add(rule.id)
        yield from ((f"rules[{index}].{field}", message) for field, message in _faults_of(rule, sources))


def _faults_of(rule: Rule, sources: Sources) -> Iterator[TaskFault]:
    acting = ruled(rule, sources.tools)
    for index, name in enumerate([rule.before] if isinstance(rule.before, str) else rule.before):
        if not declared(name, sources.tools):
            yield "before" if isinstance(rule.before, str) else f"before[{index}]", unknown_tool(name)
    if rule.before == []:
        yield "before", "no tool is named"
    for path, expected in rule.when.items():
        try:
            written = from_root(path)
        except ValueError as error:
            yield f"when.{path}", str(error)
            continue
        yield from ((f"when.{path}", message) for _, message in argument_faults("", [written.parameter], acting))
        for pattern in expected if isinstance(expected, list) else [expected]:
            if isinstance(pattern, str) and (wrong := pattern_fault(pattern)):
                yield f"when.{path}", wrong
    if not rule.requires:
        yield "requires", "nothing is required"
    found = list(alternative_faults("requires", rule.requires, Around(acting, sources.tools, None)))
    if not found:  # else what can be established cannot be told
        found += unfit_faults("requires", rule.requires, acting)
        found += _never(rule, Owner(acting, [], "standard"), sources)
    yield from found


def _never(rule: Rule, owner: Owner, sources: Sources) -> Iterator[TaskFault]:
    """Yield the conditions that no call could ever make true."""
    typed = list(unknown_types("requires", rule.requires, sources, lambda kind: False))
    yield from typed
    for alternative in rule.requires if not typed else []:
        for index, condition in enumerate(alternative.all):
            if (message := why_never(condition, owner, sources)) is not None:
                yield f"requires{alternative.place(index)}.{condition.source}", message
