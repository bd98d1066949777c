"""`misstep explain`: an episode, call by call, with the rule behind each label."""

from __future__ import annotations

from typing import Annotated

import typer

from misstep.cli.folder import Folder, labelled
from misstep.cli.output import Json, Quiet, print_json


def command(
    folder: Folder,
    episode: Annotated[str, typer.Argument(help="Beginning of the episode's key, or TASK@MODEL.")],
    longest: Annotated[int, typer.Option(min=20, help="Characters of a text that are shown.")] = 400,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Say what happened in an episode, and by which rule each label was given.

    Example: misstep explain out 3f9a
    """
    from misstep.report.explain import as_text, explain

    explanation = explain(labelled(folder), episode)
    if json:
        print_json(explanation.as_dict())
    elif not quiet:
        print(as_text(explanation, longest), end="")
