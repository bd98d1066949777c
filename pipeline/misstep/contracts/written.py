"""What hand-written files have in common."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

Scalar = str | bool | int | float | None
#: path → what must stand there: text is a pattern (re.search), other scalars are compared by value, a list: any of.
Conditions = dict[str, Scalar | list[Scalar]]


class Written(BaseModel):
    """A part of a hand-written file: unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True, defer_build=True)
