"""The stages of evidence, in order; each answers one question from the frames that it names."""

from __future__ import annotations

import polars as pl

from misstep.label.evidence.attempts import attempts, ruled
from misstep.label.evidence.calls import agent_calls, leaves, reads
from misstep.label.evidence.candidates import action_candidates, actions
from misstep.label.evidence.cases import cases, codes, runs
from misstep.label.evidence.confirmed import answers, confirmed
from misstep.label.evidence.coverage import at_end, coverage, covered, moments
from misstep.label.evidence.ends import ends, hits_until_end, until_end
from misstep.label.evidence.episodes import evidence_episodes, investigated
from misstep.label.evidence.equality import texts
from misstep.label.evidence.hits import argument_hits, result_hits
from misstep.label.evidence.idempotency import reused
from misstep.label.evidence.knowledge import known_hits
from misstep.label.evidence.labels import action_labels, closed, coverage_labels, requirement_labels
from misstep.label.evidence.ledger import ledger
from misstep.label.evidence.lost import lost, unseen
from misstep.label.evidence.matched import matched
from misstep.label.evidence.met import met
from misstep.label.evidence.near import late, later, missing, nearest, of_another, stale
from misstep.label.evidence.obligations import clauses, demands, given, obligations, open_paths
from misstep.label.evidence.queries import queries, query_parts
from misstep.label.evidence.reads_sought import read_hits
from misstep.label.evidence.records import record_hits, state_rows
from misstep.label.evidence.references import receipts, references
from misstep.label.evidence.said import told_hits, utterances
from misstep.label.evidence.settled import final_met, final_statuses, of_cut
from misstep.label.evidence.shown import about, before_results, shown, tested, written
from misstep.label.evidence.statuses import roles, statuses
from misstep.label.evidence.stops import stops
from misstep.label.evidence.superseded import changes
from misstep.label.evidence.verdicts import verdicts
from misstep.label.stage import Stage


def together(*hits: pl.LazyFrame) -> pl.LazyFrame:
    """Return the hits of all kinds of queries."""
    return pl.concat(hits)


