"""The rest of the agreement between annotators: chance by declared categories, near misses, numbers, single categories.

The headline coefficients are in `agreement`; two-rater tables in `agreement_tables`; Conger's kappa in `conger_kappa`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from adjudicate.core.estimates import Estimate
from adjudicate.stats import agreement_coefficients as coefficients
from adjudicate.stats.agreement import (
    ASSUMES,
    NO_PAIR,
    ORDINAL_ASSUMES,
    Coefficient,
    no_declared_choice,
    no_pair,
    no_variation,
    pattern_estimate,
)  # fmt: skip
from adjudicate.stats.agreement_counts import Patterns, Ratings, count_matrix, distinct_patterns, rating_array
from adjudicate.stats.agreement_weighted import Credit, Metric, credit_matrix, gwet_ac2, metric_alpha, metric_distance
from adjudicate.stats.bootstrap import FEWEST_UNITS, RESAMPLES, resample

if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy as np
    import numpy.typing as npt

    FloatArray: TypeAlias = npt.NDArray[np.float64]
    IntArray: TypeAlias = npt.NDArray[np.int64]
    Row: TypeAlias = tuple[Coefficient, Mapping[str, str]]

NOT_NAMED = "no rating of a pairable unit names this category"
ONE_VALUE = "all pairable ratings stand for one number, so chance agreement is complete"
VALUED_ASSUMES = f"differences between the numbers of the categories mean what they say; {ASSUMES}"


def further_agreement_estimates(
    ratings: Ratings,
    categories: Sequence[str],
    *,
    group: Mapping[str, str],
    seed: int,
    values: Sequence[float] | None = None,
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
) -> list[Estimate]:
    """Brennan-Prediger, Fleiss' kappa for unequal numbers of ratings, AC2, specific agreement, alpha of numbers.

    Args:
        ratings: Positions in `categories`, raters x units, -1 for none.
        categories: Every category of the policy, in its order; AC2 and Brennan-Prediger depend on how many there are.
        group: What the estimates speak for; AC2 adds ``weights``, alpha ``level``, specific agreement ``outcome``.
        seed: Seed of the bootstrap; equal seeds give equal intervals.
        values: The number each category stands for; without them there is no interval or ratio alpha.
        resamples: Bootstrap replicates.
        confidence: Two-sided, 0 to 1.

    Returns:
        Coefficients, at most 1, and specific agreement as a fraction; with percentile intervals of a unit bootstrap from 10
        pairable units on, or the reason why there is no value. Ratio alpha is left out where a value is negative.

    Raises:
        ValueError: The ratings do not fit the raters or the categories, or not one value per category.
    """
    if values is not None and len(values) != len(categories):
        raise ValueError(f"expected one value per category, {len(categories)}; found {len(values)}")
    patterns = distinct_patterns(count_matrix(rating_array(ratings, len(categories)), len(categories)))
    enough = patterns.pairable_units >= FEWEST_UNITS and resamples > 0
    weights = resample(patterns.multiplicity, seed=seed, resamples=resamples) if enough else None
    rows = [*_chance_rows(), *_specific_rows(categories), *(_value_rows(values) if values is not None else ())]
    return [pattern_estimate(row, patterns, weights, {**group, **named}, confidence) for row, named in rows]


def _chance_rows() -> list[Row]:
    return [
        (
            Coefficient(
                "brennan_prediger", "Brennan-Prediger, declared categories", coefficients.brennan_prediger, no_declared_choice
            ),
            {},
        ),
        (
            Coefficient(
                "fleiss_kappa_generalised", "Fleiss' kappa, unequal numbers of ratings", coefficients.generalised_pi, no_variation
            ),
            {},
        ),
        *(_ac2_row(kind) for kind in ("linear", "quadratic")),
    ]


def _ac2_row(kind: str) -> Row:
    def function(weights: FloatArray, counts: IntArray) -> FloatArray:
        credit: Credit = "linear" if kind == "linear" else "quadratic"
        return gwet_ac2(weights, counts, credit_matrix(counts.shape[1], credit))

    method = f"Gwet's AC2, {kind} weights, declared categories"
    return Coefficient("gwet_ac2", method, function, no_declared_choice, assumes=ORDINAL_ASSUMES), {"weights": kind}


def _specific_rows(categories: Sequence[str]) -> list[Row]:
    def row(place: int, outcome: str) -> Row:
        function: Callable[[FloatArray, IntArray], FloatArray] = partial(coefficients.specific_agreement, category=place)
        undefined = partial(not_named, place=place)
        method = "share of agreeing partners of a rating in the category"
        return Coefficient("specific_agreement", method, function, undefined, unit="fraction"), {"outcome": outcome}

    return [row(place, outcome) for place, outcome in enumerate(categories)]


def _value_rows(values: Sequence[float]) -> list[Row]:
    def row(metric: Metric) -> Row:
        def function(weights: FloatArray, counts: IntArray) -> FloatArray:
            return metric_alpha(weights, counts, metric_distance(values, metric))

        undefined, method = partial(_one_value, values=values), f"{metric} alpha over the numbers of the categories"
        return Coefficient("krippendorff_alpha", method, function, undefined, assumes=VALUED_ASSUMES), {"level": metric}

    return [row("interval"), *([row("ratio")] if min(values, default=0) >= 0 else [])]


def not_named(patterns: Patterns, place: int) -> str | None:
    """Reason why the specific agreement of the category at `place` is undefined, or None."""
    if not patterns.pairable_units:
        return NO_PAIR
    return None if _paired_totals(patterns)[place] else NOT_NAMED


def _one_value(patterns: Patterns, values: Sequence[float]) -> str | None:
    found = {value for value, count in zip(values, _paired_totals(patterns), strict=True) if count}
    return no_pair(patterns) or (ONE_VALUE if len(found) < 2 else None)


def _paired_totals(patterns: Patterns) -> list[int]:
    """Ratings per category in pairable units (patterns, not units: only whether there are any matters)."""
    totals: list[int] = patterns.counts[patterns.counts.sum(axis=1) >= 2].sum(axis=0).tolist()
    return totals
