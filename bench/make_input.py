"""A trace file of any size: the public tau-bench airline runs again and again, with other trials and other results."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

SOURCE = "tau-bench/results/gpt-4o-airline.json.gz"


def make_input(corpora: Path, target: Path, size: int) -> Path:
    """Return `target`, a JSON Lines file of at least `size` bytes; one that is there already is used again.

    Every episode has a trial number of its own, and every result that is JSON differs from all others.
    """
    if target.exists() and target.stat().st_size >= size:
        return target
    episodes = _recorded(corpora)
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_suffix(".unfinished")
    written = 0
    with unfinished.open("wb") as file:
        for episode in _copies(episodes):
            written += file.write(msgspec.json.encode(episode) + b"\n")
            if written >= size:
                break
    unfinished.replace(target)
    return target


def size_of_calls(corpora: Path, calls: int) -> int:
    """Return how many bytes of input hold about `calls` calls, and not fewer."""
    episodes = _recorded(corpora)
    found = sum(len(message.get("tool_calls") or ()) for episode in episodes for message in episode["traj"])
    # a copy far from the first: marks get longer
    size = sum(len(msgspec.json.encode(episode)) + 1 for episode in _marked(episodes, 10_000))
    return (size // found + 1) * calls


def _recorded(corpora: Path) -> list[dict[str, Any]]:
    episodes: list[dict[str, Any]] = msgspec.json.decode(gzip.decompress((corpora / SOURCE).read_bytes()))
    return episodes


def _copies(episodes: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    copy = 0
    while True:
        yield from _marked(episodes, copy)
        copy += 1


def _marked(episodes: list[dict[str, Any]], copy: int) -> Iterator[dict[str, Any]]:
    """Yield the episodes with the trial numbers and results of a copy."""
    trials = 1 + max(episode["trial"] for episode in episodes)
    for number, episode in enumerate(episodes):
        told = [_other(message, f"{copy}.{number}.{index}") for index, message in enumerate(episode["traj"])]
        yield {**episode, "trial": copy * trials + episode["trial"], "traj": told}


def _other(message: dict[str, Any], mark: str) -> dict[str, Any]:
    """Return a message whose result, if it is JSON, is like no other."""
    content = message.get("content")
    if message["role"] != "tool" or not isinstance(content, str) or content[:1] not in ("{", "["):
        return message
    for start in ("{", "[{"):
        if content.startswith(start) and len(content) > len(start) + 1:
            return {**message, "content": f'{start}"copy": "{mark}", {content[len(start) :]}'}
    return message
