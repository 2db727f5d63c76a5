"""Work of the way to the first label, away from the keys: one thing at a time, with progress, and it can be stopped."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from textual.message import Message
from textual.screen import Screen

from adjudicate.core.text import shortened
from adjudicate.errors import AdjudicateError
from adjudicate.workflow.acting import Clock

TOLD_AFTER = 0.4
"""Seconds from which on it is said how far the work is."""
SHOWN_FILE = 60
STOPPED = "stopped: nothing was stored"


class Stopped(Exception):
    """Somebody pressed Escape: what was begun is undone."""


class WorkDone(Message):
    """What was asked for has come."""

    def __init__(self, then: Callable[[Any], None], found: Any) -> None:
        super().__init__()
        self.then = then
        self.found = found


class WorkFailed(Message):
    """It has not, or was stopped."""

    def __init__(self, problem: str) -> None:
        super().__init__()
        self.problem = problem


class Work:
    """What is under way for a screen, if anything. Its result comes to the screen as a message."""

    def __init__(self, screen: Screen[None], clock: Clock, give_up: Callable[[], None]) -> None:
        """Nothing is under way.

        Args:
            screen: Is sent the messages.
            clock: Tells how long it takes.
            give_up: Takes back what is not whole; called once nobody waits for the work any more.
        """
        self._screen = screen
        self._clock = clock
        self._give_up = give_up
        self._stop = threading.Event()
        self._told: tuple[str, int] = ("", 0)
        self._began = 0.0
        self._left = False
        self.words = ""
        """What is under way; empty for nothing."""
        self.can_be_stopped = True

    def begin(self, words: str, compute: Callable[[], Any], then: Callable[[Any], None], *, can_be_stopped: bool = True) -> None:
        """Compute in a thread.

        Args:
            words: What is done, for the line that says how far it is.
            compute: The work.
            then: Handed the result by whoever gets the message.
            can_be_stopped: Whether it tells its progress, and so can end before it is done.
        """
        self.words, self.can_be_stopped = words, can_be_stopped
        self._began, self._told = self._clock.tick(), ("", 0)
        self._stop.clear()
        self._screen.run_worker(lambda: self._run(compute, then), group="first", exclusive=True, thread=True, exit_on_error=False)

    def end(self) -> None:
        """Nothing is under way any more."""
        self.words = ""

    def stop(self) -> None:
        """Stop at the next row that is told."""
        self._stop.set()

    def leave(self) -> None:
        """Nobody waits any more: what is under way ends, and takes back what it has begun."""
        self._left = True
        self._stop.set()
        if not self.words:
            self._give_up()

    def progress(self, file: str, rows: int) -> None:
        """Told by the work in its own thread; ends it when somebody wants it to."""
        if self._stop.is_set():
            raise Stopped
        self._told = (file, rows)

    def told(self) -> str:
        """How far it is, in words; empty while there is nothing to say."""
        seconds = self._clock.tick() - self._began
        if not self.words or self._stop.is_set() or seconds < TOLD_AFTER:
            return ""
        file, rows = self._told
        told = f" {file[-SHOWN_FILE:]}: {rows:,} rows," if rows else ""
        return f"{self.words}{told} {seconds:.0f} s{' · esc stops' if self.can_be_stopped else ''}"

    def _run(self, compute: Callable[[], Any], then: Callable[[Any], None]) -> None:
        try:
            self._screen.post_message(WorkDone(then, compute()))
        except Stopped:
            self._screen.post_message(WorkFailed(STOPPED))
        except AdjudicateError as problem:
            self._screen.post_message(WorkFailed(str(problem)))
        except OSError as error:
            self._screen.post_message(WorkFailed(f"{shortened(str(error.filename or ''), 60)}: {error.strerror}"))
        finally:
            if self._left:
                self._give_up()
