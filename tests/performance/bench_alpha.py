"""Nominal alpha with a 2,000-replicate unit bootstrap: ours against looping the `krippendorff` package, in one run.

    python tests/performance/bench_alpha.py [--loops 100]

5 raters x 10,000 units, 5 categories, 20% missing. The peer resamples columns of the raw matrix and computes alpha for each;
`--loops` of its 2,000 loops are timed and scaled up; both sides count with their median, on this machine as it is.
"""

from __future__ import annotations

import argparse
import time

import krippendorff
import numpy as np

from adjudicate.stats.agreement import alpha_estimate
from adjudicate.stats.agreement_counts import Ratings

RATERS, UNITS, CATEGORIES, MISSING, RESAMPLES = 5, 10_000, 5, 0.2, 2000


def ratings() -> np.ndarray:
    """Ratings that agree with a common truth seven times in ten, raters x units, -1 for missing."""
    random = np.random.default_rng(20263)
    truth = random.integers(0, CATEGORIES, UNITS)
    noise = random.integers(0, CATEGORIES, (RATERS, UNITS))
    matrix = np.where(random.random((RATERS, UNITS)) < 0.7, truth, noise)
    matrix[random.random((RATERS, UNITS)) < MISSING] = -1
    return matrix


def ours(matrix: np.ndarray, repeats: int = 7) -> float:
    """Seconds for the point estimate and all replicates, median of several runs after one to warm up."""
    names, categories = tuple("abcde"), tuple("12345")
    times = []
    for _ in range(repeats + 1):
        start = time.perf_counter()
        alpha_estimate(Ratings(names, matrix), categories, group={}, seed=1, resamples=RESAMPLES)
        times.append(time.perf_counter() - start)
    return float(np.median(times[1:]))


def peer(matrix: np.ndarray, loops: int) -> float:
    """Seconds for 2,000 loops of the package, from the median of `loops` after one to warm up."""
    random = np.random.default_rng(1)
    raw = np.where(matrix < 0, np.nan, matrix)
    krippendorff.alpha(reliability_data=raw, level_of_measurement="nominal")
    times = []
    for _ in range(loops):
        start = time.perf_counter()
        columns = random.integers(0, UNITS, UNITS)
        krippendorff.alpha(reliability_data=raw[:, columns], level_of_measurement="nominal")
        times.append(time.perf_counter() - start)
    return float(np.median(times)) * RESAMPLES


def main() -> None:
    """Print both times and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--loops", type=int, default=100, help="loops of the peer to time, up to 2000")
    loops = min(parser.parse_args().loops, RESAMPLES)
    matrix = ratings()
    mine, theirs = ours(matrix), peer(matrix, loops)
    how = f"2,000 x the median of {loops} loops"
    print(f"ours   {mine * 1000:10.1f} ms   2,000 replicates and the point estimate")
    print(f"peer   {theirs * 1000:10.1f} ms   {how}")
    print(f"ratio  {theirs / mine:10.0f} x")


if __name__ == "__main__":
    main()
