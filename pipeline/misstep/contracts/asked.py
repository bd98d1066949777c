"""What a rule of a published file asks episodes for: which of them, and which rate or number of them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from misstep.contracts.study import Policy
from misstep.contracts.written import Written


class Other(Written):
    """Any value but one."""

    not_: str | bool | int = Field(alias="not", description="value that it must not have")


#: Column (configuration, stratum, run, replicate, or label of the episode) → the value that it must have: one of a
#: list, any other than one; text with `*` is a pattern in which `*` stands for any characters.
Where = dict[str, str | bool | int | list[str | int] | Other]


class Rate(Written):
    """The rate of a metric among some episodes."""

    rate: str = Field(description="name of the metric")
    policy: Policy = Field("standard", description="policy, where the metric depends on one")
    where: Where = Field(default_factory=dict, description="episodes that count (default: all of the baseline)")
    tasks_of: Where | None = Field(None, description="only tasks on which there is such an episode (default: all)")


class Count(Written):
    """A number of things."""

    count: Literal["episodes", "tasks", "templates", "configurations", "turns"] = Field(
        description="what is counted; turns: of the agent, in the episode that has most of them"
    )
    where: Where = Field(default_factory=dict, description="episodes that count (default: all of the baseline)")
    tasks_of: Where | None = Field(None, description="only tasks on which there is such an episode (default: all)")


#: What a pair of rates gives; `apart`: whether the interval of the difference excludes zero.
Taken = Literal["difference", "first", "second", "pairs", "low", "high", "apart"]


class Paired(Written):
    """Two rates, on the tasks that both have, and their difference, jointly resampled."""

    paired: list[Rate] = Field(min_length=2, max_length=2, description="the first − the second")
    take: Taken = Field("difference", description="what of it is meant")
    tasks: Literal["shared", "all"] = Field(
        "shared", description="shared: on the tasks that both have; all: each rate on the tasks that it has"
    )
    complete: str | None = Field(
        None, description="column: only tasks of those of its values on which both sides are known for every task"
    )


class Spread(Written):
    """The standard deviation over replicates of a rate, or of a difference of two (n − 1 in the denominator)."""

    spread: list[Rate] = Field(min_length=1, max_length=2, description="a rate, or the first − the second")


#: What is told of the tasks of a suite, as numbers a task.
Property = Literal["tasks", "required_reads", "actions", "dependencies", "references", "forks", "joins"]


class Specified(Written):
    """A number that the specification of the tasks gives."""

    specified: Property = Field(
        description="tasks, required reads, actions, dependencies of actions, arguments that refer to results; "
        "forks and joins: whether an action has several followers, or several predecessors"
    )
    take: Literal["mean", "median", "most", "total"] = Field("total", description="what of it is meant")
    where: Where = Field(default_factory=dict, description="tasks that count: protocol and strata (default: all)")


class Unbuilt(Written):
    """What is shown as it is printed, and not rebuilt."""

    unbuilt: str = Field(min_length=1, description="why not")
