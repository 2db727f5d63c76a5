"""Unit bootstrap over distinct patterns: equal units are interchangeable, so only their multiplicities are drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy as np
    import numpy.typing as npt

    FloatArray: TypeAlias = npt.NDArray[np.float64]
    IntArray: TypeAlias = npt.NDArray[np.int64]

RESAMPLES = 2000
FEWEST_UNITS = 10
"""Below this many units a percentile interval is not shown."""

_PLAIN_UP_TO = 1000
"""Up to this many units the plain multinomial is at least as fast as the split one."""
_BLOCK = 250
"""Replicates completed at a time, so that the working arrays stay in the cache."""
_KEPT = 32
"""Sets of resamples that are kept: several coefficients of a report ask for the same one."""
_KEPT_UP_TO = 50_000
"""Counts in a set that is kept, which bounds the memory for all of them by 13 MB."""


@dataclass(frozen=True, slots=True)
class Percentiles:
    """Percentile interval of a bootstrap, or the reason for having none."""

    low: float | None
    high: float | None
    degenerate: int
    """Resamples in which the statistic was undefined; they are left out of the percentiles."""
    reason: str | None = None
    """Why there is no interval."""


def resample(multiplicity: IntArray, *, seed: int, resamples: int = RESAMPLES) -> FloatArray:
    """Draw units with replacement and count them by pattern: rows are Multinomial(sum of counts, counts / sum).

    Args:
        multiplicity: Units per distinct pattern, shape (patterns,), at least one unit in all.
        seed: Any non-negative integer; equal seeds give equal draws.
        resamples: Replicates.

    Returns:
        Units per pattern in each replicate, shape (resamples, patterns), not to be written to; every row adds up to the
        number of units.
    """
    if multiplicity.size * resamples > _KEPT_UP_TO:
        return _drawn(multiplicity, seed, resamples)
    return _kept(tuple(multiplicity.tolist()), seed, resamples)


def _quantile(ordered: FloatArray, level: float) -> float:
    """As `numpy.quantile` interpolates, to the last bit; a report asks thousands of times, and there a call costs more."""
    place = level * (ordered.size - 1)
    before = min(int(place), ordered.size - 1)
    low, high = float(ordered[before]), float(ordered[min(before + 1, ordered.size - 1)])
    share = place - before
    return low + (high - low) * share if share < 0.5 else high - (high - low) * (1 - share)


@lru_cache(maxsize=_KEPT)
def _kept(multiplicity: tuple[int, ...], seed: int, resamples: int) -> FloatArray:
    import numpy as np

    weights = _drawn(np.array(multiplicity, dtype=np.int64), seed, resamples)
    weights.flags.writeable = False
    return weights


def _drawn(multiplicity: IntArray, seed: int, resamples: int) -> FloatArray:
    import numpy as np

    stream = np.random.default_rng(seed)
    plain = int(multiplicity.sum()) <= _PLAIN_UP_TO
    draw = _multinomial if plain else _split_multinomial
    return draw(stream, multiplicity, resamples)


def percentiles(
    statistic: Callable[[FloatArray], FloatArray], weights: FloatArray, *, value: float, confidence: float
) -> Percentiles:
    """Percentile interval of a statistic over resamples.

    Args:
        statistic: Maps weights of shape (resamples, patterns) to values of shape (resamples,), NaN where undefined.
        weights: As `resample` returns them.
        value: The point estimate; the interval is never allowed to exclude it.
        confidence: Two-sided, 0 to 1.
    """
    import numpy as np

    replicates = statistic(weights)
    defined = replicates[~np.isnan(replicates)]
    degenerate = int(replicates.size - defined.size)
    if not defined.size:
        return Percentiles(None, None, degenerate, "undefined in every resample")
    defined.sort()
    low, high = (_quantile(defined, level) for level in ((1 - confidence) / 2, (1 + confidence) / 2))
    if high - low < 1e-12:
        return Percentiles(None, None, degenerate, "all resamples agree: resampling cannot create what was never seen")
    return Percentiles(min(low, value), max(high, value), degenerate)


def _multinomial(stream: np.random.Generator, multiplicity: IntArray, rows: int) -> FloatArray:
    units = int(multiplicity.sum())
    return stream.multinomial(units, multiplicity / units, size=rows).astype(float)


def _split_multinomial(stream: np.random.Generator, multiplicity: IntArray, rows: int) -> FloatArray:
    """The same multinomial in a fifth of the time, exactly.

    Independent Poisson counts are multinomial given their total. Their mean total is set two standard deviations below
    the number of units; the rest of a row is drawn unit by unit, and a row that overshot is drawn afresh. Both
    completions are multinomial whatever the total was, hence so is the result.
    """
    import numpy as np

    units = int(multiplicity.sum())
    drawn = _poisson(stream, multiplicity * (1 - 2 / sqrt(units)), rows)
    pattern_of_unit = np.repeat(np.arange(multiplicity.size), multiplicity)
    for start in range(0, rows, _BLOCK):
        _complete(stream, drawn[:, start : start + _BLOCK], multiplicity, pattern_of_unit)
    return drawn.T


def _complete(stream: np.random.Generator, drawn: FloatArray, multiplicity: IntArray, pattern_of_unit: IntArray) -> None:
    """Bring every column of `drawn`, shape (patterns, rows), to the number of units, in place."""
    import numpy as np

    patterns, rows = drawn.shape
    missing = pattern_of_unit.size - drawn.sum(axis=0).astype(np.int64)
    overshot = missing < 0
    missing[overshot] = 0
    picked = pattern_of_unit[stream.integers(0, pattern_of_unit.size, size=int(missing.sum()))]
    cell = picked * rows + np.repeat(np.arange(rows), missing)
    drawn += np.bincount(cell, minlength=rows * patterns).reshape(patterns, rows)
    drawn[:, overshot] = _multinomial(stream, multiplicity, int(overshot.sum())).T


def _poisson(stream: np.random.Generator, means: npt.NDArray[np.floating[Any]], copies: int) -> FloatArray:
    """Independent Poisson counts, shape (means, copies).

    Equally distributed copies are a histogram of values, one multinomial, in random order. Values further than nine
    standard deviations from the mean, of probability below 1e-15, are left out.
    """
    import numpy as np
    from scipy.special import gammaln

    reach = 9 * np.sqrt(means) + 9
    values = np.maximum(0, np.floor(means - reach))[:, None] + np.arange(int(2 * reach.max()) + 2.0)
    density = np.exp(values * np.log(means)[:, None] - means[:, None] - gammaln(values + 1))
    histogram = stream.multinomial(copies, density / density.sum(axis=1, keepdims=True))
    counts: FloatArray = np.repeat(values.ravel(), histogram.ravel()).reshape(means.size, copies)
    stream.permuted(counts, axis=1, out=counts)
    return counts
