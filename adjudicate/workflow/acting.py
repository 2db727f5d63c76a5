"""How a person's acts are saved, while labelling and while settling alike: durable first, and a lock loses nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from adjudicate.core.labels import Act, Event
from adjudicate.core.policy import Policy
from adjudicate.errors import BusyStore
from adjudicate.storage.rows import Annotator
from adjudicate.storage.store import Store


@dataclass(frozen=True, slots=True)
class Clock:
    """Time from outside: the wall clock for the record, a steady one for durations."""

    now: Callable[[], str]
    """UTC, ISO 8601."""
    tick: Callable[[], float]
    """Seconds, never going back."""


@dataclass(frozen=True, slots=True)
class Unsaved:
    """An act that met a locked store: what to save, and what to do once it is saved."""

    act: Act
    at: str
    then: Callable[[], None]


class Acting:
    """One person's acts under one policy, appended to their chain."""

    def __init__(self, store: Store, policy: Policy, person: Annotator, clock: Clock) -> None:
        self.store = store
        self.policy = policy
        self.clock = clock
        self._person = person
        self.last: Event | None = None
        """The last act that was saved, for the status line."""
        self.wait: float | None = None
        """Seconds a save may wait for the lock; the screen sets a short one and retries in the background."""
        self.unsaved: Unsaved | None = None
        """What the last act could not save, until someone saves it elsewhere and says so with `saved`."""

    def saved(self, event: Event) -> None:
        """Go on after another thread has saved what this one could not."""
        if self.unsaved is not None:
            self._go_on(event, self.unsaved.then)

    def _save(self, act: Act, then: Callable[[], None]) -> None:
        """Append the act, then go on with `then`; a locked store leaves both in `unsaved`."""
        at = self.clock.now()
        try:
            event = self.store.append(self._person.id, act, policy=self.policy.fingerprint, at=at, wait=self.wait)
        except BusyStore:
            self.unsaved = Unsaved(act, at, then)
            raise
        self._go_on(event, then)

    def _go_on(self, event: Event, then: Callable[[], None]) -> None:
        self.unsaved = None
        self.last = event
        then()
