"""Reading ahead: the same items, the same errors, and no thread that outlives its block."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator

import pytest

from adjudicate.storage.read_ahead import AHEAD, read_ahead


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    before = (threading.active_count(), sys.getswitchinterval())
    yield
    assert (threading.active_count(), sys.getswitchinterval()) == before


def test_items_come_in_order() -> None:
    with read_ahead(range(100)) as items:
        assert list(items) == list(range(100))


@pytest.mark.parametrize("error", [ValueError("row"), KeyboardInterrupt()])
def test_an_error_comes_in_its_place_and_unchanged(error: BaseException) -> None:
    def broken() -> Iterator[int]:
        yield from range(5)
        raise error

    seen = []
    with pytest.raises(type(error)) as raised, read_ahead(broken()) as items:  # noqa: PT012
        for item in items:
            seen.append(item)  # noqa: PERF402  # what came before the error counts
    assert seen == list(range(5))
    assert raised.value is error


@pytest.mark.parametrize("taken", [0, 1, 50])
def test_leaving_early_ends_the_thread(taken: int) -> None:
    """However full the queue is, and however long the rest."""
    made: list[int] = []

    def endless() -> Iterator[int]:
        while True:
            made.append(len(made))
            yield made[-1]

    with pytest.raises(KeyboardInterrupt), read_ahead(endless()) as items:  # noqa: PT012
        for _ in range(taken):
            next(items)
        raise KeyboardInterrupt
    assert len(made) <= taken + AHEAD + 2


def test_items_are_made_in_another_thread() -> None:
    with read_ahead(threading.get_ident() for _ in range(1)) as items:
        assert next(items) != threading.get_ident()
