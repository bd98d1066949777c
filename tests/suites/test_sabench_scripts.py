"""Every script of sabench on every task of its template: the labels are those that it is written to get."""

import pytest

from misstep.suites.sabench.sources import read_sources
from suites.sabench_checks import TRAPS, every_script, label_faults
from suites.sabench_world import SABENCH


@pytest.mark.slow
@pytest.mark.parametrize("trap", sorted(TRAPS))
def test_labels_are_those_that_scripts_are_written_to_get(trap: str) -> None:
    sources = read_sources(SABENCH)
    played = list(every_script(sources, (one for one in sources.instances if one.task.strata["trap"] == trap)))
    assert len(played) > 600
    assert list(label_faults(sources, played)) == []
