"""Arguments of tools: what may be in them, checked before anything is done, and their JSON Schemas."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from misstep.suites.sabench.errors import invalid
from misstep.suites.world import Record


class Arguments(BaseModel):
    """The arguments of a tool; its first line of documentation is what callers are told of the tool."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


A = TypeVar("A", bound=Arguments)


def _moment(text: str) -> str:
    datetime.fromisoformat(text)
    return text


Text = Annotated[str, StringConstraints(min_length=1)]
Address = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._%+'-]*@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}$")
]
Addresses = Annotated[list[Address], Field(max_length=50)]
SomeAddresses = Annotated[list[Address], Field(min_length=1, max_length=50)]
#: Local time to the minute; texts of this form sort as the moments do.
Moment = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d$"), AfterValidator(_moment)]
Limit = Annotated[int, Field(ge=1, le=50, description="how many to return at most")]
PageToken = Annotated[Text | None, Field(description="`next_page_token` of the page before")]


def parsed(model: type[A], arguments: Mapping[str, Any]) -> A:
    """Return the arguments of a call, checked.

    Raises:
        ApiError: one is missing, unknown, or not what it must be.
    """
    try:
        return model.model_validate(dict(arguments))
    except ValidationError as error:
        details = [(".".join(map(str, fault["loc"])), fault["msg"]) for fault in error.errors()]
        names = ", ".join(dict.fromkeys(field.partition(".")[0] for field, _ in details))
        raise invalid(f"Invalid argument: {names}.", *details) from error


def schema(name: str, model: type[Arguments]) -> Record:
    """Return what a caller is told of a tool: name, description, and the JSON Schema of its arguments."""
    whole = model.model_json_schema()
    description = whole.pop("description")
    return {"name": name, "description": " ".join(description.split()), "parameters": _untitled(whole)}


def _untitled(part: Any) -> Any:
    """Return a schema without the titles that only repeat the names of arguments."""
    if isinstance(part, list):
        return [_untitled(one) for one in part]
    if not isinstance(part, dict):
        return part
    return {
        key: {name: _untitled(one) for name, one in value.items()} if key == "properties" else _untitled(value)
        for key, value in part.items()
        if key != "title"
    }
