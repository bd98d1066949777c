"""The slow oracle reads the scripted episodes as the stages do, and what always holds holds of them."""

import polars as pl

from misstep.contracts.tables import SPECS, TRACES
from oracle.agreement import differences
from oracle.identities import broken_by_evidence, broken_identities


def test_the_oracle_has_the_same_labels(tables: dict[str, pl.DataFrame]) -> None:
    read = {name: tables[name] for name in (*TRACES, *(f"spec/{name}" for name in SPECS))}
    assert differences(read) == []


def test_the_identities_hold(tables: dict[str, pl.DataFrame]) -> None:
    episodes, writes, actions = (
        tables[name].to_dicts() for name in ("episode_labels", "write_labels", "action_labels")
    )
    assert broken_identities(episodes, writes) == []
    assert broken_by_evidence(episodes, actions) == []
