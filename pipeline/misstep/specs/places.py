"""Where in a file a fault is, while what it holds is compiled."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from misstep.contracts.errors import Place, SpecificationError

P = ParamSpec("P")
T = TypeVar("T")


def placed(field: str, make: Callable[P, T], *arguments: P.args, **options: P.kwargs) -> T:
    """Return what `make` makes; what it finds wrong becomes an error at `field`.

    Raises:
        SpecificationError: `make` raised a ValueError, or an error further inside.
    """
    try:
        return make(*arguments, **options)
    except (ValueError, re.error) as error:
        raise SpecificationError(str(error), Place("tools", field=field)) from error
    except SpecificationError as error:
        inner = error.place.field if error.place is not None else None
        raise SpecificationError(error.message, Place("tools", field=f"{field}.{inner}" if inner else field)) from error
