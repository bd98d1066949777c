"""`data/studies/*.yaml` (`misstep.study/1`): what a report analyses."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from misstep.contracts.tools import Written

SCHEMA = "misstep.study/1"

Axis = Literal["model", "harness", "condition"]
Policy = Literal["standard", "strict", "entity", "external_only"]


class Source(Written):
    """Traces of one suite."""

    suite: str = Field(description="folder of the suite")
    traces: list[str] = Field(min_length=1, description="files or folders of traces; `*` matches any run of characters")
    format: str | None = Field(None, description="reader (default: the suite's, else each reader is asked)")
    model: str | None = Field(None, description="model of traces that do not name one")
    missing_template: Literal["error", "own"] = "error"
    attempts: Literal["first", "last", "all"] = "all"


class Statistics(Written):
    """How intervals are drawn."""

    level: Annotated[float, Field(gt=0, lt=1)] = 0.95
    draws: Annotated[int, Field(ge=100)] = 10_000
    seed: int = 0
    method: Literal["percentile", "bca", "studentized"] = "percentile"


class Study(Written):
    """A whole study file; paths are relative to it."""

    schema_: Annotated[Literal["misstep.study/1"], Field(alias="schema")]
    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
    title: str
    description: str = ""
    notice: str | None = Field(None, description="words that every page, table and figure carries")
    sources: list[Source] = Field(min_length=1)
    by: list[Axis] = Field(["model"], description="what makes a configuration")
    strata: list[str] = Field(default_factory=list, description="strata of the heat map: at most two")
    policies: list[Policy] = Field(["standard", "strict", "entity", "external_only"])
    statistics: Statistics = Field(default_factory=Statistics)
    contrasts: bool = Field(True, description="compare every pair of configurations")
    correction: Literal["holm", "bh"] = "holm"
