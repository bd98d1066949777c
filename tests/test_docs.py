"""The documentation does what it says: its blocks run as written, its fragments are read, its links lead somewhere.

A fenced block may carry a second word. `sh corpus` needs a public corpus and `sh checkout` builds or checks the whole
project: of both, only commands, options and targets are checked. All other `sh` and `python` blocks of a page run one
after the other, in a copy of the data with the office suite built. A `text` block that follows one at once is its
output; `…` in it stands for anything.
"""

import importlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from typer.main import get_command

from misstep.cli import app
from misstep.contracts.problems import CODES
from misstep.contracts.study import Study
from misstep.contracts.suite import SuiteFile, Task
from misstep.contracts.tables import EpisodeLabels
from misstep.contracts.tools import ToolsFile
from misstep.ingest.readers import Origin
from misstep.ingest.records import Record
from misstep.specs.effects import CompiledTools
from misstep.specs.plain_yaml import PlainLoader

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")] + sorted(
    (ROOT / "docs").glob("*.md")
)
NOT_RUN = ("corpus", "checkout")
FENCE = re.compile(r"^(?P<mark>```+)(?P<info>[^\n`]*)\n(?P<text>.*?)^(?P=mark)[ ]*$", re.M | re.S)
LINK = re.compile(r"!?\[[^\]]*\]\(([^()\s]+)\)")


class Block(NamedTuple):
    """A fenced block: its line in the page, its words, its text, and the `text` block right after it."""

    line: int
    language: str
    mark: str
    text: str
    output: str | None


def blocks(page: Path) -> list[Block]:
    written = page.read_text(encoding="utf-8")
    found = list(FENCE.finditer(written))
    made = []
    for here, then in zip(found, [*found[1:], None], strict=False):
        language, _, mark = here["info"].strip().partition(" ")
        shown = then is not None and then["info"].strip() == "text" and not written[here.end() : then.start()].strip()
        output = then["text"] if then is not None and shown else None
        made.append(Block(written[: here.start()].count("\n") + 1, language, mark, here["text"], output))
    return made


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def runnable(page: Path) -> list[Block]:
    return [block for block in blocks(page) if block.language in ("sh", "python") and block.mark not in NOT_RUN]


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with `data/` and the office suite built in it."""
    folder = tmp_path_factory.mktemp("docs") / "misstep"
    for part in ("suites/office", "studies"):
        built_files = shutil.ignore_patterns("tasks.jsonl", "states", "traces", ".built")
        shutil.copytree(ROOT / "data" / part, folder / "data" / part, ignore=built_files)
    run("misstep suite build office --out data/suites/office --quiet", folder, "sh")
    return folder


def run(text: str, folder: Path, language: str) -> str:
    """Return what a block prints; a command of it that fails makes the test fail."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    environment = {**os.environ, "PATH": path, "COLUMNS": "200", "NO_COLOR": "1"}
    started = ["bash", "-eu", "-o", "pipefail", "-c", text] if language == "sh" else [sys.executable, "-c", text]
    done = subprocess.run(started, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def fits(wanted: str, printed: str) -> bool:
    """Return whether output is as shown: line for line without trailing blanks, `…` for anything."""
    lines = ["\n".join(line.rstrip() for line in text.strip("\n").splitlines()) for text in (wanted, printed)]
    return re.fullmatch(".*?".join(map(re.escape, lines[0].split("…"))), lines[1], re.S) is not None


@pytest.mark.parametrize("page", [page for page in PAGES if runnable(page)], ids=name)
def test_blocks_of_a_page_run_as_written(page: Path, built: Path, tmp_path: Path) -> None:
    folder = tmp_path / "misstep"
    shutil.copytree(built, folder)
    for block in runnable(page):
        printed = run(block.text, folder, block.language)
        if block.output is not None:
            assert fits(block.output, printed), f"{name(page)}:{block.line} prints\n{printed}"


def commands(text: str) -> Iterator[list[str]]:
    """Yield the words of every `misstep` and `make` command of a shell block."""
    joined = text.replace("\\\n", " ")
    for line in joined.splitlines():
        words = shlex.split(line, comments=True) if line.count('"') % 2 == 0 and line.count("'") % 2 == 0 else []
        if words[:1] in (["misstep"], ["make"]):
            yield words


def options_of(words: list[str]) -> tuple[Any, list[str]]:
    """Return the command that words call, and the words after its name."""
    command: Any = get_command(app)
    rest = words[1:]
    while hasattr(command, "commands"):
        assert rest and rest[0] in command.commands, f"{shlex.join(words)}: no such command"
        command, rest = command.commands[rest[0]], rest[1:]
    return command, rest


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_shown_commands_and_targets_exist(page: Path) -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.M))
    for block in blocks(page):
        for words in commands(block.text) if block.language == "sh" else []:
            if words[0] == "make":
                assert {word for word in words[1:] if "=" not in word} <= targets, shlex.join(words)
                continue
            command, rest = options_of(words)
            known = {text for one in command.params for text in (*one.opts, *one.secondary_opts)} | {"--help"}
            used = {word.partition("=")[0] for word in rest if word.startswith("--")}
            assert used <= known, f"{name(page)}:{block.line}: {shlex.join(words)}"


