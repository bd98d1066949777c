"""The command line: one thin module per command.

Commands import what they need inside their functions, so that `misstep --help` stays fast.
"""

from __future__ import annotations

from misstep.cli.app import app

__all__ = ["app"]
