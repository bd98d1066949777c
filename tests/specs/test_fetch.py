"""Public corpora are copied or downloaded, and never taken unverified."""

import gzip
import hashlib
from pathlib import Path

import pytest

from misstep.contracts.corpora import Corpus, CorpusFile
from misstep.contracts.errors import InputError, SpecificationError, UsageError
from misstep.specs.fetch import fetch, load_corpora
from misstep.storage.bundled import bundled

TEXT = b'{"a": 1}\n'


def corpora(**changes: object) -> dict[str, Corpus]:
    entry = {
        "path": "runs/a.jsonl",
        "sha256": hashlib.sha256(TEXT).hexdigest(),
        "bytes": len(TEXT),
        "commit": "0" * 40,
        "source": "results/a.jsonl",
    }
    file = CorpusFile.model_validate({**entry, **changes})
    return {
        "c": Corpus(
            title="C",
            licence="MIT",
            repository="https://x.example",
            raw="https://x.example/{commit}/{source}",
            files=[file],
        )
    }


def test_a_packed_copy_is_verified_by_its_content(tmp_path: Path) -> None:
    copy = tmp_path / "copy" / "runs" / "a.jsonl.gz"
    copy.parent.mkdir(parents=True)
    copy.write_bytes(gzip.compress(TEXT))
    first = fetch("c", corpora(), tmp_path / "out", tmp_path / "copy")
    assert first.copied == ["runs/a.jsonl"]
    assert gzip.decompress((tmp_path / "out/runs/a.jsonl.gz").read_bytes()) == TEXT
    assert fetch("c", corpora(), tmp_path / "out").present == ["runs/a.jsonl"]


def test_a_changed_copy_is_refused_and_not_written(tmp_path: Path) -> None:
    copy = tmp_path / "copy" / "runs" / "a.jsonl"
    copy.parent.mkdir(parents=True)
    copy.write_bytes(TEXT + b" ")
    with pytest.raises(InputError, match=r"a\.jsonl: not the published file"):
        fetch("c", corpora(), tmp_path / "out", tmp_path / "copy")
    assert not list((tmp_path / "out").rglob("*.jsonl"))


def test_what_is_absent_is_downloaded_from_the_pinned_commit(tmp_path: Path) -> None:
    asked = []

    def download(address: str, sha256: str, folder: Path, name: str) -> Path:
        asked.append(address)
        return folder / name

    result = fetch("c", corpora(), tmp_path, download=download)
    assert result.downloaded == ["runs/a.jsonl"]
    assert asked == [f"https://x.example/{'0' * 40}/results/a.jsonl"]


def test_a_damaged_file_in_place_is_fetched_again(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs/a.jsonl").write_bytes(b"{")
    assert fetch("c", corpora(), tmp_path, download=lambda *_: tmp_path).downloaded == ["runs/a.jsonl"]


def test_a_derived_file_is_reported_missing_without_a_copy(tmp_path: Path) -> None:
    assert fetch("c", corpora(commit=None, source=None, derived=True), tmp_path).missing == ["runs/a.jsonl"]


def test_an_unknown_corpus_names_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there are c"):
        fetch("d", corpora(), tmp_path)


def test_a_wrong_corpora_file_names_the_field(tmp_path: Path) -> None:
    path = tmp_path / "corpora.yaml"
    path.write_text("schema: misstep.corpora/1\ncorpora: {c: {title: C}}\n", encoding="utf-8")
    with pytest.raises(SpecificationError, match=r"corpora\.c\."):
        load_corpora(path)


def test_every_bundled_corpus_can_be_had_from_a_copy(corpora: Path, tmp_path: Path) -> None:
    known = load_corpora(bundled("corpora.yaml"))
    for name in ("workbench", "tau-bench", "tau2-bench", "agentdojo"):
        result = fetch(name, known, tmp_path / name, corpora)
        assert not result.missing and len(result.copied) == len(known[name].files)
