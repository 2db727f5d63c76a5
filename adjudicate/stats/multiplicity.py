"""Several tests at once: adjusted p values of Holm, Benjamini-Hochberg and Benjamini-Yekutieli.

An adjusted value is rejected at a level exactly when it is at most that level. Inputs keep their order.
"""

from __future__ import annotations

from collections.abc import Sequence


def holm(p: Sequence[float]) -> tuple[float, ...]:
    """Adjusted for the chance of any false claim (Holm 1979): largest of ``(m - i + 1) p_(i)`` so far, at most 1.

    Args:
        p: P values, 0 to 1.

    Raises:
        ValueError: A p value outside 0 to 1.

    >>> holm([0.01, 0.04, 0.03])
    (0.03, 0.06, 0.06)
    """
    order, tests = _order(p), len(p)
    adjusted, worst = [0.0] * tests, 0.0
    for rank, place in enumerate(order):
        worst = max(worst, min(1.0, (tests - rank) * p[place]))
        adjusted[place] = worst
    return tuple(adjusted)


def benjamini_hochberg(p: Sequence[float]) -> tuple[float, ...]:
    """Adjusted for the expected share of false finds (1995): smallest of ``m p_(i) / i`` from here on, at most 1.

    Args:
        p: P values, 0 to 1, independent or positively dependent.

    Raises:
        ValueError: A p value outside 0 to 1.

    >>> benjamini_hochberg([0.01, 0.04, 0.03])
    (0.03, 0.04, 0.04)
    """
    return _step_up(p, 1.0)


def benjamini_yekutieli(p: Sequence[float]) -> tuple[float, ...]:
    """Benjamini-Hochberg under any dependence (2001): p values times ``1 + 1/2 + ... + 1/m`` more.

    Args:
        p: P values, 0 to 1.

    Raises:
        ValueError: A p value outside 0 to 1.
    """
    return _step_up(p, sum(1 / rank for rank in range(1, len(p) + 1)))


def _step_up(p: Sequence[float], factor: float) -> tuple[float, ...]:
    order, tests = _order(p), len(p)
    adjusted, least = [0.0] * tests, 1.0
    for rank in range(tests, 0, -1):
        place = order[rank - 1]
        least = min(least, factor * tests * p[place] / rank)
        adjusted[place] = least
    return tuple(adjusted)


def _order(p: Sequence[float]) -> list[int]:
    if not all(0 <= value <= 1 for value in p):
        raise ValueError(f"p values are 0 to 1; found {[value for value in p if not 0 <= value <= 1]}")
    return sorted(range(len(p)), key=lambda place: p[place])
