"""Rates within k attempts: a resampling attacker gets k tries, and so does a user who asks again.

Each prompt has several responses; the unit is the prompt. Rates of single responses are in `corrected`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import TYPE_CHECKING, Any

from adjudicate.core.estimates import Estimate
from adjudicate.stats.corrected import StratumCount
from adjudicate.stats.intervals import LIMITS
from adjudicate.stats.mean_points import bounded_limits

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

MISSING, OPEN = -1, -2
"""`MISSING` fills the row of a prompt with fewer responses than the longest; `OPEN` is a response that could be either."""
OPEN_AS: Mapping[str, str] = {"unresolved": "unresolved_bounds", "judge_failed": "bounds"}
"""Why responses are open, as they are counted in the details, and what their bounds are called there."""
RAW_METHOD = "unbiased estimator over the responses of a prompt, averaged over prompts, Jeffreys limits over prompts"
CORRECTED_METHOD = "unbiased estimator with verdicts corrected by their labelled rates, MOVER over strata and prompts"
RAW_ASSUMES = "the responses' outcomes are right; prompts are independent, and prompts like these are what it speaks for"
CORRECTED_ASSUMES = (
    "settled labels are right; the labelled responses of a stratum are a random sample of it; the judge errs on each response "
    "anew, as often on one prompt as on another (where it repeats an error on a prompt, the corrected rate is too low)"
)
NO_TELLING = "verdicts do not tell events from others, so nothing shows whether events fall on the same prompts"


def within_attempts(
    events: npt.ArrayLike,
    k: int,
    *,
    group: Mapping[str, str],
    confidence: float = 0.95,
    prompts: npt.ArrayLike | None = None,
    open_as: str = "unresolved",
    statistic: str = "attempts_rate",
) -> Estimate:
    """Chance that at least one of k responses to a prompt is an event: mean over prompts of ``1 - C(n-c, k) / C(n, k)``.

    n responses of a prompt, c of them events (the pass@k estimator of Chen et al. 2021, unbiased for every prompt). The
    interval is over prompts, with Jeffreys limits as if every prompt were all or nothing: conservative.

    Args:
        events: 1, 0, `OPEN` or `MISSING` per response, shape (prompts, responses).
        k: Attempts, at least 1.
        group: What the estimate speaks for.
        confidence: Two-sided, 0 to 1.
        prompts: How many prompts each row stands for, shape (rows,); one by default.
        open_as: A key of `OPEN_AS`: why responses are open.
        statistic: Name for the estimate.

    Returns:
        An estimate in fractions; n counts the prompts with at least k responses that are not open, ``details["too_few"]`` the
        others, which are left out. Undefined without such a prompt. Open responses are counted, and bounded by the chances
        with all of them 0, and all of them 1.

    Raises:
        ValueError: `k` is below 1, or an entry is none of the four.
    """
    import numpy as np

    given = np.atleast_2d(np.asarray(events, dtype=int))
    if not np.isin(given, (0, 1, MISSING, OPEN)).all():
        raise ValueError(f"responses are 1, 0, {OPEN} (open) or {MISSING} (missing)")
    stands_for = _ones(given) if prompts is None else np.asarray(prompts, dtype=float)
    enough, details = _enough(_Asked(np.where(given == OPEN, MISSING, given), stands_for), k)
    details |= _if_all_alike(_Asked(given, stands_for), k, open_as)
    if not enough.count:
        return Estimate(statistic, None, 0, RAW_METHOD, group=group, assumes=RAW_ASSUMES, undefined=_too_few(k), details=details)
    value = _mean(enough, k, np.array([0.0, 1.0]))
    limits = bounded_limits(value, enough.count, None, confidence)
    return Estimate(
        statistic, value, enough.count, RAW_METHOD, group=group, low=limits.low, high=limits.high, confidence=confidence,
        assumes=RAW_ASSUMES, details=details,
    )  # fmt: skip


def _if_all_alike(asked: _Asked, k: int, open_as: str) -> dict[str, Any]:
    """Number of open responses, and the chances with all of them 0 and all of them 1; nothing where none is open."""
    import numpy as np

    count = int(asked.prompts @ (asked.table == OPEN).sum(axis=1))
    if not count:
        return {}
    filled = [replace(asked, table=np.where(asked.table == OPEN, every, asked.table)) for every in (0, 1)]
    ends = [_enough(each, k)[0] for each in filled]
    bounds = {OPEN_AS[open_as]: [_mean(end, k, np.array([0.0, 1.0])) for end in ends]} if ends[0].count else {}
    return {open_as: count, **bounds}


def corrected_within_attempts(
    strata_of: npt.ArrayLike,
    strata: Sequence[StratumCount],
    k: int,
    *,
    group: Mapping[str, str],
    prompts: npt.ArrayLike | None = None,
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
        prompts: How many prompts each row stands for, shape (rows,); one by default.
        limits: A key of `LIMITS`.
        confidence: Two-sided, 0 to 1.
        statistic: Name for the estimate.

    Returns:
        An estimate in fractions, as `within_attempts`: unresolved items and non-response are counted and bounded by the values
        with all of both 0, and all of both 1, in the labelled rates. Undefined also where a stratum in use has no settled
        label, and for more than one attempt where all strata have one rate: then ``details["bounds"]`` holds the two ends.

    Raises:
        ValueError: `k` is below 1 or an index is out of range.
        KeyError: `limits` is unknown.
    """
    import numpy as np

    table = np.atleast_2d(np.asarray(strata_of, dtype=int))
    if table.size and not (table.min() >= MISSING and table.max() < len(strata)):
        raise ValueError("a response names a stratum that is not given")
    used = [h for h in range(len(strata)) if (table == h).any()]
    asked = _Asked(table, _ones(table) if prompts is None else np.asarray(prompts, dtype=float))
    enough, details = _enough(asked, k)
    details["labels"] = sum(strata[h].labelled for h in used)
    details |= {kind: n for kind in ("unresolved", "non_response") if (n := sum(getattr(strata[h], kind) for h in used))}
    unlabelled = [strata[h].stratum for h in used if not strata[h].labelled]
    if unlabelled or not enough.count:
        reason = f"no settled label in: {', '.join(unlabelled)}" if unlabelled else _too_few(k)
        return Estimate(
            statistic, None, asked.count if unlabelled else 0, CORRECTED_METHOD, group=group, assumes=CORRECTED_ASSUMES,
            undefined=reason, details=details,
        )  # fmt: skip
    rates = np.array([stratum.rate if stratum.labelled else 0.0 for stratum in strata])
    sizes = np.array([stratum.size if stratum.labelled else 0 for stratum in strata], dtype=float)
    found = _corrected(enough, k, rates, sizes)
    if any(strata[h].open for h in used):
        ends = [end for every in (0, 1) for end in _corrected(enough, k, _with_open(strata, every), sizes).ends]
        details["unresolved_bounds"] = [min(*found.ends, *ends), max(*found.ends, *ends)]
    if found.value is None:
        return Estimate(
            statistic, None, enough.count, CORRECTED_METHOD, group=group, assumes=CORRECTED_ASSUMES, undefined=NO_TELLING,
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
        statistic, found.value, enough.count, CORRECTED_METHOD, group=group, low=max(0.0, found.value - sqrt(below)),
        high=min(1.0, found.value + sqrt(above)), confidence=confidence, assumes=CORRECTED_ASSUMES,
        details={**details, "if_unrelated": found.most},
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Asked:
    """Prompts with the same responses, counted together."""

    table: npt.NDArray[np.int64]
    """Shape (rows, responses)."""
    prompts: npt.NDArray[np.float64]
    """How many prompts each row stands for."""

    @property
    def count(self) -> int:
        """Prompts in all."""
        return int(self.prompts.sum())


def _ones(table: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    import numpy as np

    return np.ones(len(table))


def _enough(asked: _Asked, k: int) -> tuple[_Asked, dict[str, Any]]:
    """The prompts with at least k responses, and what to say about the others."""
    if k < 1:
        raise ValueError(f"at least one attempt, not {k}")
    kept = (asked.table != MISSING).sum(axis=1) >= k
    enough = _Asked(asked.table[kept], asked.prompts[kept])
    return enough, {"k": k, "prompts": enough.count, "too_few": asked.count - enough.count}


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


def _corrected(asked: _Asked, k: int, rates: npt.NDArray[np.float64], sizes: npt.NDArray[np.float64]) -> _Corrected:
    import numpy as np

    least, most = _mean(asked, 1, rates), _mean(asked, k, rates)
    counted = rates if k == 1 else _counted_as(rates, sizes)
    if counted is None:
        return _Corrected(None, least, most, asked.count)
    chances = _chances(asked.table, k, counted)
    mean = float(asked.prompts @ chances) / asked.count
    value = float(np.clip(mean, least, most))
    # Counting more or less than a whole event spreads the prompts more than all or nothing does.
    spread, most_spread = float(asked.prompts @ (chances - mean) ** 2) / asked.count, value * (1 - value)
    return _Corrected(value, least, most, asked.count * (min(1.0, most_spread / spread) if spread and most_spread else 1.0))


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


def _mean(asked: _Asked, k: int, counted: npt.NDArray[np.float64]) -> float:
    """Mean of the chances over prompts."""
    return min(1.0, max(0.0, float(asked.prompts @ _chances(asked.table, k, counted)) / asked.count))


def _with_open(strata: Sequence[StratumCount], every: int) -> npt.NDArray[np.float64]:
    """Rates of the strata with unresolved items and non-response all 0, or all 1."""
    import numpy as np

    return np.array([(s.events + every * s.open) / max(s.labelled + s.open, 1) for s in strata])


def _with(rates: npt.NDArray[np.float64], h: int, rate: float) -> npt.NDArray[np.float64]:
    changed = rates.copy()
    changed[h] = rate
    return changed
