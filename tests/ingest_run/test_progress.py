"""What an ingest says while it works: the bytes it has read, on a terminal only."""

import pytest

from ingest_run.traces import many
from misstep.contracts.errors import InputError
from misstep.ingest.progress import Bar, Silent, on_terminal
from misstep.ingest.run import ingest
from misstep.specs.load import load_suite


class Heard:
    """Keeps what it was told."""

    def __init__(self):
        self.told = []

    def start(self, total):
        self.told.append(("start", total))

    def advance(self, amount, file):
        self.told.append((file.rpartition("/")[2], amount))

    def stop(self):
        self.told.append(("stop", 0))


@pytest.mark.parametrize("workers", [1, 2])
def test_every_byte_is_told_once(suite, put, tmp_path, workers):
    first, second = put("a.jsonl", many(40)), put("b.jsonl", many(7))
    heard = Heard()
    ingest([first, second], load_suite(suite), tmp_path / "out", workers=workers, unit_bytes=2_000, progress=heard)
    sizes = {path.name: path.stat().st_size for path in (first, second)}
    (start, *read, stop) = heard.told
    assert (start, stop) == (("start", sum(sizes.values())), ("stop", 0))
    assert {name: sum(amount for file, amount in read if file == name) for name in sizes} == sizes
    assert len(read) > 5


def test_the_bar_goes_away_when_a_run_fails(suite, put, tmp_path):
    heard = Heard()
    torn = put("a.jsonl", many(3) + b"{")
    with pytest.raises(InputError):
        ingest([torn], load_suite(suite), tmp_path / "out", workers=1, strict=True, progress=heard)
    assert heard.told[-1] == ("stop", 0)


@pytest.mark.parametrize(
    ("terminal", "quiet", "shown"), [(True, False, Bar), (True, True, Silent), (False, False, Silent)]
)
def test_a_bar_is_shown_on_a_terminal_alone(monkeypatch, terminal, quiet, shown):
    monkeypatch.setattr("sys.stderr.isatty", lambda: terminal, raising=False)
    assert type(on_terminal(quiet)) is shown
