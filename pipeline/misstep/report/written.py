"""The study file: read, checked, with the place of each field at hand."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from misstep.contracts.errors import Place, SpecificationError
from misstep.contracts.study import Study
from misstep.specs.written import YamlFile


@dataclass(frozen=True, slots=True)
class StudyFile:
    """A study as it is written.

    Attributes:
        path: of the file.
        study: what it says.
    """

    path: Path
    study: Study
    _yaml: YamlFile

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
    file = StudyFile(path, study, yaml)
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
    return file
