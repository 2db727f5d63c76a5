"""What a person works through: their list of the samples, with what an open sample still has to offer them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from adjudicate.storage.rows import Draw, Pick
from adjudicate.storage.store import Store

CLAIMED_AT_ONCE = 10
"""Items that a person takes from an open sample in one go: one extra commit per ten labels."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a person stands on their list."""

    done: int
    total: int
    """Items on the list, with those of open samples that could still come onto it."""

    @property
    def left(self) -> int:
        """Items still to do."""
        return self.total - self.done


class WorkList(Protocol):
    """Items for one person, in an order."""

    @property
    def is_triage(self) -> bool:
        """Whether somebody picked them, so that what is said of them is in no rate."""

    def progress(self) -> Progress:
        """Where the person stands."""

    def next(self, after: int) -> Pick | None:
        """The first item beyond a position that they have not dealt with."""

    def before(self, position: int) -> Pick | None:
        """The item before a position, dealt with or not."""

    def entry(self, item_id: str, round: int) -> Pick:
        """One item. Raises StoreError where there is none."""

    def place(self, pick: Pick) -> int:
        """Number of an item in the list, from 1."""

    def more(self, at: str) -> bool:
        """Lengthen the list; whether there was anything to take."""


@dataclass(frozen=True, slots=True)
class OpenSamples:
    """Samples that were drawn without naming people: whoever comes takes from them."""

    draw_ids: tuple[str, ...]
    overlap: int
    """People an item is meant for."""

    @classmethod
    def of(cls, draws: Sequence[Draw]) -> OpenSamples:
        """Those among the recorded draws."""
        found = [draw for draw in draws if not draw.settings["annotators"]]
        return cls(tuple(draw.id for draw in found), max((draw.settings["overlap"] for draw in found), default=1))

    def claim(self, store: Store, annotator_id: str, at: str) -> int:
        """Take the next items onto a person's list; how many there were."""
        if not self.draw_ids:
            return 0
        return store.claim(annotator_id, self.draw_ids, count=CLAIMED_AT_ONCE, overlap=self.overlap, at=at)

    def progress(self, store: Store, annotator_id: str) -> Progress:
        """Where the person stands, what they could still claim counted in."""
        done, total = store.progress(annotator_id)
        offered = store.on_offer(annotator_id, self.draw_ids, overlap=self.overlap) if self.draw_ids else 0
        return Progress(done, total + offered)


class OwnList:
    """What the samples give to a person."""

    is_triage = False

    def __init__(self, store: Store, annotator_id: str) -> None:
        self._store = store
        self._annotator_id = annotator_id
        self._open_samples = OpenSamples.of(store.draws())

    def progress(self) -> Progress:
        """Where the person stands, what they could still claim counted in."""
        return self._open_samples.progress(self._store, self._annotator_id)

    def next(self, after: int) -> Pick | None:
        """The first item beyond a position that they have not dealt with."""
        return next(iter(self._store.pending(self._annotator_id, after=after, limit=1)), None)

    def before(self, position: int) -> Pick | None:
        """The item before a position, dealt with or not."""
        return self._store.neighbour(self._annotator_id, position, forward=False)

    def entry(self, item_id: str, round: int) -> Pick:
        """One item, or its hidden repeat. Raises StoreError where it is not on the list."""
        return self._store.pick(self._annotator_id, item_id, round)

    def place(self, pick: Pick) -> int:
        """Number of an item in the list, from 1."""
        return pick.position + 1

    def more(self, at: str) -> bool:
        """Claim the next items of an open sample."""
        return self._open_samples.claim(self._store, self._annotator_id, at) > 0
