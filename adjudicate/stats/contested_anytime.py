"""Limits of a rate under adjudicated intents that hold at every look, for a decision that ends the labelling.

The rate is a ratio of two totals that are both estimated; each gets an anytime-valid set (`anytime`) at half of the error.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from adjudicate.core.estimates import Interval
from adjudicate.stats.anytime import Prior, anytime_set, prior_of
from adjudicate.stats.corrected import StratumCount

if TYPE_CHECKING:
    from adjudicate.stats.contested import IntentStratum

ANYTIME_RATIO = "ratio of stratified means, two anytime-valid sets, each at half of the error"
RARE = Prior(0.5, 20)
"""Prior of the share that a ruling moves in: few items are declared wrong."""


def anytime_ratio(strata: Sequence[IntentStratum], *, confidence: float = 0.95) -> Interval:
    """Limits of A / (A + B), A the events inside and B the other items inside, that hold at every moment of the labelling.

    Both sets hold at every moment with error (1 - confidence) / 2 each, so both hold with `confidence` (Bonferroni); the ratio
    rises in A and falls in B, so its limits are at two corners.

    Args:
        strata: Of the whole frame, each with items.
        confidence: Two-sided over the whole course of the labelling, 0 to 1.

    Returns:
        Fractions; 0 or 1 where the sets allow that no item is inside.

    Raises:
        ValueError: `confidence` is not a fraction between 0 and 1, or there are no items.
    """
    half = (1 + confidence) / 2
    events = anytime_set(_counts(strata, events=True), [_prior(s, events=True) for s in strata], confidence=half)
    others = anytime_set(_counts(strata, events=False), [_prior(s, events=False) for s in strata], confidence=half)
    low, high = events.low + others.high, events.high + others.low
    return Interval(events.low / low if low else 0.0, events.high / high if high else 1.0)


def _counts(strata: Sequence[IntentStratum], *, events: bool) -> list[StratumCount]:
    return [
        StratumCount(s.stratum, s.size, s.labelled, s.inside_events if events else s.inside - s.inside_events) for s in strata
    ]


def _prior(stratum: IntentStratum, *, events: bool) -> Prior:
    """Fixed before the labels: most items keep their declared intent, and then all but the events are the others."""
    if not stratum.declared:
        return RARE
    prior = prior_of(stratum.stratum)
    return prior if events else Prior(prior.b, prior.a)
