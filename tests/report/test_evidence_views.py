"""The views of evidence over literal tables."""

from pathlib import Path

import polars as pl
import pytest

from misstep.report.database import ask, needs
from misstep.storage.parquet import write
from report.made_evidence import episode_key

Tables = dict[str, pl.LazyFrame]


def written(tables: Tables, folder: Path) -> Path:
    for name, frame in tables.items():
        write(folder, name, frame)
    return folder


@pytest.fixture(scope="module")
def folder(case_tables: Tables, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(case_tables, tmp_path_factory.mktemp("cases"))


def test_a_gap_says_what_was_needed_and_when_it_came(folder: Path) -> None:
    rows = ask(folder, f"""
        SELECT attempt, step, tool, arguments, kind, requirement, status, reason, near_miss, needed,
          established_late_step
        FROM evidence_gaps WHERE episode = '{episode_key("rash", "b0")}'""").rows()  # fmt: skip
    call = (0, 2, "files.send", '{"id":"b0"}')
    assert rows == [
        (*call, "coverage", "r1", "MISSING", None, "later", 'a read by files.read(id="b0-1")', 3),
        (*call, "requirement", "approved", "MISSING", "approval", "wrong_entity",
         "a record of file:{id} with approved = true", None),
    ]  # fmt: skip


def test_there_is_a_row_for_each_attempt_and_what_it_lacked(folder: Path, case_tables: Tables) -> None:
    lacked = pl.col("status").cast(pl.String).is_in(["MISSING", "VIOLATED"]) & (pl.col("attempt") >= 0)
    expected = case_tables["requirement_labels"].filter(lacked).collect()
    found = ask(folder, "FROM evidence_gaps")
    assert found.height == expected.height == 22
    assert found.select("episode", "attempt", "kind", "requirement").is_unique().all()
    assert set(found["configuration"]) == {"patient", "rash"}


def test_a_broken_rule_is_a_gap_with_its_text(folder: Path) -> None:
    [row] = ask(folder, "FROM evidence_gaps WHERE kind = 'rule'").to_dicts()
    assert row["description"] == "read a file before sending it"
    assert row["needed"] == "a read by files.read of file:{id}"


def test_premature_attempts_say_what_was_missing_and_which_was_first(folder: Path) -> None:
    columns = "task_id, attempt, first_attempt, missing, rules"
    assert ask(folder, f"SELECT {columns} FROM premature WHERE model = 'rash'").rows() == [
        ("b0", 0, True, ["approved", "r1"], []),
        ("b1", 0, True, ["approved", "r1"], []),
        ("c0", 0, True, ["approved", "r0", "r1"], ["read-first"]),
        ("c1", 0, True, ["approved", "r1"], []),
        ("c1", 1, False, ["approved", "r1"], []),
        ("d0", 0, True, ["approved", "r1"], []),
        ("d0", 1, False, ["approved", "r1"], []),
    ]


def test_an_attempt_that_broke_a_rule_alone_is_premature(case_tables: Tables, tmp_path: Path) -> None:
    broken = case_tables["action_labels"].with_columns(
        pl.lit(False).alias("gap_coverage"), pl.lit(None, pl.Boolean).alias("gap_requirement")
    )
    changed = written(case_tables | {"action_labels": broken}, tmp_path)
    assert ask(changed, "SELECT task_id, rules FROM premature").rows() == [("c0", ["read-first"])]


def test_runs_that_are_not_scored_lack_nothing(case_tables: Tables, tmp_path: Path) -> None:
    unscored = case_tables["episode_labels"].with_columns(scored=pl.col("episode") != episode_key("rash", "c0"))
    changed = written(case_tables | {"episode_labels": unscored}, tmp_path)
    for view, rows in (("evidence_gaps", 18), ("premature", 9)):
        assert ask(changed, f"FROM {view} WHERE task_id = 'c0' AND model = 'rash'").is_empty()
        assert ask(changed, f"FROM {view}").height == rows


def test_episodes_carry_their_labels_of_evidence(folder: Path) -> None:
    assert ask(folder, "SELECT count(*) FROM labelled_episodes WHERE par").item() == 3
    assert ask(folder, "SELECT DISTINCT protocol FROM labelled_episodes WHERE bsr").item() == "V0"


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        ({"source": "record", "field": "paid", "test": "argument", "argument": "amount"},
         "a record of file:{id} with paid = {amount}"),
        ({"source": "state", "entity_id": "f1", "field": "status", "test": "is_not", "value": '"sent"'},
         'file:f1 with status is not "sent"'),
        ({"source": "record", "entity_template": "f-{}", "field": "body", "test": "contains", "value": '"x"'},
         'a record of file:f-{id} with body contains "x"'),
        ({"source": "confirmation", "entity_type": None, "entity_argument": None, "field": None, "test": None},
         "a yes of the user"),
        ({"source": "told", "pattern": "\\\\bu[0-9]+\\\\b"}, "a word of the user that fits \\\\bu[0-9]+\\\\b"),
        ({"source": "result_of", "result_of": "send"}, "the result of send"),
        ({"source": "known", "argument": "to"}, "a source of {to}"),
        ({"source": "authentication", "tools": ["who", "whois"]}, "who the user is, by who or whois"),
    ],
)  # fmt: skip
def test_what_is_needed_stands_in_words(case_tables: Tables, condition: dict[str, object], told: str) -> None:
    frame = case_tables["spec/conditions"].filter(pl.col("requirement") == "read-first").collect()
    changed = pl.DataFrame([frame.to_dicts()[0] | condition], schema=frame.schema).lazy()
    found = needs(case_tables | {"spec/conditions": changed}).filter(kind="rule")
    assert found["needed"].to_list() == [told]


def test_alternatives_are_told_with_or_and_their_conditions_with_and(case_tables: Tables) -> None:
    frame = case_tables["spec/conditions"].filter(pl.col("requirement") == "read-first").collect()
    [first] = frame.to_dicts()
    rows = [first | {"alternative": a, "condition": c, "tools": [f"t{a}{c}"]} for a in (1, 0) for c in (1, 0)]
    changed = pl.DataFrame(rows, schema=frame.schema).lazy()
    [text] = needs(case_tables | {"spec/conditions": changed}).filter(kind="rule")["needed"]
    assert [part.split()[3] for part in text.replace(" or ", " and ").split(" and ")] == ["t00", "t01", "t10", "t11"]
    assert text.count(" or ") == 1 and text.index(" or ") > text.index("t01")
