"""Pseudonyms: what people are called in anything that leaves the workspace."""

from __future__ import annotations

from adjudicate.storage.store import Store


def pseudonyms(store: Store) -> dict[str, str]:
    """Annotator id to A1, A2, ...: in the order of the random ids, which says nothing about names or about who came first."""
    ids = sorted(person.id for person in store.annotators())
    return {annotator_id: f"A{place}" for place, annotator_id in enumerate(ids, start=1)}
