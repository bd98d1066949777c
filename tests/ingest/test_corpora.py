"""The readers on the public corpora: every episode and call is there, and the same run reads the same in every form."""

import json
from collections import Counter
from pathlib import Path

import pytest

from ingest.reading import Read
from misstep.contracts.trace import Episode
from misstep.ingest.files import Options

#: path → format, episodes, the agent's calls, the user's calls
COUNTS = {
    "tau-bench/results/gpt-4o-airline.json.gz": ("tau_bench", 200, 1164, 0),
    "tau-bench/results/tool-calling-grok-3-*.json.gz": ("tau_bench", 115, 932, 0),
    "tau2-bench/results/button-*.json.gz": ("tau2_bench", 50, 435, 0),
    "tau2-bench/results/toolorchestra_retail_gpt-5*.json.gz": ("tau2_bench", 114, 873, 0),
    "tau2-bench/results/gpt-4.1_airline*.json.gz": ("tau2_bench", 20, 148, 0),
    "tau2-bench/results/gpt-4.1_retail*.json.gz": ("tau2_bench", 40, 299, 0),
    "tau2-bench/results/gpt-4.1_telecom_default*.json.gz": ("tau2_bench", 40, 207, 482),
    "tau2-bench/results/gpt-4.1_telecom_no-user*.json.gz": ("tau2_bench", 40, 626, 0),
    "agentdojo/runs/*.jsonl.gz": ("agentdojo", 2301, 5013, 0),
    "workbench/episodes/*.jsonl.gz": ("workbench", 2070, 5921, 0),
}


def read_all(corpora: Path, pattern: str) -> list[Read]:
    paths = sorted(corpora.glob(pattern))
    assert paths
    return [Read(path, Options()) for path in paths]


@pytest.mark.parametrize("pattern", COUNTS)
def test_counts(corpora: Path, pattern: str) -> None:
    got = read_all(corpora, pattern)
    episodes = [episode for one in got for episode in one.episodes]
    actors = Counter(call.actor for episode in episodes for call in episode.calls)

    assert {one.file.format for one in got if one.file} == {COUNTS[pattern][0]}
    assert (len(episodes), actors["agent"], actors["user"]) == COUNTS[pattern][1:]
    assert sum(one.account.lost for one in got) == 0


def test_agentdojo_quirks(corpora: Path) -> None:
    got = read_all(corpora, "agentdojo/runs/*.jsonl.gz")
    episodes = [episode for one in got for episode in one.episodes]

    assert sum(episode.calls_lost for episode in episodes) == 34
    assert sum(episode.status == "infrastructure_failure" for episode in episodes) == 27
    assert {code for one in got for code in one.codes} <= {"lost-calls", "missing-result", "duplicate-call-id"}
    assert all(
        len(episode.calls) - index <= 2
        for episode in episodes
        for index, call in enumerate(episode.calls)
        if not call.has_result
    )


def told(episode: Episode) -> object:
    calls = [
        (c.step, c.position, c.tool, c.arguments, c.raw_arguments, c.result, c.structured, c.failed, c.error)
        for c in episode.calls
    ]
    return (episode.model, episode.condition, episode.status, episode.steps, episode.messages, calls)


def test_agentdojo_files_equal_lines(corpora: Path) -> None:
    lines = {
        (e.model, e.suite, e.condition, e.task_id): told(e)
        for one in read_all(corpora, "agentdojo/runs/gpt-4o-*.jsonl.gz")
        for e in one.episodes
    }
    files = [e for one in read_all(corpora, "agentdojo/raw/gpt-4o-*/**/*.json") for e in one.episodes]
    assert len(files) > 40
    same = [told(e) == lines[key] for e in files if (key := (e.model, e.suite, e.condition, e.task_id)) in lines]
    assert all(same)


def test_agentdojo_raw_files(corpora: Path) -> None:
    got = read_all(corpora, "agentdojo/raw/*/**/*.json")

    assert len(got) == sum(len(one.episodes) for one in got) == 54
    assert sum(len(episode.calls) for one in got for episode in one.episodes) == 184
    assert Counter(episode.status for one in got for episode in one.episodes)["aborted"] == 1


def test_workbench_tables_equal_lines(corpora: Path) -> None:
    (lines,) = read_all(corpora, "workbench/episodes/gpt-4_domains.jsonl.gz")
    by_task = {episode.task_id: told(episode) for episode in lines.episodes}
    tables = read_all(corpora, "workbench/original_csv/*/*.csv.gz")

    assert sum(len(one.episodes) for one in tables) == 200
    for one in tables:
        for episode in one.episodes:
            assert told(episode) == by_task[episode.task_id]


def test_tau2_task_ids_are_repaired(corpora: Path) -> None:
    oracle = json.loads((corpora / "tau2-bench/results/toolorchestra_retail_task_id_repair.json").read_text())
    (got,) = read_all(corpora, "tau2-bench/results/toolorchestra_retail_gpt-5*.json.gz")

    for episode, told_by_it in zip(got.episodes, oracle, strict=True):
        recorded, right = told_by_it["recorded_task_id"], told_by_it["matched_task_id"]
        assert episode.task_id == (right or f"unresolved:{recorded}")
        assert (episode.recorded_task_id or episode.task_id) == recorded


@pytest.mark.parametrize("name", ["button-*", "gpt-4.1_*"])
def test_tau2_task_ids_that_fit_are_left_alone(corpora: Path, name: str) -> None:
    for one in read_all(corpora, f"tau2-bench/results/{name}.json.gz"):
        assert set(one.codes) == {"naive-time"}


def test_other_formats_are_not_mistaken(corpora: Path) -> None:
    others = [
        path for folder in ("api-transcripts", "claude-code-sessions") for path in (corpora / folder).glob("*.jsonl")
    ]

    assert others
    for path in [*others, corpora / "agentdojo/index.jsonl"]:
        assert Read(path, Options()).codes == ["unknown-format"]
