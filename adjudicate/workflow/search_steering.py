"""Searching what is going to be drawn from for responses that speak to their judge: all of those go to people.

A judge that is asked from here looks for itself (`workflow.run_judge`); verdicts that came with a log were given to responses
that nobody has searched. It is done before a draw, because a draw fixes the strata, and not at import, which it would slow
by a half: once it belongs to a draw, an item is not searched again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from adjudicate.core.steering import steering_signs
from adjudicate.storage.store import Store
from adjudicate.workflow.in_processes import in_processes

BATCH = 1_000
"""Responses that are searched at a time, a tenth of a second's work."""
FEW = 20
"""Batches up to which this process searches by itself: others would take longer to start."""

Response = tuple[str, str]
"""Item id and text."""
Signs = tuple[str, tuple[str, ...]]
"""Item id and what was found."""


def search_steering(store: Store) -> int:
    """Search every item outside a draw, and note what is found; how many responses of those were found now."""
    batches = _batches(store.free_responses())
    first = list(islice(batches, FEW))
    rest = next(batches, None)
    searched = map(signs_in, first) if rest is None else in_processes(signs_in, chain(first, (rest,), batches))
    found = list(chain.from_iterable(searched))
    if found:
        store.note_signs(found)
    return len(found)


def signs_in(responses: Sequence[Response]) -> list[Signs]:
    """Those that speak to a judge, with their signs."""
    return [(item, signs) for item, response in responses if (signs := steering_signs(response))]


def _batches(responses: Iterable[Response]) -> Iterator[list[Response]]:
    left = iter(responses)
    while batch := list(islice(left, BATCH)):
        yield batch
