"""Tables of a published file as they are printed: many cells, said by what they have in common."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from misstep.contracts.asked import Count, Paired, Property, Rate, Specified, Spread, Unbuilt, Where
from misstep.contracts.study import Policy
from misstep.contracts.written import Written

Unit = Literal["percent", "share", "number"]
_SUBJECTS = ("rate", "count", "specified", "unbuilt")


class Cell(Written):
    """How a cell is rebuilt, or a part of it: the parts of table, row and column are put together.

    Conditions of `where` add up; of anything else, what the column says goes before the row, and the row before the
    table.
    """

    rate: str | None = Field(None, description="name of a metric")
    count: Literal["episodes", "tasks", "templates", "configurations", "turns"] | None = Field(
        None, description="what is counted instead"
    )
    specified: Property | None = Field(None, description="what the specification of the tasks gives instead")
    unbuilt: str | None = Field(None, description="why it is shown as printed, and not rebuilt")
    policy: Policy | None = Field(None, description="policy of the rate")
    where: Where = Field(default_factory=dict, description="episodes, or tasks, that count")
    tasks_of: Where | None = Field(None, description="only tasks on which there is such an episode")
    minus: Cell | None = Field(
        None, description="what is different of a second rate, which is taken from it on the tasks that both have"
    )
    tasks: Literal["shared", "all"] | None = Field(
        None, description="all: each of the two rates on the tasks that it has (default: on those that both have)"
    )
    complete: str | None = Field(None, description="column of whose values all tasks must be known on both sides")
    take: (
        Literal[
            "difference", "first", "second", "pairs", "low", "high", "apart", "spread", "mean", "median", "most",
            "total",
        ]
        | None
    ) = Field(
        None,
        description="of a difference: either side, pairs of tasks, an end of its interval, or whether that excludes "
        "zero; spread: standard deviation over replicates; the last four are of what is specified",
    )  # fmt: skip
    unit: Unit | None = Field(None, description="unit of the print (default: percent of rates, else number)")

    def rule(self) -> Rate | Count | Paired | Spread | Specified | Unbuilt:
        """Return the rule of a whole cell.

        Raises:
            ValueError: the parts do not make one.
        """
        told = [name for name in _SUBJECTS if getattr(self, name) is not None]
        if len(told) != 1:
            wanted = f"one of {', '.join(_SUBJECTS)} is needed"
            raise ValueError(f"{wanted}, but there are {' and '.join(told)}" if told else wanted)
        if self.unbuilt is not None:
            return Unbuilt(unbuilt=self.unbuilt)
        if self.specified is not None:
            return Specified.model_validate(self._given("specified", "take", "where"))
        if self.count is not None:
            return Count.model_validate(self._given("count", "where", "tasks_of"))
        sides = [self] if self.minus is None else [self, merged(self.model_copy(update={"minus": None}), self.minus)]
        rates = [Rate.model_validate(side._given("rate", "policy", "where", "tasks_of")) for side in sides]
        if self.take == "spread":
            return Spread(spread=rates)
        if len(rates) == 1:
            if self.take is not None:
                raise ValueError(f"{self.take} is of a difference, and nothing is taken from the rate")
            return rates[0]
        return Paired.model_validate({"paired": rates, **self._given("take", "tasks", "complete")})

    def unit_of(self) -> Unit:
        """Return the unit of its print."""
        if self.unit is not None:
            return self.unit
        return "percent" if self.rate is not None and self.take != "pairs" else "number"

    def _given(self, *names: str) -> dict[str, Any]:
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}


def merged(*parts: Cell) -> Cell:
    """Return the parts together: conditions add up, of all else a later one goes before an earlier one."""
    found: dict[str, Any] = {}
    for part in parts:
        for name in part.model_fields_set:
            value = getattr(part, name)
            if name in ("where", "tasks_of") and value is not None:
                value = {**(found.get(name) or {}), **value}
            elif name == "minus" and value is not None and found.get(name) is not None:
                value = merged(found[name], value)
            found[name] = value
    return Cell.model_validate(found)


class PrintedTable(Written):
    """Cells of a CSV file whose columns are keys, which say what a row is, and quantities."""

    file: str = Field(description="CSV file; it may stand here again for other rows or columns")
    title: str | None = Field(None, description="what the page calls it (default: that of the file's first entry)")
    keys: list[str] | dict[str, dict[str, Cell] | None] = Field(
        description="column → what each of its values says of a row; as a list, or where nothing is said, what `names` "
        "says of them, else that the column of the episodes that has its name must have its value"
    )
    rows: dict[str, list[str]] = Field(
        default_factory=dict, description="column → values of the rows that are meant (default: all rows)"
    )
    columns: dict[str, Cell] | None = Field(
        None, description="column of quantities → how it is rebuilt (default: all others, in the same way)"
    )
    ignore: list[str] = Field(default_factory=list, description="columns without a quantity")
    every: Cell = Field(default_factory=Cell, description="what holds for every cell")
