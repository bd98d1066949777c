"""Conversations that need no pairing read the same as if they were paired like all others."""

import json
from typing import Any

import pytest

from ingest.reading import Reading, asks, chat, gives, line
from misstep.ingest.readers import chat as paired
from misstep.ingest.readers.plain import plain_turns

DONE = json.dumps({"done": True})
ORDER = json.dumps({"id": "O-1"})

PLAIN = {
    "no call": [{"role": "assistant", "content": "hello"}, {"role": "system", "content": None}],
    "one call": [asks(("c1", "pay", ORDER)), gives("c1", DONE)],
    "two rounds": [asks(("c1", "pay", ORDER)), gives("c1", DONE), asks(("c1", "pay", ORDER)), gives("c1", "no")],
    "with words": [asks(("c1", "pay", ORDER), content="paying"), gives("c1", "")],
    "no ids": [asks((None, "pay", ORDER)), gives(None, DONE)],
    "number as id": [asks((7, "pay", ORDER)), gives("7", DONE)],
    "a word in between": [asks(("c1", "pay", ORDER)), {"role": "user", "content": "wait"}, gives("c1", DONE)],
    "failed": [asks(("c1", "pay", ORDER)), {**gives("c1", "no"), "is_error": True}],
    "long arguments": [asks(("c1", "pay", json.dumps({"note": "x" * 5000}))), gives("c1", DONE)],
}
OTHERS = {
    "no result": [asks(("c1", "pay", ORDER))],
    "no call for it": [gives("c1", DONE)],
    "result twice": [asks(("c1", "pay", ORDER)), gives("c1", DONE), gives("c1", DONE)],
    "another id": [asks(("c1", "pay", ORDER)), gives("c2", DONE)],
    "two calls": [asks(("c1", "pay", ORDER), ("c2", "pay", ORDER)), gives("c1", DONE), gives("c2", DONE)],
    "calls in turn": [asks(("c1", "pay", ORDER)), asks(("c2", "pay", ORDER)), gives("c1", DONE), gives("c2", DONE)],
    "arguments as object": [asks(("c1", "pay", {"id": "O-1"})), gives("c1", DONE)],
    "broken arguments": [asks(("c1", "pay", "{")), gives("c1", DONE)],
    "no tool": [asks(("c1", "", ORDER)), gives("c1", DONE)],
    "time": [asks(("c1", "pay", ORDER), timestamp="2024-05-05T10:00:00Z"), gives("c1", DONE)],
    "error": [asks(("c1", "pay", ORDER)), {**gives("c1", DONE), "error": "no"}],
    "status": [asks(("c1", "pay", ORDER)), {**gives("c1", DONE), "status": "error"}],
    "decoded result": [asks(("c1", "pay", ORDER)), gives("c1", {"done": True})],
    "attachment": [asks(("c1", "pay", ORDER)), gives("c1", "attachment://a")],
    "blocks": [{"role": "assistant", "content": [{"type": "text", "text": "hello"}]}],
    "other role": [{"role": "developer", "content": "be brief"}],
    "actor": [{"role": "assistant", "content": "hello", "actor": "helper"}],
    "streamed": [{"role": "assistant", "delta": {"content": "he"}}, {"role": "assistant", "delta": {"content": "llo"}}],
}


@pytest.mark.parametrize("name", [*PLAIN, *OTHERS])
def test_same_either_way(reads: Reading, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    taken = []

    def watched(messages: Any) -> Any:
        taken.append(plain_turns(messages))
        return taken[-1]

    written = line(chat(*{**PLAIN, **OTHERS}[name]))
    monkeypatch.setattr(paired, "plain_turns", watched)
    got = reads(written)
    monkeypatch.setattr(paired, "plain_turns", lambda messages: None)
    assert got.episodes == reads(written).episodes
    assert (taken[0] is not None) == (name in PLAIN)


def test_duplicate_keys_are_looked_for_all_the_same(reads: Reading) -> None:
    written = line(chat(asks(("c1", "pay", '{"id": "O-1", "id": "O-2"}')), gives("c1", DONE)))
    assert reads(written).codes == []
    assert reads(written, strict_json=True).codes == ["duplicate-key"]
