"""Does agreement change over time? Percent agreement and alpha per time window, and the last window against the first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from adjudicate.core.estimates import Estimate
from adjudicate.stats.agreement import agreement_estimates
from adjudicate.stats.agreement_counts import Ratings, rating_array
from adjudicate.stats.bootstrap import FEWEST_UNITS, RESAMPLES
from adjudicate.stats.difference_interval import Bounded, independent_difference
from adjudicate.stats.intervals import jeffreys

SHOWN = ("percent_agreement", "krippendorff_alpha")
METHOD = "percent agreement of the last window minus the first, MOVER from their intervals"
ASSUMES = (
    "windows hold comparable items: a change may come from harder items or other annotators as well as from drift; "
    "raters are held fixed"
)
ONE_WINDOW = "fewer than two windows hold a unit with two ratings"


def equal_windows(times: Sequence[float], count: int) -> tuple[str, ...]:
    """Time-ordered windows of nearly equal numbers of units, named ``1 of 4`` and so on; equal times stay together.

    Args:
        times: One time per unit, on any clock that only goes forward.
        count: Windows, 1 or more; fewer come out where many times are equal.

    Raises:
        ValueError: No window is asked for.

    >>> equal_windows([30, 10, 20, 40], 2)
    ('2 of 2', '1 of 2', '1 of 2', '2 of 2')
    """
    if count < 1:
        raise ValueError(f"agreement over time needs a window, not {count}")
    first_place: dict[float, int] = {}
    for place, time in enumerate(sorted(times)):
        first_place.setdefault(time, place)
    width = len(str(count))
    return tuple(f"{first_place[time] * count // len(times) + 1:0{width}d} of {count}" for time in times)


def drift_estimates(
    ratings: Ratings,
    categories: Sequence[str],
    *,
    windows: Sequence[str],
    group: Mapping[str, str],
    seed: int,
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
) -> list[Estimate]:
    """Agreement in each window, group ``window``, and ``agreement_drift``.

    Args:
        ratings: Positions in `categories`, raters x units, -1 for none.
        categories: Every category of the policy.
        windows: Window of each unit; their sorted names are their order in time (``2026-W07``, or from `equal_windows`).
        group: What the estimates speak for.
        seed: Seed of the bootstrap.
        resamples: Bootstrap replicates.
        confidence: Two-sided, 0 to 1.

    Returns:
        Percent agreement (fraction) and nominal alpha per window; last: the change of percent agreement, -1 to 1, negative
        where it fell. Its interval needs 10 pairable units in both windows. Undefined with fewer than two such windows.

    Raises:
        ValueError: The ratings do not fit, or not one window per unit.
    """
    array = rating_array(ratings, len(categories))
    if len(windows) != array.shape[1]:
        raise ValueError(f"expected one window per unit, {array.shape[1]}; found {len(windows)}")
    estimates: list[Estimate] = []
    for window in sorted(set(windows)):
        part = array[:, [place for place, name in enumerate(windows) if name == window]]
        found = agreement_estimates(
            Ratings(ratings.raters, part), categories, group={**group, "window": window}, seed=seed, resamples=resamples,
            confidence=confidence,
        )  # fmt: skip
        estimates += [e for e in found if e.statistic in SHOWN and e.group.get("level") in (None, "nominal")]
    percent = [estimate for estimate in estimates if estimate.statistic == "percent_agreement" and estimate.value is not None]
    return [*estimates, _change(percent, group, confidence)]


def _change(percent: Sequence[Estimate], group: Mapping[str, str], confidence: float) -> Estimate:
    n = sum(estimate.n for estimate in percent)
    if len(percent) < 2:
        return Estimate("agreement_drift", None, n, METHOD, group=group, assumes=ASSUMES, undefined=ONE_WINDOW)
    first, last = percent[0], percent[-1]
    details: dict[str, Any] = {"first": first.group["window"], "last": last.group["window"], "windows": len(percent)}
    before, after = _bounded(first, confidence), _bounded(last, confidence)
    n = first.n + last.n
    if before is None or after is None:
        details["no_interval"] = f"a window without an interval; {FEWEST_UNITS} units with two ratings are needed in both"
        value = (last.value or 0.0) - (first.value or 0.0)
        return Estimate("agreement_drift", value, n, METHOD, group=group, assumes=ASSUMES, details=details)
    change = independent_difference(after, before)
    return Estimate(
        "agreement_drift", change.value, n, METHOD, group=group, low=change.low, high=change.high, confidence=confidence,
        assumes=ASSUMES, details=details,
    )  # fmt: skip


def _bounded(percent: Estimate, confidence: float) -> Bounded | None:
    """The bootstrap interval; Jeffreys where all units agree or all disagree, since no resample can then differ."""
    value = percent.value
    if value is None or percent.n < FEWEST_UNITS:
        return None
    if percent.low is not None and percent.high is not None:
        return Bounded(value, percent.low, percent.high)
    if value not in (0.0, 1.0):
        return None
    limits = jeffreys(value * percent.n, percent.n, confidence)
    return Bounded(value, limits.low, limits.high)
