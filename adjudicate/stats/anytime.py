"""The anytime-valid interval of a corrected rate: it holds at every moment, so a decision may end the labelling.

Evidence against a candidate number of events is a prior-posterior ratio per stratum; strata are combined by the split of the
total that the evidence speaks against least. The interval for a planned number of labels is in `corrected`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import log
from typing import TYPE_CHECKING, Any

from adjudicate.core.estimates import Estimate, Interval
from adjudicate.stats.corrected import StratumCount, stratified_rate

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

ANYTIME_METHOD = "stratified mean, anytime-valid set of prior-posterior ratios over the strata"
ANYTIME_ASSUMES = (
    "settled labels are right; the order inside every queue was fixed at random before the first label, and which queue came "
    "next depended on nothing but labels already made"
)


@dataclass(frozen=True, slots=True)
class Prior:
    """Beta prior of a stratum's rate. Any prior chosen before the labels keeps the guarantee; a good one narrows the set."""

    a: float
    """Events, more than 0."""
    b: float
    """Non-events, more than 0."""

    def __post_init__(self) -> None:
        if not (self.a > 0 and self.b > 0):
            raise ValueError(f"a beta prior needs two positive numbers, not {self.a} and {self.b}")


PRIORS: Mapping[str, Prior] = {"flagged": Prior(1, 1.5), "clear": Prior(0.5, 20), "judge failed": Prior(0.5, 2)}
"""Fixed priors per verdict cell (statistics note, section 2)."""
OTHER_PRIOR = Prior(0.5, 2)
"""For cells that are neither flagged nor clear."""


def prior_of(stratum: str) -> Prior:
    """The fixed prior of a stratum, from the verdict cell in its name (parts joined by `` | ``)."""
    cells = stratum.rpartition("\x1f")[2].split(" | ")
    return next((prior for cell, prior in PRIORS.items() if cell in cells), OTHER_PRIOR)


def log_e_values(y: int, n: int, size: int, prior: Prior) -> npt.NDArray[np.float64]:
    """Natural log of ``E(Y) = BetaBinomial(y; n, a, b) / Hypergeometric(y; N, Y, n)`` for every possible total Y.

    Waudby-Smith and Ramdas (2020), prior-posterior ratio without replacement. At the true Y this is a martingale with
    mean 1 in n, whatever decided when to draw the next item.

    Args:
        y: Events among the labelled, 0 to n.
        n: Items labelled, 0 to `size`.
        size: Items in the stratum, N.
        prior: Fixed before the labels.

    Returns:
        Shape (N - n + 1,), for Y = y ... N - (n - y); all other totals are impossible. Convex in Y.

    Raises:
        ValueError: Counts out of range.
    """
    import numpy as np
    from scipy.special import betaln, gammaln

    if not 0 <= y <= n <= size:
        raise ValueError(f"impossible counts: {y} events of {n} labelled of {size}")

    def log_choose(n: Any, k: Any) -> Any:
        return gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)

    total = np.arange(y, size - (n - y) + 1, dtype=float)
    marginal = log_choose(n, y) + betaln(y + prior.a, n - y + prior.b) - betaln(prior.a, prior.b)
    chance = log_choose(total, y) + log_choose(size - total, n - y) - log_choose(size, n)
    return np.asarray(marginal - chance, dtype=np.float64)


