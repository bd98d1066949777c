"""The published file (`misstep.published/1`): how each quantity that a paper prints is rebuilt from a study.

A rule never holds a number. What is printed stands in CSV files beside the file: in rows of `quantity, numerator,
denominator, percent, basis` or `quantity, low, high, unit, note`, or in `tables` as the paper has them. Cells may be
empty.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from misstep.contracts.asked import Count, Paired, Rate, Specified, Spread, Unbuilt
from misstep.contracts.printed_tables import Cell, PrintedTable
from misstep.contracts.written import Written

SCHEMA = "misstep.published/1"


class Least(Written):
    """The least rate of a configuration."""

    least: Rate = Field(description="rate that is taken for each configuration")


class Greatest(Written):
    """The greatest rate of a configuration."""

    greatest: Rate = Field(description="rate that is taken for each configuration")


class Setting(Written):
    """A number that the study sets."""

    setting: Literal["draws", "level", "seed"] = Field(description="which one of its `statistics`")


class Audit(Written):
    """A share of the items of an audit on which people decided."""

    audit: str = Field(description="label that was judged")
    share: Literal["agreeing", "confirmed"] = Field(
        description="agreeing: people say what the label says; confirmed: people say true"
    )


class Change(Written):
    """What a condition changes in every configuration that was run under it."""

    change: Literal["difference", "loss", "relative_reduction"] = Field(
        description="difference: condition − baseline; loss: baseline − condition; relative_reduction: loss ÷ baseline"
    )
    metric: str = Field(description="metric that is compared")
    condition: str = Field(description="condition that is compared with the baseline")


class Less(Written):
    """That one change is less than another in every configuration that has both."""

    less: Annotated[list[Change], Field(min_length=2, max_length=2)] = Field(description="the lesser, the greater")


class Falls(Written):
    """That a metric falls significantly under a condition in the named configurations and in no others."""

    falls: str = Field(description="metric; it falls where the difference is negative and adjusted p < 1 − level")
    condition: str = Field(description="condition that is compared with the baseline")
    only: list[str] = Field(description="configurations, as the page names them")


_FORMS = {
    "rate": "a rate",
    "least": "a least rate",
    "greatest": "a greatest rate",
    "difference": "a difference of rates",
    "ratio": "a ratio of rates",
    "count": "a number of things",
    "paired": "a paired difference",
    "spread": "a spread over replicates",
    "specified": "what is specified",
    "unbuilt": "what is not rebuilt",
    "setting": "a setting",
    "audit": "a share of an audit",
    "change": "what a condition changes",
    "less": "a lesser change",
    "falls": "a metric that falls",
    "claims": "several claims",
}


def _form(value: Any) -> str | None:
    """Return which form a rule has: the first key that makes one."""
    keys = value if isinstance(value, dict) else type(value).model_fields if isinstance(value, Written) else ()
    return next((form for key, form in _FORMS.items() if key in keys), None)


def _either(*names: str) -> Discriminator:
    wanted = "one of these keys says what it is: " + ", ".join(names)
    return Discriminator(_form, custom_error_type="form", custom_error_message=wanted)


#: A rate of some episodes, or of the configuration that has most or least.
Single = Annotated[
    Annotated[Rate, Tag("a rate")]
    | Annotated[Least, Tag("a least rate")]
    | Annotated[Greatest, Tag("a greatest rate")],
    _either("rate", "least", "greatest"),
]


class Difference(Written):
    """A difference of two rates; where both have one denominator, it is a difference of counts too."""

    difference: Annotated[list[Single], Field(min_length=2, max_length=2)] = Field(description="the first − the second")


class Ratio(Written):
    """A ratio of two rates."""

    ratio: Annotated[list[Single], Field(min_length=2, max_length=2)] = Field(description="the first ÷ the second")


Claim = Annotated[
    Annotated[Less, Tag("a lesser change")] | Annotated[Falls, Tag("a metric that falls")], _either("less", "falls")
]


class Claims(Written):
    """What is said of conditions in words: it is as printed if every claim holds."""

    claims: list[Claim] = Field(min_length=1, description="claims, all of which must hold")


Rule = Annotated[
    Annotated[Rate, Tag("a rate")]
    | Annotated[Least, Tag("a least rate")]
    | Annotated[Greatest, Tag("a greatest rate")]
    | Annotated[Difference, Tag("a difference of rates")]
    | Annotated[Ratio, Tag("a ratio of rates")]
    | Annotated[Count, Tag("a number of things")]
    | Annotated[Paired, Tag("a paired difference")]
    | Annotated[Spread, Tag("a spread over replicates")]
    | Annotated[Specified, Tag("what is specified")]
    | Annotated[Unbuilt, Tag("what is not rebuilt")]
    | Annotated[Setting, Tag("a setting")]
    | Annotated[Audit, Tag("a share of an audit")]
    | Annotated[Change, Tag("what a condition changes")]
    | Annotated[Claims, Tag("several claims")],
    _either(*(key for key in _FORMS if key not in ("less", "falls"))),
]


class Also(Rate):
    """Rates that are shown although nothing like them is printed."""

    each: list[str] = Field(min_length=1, description="columns; each combination of their values has a rate")


class PublishedFile(Written):
    """A whole published file; its CSV files lie beside it."""

    schema_: Annotated[
        Literal["misstep.published/1"], Field(alias="schema", description="name of the format and its version")
    ]
    source: str = Field(description="where the quantities are printed")
    files: list[str] = Field(default_factory=list, description="CSV files of printed quantities, one a row")
    quantities: dict[str, Rule] = Field(
        default_factory=dict, description="quantity, as these CSV files name it → how it is rebuilt"
    )
    names: dict[str, dict[str, Cell]] = Field(
        default_factory=dict,
        description="column of tables → what each of its values says of a row, wherever it is a key",
    )
    tables: list[PrintedTable] = Field(default_factory=list, description="CSV files of printed tables, cell by cell")
    also: list[Also] = Field(default_factory=list, description="rates of ours that are not printed")
