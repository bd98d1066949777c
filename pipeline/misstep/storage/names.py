"""Names of files as text that every table and JSON file can hold, whatever bytes the names are made of."""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePath

_ESCAPED = re.compile(rb"\\x([0-9a-f]{2})")


def shown_name(path: PurePath) -> str:
    """Return the name of a file with `/` between folders; a byte that is not UTF-8 is shown as its number."""
    return path.as_posix().encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def path_of(name: str) -> Path:
    """Return the path that `shown_name` was given, as far as there is such a file."""
    path = Path(name)
    if "\\x" not in name or path.exists():
        return path
    return Path(os.fsdecode(_ESCAPED.sub(lambda found: bytes([int(found[1], 16)]), name.encode())))
