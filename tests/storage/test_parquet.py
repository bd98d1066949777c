"""Tables on disk."""

import polars as pl
import pytest

from misstep.contracts.errors import ContractError, InputError
from misstep.contracts.tables import ALL, TRACES
from misstep.storage.atomic import replacing, write_bytes
from misstep.storage.manifest import MANIFEST, Manifest, read_manifest, write_manifest
from misstep.storage.parquet import digest, packed, parts, put, scan, write
from misstep.storage.stamp import code_stamp, read_stamp

ROWS = {"result_id": ["a", "b", "c"], "text": ["one", "two\n", "{}"]}


@pytest.mark.parametrize("table", list(ALL))
def test_a_table_that_was_not_written_is_empty(tmp_path, table):
    frame = scan(tmp_path, table).collect()
    assert frame.height == 0
    assert frame.schema == ALL[table].create_empty().schema


@pytest.mark.parametrize("table", list(ALL))
def test_what_is_written_is_read_in_the_types_of_the_contract(tmp_path, table):
    rows = ALL[table].sample(5)
    write(tmp_path, table, rows.sample(fraction=1, shuffle=True, seed=1))
    read = scan(tmp_path, table).collect()
    ALL[table].validate(read)
    assert read.height == 5


@pytest.mark.parametrize("table", ["results", "spec/tasks"])
def test_what_is_packed_is_what_is_written(tmp_path, table):
    rows = ALL[table].sample(5)
    written = write(tmp_path / "written", table, rows, stamp="s")
    assert put(tmp_path / "put", table, packed(table, rows, stamp="s")).read_bytes() == written.read_bytes()
    with pytest.raises(ContractError, match=table):
        packed(table, rows.drop(rows.columns[0]))


def test_a_frame_that_breaks_the_contract_is_refused(tmp_path):
    twice = pl.DataFrame({"result_id": ["a", "a"], "text": ["one", "two"]})
    with pytest.raises(ContractError, match="results"):
        write(tmp_path, "results", twice)
    with pytest.raises(ContractError, match="colour"):
        write(tmp_path, "results", pl.DataFrame({**ROWS, "colour": ["", "", ""]}))
    with pytest.raises(ContractError, match="text"):
        write(tmp_path, "results", pl.DataFrame({"result_id": ["a"]}))
    assert parts(tmp_path, "results") == []


def test_a_table_of_another_version_is_refused(tmp_path):
    (tmp_path / "results").mkdir()
    pl.DataFrame({"result_id": ["a"]}).write_parquet(tmp_path / "results" / "part.parquet")
    with pytest.raises(InputError, match="results lacks text"):
        scan(tmp_path, "results")


def test_a_damaged_part_is_named(tmp_path):
    write_bytes(tmp_path / "results" / "part.parquet", b"PAR1 no more")
    with pytest.raises(InputError, match=r"part\.parquet"):
        scan(tmp_path, "results")


def test_the_digest_does_not_depend_on_order_or_parts(tmp_path):
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    frame = pl.DataFrame(ROWS)
    write(whole, "results", frame)
    (cut / "results").mkdir(parents=True)
    frame[2:].write_parquet(cut / "results" / "a.parquet")
    frame[:2].reverse().write_parquet(cut / "results" / "b.parquet")
    assert digest(whole, "results") == digest(cut, "results")
    write(whole, "results", frame.with_columns(text=pl.lit("other")))
    assert digest(whole, "results") != digest(cut, "results")


def test_the_digest_tells_null_from_text_and_tables_apart(tmp_path):
    rows = TRACES["messages"].sample(1)
    found = set()
    for text in (None, "", "null"):
        write(tmp_path, "messages", rows.with_columns(text=pl.lit(text, pl.String)))
        found.add(digest(tmp_path, "messages"))
    assert len(found) == 3
    assert digest(tmp_path, "calls") != digest(tmp_path, "writes")


def test_only_the_parts_of_the_manifest_are_read(tmp_path):
    write(tmp_path, "results", pl.DataFrame(ROWS))
    pl.DataFrame(ROWS).write_parquet(tmp_path / "results" / "being-made.parquet")
    write_manifest(tmp_path, Manifest("s", "shop", "t", "1", parts={"results": ["part.parquet"]}))
    assert scan(tmp_path, "results").collect().height == 3


def test_unfinished_files_are_never_read_and_old_ones_stay(tmp_path):
    path = tmp_path / "results" / "part.parquet"
    write(tmp_path, "results", pl.DataFrame(ROWS))
    with pytest.raises(RuntimeError), replacing(path) as temporary:
        temporary.write_bytes(b"half of it")
        assert parts(tmp_path, "results") == [path]
        raise RuntimeError
    assert scan(tmp_path, "results").collect().height == 3
    assert list(path.parent.iterdir()) == [path]


def test_a_stamp_is_kept_with_a_table(tmp_path):
    assert read_stamp(tmp_path, "results") is None
    write(tmp_path, "results", pl.DataFrame(ROWS), stamp="abc")
    assert read_stamp(tmp_path, "results") == "abc"


def test_a_manifest_of_another_version_is_refused(tmp_path):
    assert read_manifest(tmp_path) is None
    for content in (
        "{",
        "[]",
        '{"schema": "misstep.tables/9", "stamp": "", "suite": "", "suite_stamp": "", "version": ""}',
    ):
        (tmp_path / MANIFEST).write_text(content)
        with pytest.raises(InputError, match=r"manifest\.json"):
            read_manifest(tmp_path)


def test_the_code_stamp_goes_by_package():
    assert code_stamp() == code_stamp()
    assert code_stamp("contracts") != code_stamp("ingest")
