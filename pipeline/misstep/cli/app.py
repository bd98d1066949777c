"""The Typer application: its commands, and how errors become messages and exit codes."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import typer
from typer.core import TyperGroup

from misstep import __version__
from misstep.contracts.errors import MisstepError, UsageError

#: Module of this package → the command (or group) that it defines as `command` (or `group`).
COMMANDS = ("ingest", "label", "estimate", "compare", "explain", "sql", "report", "check", "gate", "schema", "fetch")
GROUPS = ("suite",)


class Guarded(TyperGroup):
    """A group that prints an error of ours as one line on standard error and exits with its code."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command; turn a MisstepError, or a file that cannot be opened, into a message and an exit code."""
        try:
            return super().invoke(ctx)
        except MisstepError as error:
            print(f"misstep: {error}", file=sys.stderr)
            raise typer.Exit(error.exit_code) from error
        except BrokenPipeError:
            raise
        except OSError as error:
            print(f"misstep: {error.filename or 'a file'}: {error.strerror or error}", file=sys.stderr)
            raise typer.Exit(UsageError.exit_code) from error


def _version(wanted: bool) -> None:
    if wanted:
        print(f"misstep {__version__}")
        raise typer.Exit()


app = typer.Typer(
    cls=Guarded,
    help="Find what tool-using agents should not have done, from recorded traces: deterministically, with intervals.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
)


@app.callback()
def main(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    """Find what tool-using agents should not have done, from recorded traces."""


for _name in COMMANDS:
    app.command(_name)(importlib.import_module(f"misstep.cli.{_name}").command)
for _name in GROUPS:
    app.add_typer(importlib.import_module(f"misstep.cli.{_name}").group, name=_name)
