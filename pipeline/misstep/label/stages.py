"""The stages of labelling, in order; each answers one question from the frames that it names."""

from __future__ import annotations

from functools import partial

import polars as pl

from misstep.label.allowances import allowed
from misstep.label.authorization import authorized, candidates, entity_authorized
from misstep.label.clarification import clarification
from misstep.label.deeds import contents, deeds
from misstep.label.effects import compared, effects
from misstep.label.episodes import episode_labels
from misstep.label.evidence.episodes import unasked
from misstep.label.evidence.stages import EVIDENCE
from misstep.label.facts import cells, looks, resolved, stated
from misstep.label.goals import condition_goals, condition_parts, condition_start, conditions
from misstep.label.kept import kept
from misstep.label.matching import patterns_of
from misstep.label.net import net
from misstep.label.outcome import clouded, created, end_members, ends, lasting
from misstep.label.patterns import wrongs
from misstep.label.reference import hidden, kept_facts, left_out, reference_goals, replayed, replayed_members, sides
from misstep.label.replay import member_priors, priors, sources
from misstep.label.settings import settings
from misstep.label.sightings import sightings
from misstep.label.stage import Stage
from misstep.label.subjects import stated_contents, subjects
from misstep.label.write_labels import verdicts, write_labels


def reached(condition_goals: pl.LazyFrame, reference_goals: pl.LazyFrame) -> pl.LazyFrame:
    """Return (episode, reached) of both kinds of goals."""
    return pl.concat([condition_goals, reference_goals])


OF_WRITES = [
    Stage("clarification", clarification, ("episodes", "messages", "calls")),
    Stage("settings", settings, ("episodes", "spec/tasks", "spec/overrides", "clarification")),
    Stage("deeds", deeds, ("writes", "spec/reference_writes", "settings")),
    Stage("contents", contents, ("deeds", "writes", "spec/reference_writes")),
    Stage("stated", stated, ("deeds", "contents")),
    Stage("looks", looks, ("deeds", "contents")),
    Stage("cells", cells, ("stated", "looks", "deeds", "spec/states", "spec/overrides")),
    Stage("sightings", sightings, ("cells", "deeds", "calls", "observations")),
    Stage("sources", sources, ("looks", "stated", "cells", "deeds", "sightings")),
    Stage("facts", resolved, ("stated", "cells", "sources")),
    Stage("priors", priors, ("facts", "cells", "deeds", "sightings")),
    Stage("member_priors", member_priors, ("facts", "cells", "deeds", "sightings")),
    Stage("compared", compared, ("facts", "priors", "member_priors")),
    Stage("effects", effects, ("deeds", "facts", "priors", "compared")),
    Stage("kept", kept, ("compared",)),
    Stage("subjects", subjects, ("deeds", "effects", "settings")),
    Stage("stated_contents", stated_contents, ("deeds", "contents", "sources", "kept")),
    Stage("patterns", patterns_of, ("spec/authorizations", "deeds")),
    Stage("candidates", candidates, ("subjects", "stated_contents", "patterns")),
    Stage("authorized", authorized, ("subjects", "candidates", "kept")),
    Stage("allowed", allowed, ("subjects", "stated_contents", "spec/allowances")),
    Stage("entity_authorized", entity_authorized, ("subjects", "patterns", "authorized")),
    Stage("verdicts", verdicts, ("subjects", "authorized", "allowed", "entity_authorized", "kept")),
    Stage("wrongs", wrongs, ("subjects", "stated_contents", "verdicts", "patterns", "spec/links")),
    Stage("write_labels", write_labels, ("verdicts", "wrongs")),
    Stage("clouded", clouded, ("deeds", "effects")),
    Stage("lasting", lasting, ("facts", "effects", "deeds", "clouded")),
    Stage("ends", ends, ("lasting", "cells")),
    Stage("end_members", end_members, ("lasting", "ends", "cells")),
    Stage("created", created, ("deeds", "effects", "cells", "ends")),
    Stage("sides", sides, ("deeds", "effects", "settings")),
    Stage("hidden", hidden, ("sides", "created", "deeds")),
    Stage("left_out", left_out, ("sides", "hidden")),
    Stage("kept_facts", kept_facts, ("sides", "left_out", "lasting")),
    Stage("replayed", replayed, ("kept_facts", "cells")),
    Stage("replayed_members", replayed_members, ("kept_facts", "replayed", "cells")),
    Stage(
        "reference_goals",
        reference_goals,
        (
            *("settings", "deeds", "contents", "sides", "hidden", "left_out", "created", "ends", "end_members"),
            *("replayed", "replayed_members"),
        ),
    ),
    Stage("conditions", conditions, ("settings", "spec/goals")),
    Stage("condition_parts", condition_parts, ("conditions",)),
    Stage("condition_start", condition_start, ("conditions", "condition_parts", "spec/states", "spec/overrides")),
    Stage(
        "condition_goals",
        condition_goals,
        (
            *("deeds", "effects", "settings", "clouded", "ends", "end_members"),
            *("conditions", "condition_parts", "condition_start"),
        ),
    ),
    Stage("reached", reached, ("condition_goals", "reference_goals")),
    Stage("net", net, ("deeds", "effects", "settings", "ends", "end_members", "created")),
]


def all_stages(version: str, *, asked: bool = True) -> list[Stage]:
    """Return the stages; the last ones give the label tables, marked with the version of the definitions.

    Those of evidence are left out where nothing is `asked` of it, by tasks or by rules.
    """
    of_evidence = EVIDENCE if asked else [Stage("evidence_episodes", unasked, ("settings",))]
    last = Stage(
        "episode_labels",
        partial(episode_labels, version=version),
        ("settings", "write_labels", "reached", "net", "evidence_episodes"),
    )
    return [*OF_WRITES, *of_evidence, last]
