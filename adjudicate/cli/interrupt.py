"""Ctrl-C, taken once: who holds the key down must not break off the undoing of what was begun."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType


@contextlib.contextmanager
def one_interrupt() -> Iterator[None]:
    """The first Ctrl-C in the block raises KeyboardInterrupt as usual; further ones do nothing until the block has ended."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, _interrupted)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def ignore_interrupts() -> None:
    """From here on the program ends, and nothing may keep it from doing so in good order."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _interrupted(_signal: int, _frame: FrameType | None) -> None:
    ignore_interrupts()
    raise KeyboardInterrupt
