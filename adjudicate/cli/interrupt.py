"""Ctrl-C and other requests to stop, taken once: what undoes the work that was begun must not be broken off itself."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Ctrl-C, the end of a session or machine, and a terminal that has gone."""


@contextlib.contextmanager
def one_interrupt() -> Iterator[None]:
    """The first request to stop in the block raises KeyboardInterrupt; further ones do nothing until the block has ended.

    One that whoever started the program has it ignore (`nohup`) stays ignored.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {each: handler for each in STOPS if (handler := signal.getsignal(each)) not in (None, signal.SIG_IGN)}
    for each in before:
        signal.signal(each, _interrupted)
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def ignore_interrupts() -> None:
    """From here on the program ends, and nothing may keep it from doing so in good order."""
    if threading.current_thread() is threading.main_thread():
        for each in STOPS:
            signal.signal(each, signal.SIG_IGN)


def _interrupted(_signal: int, _frame: FrameType | None) -> None:
    ignore_interrupts()
    raise KeyboardInterrupt
