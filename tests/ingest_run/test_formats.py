"""Which reader the files of a folder get, and what calls that left only a trace do to labels."""

import json

import pytest

from ingest_run.traces import codes, episode, lines, run, say
from misstep.contracts.tables import SPECS
from misstep.label import label
from misstep.storage.parquet import scan

CHAT = {"task_id": "a", "messages": [{"role": "user", "content": "go"}], "reward_info": {}}


@pytest.mark.parametrize(
    ("format", "read", "told"),
    [
        pytest.param(None, ["tau2_bench", "misstep_trace"], [], id="by-their-looks"),
        pytest.param("openai_messages", ["openai_messages", None], ["unknown-format"], id="asked-for-and-fitting"),
        pytest.param("openai-messages", ["openai_messages", None], ["unknown-format"], id="spelled-as-an-option"),
        pytest.param("misstep_trace", [None, "misstep_trace"], ["unknown-format"], id="asked-for-and-not-fitting"),
    ],
)
def test_a_format_asked_for_goes_first_in_a_folder(suite, put, tmp_path, format, read, told):
    put("in/a.jsonl", json.dumps(CHAT).encode())
    folder = put("in/b.jsonl", lines(episode("b", say("x")))).parent
    found = run(suite, tmp_path / "out", folder, format=format)
    assert found["files"].sort("file")["format"].to_list() == read
    assert codes(found) == told


@pytest.mark.parametrize(
    "message",
    [
        pytest.param({"role": "tool", "tool_call_id": "zz", "content": "Closed."}, id="result-of-no-call"),
        pytest.param(
            {"role": "assistant", "tool_calls": [{"id": "c", "function": {"arguments": '{"id": "1"}'}}]}, id="no-name"
        ),
        pytest.param({"type": "computer_call", "call_id": "c", "action": {}}, id="item-of-no-tool"),
        pytest.param(
            {"type": "function_call", "call_id": "c", "name": "orders.close", "arguments": '{"id": "1"}'},
            id="item-without-result",
        ),
    ],
)
def test_what_is_left_of_a_call_leaves_damage_unknown(suite, put, tmp_path, message):
    record = {"task_id": "a", "messages": [message, {"role": "assistant", "content": "Done."}]}
    found = run(suite, tmp_path / "out", put("a.jsonl", lines(record)))
    specs = {f"spec/{name}": scan(tmp_path / "out", f"spec/{name}") for name in SPECS}
    labels = label({name: frame.lazy() for name, frame in found.items()} | specs)["episode_labels"].collect()
    assert labels["cd"].to_list() == [None]
