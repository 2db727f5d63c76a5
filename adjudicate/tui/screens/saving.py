"""Screens that record acts: each is saved before anything moves, and a locked store makes nobody lose or repeat one."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Protocol

from textual import events, work
from textual.message import Message

from adjudicate.core.labels import Event
from adjudicate.core.policy import Policy
from adjudicate.errors import AdjudicateError, BusyStore, LabelRefused
from adjudicate.tui.bench import Bench, with_own_store
from adjudicate.tui.screens.workplace import QUITTING, Workplace
from adjudicate.workflow.acting import Unsaved

QUICK_SECONDS = 0.1
"""How long the screen itself waits for the lock; then a worker does, and the screen says so."""
PATIENT_SECONDS = 30
PAUSE_SECONDS = 0.5
"""What is typed on without such a pause was meant for the text that a refused key would have opened."""
STILL_SAVING = "still saving your last act: this key did nothing"


class Session(Protocol):
    """What labelling and resolving have in common."""

    policy: Policy
    last: Event | None
    wait: float | None
    unsaved: Unsaved | None

    def saved(self, event: Event) -> None:
        """Go on after another thread has saved what this one could not."""


class SavingWorkplace(Workplace):
    """A workplace whose keys record acts of its session."""

    class Saved(Message):
        """A worker saved what the screen could not."""

        def __init__(self, event: Event) -> None:
            super().__init__()
            self.event = event

    class NotSaved(Message):
        """Nobody could save it; the item stays."""

        def __init__(self, reason: str) -> None:
            super().__init__()
            self.reason = reason

    saving = False
    """Whether an act waits for someone else's lock; until then no key acts."""
    _pressed_at = 0.0
    _refused_at: float | None = None

    # What a screen of this kind has: mypy lets none be made that lacks one.

    @property
    @abstractmethod
    def acting(self) -> Session:
        """The session."""

    @abstractmethod
    def show_session(self, key: str) -> None:
        """Show what the session holds now; `key` is the one that brought it about."""

    @abstractmethod
    def refuse(self, words: str) -> None:
        """Say why a key did nothing."""

    @abstractmethod
    def show_saving(self) -> None:
        """Say that it is being saved; the item stays."""

    @abstractmethod
    def show_not_saved(self, reason: str) -> None:
        """Say that it is not saved; the item stays."""

    # Saving

    def on_key(self, event: events.Key) -> None:
        """What was meant for a text that could not be opened does nothing here."""
        super().on_key(event)
        goes_on = self._refused_at is not None and event.time - self._refused_at < PAUSE_SECONDS
        self._pressed_at = event.time
        self._refused_at = event.time if goes_on else None
        if goes_on and event.key not in QUITTING:
            event.stop()
            event.prevent_default()

    def cannot_open(self) -> bool:
        """Whether no text can be written now, since the last act is being saved; the letters that follow then do nothing."""
        if self.saving:
            self._refused_at = self._pressed_at
            self.refuse(STILL_SAVING)
        return self.saving

    def renew(self, bench: Bench) -> None:
        """Labels made from now on are made under the new policy; what is on the list is read when the screen comes back."""
        super().renew(bench)
        self.acting.policy = bench.policy

    def do(self, act: Callable[[], object], key: str = "", *, shown: bool = True) -> None:
        """One act of the session: what it saved is safe when it returns; then the screen follows.

        Args:
            act: Of the session.
            key: The one that labels, where the act is a label.
            shown: False where the next key, which waits already, takes the screen on from here.
        """
        if self.saving:
            self.refuse(STILL_SAVING)
            return
        try:
            act()
        except LabelRefused as refusal:
            self.refuse(str(refusal))
        except BusyStore as busy:
            self._retry(str(busy))
        except AdjudicateError as problem:
            self.show_not_saved(str(problem))
        else:
            self.bench.sitting.acted(self.acting.last)
            if shown:
                self.show_session(key)

    def _retry(self, reason: str) -> None:
        unsaved = self.acting.unsaved
        if unsaved is None:
            self.show_not_saved(reason)
            return
        self.saving = True
        self.show_saving()
        self._save_elsewhere(unsaved)

    @work(thread=True, group="save", exit_on_error=False)
    def _save_elsewhere(self, unsaved: Unsaved) -> None:
        """Wait for the lock where nobody is kept waiting."""
        person, policy = self.bench.annotator.id, self.bench.policy.fingerprint
        try:
            event = with_own_store(
                self.bench.database,
                lambda store: store.append(person, unsaved.act, policy=policy, at=unsaved.at, wait=PATIENT_SECONDS),
            )
        except AdjudicateError as problem:
            self.post_message(self.NotSaved(str(problem)))
        else:
            self.post_message(self.Saved(event))

    def worker_failed(self, group: str, name: str) -> None:
        """The save broke in a way nobody foresaw: it is not saved."""
        if group == "save":
            self.post_message(self.NotSaved(name))

    def on_saving_workplace_saved(self, message: Saved) -> None:
        """Go on where the act left off."""
        self.saving = False
        self.do(lambda: self.acting.saved(message.event))

    def on_saving_workplace_not_saved(self, message: NotSaved) -> None:
        """The same key tries again."""
        self.saving = False
        self.acting.unsaved = None
        self.show_not_saved(message.reason)
