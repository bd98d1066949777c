"""Audit files: rows find their labels, and bad rows say where they stand."""

from pathlib import Path

import pytest

from misstep.contracts.errors import SpecificationError
from misstep.report.audits import judged, read_audit
from report.conftest import study
from report.made_conditions import CONDITIONS, made_conditions
from report.made_tables import made_tables

HEAD = "task_id,model,condition,label,step,position,judgement,note\n"


def written(tmp_path: Path, text: str, head: str = HEAD) -> Path:
    path = tmp_path / "audit.csv"
    path.write_text(head + text)
    return path


def test_judgements_stand_beside_their_labels(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "t06,careful,,cd,,,true,\n"  # the wrong entity
        't07,careful,,cd,,,true,"seen, twice"\n'
        "t16,,,ambiguous,,,,not sure\n"
        "t06,careful,,cd,1,,false,\n"
        "t05,hasty,,violation,2,0,true,\n"  # the repetition
        "t06,hasty,,cd,,,true,\n",  # calls lost
    )
    items = judged(read_audit(path), study(), made_tables())
    assert items.rows() == [
        ("cd", "episode", True, True),
        ("cd", "episode", False, True),
        ("ambiguous", "task", True, None),
        ("cd", "write", True, False),
        ("violation", "write", True, True),
        ("cd", "episode", None, True),
    ]


def test_without_a_condition_the_baseline_is_meant(tmp_path: Path) -> None:
    rows = read_audit(written(tmp_path, "t00,hasty,,cd,,,true,\nt00,hasty,guarded,cd,,,true,\n"))
    items = judged(rows, study(conditions=CONDITIONS), made_conditions())
    assert items["found"].to_list() == [True, False]
    with pytest.raises(SpecificationError, match=r"audit.csv:2: condition: 2 episodes fit; say condition too"):
        judged(rows, study(), made_conditions())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("t06,careful,,cd,,,perhaps,\n", r"audit.csv:2: judgement: .*boolean"),
        ("t06,careful,,cd,,,true,\nt07,careful,,damage,,,true,\n", r"audit.csv:3: label: there is no such label"),
        ("t06,careful,,goal,1,,true,\n", r"audit.csv:2: label: .*there are judged"),
        ("t06,careful,,cd,x,,true,\n", r"audit.csv:2: step: .*integer"),
        ("t06,careful,,cd,,1,true,\n", r"audit.csv:2: position: a position needs its step"),
        (",careful,,cd,,,true,\n", r"audit.csv:2: task_id: .*string"),
        ("t06,careful,cd,true\n", r"audit.csv:2: 4 cells, but 8 columns"),
        ('t06,careful,,cd,,,true,"open\n', r"audit.csv:2: not valid CSV"),
    ],
)
def test_a_wrong_row_says_file_line_and_field(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(SpecificationError, match=said):
        read_audit(written(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("t99,careful,,cd,,,true,\n", r"audit.csv:2: task_id: there is no episode of this task"),
        ("t06,wild,,cd,,,true,\n", r"audit.csv:2: model: 'wild' has no episode of this task; there are careful, hasty"),
        ("t06,,,cd,,,true,\n", r"audit.csv:2: model: 3 episodes fit; say model too"),
        ("t06,careful,,cd,5,,true,\n", r"audit.csv:2: step: the call at step 5, position 0 wrote nothing"),
        ("t06,wild,,ambiguous,,,true,\n", r"audit.csv:2: model: 'wild' has no episode of this task"),
        ("x,,,ambiguous,,,true,\nt99,careful,,cd,,,true,\n", r"(?s)2: task_id: there is no task.*3: task_id: "),
    ],
)
def test_a_row_that_fits_nothing_says_file_line_and_field(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(SpecificationError, match=said):
        judged(read_audit(written(tmp_path, text)), study(), made_tables())


@pytest.mark.parametrize(
    ("head", "said"),
    [
        ("task_id,label\n", r"audit.csv:1: judgement: the column is missing"),
        ("task_id,label,judgement,mood\n", r"audit.csv:1: mood: there is no such column; there are task_id"),
        ("task_id,label,label,judgement\n", r"audit.csv:1: label: the column stands here twice"),
    ],
)
def test_a_wrong_head_is_named(tmp_path: Path, head: str, said: str) -> None:
    with pytest.raises(SpecificationError, match=said):
        read_audit(written(tmp_path, "", head))


def test_a_file_that_is_not_utf_8_is_named(tmp_path: Path) -> None:
    path = tmp_path / "audit.csv"
    path.write_bytes(b"task_id,label,judgement\n\xff,cd,true\n")
    with pytest.raises(SpecificationError, match=r"audit.csv: cannot be read \(not UTF-8\)"):
        read_audit(path)
