"""`provenance.json`: what a report was made from, exactly enough to make it again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from misstep.contracts.study import Study
from misstep.label import LABEL_VERSION
from misstep.report import fresh

SCHEMA = "misstep.provenance/1"


def provenance(
    study: Study,
    study_file: tuple[str, str],
    traces: Sequence[Mapping[str, Any]],
    suites: Mapping[str, Sequence[tuple[str, Path]]],
    beside: Sequence[tuple[str, str]],
    counts: Mapping[str, int],
) -> dict[str, Any]:
    """Return the provenance of a report; it names no time and no machine, so equal input gives equal content.

    Args:
        study: what was asked for.
        study_file: its name and SHA-256.
        traces: input files: file, format, bytes, sha256.
        suites: suite → its files: name as readers shall see it, and path.
        beside: files of judgements and of printed quantities: name and SHA-256.
        counts: rows of every table.
    """
    files = [{name: row[name] for name in ("file", "format", "bytes", "sha256")} for row in traces]
    specified = {
        suite: [{"file": name, "sha256": fresh.sha256(path)} for name, path in paths] for suite, paths in suites.items()
    }
    judged = [{"file": name, "sha256": digest} for name, digest in beside]
    told = {"study": study_file[1], "beside": judged, "traces": [file["sha256"] for file in files], "suites": specified}
    return {
        "schema": SCHEMA,
        "study": {"name": study.name, "title": study.title, "file": study_file[0], "sha256": study_file[1]},
        "input": hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest(),
        "files": files,
        "suites": specified,
        "beside": judged,
        "options": {"sources": [source.model_dump(mode="json") for source in study.sources], "by": study.by,
                    "strata": study.strata, "policies": study.policies, "contrasts": study.contrasts,
                    "correction": study.correction,
                    "conditions": None if study.conditions is None else study.conditions.model_dump(mode="json"),
                    "planned": None if study.planned is None else study.planned.model_dump(mode="json")},
        "statistics": study.statistics.model_dump(mode="json"),
        "label_version": LABEL_VERSION,
        "code": fresh.code(),
        "versions": dict(sorted(fresh.versions().items())),
        "rows": dict(counts),
    }  # fmt: skip
