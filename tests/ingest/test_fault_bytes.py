"""Faults of bytes and lines: what is read, what is set aside, and where."""

import gzip
import json

import pytest
import zstandard

from ingest.reading import Reading, chat, line
from misstep.contracts.errors import InputError
from misstep.ingest.containers import sample_of
from misstep.ingest.files import Options
from misstep.ingest.records import Account, byte_ranges, lines

E1 = line({"episode_id": "e1", "messages": []})
E2 = line({"episode_id": "e2", "messages": []})
E3 = line({"episode_id": "e3", "messages": []})

CASES = [
    pytest.param(E1 + b'{"episode_id":"e2","mess', ["e1"], {"torn-tail"}, True, id="01-cut-in-a-key"),
    pytest.param(E1 + b'{"episode_id":"e2","messages":[{"role":"us', ["e1"], {"torn-tail"}, True, id="01-cut-in-text"),
    pytest.param(E1 + E2[:-1], ["e1", "e2"], set(), False, id="01-whole-but-no-line-end"),
    pytest.param(E1 + b'{"episode_id":"e2","mess\n', ["e1"], {"bad-json"}, False, id="01-broken-but-ended"),
    pytest.param(E1 + b"{oops\n" + E3, ["e1", "e3"], {"bad-json"}, False, id="02-bad-line-in-the-middle"),
    pytest.param(b"{oops\n" + E2 + E3, ["e2", "e3"], {"bad-json"}, False, id="02-bad-line-at-the-start"),
    pytest.param(E1 + b"null\n" + b"7\n" + E3, ["e1", "e3"], {"not-an-episode"}, False, id="02-json-but-no-object"),
    pytest.param(E1 + b"\0" * 300 + b"\n" + E3, ["e1", "e3"], {"nul-bytes"}, False, id="04-line-of-nul"),
    pytest.param(E1 + b"\0" * 300 + E3, ["e1", "e3"], {"nul-bytes"}, False, id="04-nul-before-a-record"),
    pytest.param(E1 + E2[:20] + b"\0" * 9 + E2[20:] + E3, ["e1", "e3"], {"nul-bytes"}, False, id="04-nul-inside"),
    pytest.param(b"\xef\xbb\xbf" + E1, ["e1"], {"bom"}, False, id="06-utf8-mark"),
    pytest.param(E1 + b"\xef\xbb\xbf" + E2, ["e1"], {"bad-json"}, False, id="06-mark-inside-is-no-mark"),
    pytest.param(E1[:-1] + b"\r\n\r\n" + E2[:-1] + b"\r\n", ["e1", "e2"], set(), False, id="08-crlf-and-blank"),
    pytest.param(b"\r" + E1[:-1] + b"\r \n" + E2, ["e1", "e2"], set(), False, id="08-lone-cr-is-white-space"),
    pytest.param(b"\n\n" + E1 + b"  \t\n" + E2 + b"\n", ["e1", "e2"], set(), False, id="08-blank-lines"),
    pytest.param(b"[\n  " + E1 + b"]", ["e1"], {"json-array"}, False, id="10-array"),
    pytest.param(
        b"[" + E1[:-1] + b", " + E2[:-1] + b"]\n", ["e1", "e2"], {"json-array"}, False, id="10-array-one-line"
    ),
    pytest.param(b"[" + E1 + b"," + E2 + b',{"epi', ["e1", "e2"], {"json-array", "torn-tail"}, True, id="10-array-cut"),
    pytest.param(
        b"[" + E1 + b",{oops}," + E3 + b"]", ["e1", "e3"], {"json-array", "bad-json"}, False, id="10-array-bad"
    ),
    pytest.param(b"[" + E1 + b"]\n" + E3, ["e1"], {"json-array", "bad-json"}, False, id="10-array-then-a-line"),
    pytest.param(b"\x80ab\rcd,\xff" * 9, [], {"unknown-format"}, False, id="11-binary-with-a-carriage-return"),
    pytest.param(json.dumps(json.loads(E1), indent=2).encode(), ["e1"], set(), False, id="10-one-pretty-episode"),
    pytest.param(
        E1 + b'{"episode_id":"e2","messages":[],"note":"caf\xe9"}\n' + E3,
        ["e1", "e3"],
        {"bad-utf8"},
        False,
        id="11-latin-1-in-a-field-nobody-reads",
    ),
    pytest.param(
        b'{"episode_id":"caf\xe9","messages":[]}\n' + E3, ["e3"], {"bad-utf8"}, False, id="11-latin-1-in-an-id"
    ),
]


