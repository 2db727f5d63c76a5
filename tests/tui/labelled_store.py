"""Labels made without a screen: for tests that are about what becomes of them."""

from __future__ import annotations

from adjudicate.core import labels
from tests.tui.factory import AT, Workspace


def label_items(made: Workspace, person: str, count: int, outcome: str = "complied") -> None:
    """The person calls the next items of their list the same, blind."""
    store = made.store()
    annotator = store.annotator(person)
    for pick in list(store.pending(annotator.id, after=-1, limit=count)):
        act = labels.label(made.policy, item_id=pick.item_id, outcome=outcome, mode="blind", clause=None, confidence=None)
        store.append(annotator.id, act, policy=made.policy.fingerprint, at=AT)
    store.close()
