"""Agreement between annotators as estimates: named undefined states, point values and unit-bootstrap intervals.

The arithmetic is in `agreement_coefficients`, the resampling in `bootstrap`, pairs of raters in `pairwise`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, Any

from adjudicate.core.estimates import Estimate, Unit
from adjudicate.stats import agreement_coefficients as coefficients
from adjudicate.stats.agreement_counts import Patterns, Ratings, count_matrix, distinct_patterns, pair_cells, rating_array
from adjudicate.stats.bootstrap import FEWEST_UNITS, RESAMPLES, Percentiles, percentiles, resample
from adjudicate.stats.pairwise import mean_kappa, pairs_as_json, pairwise_of

if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy as np
    import numpy.typing as npt

    FloatArray: TypeAlias = npt.NDArray[np.float64]
    IntArray: TypeAlias = npt.NDArray[np.int64]

ASSUMES = "raters are held fixed; rated units are a random sample of those the value speaks for"
ORDINAL_ASSUMES = f"the declared order of the categories is a scale; {ASSUMES}"
NO_PAIR = "no unit has two ratings"
ONE_CATEGORY = "all pairable ratings name one category, so chance agreement is complete"
UNEQUAL = "pairable units have unequal numbers of ratings"
MOST_PAIRS = 200
"""Pairs of raters carried in the details; more (a crowd) would bury the report, `pairwise` still gives them."""
ONE_DECLARED = "fewer than two categories are declared"


@dataclass(frozen=True, slots=True)
class Coefficient:
    """One coefficient that is a function of the count patterns."""

    statistic: str
    method: str
    function: Callable[[FloatArray, IntArray], FloatArray]
    """Weights and counts to values, as in `agreement_coefficients`."""
    undefined: Callable[[Patterns], str | None]
    """Why there is no value, or None."""
    unit: Unit = "coefficient"
    level: str | None = None
    """Level of measurement; only alpha has several."""
    assumes: str = ASSUMES


def no_pair(patterns: Patterns) -> str | None:
    """Reason why percent agreement is undefined, or None."""
    return None if patterns.pairable_units else NO_PAIR


def no_variation(patterns: Patterns) -> str | None:
    """Reason why a coefficient that rests on observed categories is undefined, or None."""
    if not patterns.pairable_units:
        return NO_PAIR
    paired = patterns.counts[patterns.counts.sum(axis=1) >= 2]
    return ONE_CATEGORY if int((paired.sum(axis=0) > 0).sum()) < 2 else None


def no_constant_number(patterns: Patterns) -> str | None:
    """Reason why Fleiss' kappa is undefined, or None."""
    ratings = patterns.counts.sum(axis=1)
    if len({int(m) for m in ratings if m >= 2}) > 1:
        return UNEQUAL
    return no_variation(patterns)


def no_declared_choice(patterns: Patterns) -> str | None:
    """Reason why AC1 is undefined, or None."""
    return ONE_DECLARED if patterns.counts.shape[1] < 2 else no_pair(patterns)


COEFFICIENTS: tuple[Coefficient, ...] = (
    Coefficient(
        "percent_agreement", "share of agreeing pairs per unit", coefficients.percent_agreement, no_pair, unit="fraction"
    ),
    Coefficient("krippendorff_alpha", "nominal alpha", coefficients.nominal_alpha, no_variation, level="nominal"),
    Coefficient(
        "krippendorff_alpha", "ordinal alpha, mid-ranks of the declared categories", coefficients.ordinal_alpha, no_variation,
        level="ordinal", assumes=ORDINAL_ASSUMES,
    ),
    Coefficient("fleiss_kappa", "Fleiss' kappa over pairable units", coefficients.fleiss_kappa, no_constant_number),
    Coefficient("gwet_ac1", "Gwet's AC1, declared categories", coefficients.gwet_ac1, no_declared_choice),
)  # fmt: skip


def agreement_estimates(
    ratings: Ratings,
    categories: Sequence[str],
    *,
    group: Mapping[str, str],
    seed: int,
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
) -> list[Estimate]:
    """All agreement coefficients of one set of ratings.

    Args:
        ratings: Positions in `categories`, raters x units, -1 for none. Raters without a rating are left out.
        categories: Every category of the policy, in its order; AC1 depends on how many there are.
        group: What the estimates speak for; alpha adds its ``level``.
        seed: Seed of the bootstrap; equal seeds give equal intervals.
        resamples: Bootstrap replicates.
        confidence: Two-sided, 0 to 1.

    Returns:
        Percent agreement, alpha (nominal, ordinal), Fleiss' kappa, AC1 and Cohen's kappa, each with a value or the reason
        why not. Percentile intervals of a unit bootstrap from 10 pairable units on; never of zero width.

    Raises:
        ValueError: The ratings do not fit the raters or the categories.
    """
    array = rating_array(ratings, len(categories))
    patterns = distinct_patterns(count_matrix(array, len(categories)))
    enough = patterns.pairable_units >= FEWEST_UNITS and resamples > 0
    weights = resample(patterns.multiplicity, seed=seed, resamples=resamples) if enough else None
    estimates = [pattern_estimate(row, patterns, weights, group, confidence) for row in COEFFICIENTS]
    return [*estimates, cohen_estimate(ratings, categories, group=group, seed=seed, resamples=resamples, confidence=confidence)]


