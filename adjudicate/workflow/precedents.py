"""Earlier rulings under the same clause: what an adjudicator should be consistent with."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from adjudicate.storage.dispute_rows import Ruling
from adjudicate.storage.store import Store


@dataclass(frozen=True, slots=True)
class Precedent:
    """The ruling that stands on another item, and what it was about."""

    ruling: Ruling
    prompt: str = ""
    """The last turn of the request; empty where only the ruling was asked for."""
    response: str = ""


def precedents(rulings: Sequence[Ruling], clauses: Collection[str], *, but: str) -> tuple[Precedent, ...]:
    """Rulings that cite one of the clauses, the most recent first, one an item.

    Args:
        rulings: All that stand, oldest first.
        clauses: Ids.
        but: The item that is looked at.
    """
    return tuple(
        each
        for each in latest(rulings)
        if each.ruling.event.item_id != but and str(each.ruling.event.body.get("clause", "")) in clauses
    )


def latest(rulings: Sequence[Ruling]) -> tuple[Precedent, ...]:
    """The ruling that holds on each item, the most recent first.

    Args:
        rulings: All that stand, oldest first.
    """
    holding = {ruling.event.item_id: ruling for ruling in rulings}
    newest = sorted(holding.values(), key=lambda ruling: ruling.event.at, reverse=True)
    return tuple(map(Precedent, newest))


def with_texts(store: Store, found: Sequence[Precedent]) -> tuple[Precedent, ...]:
    """The same with the texts of their items."""
    items = [store.item(each.ruling.event.item_id) for each in found]
    return tuple(
        Precedent(each.ruling, item.prompt.messages[-1].content, item.response) for each, item in zip(found, items, strict=True)
    )
