"""Keys nobody meant: the auto-repeat that hits a new item, and bursts faster than a hand."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

REPEAT_SECONDS = 0.15
"""The key that brought up a new item labels it only after this long on screen."""
BURST_KEYS, BURST_SECONDS, QUIET_SECONDS = 4, 0.03, 0.1
"""So many keys within so short a time are no hand (a paste, a broken mouse report) until it has been quiet for a while."""


class KeyGate:
    """Decides which keys that label are let through."""

    def __init__(self, tick: Callable[[], float]) -> None:
        self._tick = tick
        self._key = ""
        self._painted_at: float | None = None
        self._times: deque[float] = deque(maxlen=BURST_KEYS)
        self._bursting = False

    def new_item(self, key: str) -> None:
        """A key brought up a new item, which is not painted yet."""
        self._key, self._painted_at = key, None

    def painted(self) -> None:
        """The item is on screen."""
        if self._painted_at is None:
            self._painted_at = self._tick()

    def is_repeat(self, key: str) -> bool:
        """Whether the key is the one that brought up this item, again and too soon."""
        if key != self._key:
            return False
        return self._painted_at is None or self._tick() - self._painted_at < REPEAT_SECONDS

    def is_burst(self, at: float) -> bool:
        """Whether the key that arrived at this time belongs to a burst; to be asked of every key."""
        if self._bursting and self._times and at - self._times[-1] > QUIET_SECONDS:
            self._bursting = False
            self._times.clear()
        self._times.append(at)
        if len(self._times) == BURST_KEYS and at - self._times[0] < BURST_SECONDS:
            self._bursting = True
        return self._bursting
