"""Unit bootstrap over distinct patterns: equal units are interchangeable, so only their multiplicities are drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

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
_CHUNK = 500
"""Replicates drawn by one stream; fixed, so that a seed gives the same draw on any number of cores."""


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
        Units per pattern in each replicate, shape (resamples, patterns); every row adds up to the number of units.
    """
    import numpy as np

    if int(multiplicity.sum()) <= _PLAIN_UP_TO:
        return _multinomial(np.random.default_rng(seed), multiplicity, resamples).astype(np.float64)
    from concurrent.futures import ThreadPoolExecutor

    rows = [min(_CHUNK, resamples - start) for start in range(0, resamples, _CHUNK)]
    streams = [np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(len(rows))]
    with ThreadPoolExecutor(max_workers=2) as pool:
        drawn = list(pool.map(lambda stream, count: _poissonised(stream, multiplicity, count), streams, rows))
    return np.concatenate(drawn).astype(np.float64)


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
    low, high = (float(limit) for limit in np.quantile(defined, [(1 - confidence) / 2, (1 + confidence) / 2]))
    if high - low < 1e-12:
        return Percentiles(None, None, degenerate, "all resamples agree: resampling cannot create what was never seen")
    return Percentiles(min(low, value), max(high, value), degenerate)


def _multinomial(stream: np.random.Generator, multiplicity: IntArray, rows: int) -> IntArray:
    return stream.multinomial(int(multiplicity.sum()), multiplicity / multiplicity.sum(), size=rows)


def _poissonised(stream: np.random.Generator, multiplicity: IntArray, rows: int) -> IntArray:
    """The same multinomial in half the time, exactly.

    Independent Poisson counts are multinomial given their total. Their mean total is set two standard deviations below
    the number of units; the rest of a row is drawn unit by unit, and a row that overshot is drawn afresh. Both
    completions are multinomial whatever the total was, hence so is the result.
    """
    import numpy as np

    units, patterns = int(multiplicity.sum()), multiplicity.size
    drawn: IntArray = stream.poisson(multiplicity * (1 - 2 / sqrt(units)), size=(rows, patterns))
    missing = units - drawn.sum(axis=1)
    overshot = missing < 0
    missing[overshot] = 0
    pattern_of_unit = np.repeat(np.arange(patterns), multiplicity)
    picked = pattern_of_unit[stream.integers(0, units, size=int(missing.sum()))]
    cell = np.repeat(np.arange(rows) * patterns, missing) + picked
    drawn += np.bincount(cell, minlength=rows * patterns).reshape(rows, patterns)
    drawn[overshot] = _multinomial(stream, multiplicity, int(overshot.sum()))
    return drawn
