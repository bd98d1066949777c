"""The suites that come with misstep: their templates become tasks, states and scripted traces.

A suite is built from its folder: `world.yaml` (people, records, phrases) and `templates/*.yaml` (tasks and scripts).
What the tools of `tools.yaml` do is written a second time here, as transitions of a small simulated world, so that
results and errors in the traces are those of a system that keeps its own state.
"""

from __future__ import annotations

#: Bundled suite → module that makes it from its folder (`bundle`).
SUITES: dict[str, str] = {
    "evidence": "misstep.suites.evidence",
    "office": "misstep.suites.office",
    "sabench": "misstep.suites.sabench",
}
