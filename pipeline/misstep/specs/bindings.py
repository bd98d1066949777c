"""Arguments of actions: what any value will do for, and what must be the result of an earlier action."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from misstep.contracts.values import canonical
from misstep.specs.arguments import Anything, never
from misstep.specs.effects import CompiledTool
from misstep.specs.leaves import Leaf, numbered

#: Stands in marked arguments for what is not known before the run; no text of a suite has it.
MARK = "\0"
_KEYS = {"result_of", "field"}


class Binding(NamedTuple):
    """An argument that must be what an earlier action returned: `path` and `number` are those of its leaf."""

    result_of: str
    field: str
    path: str = ""
    number: int = 0


class Given(NamedTuple):
    """The arguments of an action: the leaves that count, those of its bindings apart.

    `marked` are the arguments with a mark wherever a value is not known; `lost` are the bindings inside of what is
    compared as a whole, which have no leaf of their own.
    """

    leaves: list[Leaf]
    bindings: list[Binding]
    marked: dict[str, Any]
    lost: list[Binding]


def given(tool: CompiledTool, arguments: dict[str, Any], anything: Anything) -> Given:
    """Return what the arguments of an action say."""
    found: list[Binding] = []
    referring = _marked(arguments, found, never)
    places = {canonical(_mark(number)): binding for number, binding in enumerate(found)}
    leaves = tool.argument_leaves(referring, anything)
    bound = [leaf for leaf in leaves if leaf.value in places]
    kept = [leaf for leaf in leaves if leaf.value not in places]
    bindings = [
        places[leaf.value]._replace(path=again.path, number=again.number)
        for leaf, again in zip(bound, _counted_anew(bound), strict=True)
    ]
    lost = [binding for text, binding in places.items() if text not in {leaf.value for leaf in bound}]
    counted = [leaf for leaf in _counted_anew(kept) if leaf.counted]
    return Given(counted, bindings, _marked(referring, [], anything), lost)


def _counted_anew(leaves: list[Leaf]) -> list[Leaf]:
    return numbered((leaf.path, leaf.value, leaf.compare, leaf.counted) for leaf in leaves)


def result_references(value: Any) -> Iterator[Binding]:
    """Yield the results of earlier actions that stand in arguments, in their order."""
    found: list[Binding] = []
    _marked(value, found, never)
    yield from found


def _marked(value: Any, found: list[Binding], anything: Anything) -> Any:
    if anything(value):
        return MARK
    if isinstance(value, dict):
        if value.keys() == _KEYS and all(isinstance(part, str) for part in value.values()):
            found.append(Binding(value["result_of"], value["field"]))
            return _mark(len(found) - 1)
        return {name: _marked(inner, found, anything) for name, inner in value.items()}
    if isinstance(value, list):
        return [_marked(inner, found, anything) for inner in value]
    return value


def _mark(number: int) -> str:
    return f"{MARK}{number}{MARK}"
