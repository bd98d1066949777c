"""Hand-written files → validated models; every fault of a file is reported at once, with file, line and field."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from misstep.contracts.errors import Place, SpecificationError
from misstep.specs.plain_yaml import PlainLoader

Model = TypeVar("Model", bound=BaseModel)

_CAUSED = "Value error, "


class WrittenFault(NamedTuple):
    """Something wrong in a hand-written file."""

    place: Place
    message: str


def raise_faults(faults: Sequence[WrittenFault]) -> None:
    """Raise one error for all faults, a line each; nothing happens without faults.

    Raises:
        SpecificationError: there are faults; its place is that of the first.
    """
    if faults:
        lines = [faults[0].message, *(f"{fault.place}: {fault.message}" for fault in faults[1:])]
        raise SpecificationError("\n".join(lines), faults[0].place)


class YamlFile:
    """A YAML file: its `value`, and the line on which each part of it stands.

    Raises:
        SpecificationError: the file cannot be read, is not YAML, is empty, or names a key twice.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        loader = PlainLoader(_text(path))
        try:
            node = loader.get_single_node()
            if node is None:
                raise SpecificationError("the file is empty", Place(str(path)))
            self._node: yaml.Node = node
            raise_faults([self._duplicate(field, key) for field, key in _duplicates(node, "")])
            self.value: Any = loader.construct_document(node)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            place = Place(str(path), None if mark is None else mark.line + 1)
            raise SpecificationError(f"not valid YAML ({error.problem or error.context})", place) from error
        except (yaml.YAMLError, ValueError) as error:
            raise SpecificationError(f"not valid YAML ({error})", Place(str(path))) from error
        finally:
            loader.dispose()

    def _duplicate(self, field: str, key: yaml.ScalarNode) -> WrittenFault:
        return WrittenFault(Place(str(self.path), key.start_mark.line + 1, field), "the key stands here twice")

    def place(self, field: str) -> Place:
        """Return the place of a field such as `tools.mail.send.writes[0].entity`, or of what is left of it."""
        node, rest = self._node, field
        line = _line(node)
        while rest:
            step = _descend(node, rest)
            if step is None:
                break
            line, node, rest = step
        return Place(str(self.path), line, field or None)

    def validate(self, model: type[Model]) -> Model:
        """Return the file as a model.

        Raises:
            SpecificationError: the file is not as the model says, all faults of it.
        """
        try:
            return model.model_validate(self.value)
        except ValidationError as error:
            raise_faults(
                sorted(
                    (WrittenFault(self.place(field), message) for field, message in messages(error, self.value)),
                    key=lambda fault: fault.place.line or 0,
                )
            )
            raise


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise SpecificationError("there is no such file", Place(str(path))) from error
    except UnicodeDecodeError as error:
        raise SpecificationError(f"not UTF-8 (byte {error.start})", Place(str(path))) from error
    except OSError as error:
        raise SpecificationError(f"cannot be read ({error.strerror})", Place(str(path))) from error


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


def _duplicates(node: yaml.Node, field: str) -> Iterable[tuple[str, yaml.ScalarNode]]:
    if isinstance(node, yaml.MappingNode):
        seen: set[tuple[str, str]] = set()
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                continue
            inner = f"{field}.{key.value}" if field else key.value
            if (key.tag, key.value) in seen and key.value != "<<":
                yield inner, key
            seen.add((key.tag, key.value))
            yield from _duplicates(value, inner)
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            yield from _duplicates(value, f"{field}[{index}]")


def _descend(node: yaml.Node, field: str) -> tuple[int, yaml.Node, str] | None:
    """Return line, node and what is left of a field after its first step; the longest key that fits is taken."""
    if isinstance(node, yaml.SequenceNode) and field.startswith("["):
        index, _, rest = field[1:].partition("]")
        if index.isdigit() and int(index) < len(node.value):
            inner = node.value[int(index)]
            return _line(inner), inner, rest.removeprefix(".")
    if isinstance(node, yaml.MappingNode):
        fitting = [
            (key, value)
            for key, value in node.value
            if isinstance(key, yaml.ScalarNode)
            and (field == key.value or field.startswith((key.value + ".", key.value + "[")))
        ]
        if fitting:
            key, value = max(fitting, key=lambda pair: len(pair[0].value))
            return _line(key), value, field[len(key.value) :].removeprefix(".")
    return None


def messages(error: ValidationError, value: Any) -> list[tuple[str, str]]:
    """Return field and message of what is wrong with a value, alternatives of the same field in one message.

    Where a value fits none of several forms, the messages about the form that got furthest are kept.
    """
    found: dict[tuple[str | int, ...], list[str]] = {}
    branched: set[tuple[str | int, ...]] = set()
    for fault in error.errors(include_url=False, include_input=False, include_context=False):
        path, alternatives = _without_alternatives(fault["loc"], value, missing=fault["type"] == "missing")
        branched.update(alternatives)
        found.setdefault(path, []).append(fault["msg"].removeprefix(_CAUSED))
    kept = {
        path: texts
        for path, texts in found.items()
        if not (path in branched and any(other[: len(path)] == path and other != path for other in found))
    }
    return [(field_name(path), " or ".join(dict.fromkeys(texts))) for path, texts in kept.items()]


def _without_alternatives(
    location: tuple[str | int, ...], value: Any, *, missing: bool
) -> tuple[tuple[str | int, ...], set[tuple[str | int, ...]]]:
    """Return the path inside of a value without the names of alternatives, and where those stood."""
    path: list[str | int] = []
    branched: set[tuple[str | int, ...]] = set()
    for place, step in enumerate(location):
        inside = _inside(value, step)
        if inside is not None:
            path.append(step)
            value = inside[0]
        elif missing and place == len(location) - 1:
            path.append(step)
        elif step != "[key]":
            branched.add(tuple(path))
    return tuple(path), branched


def _inside(value: Any, step: str | int) -> tuple[Any] | None:
    if isinstance(value, dict) and step in value:
        return (value[step],)
    if isinstance(value, list) and isinstance(step, int) and step < len(value):
        return (value[step],)
    return None


def field_name(path: Iterable[str | int]) -> str:
    """Return the written form of a path: `a.b[0].c`."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else str(step)
    return text
