"""`data/studies/*.yaml` (`misstep.study/1`): what a report analyses."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from misstep.contracts.written import Written

SCHEMA = "misstep.study/1"

Axis = Literal["model", "harness", "condition"]
Policy = Literal["standard", "strict", "entity", "external_only"]


class Source(Written):
    """Traces of one suite."""

    suite: str = Field(description="folder of the suite")
    traces: list[str] = Field(min_length=1, description="files or folders of traces; `*` matches any run of characters")
    format: str | None = Field(None, description="reader (default: the suite's, else each reader is asked)")
    model: str | None = Field(None, description="model of all episodes, whatever the records say")
    missing_template: Literal["error", "own"] = Field(
        "error", description="what to do with tasks without a template: error, or own (each is its own cluster)"
    )
    attempts: Literal["first", "last", "all"] = Field(
        "all", description="which runs of a task count where a file holds several"
    )


class Statistics(Written):
    """How intervals are drawn."""

    level: Annotated[float, Field(gt=0, lt=1)] = Field(0.95, description="coverage of the intervals")
    draws: Annotated[int, Field(ge=100)] = Field(10_000, description="draws of clusters")
    seed: int = Field(0, description="seed of the draws")
    method: Literal["percentile", "bca", "studentized"] = Field("percentile", description="how intervals are found")


class Planned(Written):
    """Which runs were planned: tasks × configurations (of the traces) × replicates."""

    tasks: Literal["suite", "run"] = Field(
        "suite", description="suite: every task of a configuration's suites; run: those that some configuration ran"
    )
    replicates: Annotated[int, Field(ge=1)] | None = Field(
        None, description="runs of each task by each configuration (default: as many as the task with most runs has)"
    )


class Compared(Written):
    """A condition, of some run and beside some other runs than the main ones."""

    name: str = Field(description="what the page calls it")
    condition: str = Field(description="condition of its episodes")
    run: str | None = Field(None, description="run of its episodes; `*` stands for any characters (default: any)")
    to: str | None = Field(None, description="condition that it is compared with (default: the baseline)")
    against: list[str] = Field(
        default_factory=list,
        description="runs that it is compared with, the first that the configuration has (default: those of the "
        "baseline, or any of the condition `to`)",
    )
    metrics: list[str] | None = Field(None, description="metrics of this comparison (default: those of all)")


class Conditions(Written):
    """Conditions of an experiment on the same tasks: each is compared with the baseline, never counted with it."""

    baseline: str = Field(description="condition that all other numbers are of; `(none)`: runs that name none")
    run: str | None = Field(None, description="run of the baseline, where others have its condition too")
    compare: list[str | Compared] = Field(min_length=1, description="conditions that are compared with the baseline")
    metrics: list[str] = Field(
        ["cd", "goal", "external_cd", "unnecessary_clarification"],
        min_length=1,
        description="metrics that are compared",
    )


class Study(Written):
    """A whole study file; paths are relative to it."""

    schema_: Annotated[
        Literal["misstep.study/1"], Field(alias="schema", description="name of the format and its version")
    ]
    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", description="name of the report's folder")
    title: str = Field(description="title of the page")
    description: str = Field("", description="what the page says first")
    notice: str | None = Field(None, description="words that every page, table and figure carries")
    sources: list[Source] = Field(min_length=1, description="what is analysed")
    by: list[Axis] = Field(["model"], description="what makes a configuration")
    strata: list[str] = Field(default_factory=list, description="strata of the heat map: at most two")
    policies: list[Policy] = Field(
        ["standard", "strict", "entity", "external_only"],
        description="policies that are compared",
    )
    statistics: Statistics = Field(default_factory=Statistics, description="how intervals are drawn")
    contrasts: bool = Field(True, description="compare every pair of configurations")
    planned: Planned | None = Field(
        None, description="which runs were planned: a missing one is unscored (default: the runs that are there)"
    )
    correction: Literal["holm", "bh"] = Field("holm", description="how p-values are adjusted over the pairs")
    conditions: Conditions | None = Field(
        None, description="conditions to compare within each configuration (default: every run counts alike)"
    )
    audits: list[str] = Field(default_factory=list, description="CSV files of human judgements of labels")
    published: list[str] = Field(
        default_factory=list, description="files that say how printed quantities are rebuilt (`misstep.published/1`)"
    )
