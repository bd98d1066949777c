"""The errors of misstep, one class for each party that can mend them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """Where in somebody's file something stands: file, physical line (from 1) and field path."""

    file: str
    line: int | None = None
    field: str | None = None

    def __str__(self) -> str:
        """Return `file:line: field`, leaving out what is not known."""
        where = self.file if self.line is None else f"{self.file}:{self.line}"
        return where if not self.field else f"{where}: {self.field}"


class MisstepError(Exception):
    """An error that ends a command with a message; `exit_code` is the process status."""

    exit_code = 1

    def __init__(self, message: str, place: Place | None = None) -> None:
        self.message = message
        self.place = place
        super().__init__(message if place is None else f"{place}: {message}")


class GateFailed(MisstepError):
    """A limit that the user set is exceeded (exit 1)."""

    exit_code = 1


class UsageError(MisstepError):
    """The command was asked for something it cannot do (exit 2)."""

    exit_code = 2


class SpecificationError(MisstepError):
    """A hand-written suite, tools, study or corpora file is wrong; its author can mend it (exit 2)."""

    exit_code = 2


class InputError(MisstepError):
    """Traces or tables cannot be read as what they claim to be (exit 3)."""

    exit_code = 3


class ContractError(MisstepError):
    """A table of ours breaks its own contract: a defect of misstep, never of the user (exit 3)."""

    exit_code = 3


class ClusterError(InputError):
    """An episode has no key to resample by, so no interval that looks right would be right (exit 3)."""


class LabelVersionError(InputError):
    """Labels or numbers made under different definitions were to be put side by side (exit 3)."""
