"""Which labels on drawn items were made in their turn: from a list, in its order, after the item was drawn.

A queue is a random order of its stratum, so what people have dealt with of it, from the front, is a random sample. A label that
was there before the draw, or that came from outside every list, was chosen by somebody: it may count once the queue has come
to its item, and not before.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Literal, NamedTuple

Turn = Literal["counts", "ahead", "waits"]
"""Whether the labels on a drawn item are part of the random sample: they are; they are, but stand beyond a gap in their queue,
so that limits for every moment leave them out; they were chosen by somebody, and wait until the sample reaches them."""

Batch = tuple[str, str]
"""Draw that picked the items, and stratum: a stretch of one queue, which a longer draw goes on from."""


class Listed(NamedTuple):
    """One entry of one person's list."""

    annotator: str
    item: str
    position: int
    batch: Batch
    dealt_with: bool
    """Whether the person has labelled or skipped it, whenever that was."""
    in_turn: bool
    """Whether they did since it was drawn."""


def turns(batch_of: Mapping[str, Batch], sizes: Mapping[Batch, int], lists: Iterable[Listed]) -> dict[str, Turn]:
    """Of every drawn item with a label, whether its labels were made in turn.

    Everything counts in a batch that is labelled to the end. In another, what counts is what a person has dealt with of their
    part of it, up to the first item that they have not, given that they have labelled any of it since the draw; there, labels
    from before the draw count with the rest. The share of old labels in such a stretch is an unbiased estimate of their share
    in the batch: it ends before an item without one (Haldane 1945, inverse sampling). Several people's stretches together have
    the bias of a ratio, of order one over the labels made. Beyond them labels are *ahead*; they wait where labels from before
    the draw do, because of these two kinds only one is complete there.

    Args:
        batch_of: Item -> batch, of the drawn items that somebody has labelled.
        sizes: Drawn items per batch.
        lists: Entries of everyone's list, in any order.
    """
    entries = list(lists)
    labelled, passed = Counter(batch_of.values()), _passed(entries)
    timely = {entry.item for entry in entries if entry.in_turn}
    found: dict[str, Turn] = {
        item: "counts" if labelled[batch] >= sizes[batch] or item in passed else "ahead" if item in timely else "waits"
        for item, batch in batch_of.items()
    }
    mixed = {batch_of[item] for item, turn in found.items() if turn == "waits"}
    return {item: "waits" if turn == "ahead" and batch_of[item] in mixed else turn for item, turn in found.items()}


def _passed(entries: Collection[Listed]) -> set[str]:
    """Items that somebody has dealt with, or gone past, with nothing left out before them."""
    parts: defaultdict[tuple[str, Batch], list[Listed]] = defaultdict(list)
    for entry in entries:
        parts[entry.annotator, entry.batch].append(entry)
    passed: set[str] = set()
    for part in parts.values():
        # Who has labelled nothing since the draw has gone past nothing: a run of old labels at the front is no sample.
        if any(entry.in_turn for entry in part):
            gap = min((entry.position for entry in part if not entry.dealt_with), default=None)
            passed |= {entry.item for entry in part if gap is None or entry.position < gap}
    return passed
