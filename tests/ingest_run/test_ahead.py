"""Work that runs ahead: order, errors, and an end before all of it is wanted."""

from collections.abc import Iterator
from threading import Event

import pytest

from misstep.ingest.ahead import Ahead


def test_items_come_in_their_order():
    with Ahead(iter(range(100)), size=3) as items:
        assert list(items) == list(range(100))


def test_an_error_is_raised_after_the_items_before_it():
    def failing() -> Iterator[int]:
        yield 1
        raise ValueError("the second")

    with Ahead(failing(), size=3) as items:
        assert next(items) == 1
        with pytest.raises(ValueError, match="the second"):
            next(items)


def test_leaving_stops_what_nobody_waits_for():
    made = []

    def endless() -> Iterator[int]:
        while True:
            made.append(0)
            yield 0

    with Ahead(endless(), size=2) as items:
        next(items)
    stopped = len(made)
    Event().wait(0.1)
    assert len(made) == stopped <= 5
