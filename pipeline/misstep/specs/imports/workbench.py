"""WorkBench: queries with the calls that answer them, and five tables of initial data."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from misstep.contracts.errors import Place, SpecificationError, UsageError
from misstep.specs.effects import CompiledTools
from misstep.specs.imports.gold import Step, read_gold
from misstep.specs.imports.imported import Imported, ImportedTask
from misstep.specs.imports.sources import demand, read_csv
from misstep.specs.imports.world import State

_ENDING = "_queries_and_answers.csv"
_QUERIES = ("gold", "data/processed/queries_and_answers")
_DATA = ("db", "data/processed")
_STATE = "office"

#: Table → entity type and the column of its id. Visits have no id of their own and nothing writes them.
_TABLES = {
    "calendar_events.csv": ("event", "event_id"),
    "emails.csv": ("email", "email_id"),
    "project_tasks.csv": ("task", "task_id"),
    "customer_relationship_manager_data.csv": ("customer", "customer_id"),
}

#: What a table reader of the benchmark takes for a missing value.
_ABSENT = frozenset(
    [
        "#N/A",
        "#N/A N/A",
        "#NA",
        "-1.#IND",
        "-1.#QNAN",
        "-NaN",
        "-nan",
        "1.#IND",
        "1.#QNAN",
        "<NA>",
        "N/A",
        "NA",
        "NULL",
        "NaN",
        "None",
        "n/a",
        "nan",
        "null",
        "",
    ]
)


def read(source: Path, tools: CompiledTools, **options: Any) -> Imported:
    """Return the tasks of WorkBench, one a query: template is the base template, stratum the file's domain.

    Raises:
        UsageError: the folder is not that of the benchmark, or an option is not known.
        SpecificationError: a file or an expected call cannot be read.
    """
    if options:
        raise UsageError(f"WorkBench takes no option {', '.join(options)}")
    state = State(dict(_entities(demand(source, *_DATA))))
    folder = demand(source, *_QUERIES)
    tasks: list[ImportedTask] = []
    for path in sorted(folder.glob(f"*{_ENDING}")):
        domain = path.name.removesuffix(_ENDING)
        for number, row in enumerate(read_csv(path)):
            steps = [read_call(text, path, number + 2, tools) for text in _literal(row["answer"], path, number + 2)]
            gold = read_gold(tools, steps, state)
            task = {
                "task_id": f"{domain}/{number:03d}",
                "template_id": row["base_template"],
                "strata": {"domain": domain},
                "instruction": row["query"],
                "state": _STATE,
                "authorized": gold.authorized,
                "reference": gold.reference,
            }
            tasks.append(ImportedTask(task, gold))
    if not tasks:
        raise UsageError(f"{folder} has no file *{_ENDING}")
    return Imported(tasks, {_STATE: state})


def _entities(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, (kind, key) in _TABLES.items():
        for row in read_csv(demand(folder, name)):
            yield (
                f"{kind}:{row[key]}",
                {field: None if value in _ABSENT else value for field, value in row.items() if field != key},
            )


def _literal(text: str, path: Path, line: int) -> list[str]:
    try:
        made = ast.literal_eval(text)
    except (ValueError, SyntaxError) as error:
        raise SpecificationError(f"the answer is no list of calls ({error})", Place(str(path), line)) from error
    if not isinstance(made, list) or not all(isinstance(one, str) for one in made):
        raise SpecificationError("the answer is no list of calls", Place(str(path), line))
    return made


def read_call(text: str, path: Path, line: int, tools: CompiledTools) -> Step:
    """Return the call that a text like `email.delete_email.func(email_id="1")` spells; nothing is evaluated.

    Raises:
        SpecificationError: the text is no call with literal arguments.
    """
    try:
        node = ast.parse(text.replace("\n", "\\n"), mode="eval").body
        if not isinstance(node, ast.Call):
            raise ValueError("not a call")
        name = ast.unparse(node.func).removesuffix(".func")
        tool = tools.get(name)
        names = (tool.parameters if tool is not None else None) or ()
        arguments = dict(zip(names, map(ast.literal_eval, node.args), strict=False))
        arguments |= {str(part.arg): ast.literal_eval(part.value) for part in node.keywords}
    except (ValueError, SyntaxError) as error:
        raise SpecificationError(f"{text!r} is no call that can be read ({error})", Place(str(path), line)) from error
    return Step(name, arguments)
