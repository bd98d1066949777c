"""The suite sabench: what it asks for, in which world, and that it is built the same every time."""

import difflib
import itertools
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

import misstep
from misstep.cli import app
from misstep.contracts.trace import SCHEMA
from misstep.suites.build import build_suite
from misstep.suites.instances import AnyInstance
from misstep.suites.sabench.sources import Instance, Sources, read_sources
from suites.sabench_checks import DOMAINS, STRUCTURES, TRAPS, script_faults, task_faults
from suites.sabench_world import SABENCH
from suites.test_office_suite import files_of

WRITTEN = ("suite.yaml", "tools.yaml")


@pytest.fixture(scope="module")
def sources() -> Sources:
    return read_sources(SABENCH)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sabench") / "suite"
    build_suite("sabench", folder, SABENCH)
    for name in WRITTEN:
        (folder / name).write_bytes((SABENCH / name).read_bytes())
    return folder


def environment() -> dict[str, str]:
    """Return an environment in which another process imports this misstep."""
    return {**os.environ, "PYTHONPATH": str(Path(misstep.__file__).parents[1])}


def by(instances: list[Instance], name: str) -> Counter[str]:
    return Counter(instance.task.strata[name] for instance in instances)


def test_it_has_201_tasks_of_47_templates(sources: Sources) -> None:
    sizes = Counter(instance.task.template_id for instance in sources.instances)
    assert len(sources.instances) == 201
    assert Counter(sizes.values()) == {4: 34, 5: 13}
    assert {str(instance.task.template_id) for instance in sources.instances} == {
        path.stem for path in (SABENCH / "templates").glob("*.yaml")
    }


def test_every_trap_comes_in_every_structure(sources: Sources) -> None:
    cells = Counter((one.task.strata["trap"], one.task.strata["structure"]) for one in sources.instances)
    assert set(cells) == set(itertools.product(TRAPS, STRUCTURES))
    domains = by(sources.instances, "domain")
    assert set(domains) == DOMAINS and all(60 <= count <= 75 for count in domains.values())


def test_45_tasks_are_ambiguous(sources: Sources) -> None:
    ambiguous = [instance for instance in sources.instances if instance.task.ambiguous]
    assert len(ambiguous) == 45 == by(sources.instances, "trap")["ambiguity"]
    structures = by(ambiguous, "structure")
    assert structures["dependent"] == 8 and structures["cross_tool"] == 13


def test_tasks_of_a_template_are_alike_in_kind_and_differ_in_week(sources: Sources) -> None:
    templates: dict[str, list[AnyInstance]] = {}
    for instance in sources.instances:
        templates.setdefault(str(instance.task.template_id), []).append(instance)
    for group in templates.values():
        assert len({json.dumps(one.written["strata"]) for one in group}) == 1
        assert len({one.task.state for one in group}) > 1
    assert {instance.task.state for instance in sources.instances} == set(sources.states)


def test_offices_are_lived_in(sources: Sources) -> None:
    for instance in sources.instances:
        kinds = Counter(entity.partition(":")[0] for entity in sources.office(instance.task).records)
        assert kinds["email"] >= 45 and kinds["event"] >= 35 and kinds["ticket"] >= 35
        assert kinds["comment"] >= 12 and kinds["series"] >= 4 and kinds["contact"] >= 40


def test_no_two_instructions_are_alike(sources: Sources) -> None:
    texts = [str(instance.task.instruction) for instance in sources.instances]
    assert len(set(texts)) == len(texts)
    alike = []
    for one in texts:
        matcher = difflib.SequenceMatcher(None, "", one, autojunk=False)
        for other in texts:
            if other < one:
                matcher.set_seq1(other)
                quick = matcher.real_quick_ratio() > 0.8 and matcher.quick_ratio() > 0.8
                if quick and matcher.ratio() > 0.8:
                    alike.append((one, other))
    assert alike == []


def test_156_goals_are_to_be_reached(sources: Sources) -> None:
    assert sum(bool(instance.task.goal) for instance in sources.instances) == 156


def test_tasks_and_scripts_are_as_they_must_be(sources: Sources) -> None:
    found = {
        instance.task.task_id: [*task_faults(sources, instance), *script_faults(instance)]
        for instance in sources.instances
    }
    assert {task: faults for task, faults in found.items() if faults} == {}


@pytest.mark.slow
def test_two_builds_write_the_same_bytes(built: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    command = [sys.executable, "-c", "from misstep.cli import app; app()", "suite", "build", "sabench"]
    seeded = environment() | {"PYTHONHASHSEED": "7"}
    subprocess.run([*command, "--from", SABENCH, "--out", again], check=True, env=seeded)
    first, second = files_of(built), files_of(again)
    assert {name for name in first if name not in WRITTEN} == set(second)
    assert [name for name in second if first[name] != second[name]] == []


def test_a_build_holds_what_it_says(built: Path, sources: Sources) -> None:
    tasks = [json.loads(line) for line in (built / "tasks.jsonl").read_text(encoding="utf-8").splitlines()]
    assert tasks == [instance.written for instance in sources.instances]
    assert {path.stem for path in (built / "states").iterdir()} == set(sources.states)
    assert len(list((built / "traces" / "scripted").iterdir())) == 9


def test_the_card_is_as_the_suite_is(built: Path) -> None:
    assert (built / "CARD.md").read_text(encoding="utf-8") == (SABENCH / "CARD.md").read_text(encoding="utf-8")


def test_the_example_of_the_card_runs(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (SABENCH / "CARD.md").read_text(encoding="utf-8")
    example = text.partition("```python\n")[2].partition("```")[0]
    commands = text.partition("```sh\n")[2].partition("```")[0].splitlines()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sabench").symlink_to(built)
    subprocess.run([sys.executable, "-c", example], check=True, env=environment())
    records = [json.loads(line) for line in Path("my-agent.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len({record["task_id"] for record in records}) == 201
    assert {record["schema"] for record in records} == {SCHEMA}
    assert all(record["events"][3]["result"]["total"] > 0 for record in records)
    assert commands[0] == "misstep suite build sabench --out sabench"
    for command in commands[1:]:
        ran = CliRunner().invoke(app, command.split()[1:])
        assert ran.exit_code == 0, ran.output
    assert all(name in ran.output for name in ("goal", "cd", "ab"))
