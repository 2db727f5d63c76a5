"""Triage: "show me the scary ones". Items picked by their looks say nothing of all items; here they are labelled all the same.

A label made here is an event of a round of its own (`core.labels.TRIAGE`), which no list, rate, agreement, plan, dispute or gate
reads. What a sample gives to a person is not offered to them here, neither before its turn nor after it: the label from its turn
is the one that counts, and whoever has labelled an item in triage is no longer blind to it. Where a later sample draws such an
item all the same, it comes in its turn like any other, with the verdict shown, and counts as labelled after the reveal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from adjudicate.errors import UsageError
from adjudicate.storage import triage
from adjudicate.storage.rows import Annotator, Pick
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.browse_filter import parse
from adjudicate.workflow.browse_items import ORDERS, look_for
from adjudicate.workflow.own_list import Progress


class TriageList:
    """The queue as one person works through it."""

    is_triage = True

    def __init__(self, store: SqliteStore, annotator_id: str) -> None:
        self._store = store
        self._annotator_id = annotator_id

    def progress(self) -> Progress:
        """Where the person stands; items that a sample gives them are not counted in."""
        found = triage.counts(self._store, self._annotator_id)
        return Progress(found.done, found.offered)

    def next(self, after: int) -> Pick | None:
        """The first item beyond a position that they have not dealt with."""
        return triage.pending(self._store, self._annotator_id, after=after)

    def before(self, position: int) -> Pick | None:
        """The item before a position, dealt with or not."""
        return triage.before(self._store, self._annotator_id, position)

    def entry(self, item_id: str, round: int) -> Pick:  # noqa: ARG002 - there is but one here
        """One item. Raises StoreError where there is none."""
        return triage.entry(self._store, item_id)

    def place(self, pick: Pick) -> int:
        """Number of an item in the queue as the person has it, from 1."""
        return triage.place(self._store, self._annotator_id, pick.position)

    def more(self, at: str) -> bool:  # noqa: ARG002 - nothing comes by itself
        """Nothing: somebody has to pick."""
        return False


@dataclass(frozen=True, slots=True)
class Sent:
    """What became of items that were sent to triage, or taken back."""

    added: int = 0
    removed: int = 0
    already: int = 0
    """Items that were in the queue before."""
    of_a_sample: int = 0
    """Items of the queue that come to this person from a sample, and only there."""

    def words(self) -> str:
        """What to tell whoever did it."""
        if self.removed:
            return f"{_items(self.removed)} taken out of triage; what was said of them stays on record"
        if not self.added:
            return "not in triage: nothing to take out" if not self.already else "in triage already"
        before = f", {self.already:,} were there already" if self.already else ""
        come = "comes" if self.of_a_sample == 1 else "come"
        theirs = f"; {self.of_a_sample:,} {come} to you from a sample, and only there" if self.of_a_sample else ""
        return f"{_items(self.added)} sent to triage, in no rate{before}{theirs}"


def picked(store: SqliteStore, person: Annotator, line: str) -> list[int]:
    """Rowids of what a filter line finds, in the order of import; what the person must not know yet is left out.

    Raises:
        UsageError: The line cannot be read, or says nothing: everything is no choice.
    """
    wanted = parse(line)
    if wanted.is_empty:
        raise UsageError("an empty filter picks everything; say what is looked for, as in verdict:failed or open:yes")
    portions = look_for(
        store, person.id, store.policy(), wanted, ORDERS[0], is_cancelled=lambda: False, told=lambda _what, _now: True
    )
    return [rowid for found in portions for rowid in found.rowids]


def send(store: SqliteStore, rowids: Sequence[int], person: Annotator, *, at: str) -> Sent:
    """Put items into the queue, in their order.

    Args:
        store: An open store.
        rowids: The items.
        person: Who picks them.
        at: Now.

    Raises:
        BusyStore: The store was locked; nothing was written.
    """
    added = triage.add(store, rowids, person.id, at)
    return Sent(added=added, already=len(rowids) - added, of_a_sample=triage.of_a_sample(store, rowids, person.id))


def take_back(store: SqliteStore, rowids: Sequence[int]) -> Sent:
    """Take items out of the queue. What was said of them stays on record.

    Raises:
        BusyStore: The store was locked; nothing was written.
    """
    return Sent(removed=triage.remove(store, rowids))


def toggle(store: SqliteStore, rowids: Sequence[int], person: Annotator, *, at: str) -> Sent:
    """Put items into the queue; where all of them are in it already, take them out.

    Raises:
        BusyStore: The store was locked; nothing was written.
    """
    sent = send(store, rowids, person, at=at)
    return sent if sent.added else take_back(store, rowids)


@dataclass(frozen=True, slots=True)
class TriageState:
    """The queue and how far people are with it."""

    queued: int
    labels: int
    """Labels made in triage that stand, whoever made them; also on items that have left the queue."""
    people: tuple[tuple[Annotator, Progress], ...]
    """Everyone who has labelled or skipped any of it."""

    def as_json(self) -> dict[str, Any]:
        """For ``triage --json``."""
        people = [{"annotator": person.name, "done": found.done, "offered": found.total} for person, found in self.people]
        return {"queued": self.queued, "labels": self.labels, "people": people}


def state(store: SqliteStore) -> TriageState:
    """Read it."""
    people = [(person, TriageList(store, person.id).progress()) for person in store.annotators()]
    return TriageState(len(triage.rowids(store)), store.triage_labels(), tuple(each for each in people if each[1].done))


def _items(number: int) -> str:
    return f"{number:,} item{'' if number == 1 else 's'}"
