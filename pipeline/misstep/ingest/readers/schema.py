"""Versions of formats: what is newer than we know stops, what is absent is the first."""

from __future__ import annotations

import re
from typing import Any

from misstep.contracts.errors import InputError, Place
from misstep.ingest.readers.reader import Origin, name_itself
from misstep.ingest.records import Record

FORMAT = "misstep.trace"
MAJOR = 1


def check_format(value: Any) -> bool:
    """Return whether a schema names our format.

    Raises:
        Unreadable: it names another one.
    """
    name, mark, _ = value.rpartition("/") if isinstance(value, str) else ("", "", "")
    if mark and name != FORMAT:
        raise name_itself(f"the record is of the schema {value!r}, not {FORMAT}/{MAJOR}")
    return bool(mark)


def check_version(value: Any, origin: Origin, record: Record) -> bool:
    """Return whether a version is named (`misstep.trace/1`, `1.2` or 1).

    Raises:
        InputError: its major number is newer than ours, or cannot be read: another meaning would go unseen.
    """
    if value is None or value == "":
        return False
    found = re.search(r"(?:^|/|v)(\d+)(?:\.\d+)*$", str(value)) if not isinstance(value, bool) else None
    if found is None or int(found[1]) > MAJOR:
        message = (
            f"the record is of schema {value!r}, newer than the {MAJOR} that this version reads; "
            "upgrade misstep, or export the traces as version 1"
        )
        raise InputError(message, Place(origin.path, record.line, "schema"))
    return True
