"""`data/corpora.yaml` (`misstep.corpora/1`): public trace corpora, each file with its origin and SHA-256."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from misstep.contracts.written import Written

SCHEMA = "misstep.corpora/1"


class CorpusFile(Written):
    """One file; a derived file is not published in this form and is taken from a copy of the corpus."""

    path: str = Field(description="path in the fetched folder, without a compression ending")
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$", description="of the uncompressed content")
    bytes: Annotated[int, Field(ge=0)] = Field(description="size of the uncompressed content")
    commit: str | None = Field(
        None, pattern=r"^[0-9a-f]{40}$", description="commit of the repository that has the source"
    )
    source: str | None = Field(None, description="path in the repository at that commit")
    derived: bool = Field(False, description="made from published files, so not to be downloaded")

    @model_validator(mode="after")
    def _origin(self) -> CorpusFile:
        if self.derived == (self.commit is not None):
            raise ValueError("a file has either a commit and a source, or is derived")
        if (self.commit is None) != (self.source is None):
            raise ValueError("commit and source go together")
        return self


class Corpus(Written):
    """A corpus."""

    title: str = Field(description="title for readers")
    licence: str = Field(description="licence of the traces")
    repository: str = Field(description="address of the repository that holds the sources")
    raw: str = Field(description="address of a source file, with {commit} and {source}")
    files: list[CorpusFile] = Field(description="the files")


class CorporaFile(Written):
    """A whole `corpora.yaml`."""

    schema_: Annotated[
        Literal["misstep.corpora/1"], Field(alias="schema", description="name of the format and its version")
    ]
    corpora: dict[str, Corpus] = Field(description="the corpora, by name")
