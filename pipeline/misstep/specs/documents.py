"""Any YAML file of ours, checked as what its `schema` says it is."""

from __future__ import annotations

from pathlib import Path

from misstep.contracts import corpora, published, study, suite, tools
from misstep.contracts.errors import SpecificationError
from misstep.specs.load import load_suite
from misstep.specs.tables import spec_tables
from misstep.specs.tools_file import load_tools
from misstep.specs.written import YamlFile


def check_suite(folder: Path) -> str:
    """Return what a suite folder holds, after reading all of it, its states too.

    Raises:
        SpecificationError: a file is wrong.
    """
    loaded = load_suite(folder)
    facts = spec_tables(loaded)["states"].height
    return f"suite of {len(loaded.tasks)} tasks, {len(loaded.tools.tools)} tools, {facts} facts of initial states"


def check_document(path: Path) -> str:
    """Return what a YAML file is, after reading it as its `schema` says.

    Raises:
        SpecificationError: the file is wrong, or names no schema of ours.
    """
    file = YamlFile(path)
    schema = file.value.get("schema") if isinstance(file.value, dict) else None
    if schema == suite.SCHEMA:
        return check_suite(path.parent)
    if schema == tools.SCHEMA:
        read = load_tools(path, path.parent.name)
        return f"tools file of {len(read.file.tools)} tools"
    if schema == study.SCHEMA:
        found = file.validate(study.Study)
        return f"study of {len(found.sources)} sources"
    if schema == published.SCHEMA:
        return f"rules of {len(file.validate(published.PublishedFile).quantities)} printed quantities"
    if schema == corpora.SCHEMA:
        return f"list of {len(file.validate(corpora.CorporaFile).corpora)} corpora"
    known = ", ".join((suite.SCHEMA, tools.SCHEMA, study.SCHEMA, published.SCHEMA, corpora.SCHEMA))
    raise SpecificationError(f"the schema is {schema!r}; misstep knows {known}", file.place("schema"))
