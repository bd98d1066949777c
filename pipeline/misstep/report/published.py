"""What papers print beside what a study has: the table `published_vs_rebuilt`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import polars as pl

from misstep.contracts.errors import SpecificationError, UsageError
from misstep.contracts.published import Rate
from misstep.report.cells import Line
from misstep.report.numbers import Numbers
from misstep.report.printed import NUMBERS, Printed
from misstep.specs.written import WrittenFault, raise_faults
from misstep.stats.asked import Episodes, asked_rates, check, key
from misstep.stats.rebuilt import Source, Value, check_rest, rates_of, rebuilt
from misstep.stats.verdicts import NOT_PUBLISHED, verdict

_SCHEMA = {
    **{name: pl.String for name in ("source", "quantity", "basis", "published", "rebuilt")},
    "numerator": pl.Float64,
    "denominator": pl.Int64,
    **{name: pl.Float64 for name in ("value", "low", "high")},
    **{name: pl.String for name in ("verdict", "reason")},
}


def compared(printed: Sequence[Printed], numbers: Numbers, audits: pl.DataFrame, turns: pl.DataFrame) -> pl.DataFrame:
    """Return a row a printed quantity, in the order of the files, then those that are not printed.

    Args:
        printed: published files.
        numbers: of the study.
        audits: what people say of labels.
        turns: rows are episodes with the number of turns of the agent.

    Raises:
        SpecificationError: a rule asks for what there is not; all such rules, with file, line and field.
    """
    episodes = Episodes(numbers.population, numbers.whole)
    raise_faults([fault for one in printed for fault in _asking_faults(one, episodes)])
    asked = [rate for one in printed for rule in one.file.quantities.values() for rate in rates_of(rule, episodes)]
    more = {one.yaml.path: list(_also(one, episodes, {key(rate) for rate in _rates(one)})) for one in printed}
    drawn = numbers.study.statistics
    rates = asked_rates([*asked, *(rate for found in more.values() for _, rate in found)], episodes, drawn)
    source = Source(episodes, rates, numbers.conditions, audits, drawn, turns)
    rows = []
    for one in printed:
        for line in one.lines:
            rows.append(_printed_row(one, line, source))
        for name, rate in more[one.yaml.path]:
            value = rebuilt(rate, source)
            if value.value is not None:
                rows.append(_row(one, name, value) | {"verdict": NOT_PUBLISHED, "reason": value.reason})
    return pl.DataFrame(rows, schema=_SCHEMA)


def _asking_faults(one: Printed, episodes: Episodes) -> Iterator[WrittenFault]:
    for quantity, rule in one.file.quantities.items():
        try:
            for rate in rates_of(rule, episodes):
                check(rate, episodes)
            check_rest(rule, episodes)
        except UsageError as error:
            yield WrittenFault(one.yaml.place(f"quantities.{quantity}"), error.message)
    for place, also in enumerate(one.file.also):
        try:
            check(also, episodes)
            for column in also.each:
                episodes.values(column)
        except UsageError as error:
            yield WrittenFault(one.yaml.place(f"also[{place}]"), error.message)


def _rates(one: Printed) -> list[Rate]:
    return [rule for rule in one.file.quantities.values() if isinstance(rule, Rate)]


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
    try:
        value = rebuilt(rule, source)
    except UsageError as error:
        place = one.yaml.place(f"quantities.{cells['quantity']}")
        raise SpecificationError(error.message, place) from error
    judged = verdict(rule, {name: cells[name] for name in NUMBERS if name in cells}, value)
    told = {"basis": cells.get("basis"), "published": _as_printed(cells)}
    return _row(one, cells["quantity"], value) | told | judged._asdict()


def _row(one: Printed, quantity: str, value: Value) -> dict[str, Any]:
    return {
        "source": one.file.source,
        "quantity": quantity,
        "basis": None,
        "published": None,
        "rebuilt": _as_rebuilt(value),
        "numerator": value.numerator,
        "denominator": value.denominator,
        "value": value.value if value.value == value.greatest else None,
        "low": value.low,
        "high": value.high,
    }


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


def _as_rebuilt(value: Value) -> str | None:
    """Return a value as one reads it, with one digit more than papers print."""
    if value.holds is not None:
        return "holds" if value.holds else "does not hold"
    if value.value is None or value.greatest is None:
        return None
    scale, unit = (100, " %") if value.share else (1, "")
    told = []
    if value.numerator is not None and value.denominator is not None:
        told.append(f"{value.numerator:g} of {value.denominator}")
    if value.value != value.greatest:
        told.append(f"{scale * value.value:.2f} to {scale * value.greatest:.2f}{unit}")
    elif value.share:
        told.append(f"{scale * value.value:.2f} %")
    elif not told:
        told.append(f"{value.value:.10g}" if value.value == int(value.value) else f"{value.value:.2f}")
    return ", ".join(told)
