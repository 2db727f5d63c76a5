"""Agreement on a rare event: what must stand beside kappa, since kappa falls with prevalence at equal agreement.

Feinstein and Cicchetti (1990). Kappa, alpha and AC1 of the same ratings are computed by `agreement`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from adjudicate.core.estimates import Estimate, Unit
from adjudicate.stats.agreement import ASSUMES, NO_PAIR, agreement_estimates
from adjudicate.stats.agreement_counts import Ratings, pair_cells, rating_array
from adjudicate.stats.agreement_further import further_agreement_estimates
from adjudicate.stats.bootstrap import RESAMPLES
from adjudicate.stats.event_ratings import EVENT_CATEGORIES, event_ratings

SPECIFIC = {"event": "positive_agreement", "other": "negative_agreement"}
BESIDE = ("percent_agreement", "krippendorff_alpha", "cohen_kappa", "gwet_ac1")
INDEXES: tuple[tuple[str, str, Unit], ...] = (
    ("pabak", "prevalence- and bias-adjusted kappa, 2 po - 1", "coefficient"),
    ("prevalence_index", "|both event - both other| / units", "fraction"),
    ("bias_index", "|only first event - only second event| / units", "fraction"),
)


def rare_event_agreement(
    ratings: Ratings,
    categories: Sequence[str],
    *,
    counts: Collection[str],
    rate: str,
    group: Mapping[str, str],
    seed: int,
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
) -> list[Estimate]:
    """Agreement on the event of one rate, with everything that keeps kappa from misleading.

    Args:
        ratings: Positions in `categories`, raters x units, -1 for none.
        categories: Every category of the policy.
        counts: Categories that are the event.
        rate: Id of the rate; goes into the group.
        group: What the estimates speak for.
        seed: Seed of the bootstrap.
        resamples: Bootstrap replicates.
        confidence: Two-sided, 0 to 1.

    Returns:
        Percent agreement, nominal alpha, kappa and AC1 of event against other; positive and negative agreement (fractions);
        and for two raters PABAK (-1 to 1), prevalence and bias index (0 to 1) without interval.

    Raises:
        ValueError: The ratings do not fit, or an event that is not a category.
    """
    named = {**group, "rate": rate}
    two = event_ratings(ratings, categories, counts)
    headline = agreement_estimates(
        two, EVENT_CATEGORIES, group=named, seed=seed, resamples=resamples, confidence=confidence
    )  # fmt: skip
    further = further_agreement_estimates(
        two, EVENT_CATEGORIES, group=named, seed=seed, resamples=resamples, confidence=confidence
    )
    specific = [replace(estimate, statistic=SPECIFIC[estimate.group["outcome"]], group=named)
                for estimate in further if estimate.statistic == "specific_agreement"]  # fmt: skip
    beside = [e for e in headline if e.statistic in BESIDE and e.group.get("level") in (None, "nominal")]
    return [*beside, *specific, *_indexes(two, named)]


def _indexes(two: Ratings, group: Mapping[str, str]) -> list[Estimate]:
    """PABAK (Byrt, Bishop and Carlin 1993) and the two indexes of the table of two raters."""
    array = rating_array(two, 2)
    active = [row for row in range(len(array)) if bool((array[row] >= 0).any())]
    if len(active) != 2:
        reason = f"the table of two raters needs exactly two, found {len(active)}"
        return [Estimate(name, None, 0, method, unit, group, assumes=ASSUMES, undefined=reason) for name, method, unit in INDEXES]
    both, first, second, neither = pair_cells(array[active[0]], array[active[1]], 2).tolist()
    n = both + first + second + neither
    if not n:
        return [
            Estimate(name, None, 0, method, unit, group, assumes=ASSUMES, undefined=NO_PAIR) for name, method, unit in INDEXES
        ]
    values = (2 * (both + neither) / n - 1, abs(both - neither) / n, abs(first - second) / n)
    table = {"both": both, "only_first": first, "only_second": second, "neither": neither}
    return [
        Estimate(name, value, n, method, unit, group, assumes=ASSUMES, details=table)
        for (name, method, unit), value in zip(INDEXES, values, strict=True)
    ]
