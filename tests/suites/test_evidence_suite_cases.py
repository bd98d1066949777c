"""Cases are derived from workflows: what must be read, what must hold, what comes after what."""

import pytest
from pydantic import ValidationError

from misstep.contracts.errors import SpecificationError
from misstep.contracts.evidence import Evidence
from misstep.suites.evidence.cases import cases_of
from misstep.suites.evidence.layers import initial
from misstep.suites.evidence.versions import shown_version
from misstep.suites.evidence.written import instruction, public, task
from suites.evidence_house import WORKFLOW, cases, domain, workflow


def test_one_action_requires_its_reads_and_not_its_looks() -> None:
    case = cases()["one"]
    assert [read["id"] for read in case.evidence["reads"]] == ["boiler", "owner"]
    assert [step.id for step in case.reads] == ["boiler", "permits", "owner"]
    assert [need["id"] for need in case.evidence["requirements"]] == ["low", "agreed", "version"]
    (action,) = case.evidence["actions"]
    assert "note" not in action["arguments"]  # free text never counts


def test_default_failure_is_any_other_value() -> None:
    low, agreed, _ = cases()["one"].evidence["requirements"]
    about = "boiler:{arguments.boiler_id}"
    assert low["violated_if"] == [
        {"all": [{"record": {"pressure": {"is_not": "low"}}, "entity": about}], "reason": "PRESSURE"}
    ]
    assert agreed["violated_if"] == [{"all": [{"record": {"agreed": "no"}, "entity": "owner:OW-7"}]}]


@pytest.mark.parametrize(
    ("name", "stop", "entity", "fields"),
    [
        ("high", "BLOCK", "boiler:BO-7", {"pressure": "high"}),
        ("silent", "DEFER", "owner:OW-7", {"name": "Bea"}),
    ],
)
def test_a_stop_changes_the_world_in_one_place(name: str, stop: str, entity: str, fields: dict[str, str]) -> None:
    case, whole = cases()[name], cases()["one"]
    assert case.evidence["stop"] == stop
    assert case.records[entity] is not None
    assert fields.items() <= (case.records[entity] or {}).items()
    assert {name for name in case.records if case.records[name] != whole.records[name]} == {entity}
    assert case.evidence["requirements"] == whole.evidence["requirements"]


def test_a_chain_comes_one_after_the_other_and_a_graph_as_its_workflow_says() -> None:
    after = {name: [one.get("after", []) for one in cases()[name].evidence["actions"]] for name in ("chain", "graph")}
    assert after == {"chain": [[], ["ask"], ["off"]], "graph": [[], [], ["off", "ask"]]}
    last = cases()["chain"].evidence["actions"][-1]
    assert last["requires"] == ["low", "off-done"]
    assert last["arguments"]["code"] == {"result_of": "ask", "field": "code"}


def test_reads_that_belong_to_later_actions_can_be_made_after_the_first() -> None:
    assert cases()["chain"].evidence["reads_before_first"] is False  # the first action asks for the owner only
    assert "reads_before_first" not in cases()["graph"].evidence
    assert "reads_before_first" not in cases()["one"].evidence


def test_what_somebody_did_before_stands_in_the_arguments() -> None:
    given = {"off": {"version": 5}, "ask": {"code": "pc_1"}}
    (case,) = cases_of(domain(), workflow(cases=[WORKFLOW["cases"][0] | {"do": ["drain"], "given": given}]))
    assert case.actions[0].arguments["code"] == "pc_1"
    assert case.actions[0].arguments["version"] == shown_version("boiler:BO-7", 5)
    assert case.given["permits.ask", "code"] == ("pc_1",)


def test_versions_are_those_of_the_world_everywhere() -> None:
    case, shown = cases()["one"], shown_version("boiler:BO-7", 4)
    assert initial(domain(), case.records)["boiler:BO-7"]["version"] == shown
    assert case.actions[0].arguments["version"] == shown
    assert case.evidence["requirements"][2]["supported_if"][0]["all"][0]["record"] == {"version": shown}


def test_a_legacy_case_prints_its_candidate_and_what_was_collected() -> None:
    case = cases()["fixed"]
    text = instruction(case, domain())
    assert '- boilers.off {"boiler_id": "BO-7"' in text
    assert '- owners.get {"owner_id": "OW-7"}: {"id": "OW-7", "name": "Bea", "agreed": "no"}' in text
    assert task(case, domain())["evidence"] == {"protocol": "Legacy", "decision": "BLOCK"}
    assert public(case, domain())["kind"] == "judge"


def test_tasks_are_what_the_contract_takes() -> None:
    for case in cases().values():
        Evidence.model_validate(task(case, domain())["evidence"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"do": ["drain", "off", "ask"]}, "list it later"),
        ({"do": ["drain"], "protocol": "V1"}, "neither done nor given"),
        ({"do": ["ask"], "protocol": "V0", "block": "low"}, "none of the actions needs it"),
    ],
)
def test_cases_that_cannot_be_are_refused(change: dict[str, object], message: str) -> None:
    entry = WORKFLOW["cases"][4] | change
    with pytest.raises(SpecificationError, match=message):
        cases_of(domain(), workflow(cases=[entry]))


@pytest.mark.parametrize(
    "change",
    [
        {"protocol": "V1", "block": "low"},
        {"protocol": "V0"},
        {"protocol": "Legacy"},
        {"protocol": "V1", "package": ["boiler"]},
        {"protocol": "V3"},
        {"do": ["nothing"]},
        {"variant": "attic"},
    ],
)
def test_entries_that_do_not_fit_their_protocol_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        workflow(cases=[WORKFLOW["cases"][0] | change])
