"""What one person did in one sitting, told when they leave. Never a rate: whoever labels blind must not steer by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from adjudicate.core.labels import TRIAGE, Event, live
from adjudicate.core.work_time import duration
from adjudicate.storage.rows import Annotator
from adjudicate.storage.store import Store
from adjudicate.workflow.own_list import OpenSamples, Progress
from adjudicate.workflow.sitting import Sitting

FEWEST_FOR_PACE = 3


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """Counts of what stands of one sitting's acts; what was taken back again is not in them."""

    labels: int
    """Items labelled; a label that was changed counts once."""
    skipped: int
    undecided: int
    flagged: int
    notes: int
    contested: int
    """Items whose declared intent was contested."""
    rulings: int
    seconds: float
    """Worked, pauses left out."""
    left: int
    """Items still open on the person's list."""
    triaged: int = 0
    """Items labelled in triage, none of the labels above."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing was recorded."""
        counts = (self.labels, self.skipped, self.undecided, self.flagged, self.notes, self.contested, self.rulings)
        return not any((*counts, self.triaged))

    @property
    def pace(self) -> float | None:
        """Labels an hour; None for fewer than three."""
        return self.labels / self.seconds * 3600 if self.labels >= FEWEST_FOR_PACE and self.seconds > 0 else None

    def lines(self) -> list[str]:
        """Sentences for the terminal."""
        if self.is_empty:
            return []
        pace = f", {self.pace:.0f} an hour" if self.pace is not None else ""
        first = f"{_counted(self.labels, 'label')} in {duration(self.seconds)}{pace}."
        rest = (
            (self.triaged, "labelled in triage"),
            (self.rulings, "ruling"),
            (self.skipped, "skipped"),
            (self.undecided, "cannot decide"),
            (self.flagged, "flagged"),
            (self.notes, "note"),
            (self.contested, "intent contested"),
        )
        told = [_counted(number, word) if word in ("ruling", "note") else f"{number} {word}" for number, word in rest if number]
        left = f"{_counted(self.left, 'item')} left on your list." if self.left else "Nothing is left on your list."
        return [" ".join([first, f"{', '.join(told)}." if told else ""]).rstrip(), f"Everything is saved. {left}"]


def summarised(events: Iterable[Event], *, seconds: float, left: int) -> SessionSummary:
    """The summary of these events.

    Args:
        events: One person's, of one sitting, in order.
        seconds: Worked.
        left: Items still open on their list.
    """
    stands: dict[tuple[str, int], str] = {}
    others: dict[str, set[tuple[str, int]]] = {}
    for event in live(events):
        place = (event.item_id, event.round)
        if event.kind in ("label", "undecided"):
            stands[place] = event.kind
        elif event.kind == "skip":
            # A skip does not take a label away.
            stands.setdefault(place, "skip")
        elif event.kind == "flag" and not event.body.get("on"):
            others.get("flag", set()).discard(place)
        else:
            others.setdefault(event.kind, set()).add(place)
    triaged = sum(kind == "label" and place[1] == TRIAGE for place, kind in stands.items())
    count = Counter(stands.values()) + Counter({kind: len(found) for kind, found in others.items()})
    return SessionSummary(
        labels=count["label"] - triaged,
        skipped=count["skip"],
        undecided=count["undecided"],
        flagged=count["flag"],
        notes=count["note"],
        contested=count["contest"],
        rulings=count["resolution"],
        seconds=seconds,
        left=left,
        triaged=triaged,
    )


def summary_of(store: Store, person: Annotator, sitting: Sitting) -> SessionSummary:
    """What the person has had recorded since the sitting began."""
    first = sitting.first_seq
    events = [] if first is None else [event for event in store.chain(person.id) if event.seq >= first]
    return summarised(events, seconds=sitting.seconds, left=_progress(store, person).left)


def _progress(store: Store, person: Annotator) -> Progress:
    return OpenSamples.of(store.draws()).progress(store, person.id)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
