"""Variables in hand-written text: `{who.email}` is replaced by what a variable holds.

`{arguments.…}` is left as it is: in requirements it stands for an argument of the attempt that is judged.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from misstep.contracts.errors import SpecificationError

_HOLE = re.compile(r"\{(?!arguments\.)([a-z_][a-z0-9_.-]*)\}")


def fill(value: Any, variables: Mapping[str, Any]) -> Any:
    """Return a value with its variables replaced, keys included; text that is one variable keeps the variable's type.

    Raises:
        SpecificationError: a variable does not exist.
    """
    if isinstance(value, str):
        whole = _HOLE.fullmatch(value)
        if whole:
            return look_up(whole[1], variables)
        return _HOLE.sub(lambda hole: str(look_up(hole[1], variables)), value)
    if isinstance(value, list):
        return [fill(one, variables) for one in value]
    if isinstance(value, dict):
        return {fill(key, variables): fill(one, variables) for key, one in value.items()}
    return value


def look_up(path: str, variables: Mapping[str, Any]) -> Any:
    """Return what a dotted path leads to.

    Raises:
        SpecificationError: it leads nowhere.
    """
    found: Any = variables
    for name in path.split("."):
        if isinstance(found, list) and name.isdigit() and int(name) < len(found):
            found = found[int(name)]
        elif isinstance(found, Mapping) and name in found:
            found = found[name]
        else:
            raise SpecificationError(f"no variable is called {path}")
    return found
