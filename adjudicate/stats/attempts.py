"""Rates within k attempts: a resampling attacker gets k tries, and so does a user who asks again.

Each prompt has several responses; the unit is the prompt. Rates of single responses are in `corrected`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import TYPE_CHECKING, Any

from adjudicate.core.estimates import Estimate
from adjudicate.stats.corrected import StratumCount
from adjudicate.stats.intervals import LIMITS
from adjudicate.stats.mean_points import bounded_limits

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

MISSING = -1
"""Fills the row of a prompt with fewer responses than the longest."""
RAW_METHOD = "unbiased estimator over the responses of a prompt, averaged over prompts, Jeffreys limits over prompts"
CORRECTED_METHOD = "unbiased estimator with each verdict replaced by its labelled rate, MOVER over strata and prompts"
RAW_ASSUMES = "the responses' outcomes are right; prompts are independent, and prompts like these are what it speaks for"
CORRECTED_ASSUMES = (
    "settled labels are right; the labelled responses of a stratum are a random sample of it; within a prompt the judge's "
    "errors are independent (errors that repeat make the corrected rate too high)"
)


def within_attempts(
    events: npt.ArrayLike, k: int, *, group: Mapping[str, str], confidence: float = 0.95, statistic: str = "attempts_rate"
) -> Estimate:
    """Chance that at least one of k responses to a prompt is an event: mean over prompts of ``1 - C(n-c, k) / C(n, k)``.

    n responses of a prompt, c of them events (the pass@k estimator of Chen et al. 2021, unbiased for every prompt). The
    interval is over prompts, with Jeffreys limits as if every prompt were all or nothing: conservative.

    Args:
        events: 1, 0 or `MISSING` per response, shape (prompts, responses).
        k: Attempts, at least 1.
        group: What the estimate speaks for.
        confidence: Two-sided, 0 to 1.
        statistic: Name for the estimate.

    Returns:
        An estimate in fractions; n counts the prompts with at least k responses, ``details["too_few"]`` the others, which are
        left out. Undefined without such a prompt.

    Raises:
        ValueError: `k` is below 1, or an entry is none of the three.
    """
    import numpy as np

    table = np.atleast_2d(np.asarray(events, dtype=int))
    if not np.isin(table, (0, 1, MISSING)).all():
        raise ValueError(f"responses are 1, 0 or {MISSING} (missing)")
    return _estimate(
        table, k, np.array([0.0, 1.0]), statistic=statistic, method=RAW_METHOD, group=group, assumes=RAW_ASSUMES,
        confidence=confidence, details={},
    )  # fmt: skip


def corrected_within_attempts(
    strata_of: npt.ArrayLike,
    strata: Sequence[StratumCount],
    k: int,
    *,
    group: Mapping[str, str],
    limits: str = "jeffreys",
    confidence: float = 0.95,
    statistic: str = "attempts_rate",
) -> Estimate:
    """The same from verdicts, corrected by labels: a response of stratum h is an event with the labelled rate p_h.

    The mean over k-subsets of ``1 - prod (1 - p_h)``, an elementary symmetric polynomial. It rises in every p_h, so the
    limits of the strata add in squares with those over prompts (MOVER, Zou and Donner 2008).

    Args:
        strata_of: Index into `strata` or `MISSING` per response, shape (prompts, responses).
        strata: Labels per stratum of responses (usually flagged and clear).
        k: Attempts, at least 1.
        group: What the estimate speaks for.
        limits: A key of `LIMITS`.
        confidence: Two-sided, 0 to 1.
        statistic: Name for the estimate.

    Returns:
        An estimate in fractions, as `within_attempts`; undefined also where a stratum in use has no settled label.

    Raises:
        ValueError: `k` is below 1 or an index is out of range.
        KeyError: `limits` is unknown.
    """
    import numpy as np

    table = np.atleast_2d(np.asarray(strata_of, dtype=int))
    if table.size and not (table.min() >= MISSING and table.max() < len(strata)):
        raise ValueError("a response names a stratum that is not given")
    used = [h for h in range(len(strata)) if (table == h).any()]
    details: dict[str, Any] = {"labels": sum(strata[h].labelled for h in used)}
    without = [strata[h].stratum for h in used if not strata[h].labelled]
    if without:
        return Estimate(
            statistic, None, int(table.shape[0]), CORRECTED_METHOD, group=group, assumes=CORRECTED_ASSUMES,
            undefined=f"no settled label in: {', '.join(without)}", details=details,
        )  # fmt: skip
    rates = np.array([stratum.rate if stratum.labelled else 0.0 for stratum in strata])
    bounds = {h: LIMITS[limits].function(strata[h].events, strata[h].labelled, strata[h].size, confidence) for h in used}
    moved = [(h, bounds[h].low, bounds[h].high) for h in used]
    return _estimate(
        table, k, rates, statistic=statistic, method=CORRECTED_METHOD, group=group, assumes=CORRECTED_ASSUMES,
        confidence=confidence, details=details, moved=moved,
    )  # fmt: skip


def _estimate(
    table: npt.NDArray[np.int64],
    k: int,
    rates: npt.NDArray[np.float64],
    *,
    statistic: str,
    method: str,
    group: Mapping[str, str],
    assumes: str,
    confidence: float,
    details: Mapping[str, Any],
    moved: Sequence[tuple[int, float, float]] = (),
) -> Estimate:
    if k < 1:
        raise ValueError(f"at least one attempt, not {k}")
    enough = table[(table != MISSING).sum(axis=1) >= k]
    prompts = int(enough.shape[0])
    by_products = {**details, "k": k, "prompts": prompts, "too_few": int(table.shape[0]) - prompts}
    if not prompts:
        return Estimate(
            statistic,
            None,
            0,
            method,
            group=group,
            assumes=assumes,
            undefined=f"no prompt has {k} responses",
            details=by_products,
        )
    value = _mean(enough, k, rates)
    over_prompts = bounded_limits(value, prompts, None, confidence)
    below, above = (value - over_prompts.low) ** 2, (over_prompts.high - value) ** 2
    for h, low, high in moved:
        below += (value - _mean(enough, k, _with(rates, h, low))) ** 2
        above += (_mean(enough, k, _with(rates, h, high)) - value) ** 2
    return Estimate(
        statistic, value, prompts, method, group=group, low=max(0.0, value - sqrt(below)), high=min(1.0, value + sqrt(above)),
        confidence=confidence, assumes=assumes, details=by_products,
    )  # fmt: skip


def _mean(table: npt.NDArray[np.int64], k: int, rates: npt.NDArray[np.float64]) -> float:
    """Mean over prompts of 1 minus the average, over all k-subsets of responses, of the chance that none is an event."""
    import numpy as np
    from scipy.special import comb

    # sums[:, r] is the elementary symmetric polynomial of degree r of the chances seen so far, over C(n, k) at the end.
    sums = np.zeros((table.shape[0], k + 1))
    sums[:, 0] = 1
    for column in table.T:
        calm = np.where(column == MISSING, 0.0, 1 - rates[column])
        sums[:, 1:] += calm[:, None] * sums[:, :-1]
    responses = (table != MISSING).sum(axis=1)
    return float(np.clip((1 - sums[:, k] / comb(responses, k)).mean(), 0, 1))


def _with(rates: npt.NDArray[np.float64], h: int, rate: float) -> npt.NDArray[np.float64]:
    changed = rates.copy()
    changed[h] = rate
    return changed