def headings(page: Path) -> set[str]:
    """Return the anchors that a page offers."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    titles = re.findall(r"^#+ (.+)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_inside_the_project_lead_somewhere(page: Path) -> None:
    dead = []
    for link in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        path, _, anchor = link.partition("#")
        if re.match(r"[a-z]+:", link):
            continue
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in headings(target)):
            dead.append(link)
    assert dead == []


def fragments(page: str, language: str) -> list[tuple[int, str]]:
    return [(block.line, block.text) for block in blocks(ROOT / page) if block.language == language]


@pytest.mark.parametrize(("line", "text"), fragments("docs/tools.md", "yaml"))
def test_examples_of_the_tools_language_compile(line: int, text: str) -> None:
    """A fragment is a whole file, parts of one, or tools by name."""
    written = yaml.load(text, PlainLoader)
    tops = {field.alias or key for key, field in ToolsFile.model_fields.items()}
    file = {key: value for key, value in written.items() if key in tops}
    tools = {**file.pop("tools", {}), **{key: value for key, value in written.items() if key not in tops}}
    CompiledTools(ToolsFile.model_validate({"schema": "misstep.tools/1", **file, "tools": tools}), "docs")


@pytest.mark.parametrize(("line", "text"), fragments("docs/suites.md", "json"))
def test_examples_of_tasks_are_tasks(line: int, text: str) -> None:
    Task.model_validate({"task_id": "t", **json.loads(text)})


@pytest.mark.parametrize(("line", "text"), fragments("docs/suites.md", "yaml"))
def test_examples_of_suite_files_are_suite_files(line: int, text: str) -> None:
    SuiteFile.model_validate(yaml.load(text, PlainLoader))


@pytest.mark.parametrize(("line", "text"), fragments("docs/reports.md", "yaml"))
def test_examples_of_study_files_are_study_files(line: int, text: str) -> None:
    Study.model_validate(yaml.load(text, PlainLoader))


def imported(folder: Path, name: str, text: str) -> Any:
    """Return a module with this text; `folder` is on the path."""
    (folder / f"{name}.py").write_text(text, encoding="utf-8")
    importlib.invalidate_caches()
    return importlib.import_module(name)


def test_examples_for_contributors_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    reader, metric, figure = (text for _, text in fragments("CONTRIBUTING.md", "py"))
    line = {
        "task": "t",
        "bot": "b",
        "steps": [{"tool": "close", "input": {"id": 1}, "output": "ok"}],
        "answer": "Done.",
    }
    [episode] = imported(tmp_path, "docs_reader", reader).READER.read(
        Record(1, 0, json.dumps(line).encode()), Origin("x")
    )
    assert (episode.task_id, episode.model, [call.tool for call in episode.calls]) == ("t", "b", ["close"])
    made = imported(tmp_path, "docs_metric", f"from misstep.stats.metrics import Metric\n\nMETRIC = {metric}").METRIC
    value, _ = made.under("standard")
    assert EpisodeLabels.create_empty().select(value).width == 1
    assert {"frame", "chart"} <= vars(imported(tmp_path, "docs_figure", figure)).keys()


def test_every_page_is_linked_from_the_readme() -> None:
    linked = set(LINK.findall((ROOT / "README.md").read_text(encoding="utf-8")))
    assert {name(page) for page in PAGES if page.parent != ROOT} <= linked


def test_the_page_of_faults_knows_every_code() -> None:
    rows = re.findall(r"^\| `([a-z0-9-]+)` \| (\w+) \| (.+) \|$", (ROOT / "docs" / "faults.md").read_text(), re.M)
    assert {code: (severity, meaning) for code, severity, meaning in rows} == CODES


def test_a_wrong_output_is_noticed() -> None:
    assert fits("a … c\nd", "a b c\nd\n")
    assert not fits("a\nd", "a\nb\n")