#: From traces and specification to what the agent had read and established.
LEDGER = [
    Stage("codes", codes, ("spec/evidence", "spec/rules")),
    Stage("cases", cases, ("settings", "episodes", "spec/evidence", "codes")),
    Stage("runs", runs, ("settings", "cases", "codes")),
    Stage("agent_calls", agent_calls, ("runs", "calls")),
    Stage("leaves", leaves, ("agent_calls", "arguments")),
    Stage("texts", texts, ("leaves",)),
    Stage("reads", reads, ("agent_calls", "cases")),
    Stage("tested", tested, ("spec/conditions",)),
    Stage("about", about, ("spec/conditions",)),
    Stage(
        "shown",
        shown,
        (
            "runs",
            "agent_calls",
            "reads",
            "observations",
            "spec/read_facts",
            "codes",
            "leaves",
            "texts",
            "tested",
            "about",
        ),
    ),
    Stage("written", written, ("runs", "deeds", "facts", "tested", "about")),
    Stage("changes", changes, ("runs", "deeds", "facts", "effects")),
    Stage("ledger", ledger, ("shown", "written", "changes")),
]
#: Attempts, the actions that they are taken for, and what is asked for at them.
_ASKED = [
    Stage("ruled", ruled, ("agent_calls", "runs", "spec/rules", "codes", "leaves")),
    Stage("attempts", attempts, ("agent_calls", "cases", "runs", "ruled")),
    Stage("covered", covered, ("reads", "spec/required_reads", "codes", "leaves", "texts")),
    Stage("moments", moments, ("attempts",)),
    Stage("coverage", coverage, ("moments", "covered", "reads", "cases", "spec/required_reads", "codes")),
    Stage("actions", actions, ("spec/actions", "codes")),
    Stage(
        "action_candidates",
        action_candidates,
        ("attempts", "actions", "spec/bindings", "codes", "leaves", "texts", "runs", "writes"),
    ),
    Stage(
        "before_results",
        before_results,
        ("runs", "reads", "spec/read_facts", "spec/bindings", "codes", "leaves", "texts"),
    ),
    Stage(
        "references",
        references,
        ("action_candidates", "spec/bindings", "codes", "leaves", "observations", "agent_calls", "before_results"),
    ),
    Stage("receipts", receipts, ("action_candidates", "spec/bindings", "codes", "leaves", "attempts")),
    Stage(
        "matched",
        matched,
        ("action_candidates", "references", "receipts", "spec/bindings", "spec/dependencies", "codes"),
    ),
    Stage(
        "obligations",
        obligations,
        ("attempts", "ruled", "matched", "actions", "cases", "runs", "spec/requirements", "codes"),
    ),
    Stage("given", given, ("leaves", "actions")),
    Stage("open_paths", open_paths, ("actions", "spec/bindings", "codes")),
    Stage("clauses", clauses, ("spec/conditions", "codes")),
    Stage("demands", demands, ("obligations", "clauses", "actions")),
    Stage("queries", queries, ("demands", "clauses", "obligations", "given", "open_paths")),
    Stage("query_parts", query_parts, ("queries", "given", "open_paths")),
    Stage("utterances", utterances, ("runs", "messages", "spec/conditions")),
]
#: Whether it was established, and what is then to be said of the attempts.
_MET = [
    Stage("lost", lost, ("runs", "cases", "codes", "agent_calls", "observations", "spec/read_facts")),
    Stage("unseen", unseen, ("queries", "query_parts", "clauses", "codes", "lost")),
    Stage("record_hits", record_hits, ("queries", "query_parts", "ledger")),
    Stage("read_hits", read_hits, ("queries", "query_parts", "agent_calls", "given", "ledger", "observations", "lost")),
    Stage("result_hits", result_hits, ("queries", "matched", "attempts")),
    Stage("argument_hits", argument_hits, ("queries", "query_parts", "given", "open_paths")),
    Stage("told_hits", told_hits, ("queries", "utterances", "given", "open_paths")),
    Stage("known_hits", known_hits, ("queries", "utterances", "given", "agent_calls", "results")),
    Stage(
        "hits",
        together,
        ("record_hits", "read_hits", "result_hits", "argument_hits", "told_hits", "known_hits"),
    ),
    Stage("state_rows", state_rows, ("queries", "query_parts", "ledger")),
    Stage("answers", answers, ("demands", "clauses", "queries", "utterances")),
    Stage("confirmed", confirmed, ("answers", "utterances", "ledger")),
    Stage("met", met, ("demands", "queries", "hits", "state_rows", "confirmed", "unseen")),
    Stage("roles", roles, ("demands", "met")),
    Stage("statuses", statuses, ("obligations", "roles")),
    Stage("reused", reused, ("attempts", "leaves")),
    Stage(
        "attempt_verdicts",
        verdicts,
        ("attempts", "matched", "statuses", "coverage", "reads", "cases", "actions", "reused"),
    ),
    Stage("cut", ends, ("attempt_verdicts", "reads", "cases", "agent_calls")),
    Stage("closed", closed, ("attempt_verdicts", "cut")),
]
#: The same without what comes after the end, and the label tables.
_LABELS = [
    Stage("kept_reads", until_end, ("reads", "cut")),
    Stage("kept_covered", until_end, ("covered", "cut")),
    Stage("kept_calls", until_end, ("agent_calls", "cut")),
    Stage("kept_ledger", until_end, ("ledger", "cut")),
    Stage("kept_hits", hits_until_end, ("hits", "queries", "cut")),
    Stage("kept_states", hits_until_end, ("state_rows", "queries", "cut")),
    Stage("cut_answers", of_cut, ("answers", "cut")),
    Stage("kept_confirmed", confirmed, ("cut_answers", "utterances", "kept_ledger")),
    Stage(
        "final_met",
        final_met,
        ("demands", "queries", "kept_hits", "kept_states", "kept_confirmed", "unseen", "met", "cut"),
    ),
    Stage("final_statuses", final_statuses, ("statuses", "obligations", "demands", "final_met", "cut", "closed")),
    Stage("missing", missing, ("demands", "final_met", "final_statuses", "queries")),
    Stage("stale", stale, ("missing", "kept_hits", "kept_states")),
    Stage(
        "of_another",
        of_another,
        ("missing", "queries", "query_parts", "kept_ledger", "kept_calls", "given", "observations", "lost"),
    ),
    Stage("late", late, ("missing",)),
    Stage("late_answers", answers, ("late", "clauses", "queries", "utterances")),
    Stage("late_confirmed", confirmed, ("late_answers", "utterances", "kept_ledger")),
    Stage("later", later, ("late", "queries", "kept_hits", "kept_states", "late_confirmed", "unseen")),
    Stage("nearest", nearest, ("final_statuses", "stale", "of_another", "later")),
    Stage("last_moments", at_end, ("cases",)),
    Stage(
        "last_coverage",
        coverage,
        ("last_moments", "kept_covered", "kept_reads", "cases", "spec/required_reads", "codes"),
    ),
    Stage("coverage_labels", coverage_labels, ("coverage", "last_coverage", "kept_reads")),
    Stage("requirement_labels", requirement_labels, ("runs", "coverage_labels", "final_statuses", "nearest", "closed")),
    Stage("action_labels", action_labels, ("runs", "closed")),
    Stage("investigated", investigated, ("coverage",)),
    Stage("last_investigated", investigated, ("last_coverage",)),
    Stage("stops", stops, ("cases", "actions", "final_statuses", "last_investigated")),
    Stage(
        "evidence_episodes",
        evidence_episodes,
        (
            *("settings", "runs", "cases", "actions", "closed", "cut", "kept_reads", "spec/required_reads", "codes"),
            *("investigated", "last_investigated", "stops"),
        ),
    ),
]
EVIDENCE = [*LEDGER, *_ASKED, *_MET, *_LABELS]
