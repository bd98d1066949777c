"""Public trace corpora: copied or downloaded, and verified by SHA-256."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from misstep.contracts.corpora import CorporaFile, Corpus, CorpusFile
from misstep.contracts.errors import InputError, Place, SpecificationError, UsageError
from misstep.storage.atomic import write_bytes

#: Downloads one file: (address, SHA-256, folder, name) → path of the verified file.
Download = Callable[[str, str, Path, str], Path]


@dataclass
class Fetched:
    """What became of the files of a corpus, by path."""

    folder: Path
    present: list[str] = field(default_factory=list)
    copied: list[str] = field(default_factory=list)
    downloaded: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def load_corpora(path: Path) -> dict[str, Corpus]:
    """Return the corpora of a `corpora.yaml`, by name.

    Raises:
        SpecificationError: the file is not what it should be.
    """
    try:
        content: Any = yaml.safe_load(path.read_text(encoding="utf-8"))
        return CorporaFile.model_validate(content).corpora
    except yaml.YAMLError as error:
        raise SpecificationError(f"not valid YAML ({error})", Place(str(path))) from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise SpecificationError(first["msg"], Place(str(path), field=where)) from error


def fetch(
    name: str,
    corpora: dict[str, Corpus],
    out: Path,
    source: Path | None = None,
    download: Download | None = None,
    told: Callable[[str], None] = lambda line: None,
) -> Fetched:
    """Return what became of the files of a corpus; afterwards `out` holds all that could be had, verified.

    A file that is already in `out` and verifies is left alone. With `source`, files are taken from that folder (or its
    sub-folder of the corpus's name), packed with gzip or not; what it lacks is downloaded unless it is derived.

    Args:
        name: a key of `corpora`.
        corpora: from `load_corpora`.
        out: folder to fill; it is made.
        source: a folder that holds a copy.
        download: how to download (default: pooch).
        told: is called with a line for each file that had to be fetched.

    Raises:
        UsageError: there is no such corpus.
        InputError: a file of `source` or a download is not what was published.
    """
    if name not in corpora:
        raise UsageError(f"there is no corpus {name!r}; there are {', '.join(corpora)}")
    corpus, result = corpora[name], Fetched(out)
    if source is not None and (source / name).is_dir():
        source = source / name
    for entry in corpus.files:
        held = _find(out, entry.path)
        if held is not None and _sha256(held) == entry.sha256:
            result.present.append(entry.path)
        elif source is not None and (copy := _find(source, entry.path)) is not None:
            _copy(copy, entry, out)
            result.copied.append(entry.path)
            told(f"copied {entry.path}")
        elif not entry.derived:
            address = corpus.raw.format(commit=entry.commit, source=entry.source)
            (download or _pooch)(address, entry.sha256, out, entry.path)
            result.downloaded.append(entry.path)
            told(f"downloaded {entry.path}")
        else:
            result.missing.append(entry.path)
    return result


def _find(folder: Path, path: str) -> Path | None:
    for candidate in (folder / path, folder / f"{path}.gz"):
        if candidate.is_file():
            return candidate
    return None


def _content(path: Path) -> bytes:
    data = path.read_bytes()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def _sha256(path: Path) -> str:
    return hashlib.sha256(_content(path)).hexdigest()


def _copy(copy: Path, entry: CorpusFile, out: Path) -> None:
    found = _sha256(copy)
    if found != entry.sha256:
        raise InputError(f"not the published file: SHA-256 is {found}, not {entry.sha256}", Place(str(copy)))
    target = out / (f"{entry.path}.gz" if copy.suffix == ".gz" else entry.path)
    write_bytes(target, copy.read_bytes())


def _pooch(address: str, sha256: str, folder: Path, name: str) -> Path:
    import pooch

    target = folder / name
    try:
        return Path(pooch.retrieve(address, f"sha256:{sha256}", target.name, target.parent, progressbar=False))
    except OSError as error:
        raise InputError(
            f"cannot be downloaded ({error}); `--from DIR` takes it from a copy", Place(address)
        ) from error
    except ValueError as error:
        raise InputError(f"the download is not the published file ({error})", Place(address)) from error
