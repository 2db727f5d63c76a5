"""A person's list: what is on it, how much of it is done, and what an open sample still has to offer them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from adjudicate.storage.rows import Draw
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