@pytest.mark.parametrize(("data", "ids", "codes", "incomplete"), CASES)
def test_fault(reads: Reading, data: bytes, ids: list[str], codes: set[str], incomplete: bool) -> None:
    got = reads(data)

    assert got.ids == ids
    assert set(got.codes) - {"lost-calls"} == codes
    assert got.account.incomplete == incomplete


@pytest.mark.parametrize(("data", "ids", "codes", "incomplete"), CASES)
@pytest.mark.parametrize("block", [1, 2, 7, 64])
def test_blocks_do_not_matter(
    tmp_path, monkeypatch, reads: Reading, data: bytes, ids: list[str], codes: set[str], incomplete: bool, block: int
) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(data)
    whole, cut = Account(), Account()

    assert list(lines(path, cut, block=block)) == list(lines(path, whole))
    assert (cut.records, cut.blank, cut.found) == (whole.records, whole.blank, whole.found)


@pytest.mark.parametrize("size", [1, 10, 45, 100, 10_000])
@pytest.mark.parametrize("block", [1, 5, 4096])
def test_byte_ranges_give_the_same_records(tmp_path, size: int, block: int) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(E1 + b"\r\n" + E2 + b"{oops\n\n" + E3[:-1])
    ranges = byte_ranges(path, size, block)

    assert [part.start for part in ranges[1:]] == [part.end for part in ranges[:-1]]
    assert [record for part in ranges for record in lines(path, Account(), part)] == list(lines(path, Account()))


def test_01_place_of_a_torn_tail(reads: Reading) -> None:
    (found,) = [found for found in reads(E1 + b'{"episode_id":"e2","mess').account.found if found.lost]

    assert (found.line, found.fault.code) == (2, "torn-tail")
    assert found.byte is not None and len(E1) <= found.byte <= len(E1) + 24
    assert found.fault.raw is not None and "e2" in found.fault.raw


def test_02_place_of_a_bad_line(reads: Reading) -> None:
    (found,) = reads(E1 + b"{oops\n" + E3).account.found

    assert (found.line, found.byte) == (2, len(E1) + 1)


def test_11_place_and_hint_of_bad_utf8(reads: Reading) -> None:
    (found,) = reads(b'{"episode_id":"e1","text":"caf\xe9","messages":[]}\n').account.found

    assert found.byte == 30
    assert "Latin-1" in found.fault.message


@pytest.mark.parametrize(
    ("mark", "named"),
    [
        pytest.param("utf-16-le", "UTF-16", id="06-utf16-le"),
        pytest.param("utf-16-be", "UTF-16", id="06-utf16-be"),
        pytest.param("utf-32-le", "UTF-32", id="06-utf32-le"),
        pytest.param("utf-32-be", "UTF-32", id="06-utf32-be"),
    ],
)
def test_other_encodings_stop(reads: Reading, mark: str, named: str) -> None:
    with pytest.raises(InputError, match=f"is {named};"):
        reads("\ufeff".encode(mark) + E1.decode().encode(mark))


@pytest.mark.parametrize("block", [16, 1000, 2 << 20])
def test_09_too_long_lines_are_not_held(tmp_path, block: int) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(E1 + b"x" * 5000 + b"\n" + E2 + b"y" * 3000)
    account = Account()

    got = list(lines(path, account, limit=2000, block=block))

    assert [record.data for record in got] == [E1[:-1], E2[:-1]]
    assert [(found.line, found.byte, found.fault.code) for found in account.found] == [
        (2, len(E1), "line-too-long"),
        (4, len(E1) + 5001 + len(E2), "line-too-long"),
    ]
    assert (account.records, account.lost) == (4, 2)