def alpha_estimate(
    ratings: Ratings,
    categories: Sequence[str],
    *,
    group: Mapping[str, str],
    seed: int,
    level: str = "nominal",
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
) -> Estimate:
    """Krippendorff's alpha alone, ``nominal`` or ``ordinal``; arguments as in `agreement_estimates`.

    Raises:
        ValueError: The ratings do not fit, or the level is unknown.
    """
    row = next((row for row in COEFFICIENTS if row.level == level), None)
    if row is None:
        raise ValueError(f"level of measurement is nominal or ordinal, not {level!r}")
    patterns = distinct_patterns(count_matrix(rating_array(ratings, len(categories)), len(categories)))
    enough = patterns.pairable_units >= FEWEST_UNITS and resamples > 0
    weights = resample(patterns.multiplicity, seed=seed, resamples=resamples) if enough else None
    return pattern_estimate(row, patterns, weights, group, confidence)


def cohen_estimate(
    ratings: Ratings,
    categories: Sequence[str],
    *,
    group: Mapping[str, str],
    seed: int,
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
) -> Estimate:
    """Cohen's kappa of exactly two raters over the units both rated; arguments as in `agreement_estimates`.

    Returns:
        Undefined for another number of raters; with more than two, the details hold the pairwise matrix and its mean kappa.
    """
    array = rating_array(ratings, len(categories))
    active = [row for row in range(len(array)) if bool((array[row] >= 0).any())]
    method = "Cohen's kappa"
    if len(active) != 2:
        reason = f"Cohen's kappa needs exactly two raters, found {len(active)}"
        names = tuple(ratings.raters[row] for row in active)
        pairs = pairwise_of(names, array[active], len(categories)) if len(active) > 2 else ()
        details: dict[str, Any] = {"mean_pairwise_kappa": mean_kappa(pairs)} if pairs else {}
        if 0 < len(pairs) <= MOST_PAIRS:
            details["pairwise"] = pairs_as_json(pairs)
        units = int((array >= 0).any(axis=0).sum()) if len(array) else 0
        return Estimate(
            "cohen_kappa", None, units, method, "coefficient", group, assumes=ASSUMES, undefined=reason, details=details
        )
    cells = pair_cells(array[active[0]], array[active[1]], len(categories))
    return _cohen(cells, len(categories), group=group, seed=seed, resamples=resamples, confidence=confidence)


def _cohen(cells: IntArray, k: int, *, group: Mapping[str, str], seed: int, resamples: int, confidence: float) -> Estimate:
    """Kappa of a flattened k x k table; the bootstrap draws units, hence cells."""
    units = int(cells.sum())
    filled = cells.nonzero()[0]

    def kappa(weights: FloatArray) -> FloatArray:
        import numpy as np

        tables = np.zeros((len(weights), k * k))
        tables[:, filled] = weights
        return coefficients.cohen_kappa(tables.reshape(-1, k, k))

    value = float(kappa(cells[filled][None, :].astype(float))[0]) if units else float("nan")
    if isnan(value):
        reason = ONE_CATEGORY if units else NO_PAIR
        return Estimate("cohen_kappa", None, units, "Cohen's kappa", "coefficient", group, assumes=ASSUMES, undefined=reason)
    enough = units >= FEWEST_UNITS and resamples > 0
    weights = resample(cells[filled], seed=seed, resamples=resamples) if enough else None
    interval = percentiles(kappa, weights, value=value, confidence=confidence) if weights is not None else None
    row = Coefficient("cohen_kappa", "Cohen's kappa", coefficients.nominal_alpha, no_pair)
    return defined_estimate(row, value, units, interval=interval, group=group, confidence=confidence)


def pattern_estimate(
    row: Coefficient, patterns: Patterns, weights: FloatArray | None, group: Mapping[str, str], confidence: float
) -> Estimate:
    """One coefficient as an estimate, or the reason why it has no value.

    Args:
        row: The coefficient.
        patterns: Distinct count rows of all rated units.
        weights: Resamples as `bootstrap.resample` returns them; None for no interval.
        group: What the estimate speaks for; ``level`` is added where the coefficient has one.
        confidence: Two-sided, 0 to 1.
    """
    named = {**group, "level": row.level} if row.level else dict(group)
    units = patterns.pairable_units
    reason = row.undefined(patterns)
    if reason is not None:
        return Estimate(row.statistic, None, units, row.method, row.unit, named, assumes=row.assumes, undefined=reason)
    value = _point(row, patterns)
    interval = None
    if weights is not None:
        interval = percentiles(lambda w: row.function(w, patterns.counts), weights, value=value, confidence=confidence)
    return defined_estimate(row, value, units, interval=interval, group=named, confidence=confidence)


def _point(row: Coefficient, patterns: Patterns) -> float:
    if row.level is None:
        return float(row.function(patterns.multiplicity[None, :].astype(float), patterns.counts)[0])
    import krippendorff
    import numpy as np

    # Half-width integers halve the package's working memory; products of counts stay far below their limit.
    counts = np.repeat(patterns.counts.astype(np.int32), patterns.multiplicity, axis=0)
    return float(krippendorff.alpha(value_counts=counts, level_of_measurement=row.level))  # type: ignore[arg-type]


def defined_estimate(
    row: Coefficient,
    value: float,
    units: int,
    *,
    interval: Percentiles | None,
    group: Mapping[str, str],
    confidence: float,
) -> Estimate:
    """A value with its bootstrap interval; without one, the details say why."""
    details: dict[str, Any] = {}
    if interval is None:
        details["no_interval"] = f"fewer than {FEWEST_UNITS} units with two ratings" if units < FEWEST_UNITS else "not asked for"
    else:
        details["degenerate_resamples"] = interval.degenerate
        if interval.reason:
            details["no_interval"] = interval.reason
    low, high = (interval.low, interval.high) if interval else (None, None)
    method = row.method if low is None else f"{row.method}, percentile unit bootstrap"
    return Estimate(
        row.statistic, value, units, method, row.unit, group, low, high, None if low is None else confidence,
        assumes=row.assumes, details=details,
    )  # fmt: skip
