"""How many labels an interval of a given width needs, before the first label.

Exact searches on the interval itself: the Wald formula plans too few labels at low rates. With labels at hand: `more_labels`.
Tests and power: `power`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, log, sqrt
from typing import Literal

from adjudicate.core.estimates import Interval
from adjudicate.stats.intervals import clopper_pearson, jeffreys, wilson

Allocation = Literal["mix", "proportional", "neyman"]

_LIMITS: Mapping[str, Callable[[float, float, float], Interval]] = {
    "jeffreys": jeffreys,
    "wilson": wilson,
    "clopper_pearson": clopper_pearson,
}
"""Limits at counts that need not be whole: expected ones."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A number of labels and what it is expected to give."""

    labels: int
    """Labels in all."""
    allocation: tuple[float, ...]
    """Of them in each stratum, expected; not whole numbers."""
    interval: Interval
    """Expected interval around the expected rate, fractions."""
    reached: bool
    """Whether the asked half-width is met; False only where a full review does not (it always does for finite limits)."""

    @property
    def half_width(self) -> float:
        """Half of the expected width, a fraction."""
        return self.interval.width / 2


def expected_allocation(
    sizes: Sequence[int], rates: Sequence[float], n: float, method: Allocation = "mix", whole: Collection[int] = ()
) -> tuple[float, ...]:
    """Labels per stratum before rounding; full strata pass what they cannot take to the others.

    Args:
        sizes: Items per stratum, N_h > 0.
        rates: Guessed event rates, 0 to 1.
        n: Labels in all, at least the sum of the strata taken whole and at most that of `sizes`.
        method: As `adjudicate.core.sampling.allocate`, which rounds.
        whole: Places of the strata that are labelled to the last item, whatever their share.
    """
    total = sum(sizes)
    spread = [size * sqrt(rate * (1 - rate)) for size, rate in zip(sizes, rates, strict=True)]
    proportional = [size / total for size in sizes]
    neyman = [each / sum(spread) for each in spread] if sum(spread) else proportional
    shares = {
        "proportional": proportional,
        "neyman": neyman,
        "mix": [(a + b) / 2 for a, b in zip(proportional, neyman, strict=True)],
    }[method]
    found = [float(size) if h in whole else 0.0 for h, size in enumerate(sizes)]
    free = set(range(len(sizes))) - set(whole)
    while free:
        left = n - sum(found[h] for h in range(len(sizes)) if h not in free)
        weight = sum(shares[h] for h in free)
        ideal = {h: left * (shares[h] / weight if weight else 1 / len(free)) for h in free}
        full = [h for h in free if ideal[h] >= sizes[h]]
        for h in full or free:
            found[h] = float(sizes[h]) if full else ideal[h]
        free = free - set(full) if full else set()
    return tuple(found)


def expected_interval(
    sizes: Sequence[int], rates: Sequence[float], labels: Sequence[float], *, limits: str = "jeffreys", confidence: float = 0.95
) -> Interval:
    """MOVER interval at expected counts ``p_h n_h``, with the finite-population effective size.

    Args:
        sizes: Items per stratum, N_h > 0.
        rates: Event rates to plan with, 0 to 1.
        labels: Per stratum, 0 to N_h, not necessarily whole; a stratum without labels is unbounded.
        limits: ``jeffreys``, ``wilson`` or ``clopper_pearson`` (at the sample size itself, as in `intervals`).
        confidence: Two-sided, 0 to 1.

    Returns:
        Fractions, clipped to 0 and 1; without width where everything is labelled.
    """
    total = sum(sizes)
    value = sum(size * rate for size, rate in zip(sizes, rates, strict=True)) / total
    if all(n >= size for size, n in zip(sizes, labels, strict=True)):
        return Interval(value, value)
    below = above = 0.0
    for size, rate, n in zip(sizes, rates, labels, strict=True):
        down, up = expected_distances(size, rate, n, limits, confidence)
        below += (size / total * down) ** 2
        above += (size / total * up) ** 2
    return Interval(max(0.0, value - sqrt(below)), min(1.0, value + sqrt(above)))


