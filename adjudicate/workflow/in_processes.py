"""The same work on many batches by all processors, with the results in the order of the batches."""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from typing import TypeVar

Batch = TypeVar("Batch")
Result = TypeVar("Result")

WAITING = 2
"""Batches for each processor that are handed out at a time: what is yet to be read stays where it is."""


def in_processes(work: Callable[[Batch], Result], batches: Iterable[Batch]) -> Iterator[Result]:
    """What `work` makes of each batch.

    Args:
        work: A function of a module; it, the batches and the results are sent from process to process.
        batches: Read in this thread, no further than needed.
    """
    # Started anew and not forked: a program with threads, such as one with screens, must not be.
    processors = len(os.sched_getaffinity(0))
    with ProcessPoolExecutor(processors, mp_context=get_context("spawn"), initializer=_leave_ctrl_c_to_the_parent) as pool:
        waiting: deque[Future[Result]] = deque()
        for batch in batches:
            waiting.append(pool.submit(work, batch))
            if len(waiting) >= WAITING * processors:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _leave_ctrl_c_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
