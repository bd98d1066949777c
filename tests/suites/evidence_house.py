"""A small house for tests: a boiler, a technician, permits; every protocol in one workflow."""

from pathlib import Path
from typing import Any

from misstep.specs.plain_yaml import parse_yaml
from misstep.suites.evidence.cases import Case, cases_of
from misstep.suites.evidence.domain_file import DomainFile
from misstep.suites.evidence.sources import Domain
from misstep.suites.evidence.versions import with_versions
from misstep.suites.evidence.workflow_file import WorkflowFile
from misstep.suites.evidence.world import CaseWorld

_HOUSE = Path(__file__).resolve().parents[1] / "data" / "evidence_house"
DOMAIN = parse_yaml((_HOUSE / "domain.yaml").read_text())
WORKFLOW = parse_yaml((_HOUSE / "workflow.yaml").read_text())


def domain(**changes: Any) -> DomainFile:
    """Return the domain, its top-level parts changed."""
    file = DomainFile.model_validate(DOMAIN | changes)
    return file.model_copy(update={"records": with_versions(file, dict(file.records))})


def workflow(**changes: Any) -> WorkflowFile:
    """Return the workflow, its top-level parts changed."""
    return WorkflowFile.model_validate(WORKFLOW | changes)


def cases() -> dict[str, Case]:
    """Return the cases by their ids."""
    return {case.entry.id: case for case in cases_of(domain(), workflow())}


def house() -> Domain:
    """Return the domain with its workflow and cases."""
    return Domain(domain(), {"drain": workflow()}, list(cases().values()))


def world(name: str = "one", seed: int = 0) -> CaseWorld:
    """Return the world of a case."""
    return CaseWorld(domain(), cases()[name], seed)