def expected_distances(size: int, rate: float, n: float, limits: str, confidence: float) -> tuple[float, float]:
    """From the rate of one stratum down and up to its limits, at ``rate * n`` expected events.

    Clopper-Pearson limits keep their width where all of a stratum is labelled, as they do in `corrected` unless it is a census.
    """
    if n >= size and limits != "clopper_pearson":
        return 0.0, 0.0
    # A part of a single item is no label.
    if n <= 0 or (size == 1 and n < 1):
        return rate, 1 - rate
    effective = n if limits == "clopper_pearson" else n * (size - 1) / (size - n)
    bound = _LIMITS[limits](effective if rate == 1 else effective * rate, effective, confidence)
    # A fractional count below one can pass its own Jeffreys limits.
    return max(0.0, rate - bound.low), max(0.0, bound.high - rate)


def labels_for_half_width(
    sizes: Sequence[int],
    rates: Sequence[float],
    half_width: float,
    *,
    method: Allocation = "mix",
    limits: str = "jeffreys",
    confidence: float = 0.95,
    whole: Collection[int] = (),
) -> Plan:
    """The fewest labels whose expected interval is at most ``2 * half_width`` wide, by bisection.

    Args:
        sizes: Items per stratum, N_h > 0.
        rates: Event rates to plan with: stated guesses or shrunken ones, never observed zeros.
        half_width: A fraction, more than 0.
        method: Allocation over the strata.
        limits: ``jeffreys``, ``wilson`` or ``clopper_pearson``.
        confidence: Two-sided, 0 to 1.
        whole: Places of the strata that are labelled to the last item in any case.

    Raises:
        ValueError: `half_width` or a rate is out of range, or there are no items.
    """
    if not half_width > 0 or not sizes or min(sizes) < 1 or not all(0 <= rate <= 1 for rate in rates):
        raise ValueError("needs a half-width above 0, strata with items, and rates from 0 to 1")

    def plan(n: int) -> Plan:
        allocation = expected_allocation(sizes, rates, n, method, whole)
        interval = expected_interval(sizes, rates, allocation, limits=limits, confidence=confidence)
        return Plan(n, allocation, interval, interval.width <= 2 * half_width)

    low, high = max(1, sum(sizes[h] for h in whole)), sum(sizes)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if plan(middle).reached else (middle + 1, high)
    return plan(low)


def wald_labels(sizes: Sequence[int], rates: Sequence[float], half_width: float, *, method: Allocation, z: float) -> int:
    """What the usual formula would claim, to show beside the exact number: too few at low rates (statistics note, 2)."""
    total = sum(sizes)
    weights = [size / total for size in sizes]
    spreads = [sqrt(rate * (1 - rate)) for rate in rates]
    variance = sum(w * s * s for w, s in zip(weights, spreads, strict=True))
    if method == "proportional":
        unlimited = z * z * variance / half_width**2
        return ceil(unlimited / (1 + unlimited / total))
    mean = sum(w * s for w, s in zip(weights, spreads, strict=True))
    return ceil(mean**2 / ((half_width / z) ** 2 + variance / total))


def zero_event_limit(n: int, confidence: float = 0.95) -> float:
    """Exact one-sided upper limit of a rate after n labels without an event: ``1 - alpha^(1/n)``.

    Args:
        n: Labels, at least 1.
        confidence: One-sided, 0 to 1.

    Raises:
        ValueError: Out of range.
    """
    if n < 1 or not 0 < confidence < 1:
        raise ValueError(f"needs at least one label and a confidence between 0 and 1; found {n} and {confidence}")
    return float(1 - (1 - confidence) ** (1 / n))


def labels_for_zero_event_limit(limit: float, confidence: float = 0.95) -> int:
    """Labels without an event that push the exact one-sided upper limit to `limit`: 149 for 2 %, 299 for 1 %, 598 for 0.5 %.

    They must all be in the stratum in question.

    Args:
        limit: A fraction above 0 and below 1.
        confidence: One-sided, 0 to 1.

    Raises:
        ValueError: Out of range.

    >>> [labels_for_zero_event_limit(limit) for limit in (0.02, 0.01, 0.005)]
    [149, 299, 598]
    """
    if not 0 < limit < 1 or not 0 < confidence < 1:
        raise ValueError(f"needs a limit and a confidence between 0 and 1; found {limit} and {confidence}")
    return ceil(log(1 - confidence) / log(1 - limit))
