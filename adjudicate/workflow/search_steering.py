"""Searching what is going to be drawn from for responses that speak to their judge: all of those go to people.

A judge that is asked from here looks for itself (`workflow.run_judge`); verdicts that came with a log were given to responses
that nobody has searched. It is done before a draw, because a draw fixes the strata, and not at import, which it would slow
by a half: once it belongs to a draw, an item is not searched again.
"""

from __future__ import annotations

from adjudicate.core.steering import steering_signs
from adjudicate.storage.store import Store


def search_steering(store: Store) -> int:
    """Search every item outside a draw, and note what is found; how many responses of those were found now."""
    found = [(item, signs) for item, response in store.free_responses() if (signs := steering_signs(response))]
    if found:
        store.note_signs(found)
    return len(found)
