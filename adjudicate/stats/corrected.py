"""The corrected rate: a stratified mean over the judge's verdicts, with a MOVER interval.

Which items form the strata is decided by `designs`; the limits of one stratum are in `stratum_bounds`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

from adjudicate.core.estimates import Estimate, Interval
from adjudicate.stats.design_effect import DesignEffect
from adjudicate.stats.stratum_bounds import StratumBounds, Target, stratum_bounds

SAMPLE_ASSUMES = "settled labels are right, and the labelled items of a stratum are a random sample of it"
CENSUS_ASSUMES = "settled labels are right; every item is labelled, so no sampling error is left"
CLUSTER_ASSUMES = (
    "settled labels are right; clusters are independent of each other, and the labelled ones of a stratum are a random sample"
)


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
    effect: DesignEffect | None = None,
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
        limits: A key of `LIMITS`; with an effect only ``clopper_pearson`` differs (`stratum_bounds`).
        target: ``finite`` for the rate a full review of these items would give, ``process`` for the rate of the process
            that made them.
        confidence: Two-sided, 0 to 1.
        effect: Of items that come in clusters, on the whole sample: that of the process, or, for the finite target, of whole
            clusters that were drawn. None where every item stands alone.
        assumes: Words for the estimate; by default those of the design.
        details: More by-products to carry along.

    Returns:
        An estimate in fractions. Undefined without items, where a stratum has no settled label, and where all labels are of
        one cluster; ``details["bounds"]`` holds the worst case over strata without a label. Unresolved items and non-response
        never enter the value;
        ``unresolved_bounds`` holds the rates with all of both 0 and all of both 1. In a census with unresolved items those
        bounds are the interval.

    Raises:
        ValueError: `limits` or `target` is unknown.
    """
    lacking = effect.lacking if effect is not None else None
    bounds = stratum_bounds(limits, target, confidence, effect if lacking is None else None)
    filled = sorted((stratum for stratum in strata if stratum.size), key=lambda stratum: stratum.stratum)
    by_products = {**_counts(filled), **(details or {}), **(effect.as_details() if effect is not None else {})}
    labelled = sum(stratum.labelled for stratum in filled)
    sample = CLUSTER_ASSUMES if effect is not None else SAMPLE_ASSUMES
    reason = _undefined(filled) or lacking
    if reason is not None:
        return Estimate(
            statistic, None, labelled, "stratified mean", group=group, assumes=assumes or sample, undefined=reason,
            details=by_products | _without_value(filled),
        )  # fmt: skip
    value = _mean(filled)
    census = target == "finite" and all(stratum.labelled + stratum.unresolved == stratum.size for stratum in filled)
    if census:
        interval, method = _of_census(filled, value)
    else:
        interval, method = mover(filled, value, bounds), f"stratified mean, MOVER with {bounds.title}"
    return Estimate(
        statistic, value, labelled, method, group=group, low=interval.low, high=interval.high, confidence=confidence,
        assumes=assumes or (CENSUS_ASSUMES if census else sample),
        details=by_products | {"standard_error": standard_error(filled, target=target, effect=effect), "target": target},
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


def standard_error(
    strata: Sequence[StratumCount], *, target: Target = "finite", effect: DesignEffect | None = None
) -> float | None:
    """Design standard error ``sqrt(sum W_h^2 (1 - n_h/N_h) s_h^2 / n_h)``, for display and planning only.

    Returns:
        With an effect, its root times as much. None where a stratum that is not fully labelled has a single label: one label
        has no variance. For the process target the finite-population factor is dropped.
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
    return sqrt(variance * (effect.value if effect is not None else 1.0))


def _without_value(strata: Sequence[StratumCount]) -> dict[str, Any]:
    """What is known where there is no estimate: the worst case, and a mean whose limits nothing tells."""
    if not strata:
        return {}
    mean = {"unclustered_value": _mean(strata)} if all(stratum.labelled for stratum in strata) else {}
    return {"bounds": worst_case_bounds(strata), **mean}


def _mean(strata: Sequence[StratumCount]) -> float:
    total = sum(stratum.size for stratum in strata)
    return sum(stratum.size * stratum.rate for stratum in strata) / total


def _of_census(strata: Sequence[StratumCount], value: float) -> tuple[Interval, str]:
    low, high = unresolved_bounds(strata)
    if low == high:
        return Interval(value, value), "census: every item labelled, zero-width design interval"
    # Rounding must not push the value out of its own bounds.
    return Interval(min(low, value), max(high, value)), "census, limits are the bounds over unresolved items"


def mover(strata: Sequence[StratumCount], value: float, bounds: StratumBounds) -> Interval:
    """Square-and-add interval around the stratified mean `value`, clipped to 0 and 1.

    ``between`` times ``sum W_h (p_h - t)^2 / N`` is added under both roots.
    """
    total = sum(stratum.size for stratum in strata)
    below = above = bounds.between * sum(stratum.size * (stratum.rate - value) ** 2 for stratum in strata) / total / total
    for stratum in strata:
        bound = bounds.limits(stratum.events, stratum.labelled, stratum.size)
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
