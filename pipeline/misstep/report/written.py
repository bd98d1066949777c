"""The study file: read, checked, with the place of each field at hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from misstep.contracts.errors import Place, SpecificationError
from misstep.contracts.study import Study
from misstep.report.audits import Audited, read_audit
from misstep.report.printed import Printed, read_published
from misstep.specs.written import YamlFile
from misstep.stats.conditions import compared

Read = TypeVar("Read")


@dataclass(frozen=True, slots=True)
class StudyFile:
    """A study as it is written.

    Attributes:
        path: of the file.
        study: what it says.
        audits: rows of its audit files.
        published: its published files.
    """

    path: Path
    study: Study
    audits: Sequence[Sequence[Audited]]
    published: Sequence[Printed]
    _yaml: YamlFile

    @property
    def beside(self) -> list[Path]:
        """Files of people's judgements and of printed quantities."""
        printed = [path for one in self.published for path in (one.yaml.path, *one.paths)]
        return [*(self.base / name for name in self.study.audits), *printed]

    @property
    def base(self) -> Path:
        """Folder that the paths of the study are relative to."""
        return self.path.parent

    @property
    def root(self) -> Path:
        """Folder that holds `data/`, where the study lies in one; else the study's own folder."""
        folder = self.path.resolve().parent
        for parent in (folder, *folder.parents):
            if parent.name == "data":
                return parent.parent
        return folder

    def place(self, field: str) -> Place:
        """Return file and line of a field."""
        return self._yaml.place(field)


def load_study(path: Path) -> StudyFile:
    """Return a study.

    Raises:
        SpecificationError: the file is wrong; all faults of it, with file, line and field.
    """
    yaml = YamlFile(path)
    study = yaml.validate(Study)
    audits = _read(path, yaml, "audits", study.audits, read_audit)
    file = StudyFile(path, study, audits, _read(path, yaml, "published", study.published, read_published), yaml)
    if len(study.strata) > 2:
        raise SpecificationError("a heat map has at most two strata", file.place("strata[2]"))
    for name in ("strata", "by", "policies"):
        values = getattr(study, name)
        if len(set(values)) != len(values):
            raise SpecificationError("a value stands here twice", file.place(name))
    for name in ("by", "policies"):
        if not getattr(study, name):
            raise SpecificationError("at least one is needed", file.place(name))
    for number, source in enumerate(study.sources):
        if not (path.parent / source.suite).is_dir():
            raise SpecificationError(f"there is no folder {source.suite!r}", file.place(f"sources[{number}].suite"))
    _check_conditions(file)
    return file


def _check_conditions(file: StudyFile) -> None:
    conditions = file.study.conditions
    if conditions is None:
        return
    if "condition" in file.study.by:
        raise SpecificationError("a condition cannot make a configuration and be compared too", file.place("by"))
    names = [conditions.baseline, *(one.name for one in compared(conditions))]
    if len(set(names)) != len(names):
        raise SpecificationError("a condition stands here twice", file.place("conditions"))


def _read(path: Path, yaml: YamlFile, field: str, names: Sequence[str], reader: Callable[[Path], Read]) -> list[Read]:
    """Return the files that a field of the study names."""
    for number, name in enumerate(names):
        if not (path.parent / name).is_file():
            raise SpecificationError(f"there is no file {name!r}", yaml.place(f"{field}[{number}]"))
    return [reader(path.parent / name) for name in names]
