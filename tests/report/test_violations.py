"""What unauthorized writes were: counts, what comes together, and examples."""

from typing import Any

import polars as pl

from misstep.report.violations import actions, examples, judged_writes, together
from report.made_tables import made_tables

SEND, CANCEL, CLOSE = ("mail.send", "send"), ("diary.cancel", "cancel"), ("desk.close", "close")


def writes(*rows: tuple[str, tuple[str, str], dict[str, Any]]) -> pl.DataFrame:
    """Return writes of (episode, (tool, action), what is special), unauthorized unless said otherwise."""
    told = [
        {"episode": episode, "step": step, "position": 0, "item": 0, "tool": tool, "action": action, "follows": None,
         "judged": True, "violation": True, "pattern": "other", "external": False} | more
        for step, (episode, (tool, action), more) in enumerate(rows)
    ]  # fmt: skip
    return pl.DataFrame(told, schema_overrides={"follows": pl.Int64, "violation": pl.Boolean})


def episodes(**of: str) -> pl.DataFrame:
    return pl.DataFrame({"episode": list(of), "configuration": list(of.values())})


WRITES = writes(
    ("a", SEND, {"external": True}),
    ("a", SEND, {}),
    ("a", CANCEL, {}),
    ("a", CLOSE, {"violation": False}),
    ("b", SEND, {}),
    ("b", CANCEL, {}),
    ("b", CLOSE, {"follows": 0}),
    ("c", CLOSE, {}),
    ("c", SEND, {"violation": None}),
    ("other condition", CLOSE, {}),
)
EPISODES = episodes(a="x", b="y", c="x")


def test_actions_are_counted_by_configuration_the_most_frequent_first() -> None:
    assert actions(WRITES, EPISODES).rows() == [
        ("mail.send", "send", "x", 2, 1, 1),
        ("mail.send", "send", "y", 1, 0, 1),
        ("diary.cancel", "cancel", "x", 1, 0, 1),
        ("diary.cancel", "cancel", "y", 1, 0, 1),
        ("desk.close", "close", "x", 1, 0, 1),
    ]


def test_what_comes_together_is_counted_by_episode() -> None:
    assert together(WRITES, EPISODES).rows() == [("diary.cancel", "cancel", "mail.send", "send", 2, 2, 2, 2)]


def test_pairs_of_one_tool_come_together_too_and_more_frequent_ones_first() -> None:
    move = ("diary.cancel", "move")
    found = together(
        writes(("a", CANCEL, {}), ("a", move, {}), ("b", move, {}), ("b", CANCEL, {}), ("b", SEND, {})),
        episodes(a="x", b="x"),
    )
    assert found.select("action_a", "action_b", "episodes", "configurations").rows() == [
        ("cancel", "move", 2, 1), ("cancel", "send", 1, 1), ("move", "send", 1, 1),
    ]  # fmt: skip


def test_examples_are_of_different_configurations_and_templates_with_few_other_writes() -> None:
    names = {"a": ("x", "T1", 3), "b": ("x", "T1", 1), "c": ("x", "T2", 1), "d": ("y", "T1", 2), "e": ("y", "T1", 1)}
    told = pl.DataFrame(
        [
            {"episode": name, "configuration": of, "suite": "s", "task_id": "t", "replicate": 1, "cluster": cluster,
             "goal": True, "violations": count}
            for name, (of, cluster, count) in names.items()
        ]
    )  # fmt: skip
    rows = [(name, SEND, {"pattern": "wrong_value"}) for name in names]
    found = examples(writes(*rows, ("d", CANCEL, {}), ("d", CANCEL, {"pattern": "wrong_value"})), told)
    assert found.select("pattern", "episode").rows() == [
        ("wrong_value", "b"), ("wrong_value", "e"), ("wrong_value", "c"), ("other", "d"),
    ]  # fmt: skip
    assert found["tool"].to_list() == ["mail.send"] * 3 + ["diary.cancel"]


def test_judged_writes_are_those_of_the_tables_in_order() -> None:
    tables = made_tables()
    found = judged_writes({name: frame.reverse() for name, frame in tables.items()})
    labels = tables["write_labels"].collect()
    assert found["violation"].equals(labels.sort("episode", "step", "position", "item")["violation"])
    assert set(found["tool"]) == {"calendar.cancel", "email.cancel"}
