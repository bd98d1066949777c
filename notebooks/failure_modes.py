"""Failure modes of the bundled report: eight questions, each a few lines of SQL.

Open with `marimo edit notebooks/failure_modes.py` after `make report`; another report: `-- --database PATH`.
"""

import marimo

app = marimo.App(width="medium", app_title="Failure modes")


@app.cell
def _():
    from pathlib import Path

    import duckdb
    import marimo as mo

    return Path, duckdb, mo


@app.cell
def _(Path, mo):
    _default = Path(__file__).resolve().parents[1] / "reports" / "office" / "misstep.duckdb"
    database = Path(mo.cli_args().get("database") or _default)
    return (database,)


@app.cell
def _(database, duckdb, mo):
    if not database.is_file():
        raise FileNotFoundError(f"{database} is not there: run `make report` first")
    connection = duckdb.connect(database, read_only=True)

    def rows(query):
        """Return the rows of a query."""
        return connection.sql(query).pl()

    mo.md("""
    # How do these agents fail?

    Every table and view of a report is in its `misstep.duckdb`. `violations` has one row an unauthorized write,
    `failures` one row an episode that missed its goal, did damage or is unknown, `estimates` every rate with its
    interval. What is unknown is null and is never counted as clean.
    """)
    return (rows,)


@app.cell
def _(mo):
    mo.md("""
    ## 1. Which unauthorized writes are there?

    The first pattern that fits, by configuration; `episodes` says over how many episodes they are spread.
    """)
    return


@app.cell
def _(rows):
    patterns = rows("""
        SELECT configuration, pattern, count(*) AS writes, count(DISTINCT episode) AS episodes
        FROM violations GROUP BY ALL ORDER BY configuration, writes DESC, pattern
    """)
    patterns
    return (patterns,)


@app.cell
def _(mo):
    mo.md("""
    ## 2. What kept them from being authorized?

    Each violation is compared with every pattern that the task authorizes; `differs` is what keeps it from the
    nearest one. `max` means: the right write, once too often.
    """)
    return


@app.cell
def _(rows):
    near_misses = rows("""
        SELECT coalesce(array_to_string(differs, ' + '), 'nothing was authorized') AS differs, count(*) AS writes
        FROM violations GROUP BY ALL ORDER BY writes DESC, differs
    """)
    near_misses
    return (near_misses,)


@app.cell
def _(mo):
    mo.md("""
    ## 3. Does success hide damage?

    Episodes that reached their goal and wrote beyond their authorization on the way: task success alone would call
    them fine.
    """)
    return


@app.cell
def _(rows):
    hidden = rows("""
        SELECT "group", numerator, denominator, round(estimate, 3) AS estimate, round(low, 3) AS low,
          round(high, 3) AS high, clusters, unknown
        FROM estimates
        WHERE metric = 'cd_given_goal' AND policy = 'standard' AND NOT contains("group", 'status=')
        ORDER BY "group"
    """)
    hidden
    return (hidden,)


@app.cell
def _(mo):
    mo.md("""
    ## 4. Which tools do the damage, and does it reach anybody outside?
    """)
    return


@app.cell
def _(rows):
    tools = rows("""
        SELECT tool, action, count(*) AS writes, count(*) FILTER (external) AS external,
          count(DISTINCT task_id) AS tasks
        FROM violations GROUP BY ALL ORDER BY writes DESC, tool, action LIMIT 12
    """)
    tools
    return (tools,)


@app.cell
def _(mo):
    mo.md("""
    ## 5. How much damage depends on the policy?

    The same writes, scored again: what only `strict` counts is bookkeeping, what `entity` forgives hit the right
    entity in the wrong way.
    """)
    return


@app.cell
def _(rows):
    policies = rows("""
        SELECT configuration, count(*) AS episodes,
          count(*) FILTER (cd_strict) AS strict, count(*) FILTER (cd) AS standard,
          count(*) FILTER (cd_entity) AS entity, count(*) FILTER (cd_external_only) AS external_only,
          count(*) FILTER (cd IS NULL) AS unknown
        FROM labelled_episodes GROUP BY ALL ORDER BY configuration
    """)
    policies
    return (policies,)


@app.cell
def _(mo):
    mo.md("""
    ## 6. When is the first unauthorized write made?

    `before` counts the calls that the agent had made until then: damage on the first call is no result of a long,
    confused episode.
    """)
    return


@app.cell
def _(rows):
    first_damage = rows("""
        WITH first AS (
          SELECT configuration, episode, min((step, "position")) AS at FROM violations GROUP BY ALL
        ), counted AS (
          SELECT f.configuration, f.episode, count(c.episode) AS before
          FROM first f LEFT JOIN calls c ON c.episode = f.episode AND c.actor = 'agent'
            AND (c.step, c."position") < f.at
          GROUP BY ALL
        )
        SELECT configuration, before, count(*) AS episodes FROM counted GROUP BY ALL ORDER BY configuration, before
    """)
    first_damage
    return (first_damage,)


@app.cell
def _(mo):
    mo.md("""
    ## 7. On ambiguity tasks: who asks, who acts?

    Nothing is authorized there until the user answers, so the safe behaviour is to ask.
    """)
    return


@app.cell
def _(rows):
    ambiguity = rows("""
        SELECT configuration, count(*) AS episodes, count(*) FILTER (asked) AS asked, count(*) FILTER (wrote) AS wrote,
          count(*) FILTER (neither) AS neither, count(*) FILTER (wrote IS NULL) AS unknown
        FROM labelled_episodes WHERE ambiguous GROUP BY ALL ORDER BY configuration
    """)
    ambiguity
    return (ambiguity,)


@app.cell
def _(mo):
    mo.md("""
    ## 8. Where should one look next?

    Tasks on which most runs fail, with the reasons; `misstep explain TABLES TASK@MODEL` tells any of them call by call.
    """)
    return


@app.cell
def _(rows):
    hardest = rows("""
        SELECT f.suite, f.task_id, count(DISTINCT f.episode) AS failing,
          (SELECT count(*) FROM episodes e WHERE e.suite = f.suite AND e.task_id = f.task_id) AS runs,
          array_to_string(list_sort(list(DISTINCT reason)), ', ') AS reasons
        FROM failures f, unnest(reasons) AS r(reason) GROUP BY ALL ORDER BY failing DESC, f.suite, f.task_id LIMIT 10
    """)
    hardest
    return (hardest,)


if __name__ == "__main__":
    app.run()
