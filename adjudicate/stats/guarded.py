"""A guard for strata that are nearly fully labelled: Clopper-Pearson limits where few events meet a high sampling fraction.

There finite-population Jeffreys limits fall short; everywhere else they are kept. Coverage of a nominal 95 %, simulated: one
stratum 72 to 90 % on its own and 99.9 % or more guarded; 250 responses with 190 to 230 labels 89.6 to 98.3 % and 98.3 % or more
guarded, at 1.5 to 11 times the width, since Clopper-Pearson limits do not know that little is left to label.
"""

from __future__ import annotations

from adjudicate.core.estimates import Interval
from adjudicate.stats.intervals import Limits, clopper_pearson, finite_jeffreys

GUARDED_ABOVE = 0.7
"""Sampling fraction n_h / N_h above which the guard looks at the events."""
GUARDED_EVENTS = 2
"""Most events for which it acts."""


def guarded_limits(y: int, n: int, size: int | None, confidence: float = 0.95) -> Interval:
    """Limits of one stratum: Clopper-Pearson if ``n/N > 0.7`` and ``y <= 2``, else finite-population Jeffreys.

    Statistics note, section 1.2 (suggested there, simulated in ``tests/stats/test_guarded.py``).

    Args:
        y: Events, 0 to n.
        n: Items labelled, 1 to `size`.
        size: Items in the stratum, N; None for an endless population, which is never guarded.
        confidence: Two-sided, 0 to 1.

    Returns:
        Fractions. Both limits are the rate itself when everything is labelled.

    Raises:
        ValueError: Counts or confidence out of range.
    """
    plain = finite_jeffreys(y, n, size, confidence)
    if size is None or n == size or n <= GUARDED_ABOVE * size or y > GUARDED_EVENTS:
        return plain
    return clopper_pearson(y, n, confidence)


GUARDED = Limits(
    "finite-population Jeffreys limits, Clopper-Pearson in nearly complete strata", "Jeffreys limits", guarded_limits
)
"""A row for `LIMITS`."""
