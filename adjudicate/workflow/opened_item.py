"""One item opened from the list: what came with it, and, where its reader may know, what judges and people said of it in turn."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from adjudicate.core.gold import Gold, settle
from adjudicate.core.items import Item, Verdict
from adjudicate.core.labels import Event
from adjudicate.errors import StoreError
from adjudicate.storage import browse, triage
from adjudicate.storage.sqlite_store import SqliteStore

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class Said:
    """One act of somebody on the item."""

    who: str
    """A letter, or ``you``: letters change from item to item, so that none stands for a person."""
    event: Event
    text: str
    """Of a note; empty otherwise."""
    is_undone: bool


@dataclass(frozen=True, slots=True)
class Opened:
    """An item as its reader may see it."""

    item: Item
    run: str
    """Name of the import that it came with."""
    hidden: bool
    """Whether verdicts and labels are withheld until the reader has labelled it; then the rest is empty."""
    is_drawn: bool
    """Whether a sample has it."""
    on_list: bool
    """Whether it is on the reader's own list."""
    has_own_label: bool
    in_triage: bool
    """Whether somebody sent it to triage."""
    verdicts: tuple[Verdict, ...] = ()
    gold: Gold | None = None
    history: tuple[Said, ...] = ()
    """Everything that was done on it, oldest first."""


def open_item(store: SqliteStore, person: str, item_id: str) -> Opened:
    """Read an item.

    Args:
        store: An open store.
        person: Id of the reader.
        item_id: Which one.

    Raises:
        StoreError: There is no such item.
    """
    item = store.item(item_id)
    own = store.own_events(person, item_id)
    opened = Opened(
        item=item,
        run=browse.run_names(store.database).get(item.run_id, ""),
        hidden=bool(browse.hidden_of(store.database, person, [item_id])),
        is_drawn=browse.is_drawn(store.database, item_id),
        on_list=_is_on_list(store, person, item_id),
        has_own_label=any(event.kind == "label" and event.round == 0 for event in own),
        in_triage=bool(triage.in_queue(store, [item_id])),
    )
    if opened.hidden:
        return opened
    events = store.events_on([item_id], triage=True).get(item_id, [])
    return replace(
        opened,
        verdicts=tuple(store.verdicts(item_id)),
        gold=settle(events),
        history=tuple(_history(store, person, item_id, events)),
    )


def _is_on_list(store: SqliteStore, person: str, item_id: str) -> bool:
    try:
        store.pick(person, item_id, 0)
    except StoreError:
        return False
    return True


def _history(store: SqliteStore, person: str, item_id: str, events: Sequence[Event]) -> list[Said]:
    notes = store.notes([event.id for event in events])
    undone = {event.target for event in events if event.kind == "undo"}
    people = sorted(
        {event.annotator_id for event in events} - {person},
        key=lambda each: hashlib.sha256(f"{item_id}{each}".encode()).digest(),
    )
    letters = {each: LETTERS[place % len(LETTERS)] for place, each in enumerate(people)} | {person: "you"}
    return [
        Said(letters[event.annotator_id], event, notes.get(event.id, ""), event.id in undone)
        for event in sorted(events, key=lambda event: (event.at, event.seq))
        if event.kind != "undo"
    ]
