"""What came back from a call, or was said in a message, as text: plain, in blocks, decoded, or attached elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import msgspec

from misstep.contracts.trace import Fault

_TEXT_BLOCKS = frozenset({"text", "input_text", "output_text", "refusal"})
ATTACHMENT = "attachment://"


class Shown(msgspec.Struct, frozen=True, gc=False):
    """A result: `text` as the caller saw it, `structured` where it came decoded; `there` is False where it is lost."""

    text: str | None
    structured: Any = None
    there: bool = True


def text_of(content: Any, faults: list[Fault], path: str) -> str | None:
    """Return the text of a content: text itself, or its text blocks joined by line ends; None where there is none.

    Blocks that are not text are counted in one note.
    """
    if content is None or type(content) is str:
        return content
    if isinstance(content, dict):
        content = [content]
    if not isinstance(content, list):
        return encoded(content)
    parts: list[str] = []
    others: Counter[str] = Counter()
    for block in content:
        text = _block_text(block)
        if text is None:
            kind = block.get("type") if isinstance(block, dict) else None
            others[kind if isinstance(kind, str) else type(block).__name__] += 1
        else:
            parts.append(text)
    if others:
        counts = ", ".join(f"{count} {kind}" for kind, count in sorted(others.items()))
        faults.append(Fault("non-text-block", f"blocks that are not text: {counts}", path))
    return "\n".join(parts) if parts or not others else None


def _block_text(block: Any) -> str | None:
    if isinstance(block, str):
        return block
    if not isinstance(block, dict) or block.get("type", "text") not in _TEXT_BLOCKS:
        return None
    for key in ("text", "content", "refusal"):
        if isinstance(value := block.get(key), str):
            return value
    return None


def result_of(content: Any, faults: list[Fault], path: str, attachments: Mapping[str, Any] | None = None) -> Shown:
    """Return what a result shows. Null is an empty result; an object or a list of values is kept decoded as well."""
    if type(content) is str:
        if content.startswith(ATTACHMENT):
            return _attached(content, faults, path, attachments)
        return Shown(content)
    if content is None:
        return Shown("")
    if isinstance(content, list) and _blocks(content):
        return Shown(text_of(content, faults, path) or "")
    if isinstance(content, dict) and content.get("type") in _TEXT_BLOCKS:
        return Shown(text_of(content, faults, path) or "")
    return Shown(encoded(content), content)


def _blocks(content: list[Any]) -> bool:
    """Return whether a list is one of blocks rather than a list of values that a tool returned."""
    return all(isinstance(block, dict) and isinstance(block.get("type"), str) for block in content) and any(
        block["type"] in _TEXT_BLOCKS or {"source", "image_url", "data", "image"} & set(block) for block in content
    )


def _attached(content: str, faults: list[Fault], path: str, attachments: Mapping[str, Any] | None) -> Shown:
    name = content[len(ATTACHMENT) :].strip()
    found = (attachments or {}).get(name)
    if isinstance(found, str) and not found.startswith(ATTACHMENT):
        return Shown(found)
    if found is not None and not isinstance(found, str):
        return Shown(encoded(found), found)
    faults.append(Fault("missing-attachment", f"the result is the attachment {name[:80]!r}, which is not here", path))
    return Shown(None, None, there=False)


def error_text(error: Any) -> str | None:
    """Return the text of an error: text itself, the message of an object, else all of it; None for a bare flag."""
    if error is None or isinstance(error, bool):
        return None
    if isinstance(error, dict) and isinstance(message := error.get("message"), str):
        return message
    return error if isinstance(error, str) else encoded(error)


def encoded(value: Any) -> str:
    """Return a decoded value as JSON text."""
    return msgspec.json.encode(value).decode()
