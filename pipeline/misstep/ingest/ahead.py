"""Work that runs ahead of whoever waits for its results."""

from __future__ import annotations

from collections.abc import Iterator
from queue import Full, Queue
from threading import Event, Thread
from typing import Generic, TypeVar

T = TypeVar("T")

_LOOK = 0.05  # seconds between looks at whether anybody still wants the results


class Ahead(Generic[T]):
    """The items of an iterator that a thread runs from now on; an error is raised where the item would have been.

    Hashing lets other threads run, so that cutting the input goes on while worker processes are being started. Leaving
    the `with` block stops the thread.
    """

    def __init__(self, items: Iterator[T], size: int) -> None:
        self._queue: Queue[tuple[T | None, Exception | None] | None] = Queue(size)
        self._stop = Event()
        self._thread = Thread(target=self._run, args=(items,), daemon=True)
        self._thread.start()

    def __enter__(self) -> Iterator[T]:
        """Return the items."""
        return self._items()

    def __exit__(self, *error: object) -> None:
        """Stop running ahead."""
        self._stop.set()
        self._thread.join()

    def _items(self) -> Iterator[T]:
        while (found := self._queue.get()) is not None:
            item, error = found
            if error is not None:
                raise error
            assert item is not None
            yield item

    def _run(self, items: Iterator[T]) -> None:
        try:
            for item in items:
                if not self._put((item, None)):
                    return
        except Exception as error:  # raised again in the thread that waits
            self._put((None, error))
        self._put(None)

    def _put(self, found: tuple[T | None, Exception | None] | None) -> bool:
        while not self._stop.is_set():
            try:
                self._queue.put(found, timeout=_LOOK)
                return True
            except Full:
                continue
        return False
