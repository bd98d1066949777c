"""What papers print beside what a study has: the table `published_vs_rebuilt`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import polars as pl

from misstep.contracts.asked import Rate
from misstep.contracts.errors import SpecificationError, UsageError
from misstep.contracts.published import Rule
from misstep.report.cells import Line
from misstep.report.numbers import Numbers
from misstep.report.printed import NUMBERS, Printed
from misstep.report.rebuilt_tables import SCHEMA, cell_rows, rebuilt_table, row_of
from misstep.specs.written import WrittenFault, raise_faults
from misstep.stats.asked import Episodes, asked_rates, check, key
from misstep.stats.changes import check_metrics
from misstep.stats.conditions import asked_metrics
from misstep.stats.rebuilt import questions_of, rates_of, rebuilt
from misstep.stats.values import Source, Value
from misstep.stats.verdicts import NOT_PUBLISHED, verdict


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is printed beside what is rebuilt.

    Attributes:
        rows: a row a quantity, cell or further rate.
        tables: name of the CSV file of a printed table → the same table with our values.
    """

    rows: pl.DataFrame
    tables: Mapping[str, pl.DataFrame]


def compared(
    printed: Sequence[Printed], numbers: Numbers, audits: pl.DataFrame, turns: pl.DataFrame, tasks: pl.DataFrame
) -> Comparison:
    """Return a row a printed quantity or cell, in the order of the files, then those that are not printed.

    Args:
        printed: published files.
        numbers: of the study.
        audits: what people say of labels.
        turns: rows are episodes with the number of turns of the agent.
        tasks: rows are tasks, as `specified` has them.

    Raises:
        SpecificationError: a rule asks for what there is not; all such rules, with file, line and field.
    """
    episodes = Episodes(numbers.population, numbers.whole)
    conditions = numbers.study.conditions
    metrics = asked_metrics(conditions) if conditions is not None else []
    raise_faults([fault for one in printed for fault in _asking_faults(one, episodes, metrics)])
    asked = [rate for one in printed for _, rule in _rules(one) for rate in rates_of(rule, episodes)]
    more = {one.yaml.path: list(_also(one, episodes, {key(rate) for rate in _rates(one)})) for one in printed}
    drawn = numbers.study.statistics
    rates = asked_rates([*asked, *(rate for found in more.values() for _, rate in found)], episodes, drawn)
    source = Source(episodes, rates, numbers.conditions, audits, drawn, turns, tasks)
    rows: list[dict[str, Any]] = []
    sheets: dict[str, pl.DataFrame] = {}
    for one in printed:
        for line in one.lines:
            rows.append(_printed_row(one, line, source))
        for table in one.tables:
            values = [_value(one, cell.rule, cell.field, source) for cell in table.cells]
            rows += [row for row in cell_rows(table, values, one.file.source) if row is not None]
            sheets[table.path.stem] = rebuilt_table(table, values)
        for name, rate in more[one.yaml.path]:
            value = rebuilt(rate, source)
            if value.value is not None:
                rows.append(row_of(one.file.source, name, value) | {"verdict": NOT_PUBLISHED, "reason": value.reason})
    return Comparison(pl.DataFrame(rows, schema=SCHEMA), sheets)


def _rules(one: Printed) -> Iterator[tuple[str, Rule]]:
    """Yield field and rule of everything that is printed."""
    for quantity, rule in one.file.quantities.items():
        yield f"quantities.{quantity}", rule
    for table in one.tables:
        for cell in table.cells:
            yield cell.field, cell.rule


def _asking_faults(one: Printed, episodes: Episodes, metrics: Sequence[str]) -> Iterator[WrittenFault]:
    seen = set()
    for field, rule in _rules(one):
        try:
            for question in questions_of(rule, episodes):
                check(question, episodes)
            check_metrics(rule, metrics)
        except UsageError as error:
            if (field, error.message) not in seen:
                yield WrittenFault(one.yaml.place(field), error.message)
            seen.add((field, error.message))
    for place, also in enumerate(one.file.also):
        try:
            check(also, episodes)
            for column in also.each:
                episodes.values(column)
        except UsageError as error:
            yield WrittenFault(one.yaml.place(f"also[{place}]"), error.message)


def _rates(one: Printed) -> list[Rate]:
    return [rule for _, rule in _rules(one) if isinstance(rule, Rate)]


def _also(one: Printed, episodes: Episodes, known: set[str]) -> Iterator[tuple[str, Rate]]:
    """Yield name and question of the rates that are not printed, each once."""
    for also in one.file.also:
        for values in product(*(episodes.values(column) for column in also.each)):
            where = {**also.where, **dict(zip(also.each, values, strict=True))}
            rate = Rate(rate=also.rate, policy=also.policy, where=where)
            if key(rate) not in known:
                known.add(key(rate))
                yield _named(rate), rate


def _named(rate: Rate) -> str:
    policy = f" ({rate.policy})" if rate.policy != "standard" else ""
    return f"{rate.rate}{policy}, " + ", ".join(f"{name}={value}" for name, value in rate.where.items())


def _printed_row(one: Printed, line: Line, source: Source) -> dict[str, Any]:
    rule, cells = one.rule(line), line.cells
    value = _value(one, rule, f"quantities.{cells['quantity']}", source)
    judged = verdict(rule, {name: cells[name] for name in NUMBERS if name in cells}, value)
    told = {"basis": cells.get("basis"), "published": _as_printed(cells)}
    return row_of(one.file.source, cells["quantity"], value) | told | judged._asdict()


def _value(one: Printed, rule: Rule, field: str, source: Source) -> Value:
    try:
        return rebuilt(rule, source)
    except UsageError as error:
        raise SpecificationError(error.message, one.yaml.place(field)) from error


def _as_printed(cells: Mapping[str, str]) -> str:
    """Return the numbers of a row as one reads them."""
    note = cells.get("note", "")
    told = []
    if "numerator" in cells or "denominator" in cells:
        told.append(" of ".join(cells[name] for name in ("numerator", "denominator") if name in cells))
    if "percent" in cells:
        told.append(f"{cells['percent']} %")
    if "low" in cells or "high" in cells:
        ends = dict.fromkeys(cells[name] for name in ("low", "high") if name in cells)
        told.append(f"{' to '.join(ends)} {cells.get('unit', '')}".strip())
    text = ", ".join(told)
    return f"{text} ({note})" if text and note else text or note