def test_09_forty_megabytes_are_read(reads: Reading) -> None:
    big = chat({"role": "assistant", "content": "x" * 40_000_000})

    got = reads(line(big) + E2)

    assert got.ids == ["e1", "e2"]
    assert len(got.episodes[0].messages[1].text or "") == 40_000_000


@pytest.mark.parametrize("data", [pytest.param(b"", id="10-empty"), pytest.param(b" \n\r\n\t\n", id="10-only-blanks")])
def test_nothing_in_the_file(reads: Reading, data: bytes) -> None:
    got = reads(data)

    assert got.file is None
    assert got.codes == ["empty-file"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        pytest.param(
            b'{\n "a": 1,\n "b": [\n  {"c": 2}\n ]\n}\n', "a pretty-printed object with keys a, b", id="10-pretty"
        ),
        pytest.param(b'[{"a": 1}]', "a JSON array of objects with keys a", id="10-other-array"),
        pytest.param(
            b'{"type":"response_item/message_v9"}\n', "lines of JSON objects with keys type", id="73-other-kinds"
        ),
        pytest.param(b"id,name\n1,x\n", "a table with columns id, name", id="10-table"),
    ],
)
def test_what_nobody_recognises_is_named(reads: Reading, data: bytes, said: str) -> None:
    got = reads(data)

    assert got.file is None
    assert got.codes == ["unknown-format"]
    assert said in got.faults[0][1]


PACKERS = {
    "gzip": gzip.compress,
    "zstd": zstandard.ZstdCompressor().compress,
    "two-members": lambda data: gzip.compress(data[:50]) + gzip.compress(data[50:]),
    "two-frames": lambda data: (
        zstandard.ZstdCompressor().compress(data[:50]) + zstandard.ZstdCompressor().compress(data[50:])
    ),
    "padded": lambda data: gzip.compress(data) + b"\0" * 512,
}


@pytest.mark.parametrize("packer", PACKERS)
def test_compression_is_told_by_the_bytes(reads: Reading, packer: str) -> None:
    got = reads(PACKERS[packer](E1 + E2 + E3), "named.jsonl")

    assert got.ids == ["e1", "e2", "e3"]
    assert not got.account.incomplete


@pytest.mark.parametrize("packer", ["gzip", "zstd"])
def test_a_cut_compressed_file_is_read_up_to_there(tmp_path, reads: Reading, packer: str) -> None:
    many = b"".join(
        line(chat({"role": "assistant", "content": f"{n * 7919 % 10007:x}" * 40}, n=n)) for n in range(3000)
    )
    packed = PACKERS[packer](many)

    got = reads(packed[: len(packed) * 2 // 3])

    assert 0 < len(got.episodes) < 3000
    assert "bad-compression" in got.codes
    assert got.account.incomplete
    assert got.codes.count("torn-tail") <= 1


def test_a_damaged_gzip_is_a_problem(reads: Reading) -> None:
    packed = bytearray(gzip.compress(E1 + E2))
    packed[-6] ^= 0xFF  # the check sum

    got = reads(bytes(packed))

    assert got.ids == ["e1", "e2"]
    assert "bad-compression" in got.codes


def test_the_sample_grows_with_the_first_record(tmp_path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(b"[" + line(chat({"role": "assistant", "content": "x" * 3_000_000})) + b"]")

    sample = sample_of(path)

    assert sample is not None and sample.container == "array" and sample.has("messages")


def test_parts_of_a_file(tmp_path, reads: Reading) -> None:
    got = reads(E1 + E2 + E3, model="m", limit=1000)

    assert got.file is not None
    assert [part is None for part in got.file.parts(1 << 20)] == [True]
    assert len(got.file.parts(10)) == 3
    assert {episode.model for episode in got.episodes} == {"m"}
    assert Options().limit == 256 << 20
