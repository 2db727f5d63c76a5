"""Ratings of many outcomes reduced to two categories: the event of a published rate, and anything else."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from adjudicate.stats.agreement_counts import Ratings, rating_array

EVENT_CATEGORIES = ("event", "other")


def event_ratings(ratings: Ratings, categories: Sequence[str], counts: Collection[str]) -> Ratings:
    """The same ratings as positions in `EVENT_CATEGORIES`: 0 for the event, 1 for anything else, -1 for none.

    Args:
        ratings: Positions in `categories`, raters x units.
        categories: Every category of the policy.
        counts: Categories that are the event.

    Raises:
        ValueError: The ratings do not fit, or an event that is not a category.
    """
    import numpy as np

    unknown = sorted(set(counts) - set(categories))
    if unknown:
        raise ValueError(f"not a category: {', '.join(unknown)}")
    array = rating_array(ratings, len(categories))
    # The last entry answers the position -1.
    table = np.array([0 if name in counts else 1 for name in categories] + [-1], dtype=np.int64)
    return Ratings(ratings.raters, table[array])