def anytime_set(strata: Sequence[StratumCount], priors: Sequence[Prior], *, confidence: float = 0.95) -> Interval:
    """Rates that no split over the strata has been refuted for: ``{T / N : min over sum Y_h = T of prod E_h(Y_h) < 1/alpha}``.

    Each log E_h is convex, so the best splits of all totals follow from sorting the steps of all strata: O(N log N).

    Args:
        strata: Counts; a stratum without labels says nothing and refutes nothing.
        priors: One per stratum, same order.
        confidence: Two-sided over the whole course of the labelling, 0 to 1.

    Returns:
        Lowest and highest rate in the set, fractions. Every total between them is in the set too.

    Raises:
        ValueError: `confidence` is not a fraction between 0 and 1, or there are no items.
    """
    import numpy as np

    size = sum(stratum.size for stratum in strata)
    if not 0 < confidence < 1 or not size:
        raise ValueError(f"needs a confidence between 0 and 1 and items; found {confidence} and {size} items")
    curves = [log_e_values(s.events, s.labelled, s.size, prior) for s, prior in zip(strata, priors, strict=True)]
    steps = np.sort(np.concatenate([np.diff(curve) for curve in curves]))
    best = sum(curve[0] for curve in curves) + np.concatenate([[0.0], np.cumsum(steps)])
    fewest = sum(stratum.events for stratum in strata)
    inside = np.flatnonzero(best < -log(1 - confidence))
    return Interval(float(fewest + inside[0]) / size, float(fewest + inside[-1]) / size)


def anytime_rate(
    strata: Sequence[StratumCount],
    *,
    statistic: str = "corrected_rate",
    group: Mapping[str, str],
    priors: Mapping[str, Prior] | None = None,
    confidence: float = 0.95,
    details: Mapping[str, Any] | None = None,
) -> Estimate:
    """Corrected rate of these N items, ``sum W_h y_h / n_h``, with limits that hold at every moment of the labelling.

    For the finite population only. Wider than the interval for a planned n (7.2 against 4.1 points at n = 100); use it where
    a decision ends the labelling.

    Args:
        strata: Counts per stratum, in any order; strata without items are dropped.
        statistic: Name for the estimate.
        group: What the estimate speaks for.
        priors: By stratum name, fixed before the labels; by default `prior_of` the name.
        confidence: Two-sided over the whole course, 0 to 1.
        details: More by-products to carry along.

    Returns:
        An estimate in fractions. Where it is undefined because a stratum has no label, ``details["anytime_bounds"]`` still
        holds valid limits. Unresolved items and non-response are treated as not yet labelled, counted and bounded: the limits
        are valid for what a decision makes of them only together with ``details["unresolved_bounds"]``, as a gate takes them.

    Raises:
        ValueError: `confidence` is not a fraction between 0 and 1.
    """
    base = stratified_rate(
        strata, statistic=statistic, group=group, limits="clopper_pearson", confidence=confidence, assumes=ANYTIME_ASSUMES,
        details=details,
    )  # fmt: skip
    filled = sorted((stratum for stratum in strata if stratum.size), key=lambda stratum: stratum.stratum)
    if not filled:
        return replace(base, method=ANYTIME_METHOD)
    chosen = [(priors or {}).get(stratum.stratum, prior_of(stratum.stratum)) for stratum in filled]
    found = anytime_set(filled, chosen, confidence=confidence)
    by_products = {**base.details, "priors": [[prior.a, prior.b] for prior in chosen]}
    if base.value is None:
        limits = {"anytime_bounds": [found.low, found.high]}
        return replace(base, method=ANYTIME_METHOD, details=by_products | limits)
    low, high = _shown(filled, found, base.value)
    return replace(base, method=ANYTIME_METHOD, low=low, high=high, details=by_products)


def _shown(strata: Sequence[StratumCount], found: Interval, value: float) -> tuple[float, float]:
    """Limits around the estimate, widened where whole totals would mislead.

    A mean that falls between two totals must lie inside; and a single total is only certain when every item is labelled, so
    while one is not the next possible total stays in.
    """
    low, high = min(found.low, value), max(found.high, value)
    size, open_items = sum(s.size for s in strata), sum(s.size - s.labelled for s in strata)
    if open_items and found.low == found.high:
        fewest = sum(stratum.events for stratum in strata)
        low, high = max(fewest / size, low - 1 / size), min((fewest + open_items) / size, high + 1 / size)
    return min(low, value), max(high, value)
