"""Pseudonyms: what people are called in anything that leaves the workspace."""

from __future__ import annotations

from adjudicate.storage.store import Store


def pseudonyms(store: Store) -> dict[str, str]:
    """Annotator id to A17, A803, ...: everyone's own random number, which no newcomer changes and which hides who came first."""
    return {person.id: f"A{person.pseudonym}" for person in store.annotators()}
