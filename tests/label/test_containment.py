"""Members of lists are found under the profile of their field."""

import polars as pl
import pytest

from misstep.contracts.values import canonical, casefold, collection
from misstep.label.containment import contains, holds

NAMES = ["Ann@x.example", "ben@x.example"]


@pytest.mark.parametrize(
    ("keyed", "value", "key", "found"),
    [
        pytest.param(collection(casefold, distinct=True)(NAMES), "ann@x.example", "ann@x.example", True, id="by key"),
        pytest.param(collection(casefold, distinct=True)(NAMES), "cy@x.example", "cy@x.example", False, id="not there"),
        pytest.param(None, "ben@x.example", "ben@x.example", True, id="by value"),
        pytest.param(canonical(NAMES), "ann@x.example", "ann@x.example", False, id="case counts without a profile"),
        pytest.param('[("a")]', "ann@x.example", "ann@x.example", False, id="the key does not tell its members"),
    ],
)
def test_a_member_is_found_by_its_value_or_its_key(keyed: str | None, value: str, key: str, *, found: bool) -> None:
    texts = {"whole": canonical(NAMES), "keyed": keyed, "value": canonical(value), "key": canonical(key)}
    parts = [pl.col(name) for name in texts]
    frame = pl.DataFrame([texts], schema=dict.fromkeys(texts, pl.String))
    asked = frame.select(holds=holds(*parts), contains=contains(*parts))
    assert asked.row(0) == (found, found)
