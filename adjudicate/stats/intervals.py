"""Limits for one proportion: Jeffreys, Clopper-Pearson, Wilson, and the finite-population effective size.

Combining strata is `corrected`. Rates, limits and confidence are fractions, 0 to 1; counts are items.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf, sqrt
from statistics import NormalDist

from adjudicate.core.estimates import Interval


def normal_quantile(confidence: float) -> float:
    """Two-sided standard normal quantile, 1.959964 for 0.95.

    Raises:
        ValueError: `confidence` is not strictly between 0 and 1.
    """
    _check_confidence(confidence)
    return NormalDist().inv_cdf(0.5 + confidence / 2)


def effective_size(n: float, size: int | None) -> float:
    """Sample size that gives a simple random sample's precision without replacement: ``n (N-1) / (N-n)``.

    Args:
        n: Items labelled, or an effective number of them.
        size: Items in the stratum, N; None for an endless population.

    Returns:
        `n` for None, infinity when everything is labelled.
    """
    if size is None:
        return float(n)
    return inf if n == size else n * (size - 1) / (size - n)


def jeffreys(y: float, n: float, confidence: float = 0.95) -> Interval:
    """Jeffreys limits: quantiles of Beta(y + 1/2, n - y + 1/2), with the boundary rule.

    The lower limit is 0 without events and the upper limit is 1 without non-events (Brown, Cai and DasGupta 2001).

    Args:
        y: Events, 0 to n; not a whole number where `n` is an effective size.
        n: Trials, more than 0.
        confidence: Two-sided, 0 to 1.

    Raises:
        ValueError: Counts or confidence out of range.

    >>> limits = jeffreys(2, 100)
    >>> round(limits.low, 6), round(limits.high, 6)
    (0.004179, 0.062606)
    """
    _check(y, n, confidence)
    low = 0.0 if y == 0 else _beta_quantile(y + 0.5, n - y + 0.5, (1 - confidence) / 2)
    high = 1.0 if y == n else _beta_quantile(y + 0.5, n - y + 0.5, (1 + confidence) / 2)
    return Interval(low, high)


def finite_jeffreys(y: int, n: int, size: int | None, confidence: float = 0.95) -> Interval:
    """Jeffreys limits at the effective size; both limits are the rate itself when everything is labelled.

    Args:
        y: Events, 0 to n.
        n: Items labelled, 1 to `size`.
        size: Items in the stratum, N; None for an endless population.
        confidence: Two-sided, 0 to 1.

    Raises:
        ValueError: Counts or confidence out of range.
    """
    _check(y, n, confidence, size)
    if n == size:
        return Interval(y / n, y / n)
    effective = effective_size(n, size)
    # y == n must reach the boundary rule exactly, not up to rounding.
    return jeffreys(effective if y == n else effective * y / n, effective, confidence)


def clopper_pearson(y: float, n: float, confidence: float = 0.95) -> Interval:
    """Exact limits of Clopper and Pearson (1934): coverage is never below nominal.

    Args:
        y: Events, 0 to n.
        n: Trials, more than 0.
        confidence: Two-sided, 0 to 1.

    Raises:
        ValueError: Counts or confidence out of range.

    >>> limits = clopper_pearson(13, 16)
    >>> round(limits.low, 4), round(limits.high, 4)
    (0.5435, 0.9595)
    """
    _check(y, n, confidence)
    low = 0.0 if y == 0 else _beta_quantile(y, n - y + 1, (1 - confidence) / 2)
    high = 1.0 if y == n else _beta_quantile(y + 1, n - y, (1 + confidence) / 2)
    return Interval(low, high)


def wilson(y: float, n: float, confidence: float = 0.95) -> Interval:
    """Score limits of Wilson (1927), as tabulated by Newcombe (1998).

    Args:
        y: Events, 0 to n; not a whole number where `n` is an effective size.
        n: Trials, more than 0.
        confidence: Two-sided, 0 to 1.

    Raises:
        ValueError: Counts or confidence out of range.

    >>> limits = wilson(81, 263)
    >>> round(limits.low, 4), round(limits.high, 4)
    (0.2553, 0.3662)
    """
    _check(y, n, confidence)
    z = normal_quantile(confidence)
    rate = y / n
    centre = (rate + z * z / (2 * n)) / (1 + z * z / n)
    half = z * sqrt(rate * (1 - rate) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return Interval(0.0 if y == 0 else max(0.0, centre - half), 1.0 if y == n else min(1.0, centre + half))


def finite_wilson(y: int, n: int, size: int | None, confidence: float = 0.95) -> Interval:
    """Wilson limits at the effective size; both limits are the rate itself when everything is labelled.

    Raises:
        ValueError: Counts or confidence out of range.
    """
    _check(y, n, confidence, size)
    if n == size:
        return Interval(y / n, y / n)
    effective = effective_size(n, size)
    return wilson(effective if y == n else effective * y / n, effective, confidence)


def exact(y: int, n: int, size: int | None, confidence: float = 0.95) -> Interval:
    """Clopper-Pearson limits in the shape of the table; `size` is not used, which keeps them conservative.

    Raises:
        ValueError: Counts or confidence out of range.
    """
    _check(y, n, confidence, size)
    return clopper_pearson(y, n, confidence)


def guarded(y: int, n: int, size: int | None, confidence: float = 0.95) -> Interval:
    """Limits of `guarded.guarded_limits`, which builds on this module.

    Raises:
        ValueError: Counts or confidence out of range.
    """
    from adjudicate.stats.guarded import guarded_limits

    return guarded_limits(y, n, size, confidence)


@dataclass(frozen=True, slots=True)
class Limits:
    """One way to bound the rate of a stratum."""

    title: str
    """Words for the method line of an estimate with a finite population."""
    process_title: str
    """The same with an endless population."""
    function: Callable[[int, int, int | None, float], Interval]
    """Takes events, labelled, stratum size (None for an endless one) and confidence."""


LIMITS: Mapping[str, Limits] = {
    "jeffreys": Limits("finite-population Jeffreys limits", "Jeffreys limits", finite_jeffreys),
    "clopper_pearson": Limits("Clopper-Pearson limits", "Clopper-Pearson limits", exact),
    "wilson": Limits("finite-population Wilson limits", "Wilson limits", finite_wilson),
    "guarded": Limits("finite-population Jeffreys limits, Clopper-Pearson in nearly complete strata", "Jeffreys limits", guarded),
}


def _beta_quantile(a: float, b: float, probability: float) -> float:
    # scipy.special loads in a third of the time of scipy.stats and holds the same function.
    from scipy.special import betaincinv

    return float(betaincinv(a, b, probability))


def _check_confidence(confidence: float) -> None:
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is a fraction between 0 and 1, not {confidence}")


def _check(y: float, n: float, confidence: float, size: int | None = None) -> None:
    _check_confidence(confidence)
    if not (n > 0 and 0 <= y <= n):
        raise ValueError(f"events must be within 0 and the number labelled, more than 0; found {y} of {n}")
    if size is not None and n > size:
        raise ValueError(f"{n} items labelled in a stratum of {size}")
