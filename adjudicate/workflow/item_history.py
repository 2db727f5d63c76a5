"""All that happened to one item, in turn: labels made, changed and taken back, skips, flags, notes, contests, rulings.

For whoever settles it. People are letters, as beside their labels.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from adjudicate.core.labels import Event
from adjudicate.storage.store import Store

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class Past:
    """One act."""

    who: str
    """A letter, or ``you``."""
    event: Event
    text: str
    """Of a note; empty otherwise."""
    is_undone: bool
    """Whether it was taken back later."""
    takes_back: Event | None = None
    """What an undo takes back."""
    reveals: bool = False
    """Whether it is a blind label made on the screen that differs from the verdict, which was shown because of it."""
    changes: bool = False
    """Whether it is a label in place of an earlier one of the same person."""


def letters(item_id: str, holding: Iterable[str], others: Iterable[str]) -> dict[str, str]:
    """Annotator id -> letter, in an order that changes from item to item, so that no letter stands for a person.

    Args:
        item_id: Which item.
        holding: People with a position on it: the first letters.
        others: Everybody else who did anything to it.
    """

    def shuffled(people: Collection[str]) -> list[str]:
        return sorted(people, key=lambda each: hashlib.sha256(f"{item_id}{each}".encode()).digest())

    first = set(holding)
    order = [*shuffled(first), *shuffled(set(others) - first)]
    return {person: LETTERS[place] if place < len(LETTERS) else f"{place + 1}th" for place, person in enumerate(order)}


def history(store: Store, events: Sequence[Event], who: Mapping[str, str], verdict: str | None) -> tuple[Past, ...]:
    """Everything that was done, oldest first.

    Args:
        store: An open store, for the notes.
        events: All events on one item, in the order in which they were stored.
        who: Annotator id -> what the person is called.
        verdict: The outcome that people are shown; None where the judge failed, or there is none.
    """
    notes = store.notes([event.id for event in events])
    by_id = {event.id: event for event in events}
    undone = {event.target for event in events if event.kind == "undo"}
    labelled: set[tuple[str, int]] = set()
    found = []
    # At the same time of the clock in the order in which the store got them.
    for event in sorted(events, key=lambda event: event.at):
        key = (event.annotator_id, event.round)
        is_change = event.kind == "label" and key in labelled
        if event.kind == "label":
            labelled.add(key)
        found.append(
            Past(
                who=who[event.annotator_id],
                event=event,
                text=notes.get(event.id, ""),
                is_undone=event.id in undone,
                takes_back=by_id.get(event.target or ""),
                reveals=_reveals(event, verdict),
                changes=is_change,
            )
        )
    return tuple(found)


def _reveals(event: Event, verdict: str | None) -> bool:
    on_screen = event.kind == "label" and event.mode == "blind" and "seconds" in event.body
    return on_screen and verdict is not None and event.outcome != verdict
