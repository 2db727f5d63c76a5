"""How many more labels, and in which stratum, from the labels at hand.

Stopping on a width reached this way hardly costs coverage; stopping on a verdict needs `anytime`. Before the first label:
`planning`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from adjudicate.core.estimates import Interval
from adjudicate.stats.corrected import StratumCount
from adjudicate.stats.planning import expected_distances


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
        return stratum.size - stratum.labelled - stratum.open - self._added[h]

    def interval(self, h: int = -1, labels: int = 0) -> Interval:
        """The interval, with so many more labels in one stratum."""
        value = below = above = 0.0
        for g, stratum in enumerate(self._strata):
            rate, down, up = self._of(g, labels) if g == h else self._distances[g]
            weight = stratum.size / self._total
            value += weight * rate
            below += (weight * down) ** 2
            above += (weight * up) ** 2
        if all(s.labelled + self._added[g] + labels * (g == h) >= s.size for g, s in enumerate(self._strata)):
            return Interval(value, value)
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
        return (rate, *expected_distances(stratum.size, rate, n, self._limits, self._confidence))
