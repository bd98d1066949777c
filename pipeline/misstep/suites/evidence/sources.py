"""The hand-written sources of the suite: domains and their workflows, read and checked against each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from misstep.contracts.errors import Place, SpecificationError
from misstep.suites.evidence.cases import Case, cases_of
from misstep.suites.evidence.domain_file import DomainFile
from misstep.suites.evidence.versions import with_versions
from misstep.suites.evidence.workflow_file import WorkflowFile
from misstep.suites.templates import read_written


@dataclass(frozen=True)
class Domain:
    """A domain with its workflows by name, in the order of their names, and all their cases."""

    file: DomainFile
    workflows: dict[str, WorkflowFile]
    cases: list[Case]


def read_domains(folder: Path, names: Sequence[str] = ()) -> list[Domain]:
    """Return the domains of the suite's folder, in the order of their names.

    Args:
        folder: the folder of the suite.
        names: the domains to read (default: all that are there).

    Raises:
        SpecificationError: a file is not well formed, or something stands twice.
    """
    paths = sorted((folder / "domains").glob("*/domain.yaml"))
    domains = [_domain(path) for path in paths if not names or path.parent.name in names]
    if not domains:
        raise SpecificationError("no domains/*/domain.yaml", Place(str(folder)))
    first: dict[str, str] = {}
    for domain in domains:
        own = [*domain.file.info, *domain.file.acts, *domain.workflows, *(case.task_id for case in domain.cases)]
        for name in own:
            if name in first:
                raise SpecificationError(f"{name} stands twice: in {first[name]} and {domain.file.domain}")
            first[name] = domain.file.domain
    return domains


def _domain(path: Path) -> Domain:
    file = read_written(path, DomainFile)
    if file.domain != path.parent.name:
        raise SpecificationError(f"the folder is called {path.parent.name}", Place(str(path), field="domain"))
    records = with_versions(file, dict(file.records))
    file = file.model_copy(update={"records": records})
    workflows: dict[str, WorkflowFile] = {}
    cases: list[Case] = []
    for one in sorted((path.parent / "workflows").glob("*.yaml")):
        workflow = read_written(one, WorkflowFile)
        if workflow.workflow != one.stem:
            raise SpecificationError(f"the file is called {one.stem}", Place(str(one), field="workflow"))
        for name, need in workflow.requirements.items():
            if need.rule != "instruction" and need.rule not in file.rules:
                raise SpecificationError(f"there is no rule {need.rule!r}", Place(str(one), field=name))
        for name, action in workflow.actions.items():
            if action.tool not in file.acts:
                raise SpecificationError(f"there is no such action: {action.tool}", Place(str(one), field=name))
        for name, read in workflow.reads.items():
            if not read.keys() <= file.info.keys():
                raise SpecificationError(
                    f"there is no such information tool: {', '.join(read)}", Place(str(one), field=name)
                )
        workflows[workflow.workflow] = workflow
        try:
            cases += cases_of(file, workflow)
        except SpecificationError as error:
            raise SpecificationError(str(error), Place(str(one))) from error
    return Domain(file, workflows, cases)
