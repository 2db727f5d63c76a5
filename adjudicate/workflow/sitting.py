"""One sitting: from opening the program to leaving it, whichever screens it went through."""

from __future__ import annotations

from datetime import datetime

from adjudicate.core.labels import Event
from adjudicate.core.work_time import WorkTime
from adjudicate.workflow.acting import Clock


class Sitting:
    """Keeps the time of one person's work and where in their chain it began."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._work = WorkTime(clock.tick(), _seconds(clock.now()))
        self._measured = 0.0
        self._measured_at: float | None = None
        self.first_seq: int | None = None
        """Place of the first act in the person's chain; None before it."""

    def acted(self, last: Event | None) -> None:
        """A key did something; `last` is the session's last saved act."""
        self._work.act(self._clock.tick(), _seconds(self._clock.now()))
        if self.first_seq is None and last is not None:
            self.first_seq = last.seq

    def measured_today(self, seconds: float) -> None:
        """What the record says of today up to now, this sitting included."""
        self._measured, self._measured_at = seconds, self._work.total

    @property
    def seconds(self) -> float:
        """Worked in this sitting, pauses left out."""
        return self._work.total

    @property
    def spell(self) -> float:
        """Seconds of work since the last pause."""
        return self._work.spell

    @property
    def today(self) -> float | None:
        """Seconds worked today; None until it has been measured."""
        return None if self._measured_at is None else self._measured + self._work.total - self._measured_at


def _seconds(at: str) -> float:
    return datetime.fromisoformat(at).timestamp()
