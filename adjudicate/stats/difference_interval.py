"""Interval of a difference of two independent estimates from their own intervals: square-and-add (MOVER).

Zou and Donner (2008); with Wilson limits it is method 10 of Newcombe (1998) for two independent proportions. Paired
differences are in `paired`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from adjudicate.core.estimates import Interval
from adjudicate.stats.intervals import wilson


@dataclass(frozen=True, slots=True)
class Bounded:
    """A value between its limits, all on one scale."""

    value: float
    low: float
    high: float


def independent_difference(first: Bounded, second: Bounded) -> Bounded:
    """First minus second, with limits ``d - sqrt((p1-l1)^2 + (u2-p2)^2)`` and ``d + sqrt((u1-p1)^2 + (p2-l2)^2)``.

    Raises:
        ValueError: A value outside its limits.
    """
    for part in (first, second):
        if not part.low <= part.value <= part.high:
            raise ValueError(f"a value lies between its limits; found {part}")
    value = first.value - second.value
    below = sqrt((first.value - first.low) ** 2 + (second.high - second.value) ** 2)
    above = sqrt((first.high - first.value) ** 2 + (second.value - second.low) ** 2)
    return Bounded(value, value - below, value + above)


def newcombe_difference(y1: int, n1: int, y2: int, n2: int, confidence: float = 0.95) -> Bounded:
    """Rate 1 minus rate 2 of two independent samples, fractions in -1 to 1, never of zero width.

    Args:
        y1: Events in the first sample, 0 to `n1`.
        n1: Items of the first sample, more than 0.
        y2: Events in the second sample.
        n2: Items of the second sample.
        confidence: Two-sided, 0 to 1.

    Raises:
        ValueError: Counts or confidence out of range.

    >>> limits = newcombe_difference(56, 70, 48, 80)  # Newcombe 1998, table II, (a)
    >>> round(limits.low, 4), round(limits.high, 4)
    (0.0524, 0.3339)
    """
    first, second = wilson(y1, n1, confidence), wilson(y2, n2, confidence)
    return independent_difference(bounded(y1 / n1, first), bounded(y2 / n2, second))


def bounded(value: float, interval: Interval) -> Bounded:
    """A value with its interval, which rounding must not push off it."""
    return Bounded(value, min(interval.low, value), max(interval.high, value))
