"""How many labels an interval of a given width needs, before the first label and with labels at hand.

Exact searches on the interval itself: the Wald formula plans too few labels at low rates. Tests and power are in `power`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, log, sqrt
from typing import Literal

from adjudicate.core.estimates import Interval
from adjudicate.stats.corrected import StratumCount
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


def expected_allocation(sizes: Sequence[int], rates: Sequence[float], n: float, method: Allocation = "mix") -> tuple[float, ...]:
    """Labels per stratum before rounding; full strata pass what they cannot take to the others.

    Args:
        sizes: Items per stratum, N_h > 0.
        rates: Guessed event rates, 0 to 1.
        n: Labels in all, at most the sum of `sizes`.
        method: As `adjudicate.core.sampling.allocate`, which rounds.
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
    found = [0.0] * len(sizes)
    free = set(range(len(sizes)))
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
        Fractions, clipped to 0 and 1.
    """
    total = sum(sizes)
    value = sum(size * rate for size, rate in zip(sizes, rates, strict=True)) / total
    below = above = 0.0
    for size, rate, n in zip(sizes, rates, labels, strict=True):
        down, up = _distances(size, rate, n, limits, confidence)
        below += (size / total * down) ** 2
        above += (size / total * up) ** 2
    return Interval(max(0.0, value - sqrt(below)), min(1.0, value + sqrt(above)))


def _distances(size: int, rate: float, n: float, limits: str, confidence: float) -> tuple[float, float]:
    """From the rate of one stratum down and up to its limits."""
    if n >= size:
        return 0.0, 0.0
    if n <= 0:
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
) -> Plan:
    """The fewest labels whose expected interval is at most ``2 * half_width`` wide, by bisection.

    Args:
        sizes: Items per stratum, N_h > 0.
        rates: Event rates to plan with: stated guesses or shrunken ones, never observed zeros.
        half_width: A fraction, more than 0.
        method: Allocation over the strata.
        limits: ``jeffreys``, ``wilson`` or ``clopper_pearson``.
        confidence: Two-sided, 0 to 1.

    Raises:
        ValueError: `half_width` or a rate is out of range, or there are no items.
    """
    if not half_width > 0 or not sizes or min(sizes) < 1 or not all(0 <= rate <= 1 for rate in rates):
        raise ValueError("needs a half-width above 0, strata with items, and rates from 0 to 1")

    def plan(n: int) -> Plan:
        allocation = expected_allocation(sizes, rates, n, method)
        interval = expected_interval(sizes, rates, allocation, limits=limits, confidence=confidence)
        return Plan(n, allocation, interval, interval.width <= 2 * half_width)

    low, high = 1, sum(sizes)
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


@dataclass(frozen=True, slots=True)
class MoreLabels:
    """How many more labels, and where, from the labels at hand."""

    labels: int
    """More labels in all; 0 where the width is reached."""
    by_stratum: Mapping[str, int]
    """Of them in each stratum, in the order given."""
    next_stratum: str | None
    """Where the next label narrows the interval most; None where everything is labelled."""
    now: Interval
    """Interval at the counts at hand, fractions; with a stratum without labels unbounded there."""
    then: Interval
    """Interval expected with the additional labels."""
    reached: bool
    """Whether the half-width is met then."""


SHRINKING = 5.0
"""Labels that the stated guess of a stratum counts for when the next ones are planned (statistics note, section 2)."""


def more_labels(
    strata: Sequence[StratumCount],
    guesses: Mapping[str, float],
    half_width: float,
    *,
    limits: str = "jeffreys",
    confidence: float = 0.95,
) -> MoreLabels:
    """How many more labels until the interval is at most ``2 * half_width`` wide, each put where it narrows most.

    Expected further events follow the shrunken rates ``(y_h + 5 g_h) / (n_h + 5)``; labels are added in steps of a twentieth
    of those at hand, and the last step is then cut to what is needed.

    Args:
        strata: Counts at hand; strata without items are dropped. Unresolved items cannot be labelled again.
        guesses: Stated event rate per stratum, above 0 and below 1.
        half_width: A fraction, more than 0.
        limits: ``jeffreys``, ``wilson`` or ``clopper_pearson``.
        confidence: Two-sided, 0 to 1.

    Raises:
        ValueError: `half_width` is not above 0, or there are no items.
        KeyError: A stratum has no guess.
    """
    filled = [stratum for stratum in strata if stratum.size]
    if not half_width > 0 or not filled:
        raise ValueError("needs a half-width above 0 and strata with items")
    search = _Search(filled, guesses, limits, confidence)
    now, first = search.interval(), search.best(1)
    added = dict.fromkeys(range(len(filled)), 0)
    while search.interval().width > 2 * half_width and (h := search.best(search.step)) is not None:
        step = min(search.step, search.room(h))
        if search.width_with(h, step) <= 2 * half_width:
            step = search.smallest(h, step, 2 * half_width)
        search.add(h, step)
        added[h] += step
    then = search.interval()
    return MoreLabels(
        sum(added.values()), {stratum.stratum: added[h] for h, stratum in enumerate(filled)},
        None if first is None else filled[first].stratum, now, then, then.width <= 2 * half_width,
    )  # fmt: skip


class _Search:
    """Counts that grow by expected labels, with the distances of every stratum remembered."""

    def __init__(self, strata: Sequence[StratumCount], guesses: Mapping[str, float], limits: str, confidence: float) -> None:
        self._strata, self._limits, self._confidence = strata, limits, confidence
        self._total = sum(stratum.size for stratum in strata)
        self._rates = [(s.events + SHRINKING * guesses[s.stratum]) / (s.labelled + SHRINKING) for s in strata]
        self._added = [0] * len(strata)
        self._distances = [self._of(h, 0) for h in range(len(strata))]

    @property
    def step(self) -> int:
        """A twentieth of the labels so far."""
        return max(1, (sum(s.labelled for s in self._strata) + sum(self._added)) // 20)

    def room(self, h: int) -> int:
        """Items of a stratum that can still be labelled."""
        stratum = self._strata[h]
        return stratum.size - stratum.labelled - stratum.unresolved - self._added[h]

    def interval(self, h: int = -1, labels: int = 0) -> Interval:
        """The interval, with so many more labels in one stratum."""
        value = below = above = 0.0
        for g, stratum in enumerate(self._strata):
            rate, down, up = self._of(g, labels) if g == h else self._distances[g]
            weight = stratum.size / self._total
            value += weight * rate
            below += (weight * down) ** 2
            above += (weight * up) ** 2
        return Interval(max(0.0, value - sqrt(below)), min(1.0, value + sqrt(above)))

    def width_with(self, h: int, labels: int) -> float:
        """Width with so many more labels in a stratum."""
        return self.interval(h, labels).width

    def best(self, labels: int) -> int | None:
        """The stratum where so many labels narrow the interval most per label; None where none is left to label."""
        free = [h for h in range(len(self._strata)) if self.room(h) > 0]
        width = self.interval().width
        steps = {h: min(labels, self.room(h)) for h in free}
        return max(free, key=lambda h: (width - self.width_with(h, steps[h])) / steps[h], default=None)

    def smallest(self, h: int, most: int, width: float) -> int:
        """Fewest labels in a stratum that reach a width, given that `most` do."""
        low, high = 1, most
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if self.width_with(h, middle) <= width else (middle + 1, high)
        return low

    def add(self, h: int, labels: int) -> None:
        """Take the labels as made, with the expected events."""
        self._distances[h] = self._of(h, labels)
        self._added[h] += labels

    def _of(self, h: int, labels: int) -> tuple[float, float, float]:
        """Rate of a stratum and distances to its limits with so many more labels."""
        stratum, more = self._strata[h], self._added[h] + labels
        n = stratum.labelled + more
        rate = (stratum.events + more * self._rates[h]) / n if n else self._rates[h]
        return (rate, *_distances(stratum.size, rate, n, self._limits, self._confidence))


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
