"""The made tables as an experiment: every run is `original`, and two models ran ten tasks again, `guarded`."""

import polars as pl

from report.made_tables import Tables, checked, episode_key, made_tables, task_id

TASKS = range(10)
#: Model → tasks on which it does damage, and on which it reaches its goal, when guarded.
GUARDED = {
    "careful": (set(), {1, 3, 4, 5, 7, 8}),
    "hasty": ({2, 9}, {1, 2, 3, 8}),
}
CONDITIONS = {"baseline": "original", "compare": ["guarded"]}


def made_conditions() -> Tables:
    """Return the tables of the experiment; guarded episodes have no calls or writes."""
    tables = made_tables()
    original = tables["episodes"].with_columns(condition=pl.lit("original")).collect()
    labels = tables["episode_labels"].collect()
    episodes, labelled = original.to_dicts(), labels.to_dicts()
    known = {row["episode"]: row for row in labelled}
    clean = known[episode_key("careful", 0)]
    for model, (damage, goals) in GUARDED.items():
        for task in TASKS:
            row = next(one for one in original.to_dicts() if one["model"] == model and one["task_id"] == task_id(task))
            episode = "f" + str(row["episode"])[1:] if model == "careful" else "e" + str(row["episode"])[1:]
            cd, goal = task in damage, task in goals
            episodes.append(row | {"episode": episode, "condition": "guarded", "calls": 0})
            labelled.append(
                clean
                | {"episode": episode, "cd": cd, "cd_strict": cd, "cd_entity": cd, "goal": goal,
                   "goal_cd": goal and cd, "fail_cd": cd and not goal, "violations": int(cd)}
            )  # fmt: skip
    return tables | {
        "episodes": checked("episodes", sorted(episodes, key=lambda row: str(row["episode"]))),
        "episode_labels": checked("episode_labels", sorted(labelled, key=lambda row: str(row["episode"]))),
    }
