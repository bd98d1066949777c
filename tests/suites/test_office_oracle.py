"""The slow oracle reads the scripted episodes as the stages do."""

import polars as pl

from misstep.contracts.tables import SPECS, TRACES
from oracle.agreement import differences


def test_the_oracle_has_the_same_labels(tables: dict[str, pl.DataFrame]) -> None:
    read = {name: tables[name] for name in (*TRACES, *(f"spec/{name}" for name in SPECS))}
    assert differences(read) == []
