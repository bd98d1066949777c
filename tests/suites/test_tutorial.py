"""What the tutorial says of the office suite is so."""

import re
from pathlib import Path
from textwrap import indent

from misstep.suites.build import build_suite
from misstep.suites.instances import read_sources
from suites.office_suite import copy_written_files, episodes

PATTERN_ROW = re.compile(r"^\| `(\w+)` \| `([\w-]+)@(\w+)` \|", re.MULTILINE)
HARMLESS_ROW = re.compile(r"^\| `([\w-]+)@(\w+)`, replicate (\d) \|", re.MULTILINE)


def test_the_episodes_it_names_show_the_patterns_it_names(root: Path) -> None:
    intended = {(one.record["task_id"], one.model, one.replicate): one.intent for one in episodes()}
    text = (root / "docs" / "tutorial.md").read_text(encoding="utf-8")
    rows = PATTERN_ROW.findall(text)
    assert len(rows) == 8
    for pattern, task, model in rows:
        assert intended[task, model, 1].patterns == [pattern], task
    harmless = HARMLESS_ROW.findall(text)
    assert len(harmless) == 6
    for task, model, replicate in harmless:
        assert intended[task, model, int(replicate)].cd is False, task


def test_the_variant_it_shows_becomes_a_task(root: Path, tmp_path: Path) -> None:
    text = (root / "docs" / "tutorial.md").read_text(encoding="utf-8")
    variant = re.search(r"\n\n((?:    .*\n)+)\nA script lists moves", text)
    assert variant is not None
    folder = copy_written_files(tmp_path / "office")
    template = folder / "templates" / "cancel-one.yaml"
    before = template.read_text(encoding="utf-8")
    shown = indent("\n".join(line[4:] for line in variant[1].splitlines()), "  ")
    template.write_text(before.replace("\nscripts:", f"\n{shown}\nscripts:"), encoding="utf-8")
    assert "cancel-one-tyres" in {str(one.task.task_id) for one in read_sources(folder, "office").instances}
    assert build_suite("office", folder)["episodes"] == len(episodes()) + 3
