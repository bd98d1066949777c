"""Which traces a study means."""

from __future__ import annotations

from glob import glob
from os.path import relpath
from pathlib import Path

from misstep.contracts.errors import SpecificationError
from misstep.report.written import StudyFile


def trace_paths(file: StudyFile, place: int) -> list[Path]:
    """Return the traces of a source, as they are seen from the working directory; `*` is filled in.

    Raises:
        SpecificationError: there is nothing of that name.
    """
    found: list[Path] = []
    for number, pattern in enumerate(file.study.sources[place].traces):
        matches = sorted(glob(str(file.base / pattern)))
        if not matches:
            raise SpecificationError(
                f"there is no file or folder {pattern!r} (seen from the folder of the study)",
                file.place(f"sources[{place}].traces[{number}]"),
            )
        found += [Path(relpath(match)) for match in matches]
    return list(dict.fromkeys(found))
