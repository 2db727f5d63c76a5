"""The corrected rate: a stratified mean over the judge's verdicts, with a MOVER interval.

Which items form the strata is decided by `designs`; the limits of one stratum are in `intervals`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Literal

from adjudicate.core.estimates import Estimate, Interval
from adjudicate.stats.intervals import LIMITS, normal_quantile

Target = Literal["finite", "process"]

SAMPLE_ASSUMES = "settled labels are right, and the labelled items of a stratum are a random sample of it"
CENSUS_ASSUMES = "settled labels are right; every item is labelled, so no sampling error is left"


@dataclass(frozen=True, slots=True)
class StratumCount:
    """What is known of one stratum, in items."""

    stratum: str
    """Name of the stratum, as recorded when the sample was drawn."""
    size: int
    """Items in the stratum, N_h."""
    labelled: int
    """Items with a settled gold label, n_h; unresolved ones are not counted here."""
    events: int
    """Settled items whose gold label counts for the rate, y_h."""
    unresolved: int = 0
    """Items labelled without a settled gold label."""
    non_response: int = 0
    """Drawn items that nobody labelled and everyone who was given them skipped."""

    def __post_init__(self) -> None:
        fits = 0 <= self.events <= self.labelled and self.labelled + self.open <= self.size
        if not fits or self.unresolved < 0 or self.non_response < 0:
            raise ValueError(f"impossible counts in a stratum: {self}")

    @property
    def open(self) -> int:
        """Items of the sample that could count either way: unresolved, or never answered."""
        return self.unresolved + self.non_response

    @property
    def rate(self) -> float:
        """Share of events among settled items; needs at least one."""
        return self.events / self.labelled


def stratified_rate(
    strata: Sequence[StratumCount],
    *,
    statistic: str,
    group: Mapping[str, str],
    limits: str = "jeffreys",
    target: Target = "finite",
    confidence: float = 0.95,
    assumes: str | None = None,
    details: Mapping[str, Any] | None = None,
) -> Estimate:
    """Rate of a population from labels drawn inside strata: ``sum W_h y_h / n_h``, W_h = N_h / N.

    The interval is MOVER (Zou and Donner 2008): distances from the stratum rates to their limits, weighted and added in
    squares. No assumption about the judge is made.

    Args:
        strata: Counts per stratum, in any order; strata without items are dropped.
        statistic: Name for the estimate.
        group: What the estimate speaks for.
        limits: A key of `LIMITS`.
        target: ``finite`` for the rate a full review of these items would give, ``process`` for the rate of the process
            that made them.
        confidence: Two-sided, 0 to 1.
        assumes: Words for the estimate; by default those of the design.
        details: More by-products to carry along.

    Returns:
        An estimate in fractions. Undefined without items and where a stratum has no settled label; then
        ``details["bounds"]`` holds the worst case. Unresolved items and non-response never enter the value;
        ``unresolved_bounds`` holds the rates with all of both 0 and all of both 1. In a census with unresolved items those
        bounds are the interval.

    Raises:
        ValueError: `limits` or `target` is unknown.
    """
    if limits not in LIMITS or target not in ("finite", "process"):
        raise ValueError(f"unknown limits {limits!r} or target {target!r}")
    filled = sorted((stratum for stratum in strata if stratum.size), key=lambda stratum: stratum.stratum)
    by_products = {**_counts(filled), **(details or {})}
    labelled = sum(stratum.labelled for stratum in filled)
    reason = _undefined(filled)
    if reason is not None:
        return Estimate(
            statistic, None, labelled, "stratified mean", group=group, assumes=assumes or SAMPLE_ASSUMES, undefined=reason,
            details=by_products | ({"bounds": worst_case_bounds(filled)} if filled else {}),
        )  # fmt: skip
    value = _mean(filled)
    census = all(stratum.labelled + stratum.unresolved == stratum.size for stratum in filled)
    interval, method = _interval(filled, value, census=census, limits=limits, target=target, confidence=confidence)
    return Estimate(
        statistic, value, labelled, method, group=group, low=interval.low, high=interval.high, confidence=confidence,
        assumes=assumes or (CENSUS_ASSUMES if census and target == "finite" else SAMPLE_ASSUMES),
        details=by_products | {"standard_error": standard_error(filled, target=target), "target": target},
    )  # fmt: skip


def worst_case_bounds(strata: Sequence[StratumCount]) -> list[float]:
    """Rates with every stratum that has no settled label set to 0, and to 1."""
    total = sum(stratum.size for stratum in strata)
    known = sum(stratum.size * stratum.rate for stratum in strata if stratum.labelled) / total
    unknown = sum(stratum.size for stratum in strata if not stratum.labelled) / total
    return [known, min(1.0, known + unknown)]


def unresolved_bounds(strata: Sequence[StratumCount]) -> list[float]:
    """Stratified rates with all unresolved items and all non-response 0, and all 1; they count as labelled in both.

    Every stratum must have at least one item of either kind, or settled.
    """
    total = sum(stratum.size for stratum in strata)

    def rate(every: int) -> float:
        return sum(s.size * (s.events + every * s.open) / (s.labelled + s.open) for s in strata) / total

    return [rate(0), rate(1)]


def standard_error(strata: Sequence[StratumCount], *, target: Target = "finite") -> float | None:
    """Design standard error ``sqrt(sum W_h^2 (1 - n_h/N_h) s_h^2 / n_h)``, for display and planning only.

    Returns:
        None where a stratum that is not fully labelled has a single label: one label has no variance. For the process
        target the finite-population factor is dropped.
    """
    total = sum(stratum.size for stratum in strata)
    variance = 0.0
    for stratum in strata:
        left = 1 - stratum.labelled / stratum.size if target == "finite" else 1.0
        if left == 0:
            continue
        if stratum.labelled < 2:
            return None
        spread = stratum.rate * (1 - stratum.rate) / (stratum.labelled - 1)
        variance += (stratum.size / total) ** 2 * left * spread
    return sqrt(variance)


def _mean(strata: Sequence[StratumCount]) -> float:
    total = sum(stratum.size for stratum in strata)
    return sum(stratum.size * stratum.rate for stratum in strata) / total


def _interval(
    strata: Sequence[StratumCount], value: float, *, census: bool, limits: str, target: Target, confidence: float
) -> tuple[Interval, str]:
    if census and target == "finite":
        low, high = unresolved_bounds(strata)
        if low == high:
            return Interval(value, value), "census: every item labelled, zero-width design interval"
        # Rounding must not push the value out of its own bounds.
        return Interval(min(low, value), max(high, value)), "census, limits are the bounds over unresolved items"
    rows = LIMITS[limits]
    title = rows.title if target == "finite" else f"{rows.process_title}, process target"
    return mover(strata, value, limits=limits, target=target, confidence=confidence), f"stratified mean, MOVER with {title}"


def mover(
    strata: Sequence[StratumCount], value: float, *, limits: str, target: Target = "finite", confidence: float = 0.95
) -> Interval:
    """Square-and-add interval around the stratified mean `value`, clipped to 0 and 1.

    For the process target, strata are endless and ``z^2 sum W_h (p_h - t)^2 / N`` is added under both roots.
    """
    total = sum(stratum.size for stratum in strata)
    below = above = 0.0
    if target == "process":
        spread = sum(stratum.size * (stratum.rate - value) ** 2 for stratum in strata) / total
        below = above = normal_quantile(confidence) ** 2 * spread / total
    for stratum in strata:
        size = stratum.size if target == "finite" else None
        bound = LIMITS[limits].function(stratum.events, stratum.labelled, size, confidence)
        weight = stratum.size / total
        below += (weight * (stratum.rate - bound.low)) ** 2
        above += (weight * (bound.high - stratum.rate)) ** 2
    return Interval(max(0.0, value - sqrt(below)), min(1.0, value + sqrt(above)))


def _undefined(strata: Sequence[StratumCount]) -> str | None:
    if not strata:
        return "no items"
    empty = sum(not stratum.labelled for stratum in strata)
    if not empty:
        return None
    if empty == len(strata):
        return "no settled label"
    return f"{empty} of {len(strata)} strata have no settled label"


def _counts(strata: Sequence[StratumCount]) -> dict[str, Any]:
    unresolved, missing = sum(stratum.unresolved for stratum in strata), sum(stratum.non_response for stratum in strata)
    counts: dict[str, Any] = {
        "N": sum(stratum.size for stratum in strata),
        "strata": [
            {"stratum": s.stratum, "N": s.size, "n": s.labelled, "events": s.events, "unresolved": s.unresolved}
            | ({"non_response": s.non_response} if s.non_response else {})
            for s in strata
        ],
        "unresolved": unresolved,
    } | ({"non_response": missing} if missing else {})
    if (unresolved or missing) and all(stratum.labelled + stratum.open for stratum in strata):
        counts["unresolved_bounds"] = unresolved_bounds(strata)
    return counts
