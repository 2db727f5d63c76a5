"""Items that somebody said something of, and what their prompts are after rulings on their intent.

Read here for reports and gates alike, so that no ruling counts in one and not in the other. What was said in words that the
policy in force does not have is marked already (`storage.outdated`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from adjudicate.core.gold import ruled_intents
from adjudicate.core.labels import Event
from adjudicate.storage.store import FrameItem, Store


@dataclass(frozen=True, slots=True)
class Said:
    """What people said."""

    items: tuple[FrameItem, ...]
    events: Mapping[str, Sequence[Event]]
    """By item."""
    ruled_intents: Mapping[str, str]
    """Prompt id -> what it is after a ruling on its intent, made on any response to it or to a prompt that says the same."""


def read_said(store: Store) -> Said:
    """Read what people said of all items."""
    items = tuple(store.frame_items())
    events = store.events_on([item.item_id for item in items])
    ruled = ruled_intents((item.prompt_id, events.get(item.item_id, ())) for item in items)
    # Prompts that were imported twice with different tags have ids of their own; a ruling speaks of what is asked.
    again = store.same_prompts(ruled) if ruled else {}
    return Said(items, events, {other: ruled[prompt] for other, prompt in again.items()} | ruled)
