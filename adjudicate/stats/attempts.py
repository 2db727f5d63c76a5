"""Rates within k attempts: a resampling attacker gets k tries, and so does a user who asks again.

Each prompt has several responses; the unit is the prompt. Rates of single responses are in `corrected`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
CORRECTED_METHOD = "unbiased estimator with verdicts corrected by their labelled rates, MOVER over strata and prompts"
RAW_ASSUMES = "the responses' outcomes are right; prompts are independent, and prompts like these are what it speaks for"
CORRECTED_ASSUMES = (
    "settled labels are right; the labelled responses of a stratum are a random sample of it; the judge errs on each response "
    "anew, as often on one prompt as on another (where it repeats an error on a prompt, the corrected rate is too low)"
)
NO_TELLING = "verdicts do not tell events from others, so nothing shows whether events fall on the same prompts"


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
    enough, details = _enough(table, k)
    if not enough.size:
        return Estimate(statistic, None, 0, RAW_METHOD, group=group, assumes=RAW_ASSUMES, undefined=_too_few(k), details=details)
    value = _mean(_chances(enough, k, np.array([0.0, 1.0])))
    limits = bounded_limits(value, len(enough), None, confidence)
    return Estimate(
        statistic, value, len(enough), RAW_METHOD, group=group, low=limits.low, high=limits.high, confidence=confidence,
        assumes=RAW_ASSUMES, details=details,
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
    """The same from verdicts, corrected by labels, for prompts that differ as much as they like.

    Labelled rates p_h say how a response of stratum h counts in place of its unknown outcome: as ``z_h``, linear in p_h, with
    a mean of 1 over events and 0 over the others; for two strata that is ``(f - (1 - sp)) / (se + sp - 1)`` (Rogan and Gladen
    1978, with sensitivity and specificity from these labels). The product of ``1 - z_h`` over k responses then has the
    expectation of "no event among them" whatever the prompt. Putting p_h itself in place of z_h would take the events of a
    prompt for unrelated given their verdicts: at 20 % and prompts that mostly always or never succeed, 52 % within five
    attempts instead of 39 %.

    The value is kept between the rate of one attempt and that of unrelated events, ``details["if_unrelated"]``. MOVER (Zou and
    Donner 2008): distances to the values at the limits of every stratum add in squares with those over prompts.

    Args:
        strata_of: Index into `strata` or `MISSING` per response, shape (prompts, responses).
        strata: Labels per stratum of responses (usually flagged and clear).
        k: Attempts, at least 1.
        group: What the estimate speaks for.
        limits: A key of `LIMITS`.
        confidence: Two-sided, 0 to 1.
        statistic: Name for the estimate.

    Returns:
        An estimate in fractions, as `within_attempts`; undefined also where a stratum in use has no settled label, and for
        more than one attempt where all strata have one rate: then ``details["bounds"]`` holds the two ends.

    Raises:
        ValueError: `k` is below 1 or an index is out of range.
        KeyError: `limits` is unknown.
    """
    import numpy as np

    table = np.atleast_2d(np.asarray(strata_of, dtype=int))
    if table.size and not (table.min() >= MISSING and table.max() < len(strata)):
        raise ValueError("a response names a stratum that is not given")
    used = [h for h in range(len(strata)) if (table == h).any()]
    enough, details = _enough(table, k)
    details["labels"] = sum(strata[h].labelled for h in used)
    unlabelled = [strata[h].stratum for h in used if not strata[h].labelled]
    if unlabelled or not enough.size:
        reason = f"no settled label in: {', '.join(unlabelled)}" if unlabelled else _too_few(k)
        return Estimate(
            statistic, None, int(table.shape[0]) if unlabelled else 0, CORRECTED_METHOD, group=group, assumes=CORRECTED_ASSUMES,
            undefined=reason, details=details,
        )  # fmt: skip
    rates = np.array([stratum.rate if stratum.labelled else 0.0 for stratum in strata])
    sizes = np.array([stratum.size if stratum.labelled else 0 for stratum in strata], dtype=float)
    found = _corrected(enough, k, rates, sizes)
    if found.value is None:
        return Estimate(
            statistic, None, len(enough), CORRECTED_METHOD, group=group, assumes=CORRECTED_ASSUMES, undefined=NO_TELLING,
            details={**details, "bounds": [found.least, found.most]},
        )  # fmt: skip
    over_prompts = bounded_limits(found.value, found.prompts, None, confidence)
    below, above = (found.value - over_prompts.low) ** 2, (over_prompts.high - found.value) ** 2
    for h in used:
        bound = LIMITS[limits].function(strata[h].events, strata[h].labelled, strata[h].size, confidence)
        ends = [end for rate in (bound.low, bound.high) for end in _corrected(enough, k, _with(rates, h, rate), sizes).ends]
        below += (found.value - min(found.value, *ends)) ** 2
        above += (max(found.value, *ends) - found.value) ** 2
    return Estimate(
        statistic, found.value, len(enough), CORRECTED_METHOD, group=group, low=max(0.0, found.value - sqrt(below)),
        high=min(1.0, found.value + sqrt(above)), confidence=confidence, assumes=CORRECTED_ASSUMES,
        details={**details, "if_unrelated": found.most},
    )  # fmt: skip


def _enough(table: npt.NDArray[np.int64], k: int) -> tuple[npt.NDArray[np.int64], dict[str, Any]]:
    """Rows of the prompts with at least k responses, and what to say about the others."""
    if k < 1:
        raise ValueError(f"at least one attempt, not {k}")
    enough = table[(table != MISSING).sum(axis=1) >= k]
    return enough, {"k": k, "prompts": len(enough), "too_few": len(table) - len(enough)}


def _too_few(k: int) -> str:
    return f"no prompt has {k} responses"


@dataclass(frozen=True, slots=True)
class _Corrected:
    """The corrected rate within k attempts at given rates of the strata."""

    value: float | None
    """None where the strata have one rate."""
    least: float
    """The rate of one attempt: the value if all events of a prompt came together."""
    most: float
    """The value if the events of a prompt were unrelated given their verdicts."""
    prompts: float
    """All-or-nothing prompts that would be as informative, at most the number of prompts."""

    @property
    def ends(self) -> tuple[float, ...]:
        return (self.least, self.most) if self.value is None else (self.value,)


def _corrected(
    table: npt.NDArray[np.int64], k: int, rates: npt.NDArray[np.float64], sizes: npt.NDArray[np.float64]
) -> _Corrected:
    import numpy as np

    least, most = _mean(_chances(table, 1, rates)), _mean(_chances(table, k, rates))
    counted = rates if k == 1 else _counted_as(rates, sizes)
    if counted is None:
        return _Corrected(None, least, most, len(table))
    chances = _chances(table, k, counted)
    value = float(np.clip(chances.mean(), least, most))
    # Counting more or less than a whole event spreads the prompts more than all or nothing does.
    spread, most_spread = float(chances.var()), value * (1 - value)
    return _Corrected(value, least, most, len(table) * (min(1.0, most_spread / spread) if spread and most_spread else 1.0))


def _counted_as(rates: npt.NDArray[np.float64], sizes: npt.NDArray[np.float64]) -> npt.NDArray[np.float64] | None:
    """``z_h = (p_h - m_0) / (m_1 - m_0)``, m_1 and m_0 the mean of p over events and over the others; None for one rate only."""
    happened, others = sizes * rates, sizes * (1 - rates)
    if not happened.sum() or not others.sum():
        return rates
    mean, other = float(happened @ rates / happened.sum()), float(others @ rates / others.sum())
    return (rates - other) / (mean - other) if mean - other > 1e-9 else None


def _chances(table: npt.NDArray[np.int64], k: int, counted: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Per prompt, 1 minus the average over all k-subsets of responses of the product of ``1 - counted``; shape (prompts,)."""
    import numpy as np
    from scipy.special import comb

    # sums[:, r] is the elementary symmetric polynomial of degree r of what was seen so far, over C(n, k) at the end.
    sums = np.zeros((table.shape[0], k + 1))
    sums[:, 0] = 1
    for column in table.T:
        calm = np.where(column == MISSING, 0.0, 1 - counted[column])
        sums[:, 1:] += calm[:, None] * sums[:, :-1]
    responses = (table != MISSING).sum(axis=1)
    return np.asarray(1 - sums[:, k] / comb(responses, k))


def _mean(chances: npt.NDArray[np.float64]) -> float:
    import numpy as np

    return float(np.clip(chances.mean(), 0, 1))


def _with(rates: npt.NDArray[np.float64], h: int, rate: float) -> npt.NDArray[np.float64]:
    changed = rates.copy()
    changed[h] = rate
    return changed
