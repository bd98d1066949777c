"""How the tests of this folder write a trace file and read it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from misstep.contracts.problems import CODES
from misstep.contracts.trace import Episode
from misstep.ingest.files import Options, TraceFile, open_trace, read
from misstep.ingest.records import Account


class Read:
    """What reading a file gave: its episodes, and all codes of faults, of records and inside of episodes."""

    def __init__(self, path: Path, options: Options) -> None:
        self.file: TraceFile | None
        self.file, self.account = open_trace(path, path.name, options)
        self.episodes: list[Episode] = []
        self.lines: list[int] = []
        if self.file is not None:
            self.account = Account()
            for record, episodes in read(self.file, self.account, options):
                self.episodes += episodes
                self.lines += [record.line] * len(episodes)
        assert self.account.balanced()
        assert {code for code, _ in self.faults} <= set(CODES)

    @property
    def faults(self) -> list[tuple[str, str]]:
        outside = [(found.fault.code, found.fault.message) for found in self.account.found]
        return outside + [(fault.code, fault.message) for episode in self.episodes for fault in episode.faults]

    @property
    def codes(self) -> list[str]:
        return [code for code, _ in self.faults]

    @property
    def ids(self) -> list[str]:
        return [episode.task_id for episode in self.episodes]


Reading = Callable[..., Read]


def line(value: Any) -> bytes:
    return json.dumps(value).encode() + b"\n"


def chat(*messages: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"episode_id": "e1", "messages": [{"role": "user", "content": "do it"}, *messages], **fields}


def asks(*calls: tuple[Any, str, Any], **fields: Any) -> dict[str, Any]:
    """Return an assistant message that calls: (id, tool, arguments)."""
    wanted = [
        {"id": call_id, "type": "function", "function": {"name": tool, "arguments": arguments}}
        for call_id, tool, arguments in calls
    ]
    return {"role": "assistant", "content": None, "tool_calls": wanted, **fields}


def gives(call_id: Any, content: Any, **fields: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content, **fields}
