"""How long somebody has worked: the time between their acts, with pauses left out."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

PAUSE_SECONDS = 300.0
"""A gap between two acts that is longer than this was a pause."""


def worked(times: Iterable[float]) -> float:
    """Seconds between acts, pauses left out.

    Args:
        times: When the acts were, in seconds; a clock that was set back counts as no time.

    >>> worked([0.0, 60.0, 1000.0, 1030.0])
    90.0
    """
    return float(sum(gap for earlier, later in pairwise(times) if 0 <= (gap := later - earlier) <= PAUSE_SECONDS))


class WorkTime:
    """The same, act by act, with the spell since the last pause."""

    def __init__(self, steady: float, wall: float) -> None:
        """Begin.

        Args:
            steady: A clock that never goes back, in seconds.
            wall: The wall clock, in seconds: a machine that slept shows in it only.
        """
        self.total = 0.0
        """Seconds worked."""
        self.spell = 0.0
        """Seconds worked since the last pause."""
        self._last = (steady, wall)

    def act(self, steady: float, wall: float) -> None:
        """Something was done."""
        gap, away = steady - self._last[0], wall - self._last[1]
        self._last = (steady, wall)
        if max(gap, away) > PAUSE_SECONDS:
            self.spell = 0.0
        else:
            self.total += gap
            self.spell += gap


def duration(seconds: float) -> str:
    """Minutes, from an hour on with hours: ``45 min``, ``1 h 05``."""
    if seconds < 60:
        return "under 1 min"
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60:02d}" if minutes >= 60 else f"{minutes} min"
