"""Where the files that come with misstep are: suites, studies, the list of public corpora."""

from __future__ import annotations

from pathlib import Path

from misstep.contracts.errors import UsageError


def bundled(name: str) -> Path:
    """Return the path of a file or folder of `data/`, in an installed package or in a checkout.

    Raises:
        UsageError: there is none of that name.
    """
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "data", package.parents[1] / "data"):
        if (folder / name).exists():
            return folder / name
    raise UsageError(f"misstep brings no data called {name!r}")
