"""The vectorised coefficients agree with the package on resampled data."""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest

from adjudicate.stats.agreement_coefficients import nominal_alpha, ordinal_alpha
from adjudicate.stats.agreement_counts import count_matrix, distinct_patterns


@pytest.mark.parametrize(("level", "function"), [("nominal", nominal_alpha), ("ordinal", ordinal_alpha)])
def test_alpha_of_weighted_patterns_is_the_packages_alpha_of_repeated_units(level: str, function: object) -> None:
    random = np.random.default_rng(5)
    matrix = random.integers(-1, 4, (4, 60))
    patterns = distinct_patterns(count_matrix(matrix, 4))
    weights = random.multinomial(60, patterns.multiplicity / patterns.multiplicity.sum(), size=20)
    ours = function(weights.astype(float), patterns.counts)  # type: ignore[operator]
    for row, value in zip(weights, ours, strict=True):
        counts = np.repeat(patterns.counts, row, axis=0)
        theirs = krippendorff.alpha(value_counts=counts, level_of_measurement=level)  # type: ignore[arg-type]
        assert value == pytest.approx(theirs, abs=1e-9)


def test_patterns_hold_every_rated_unit_once() -> None:
    matrix = np.array([[0, 1, 1, -1, 0], [0, 1, -1, -1, 0]])
    patterns = distinct_patterns(count_matrix(matrix, 2))
    assert int(patterns.multiplicity.sum()) == 4
    assert sorted(map(tuple, patterns.counts.tolist())) == [(0, 1), (0, 2), (2, 0)]
    assert patterns.pairable_units == 3


def test_patterns_too_many_for_one_integer_are_found_all_the_same() -> None:
    # 100 ratings of 10 categories do not fit 62 bits: 101^10 > 2^62.
    matrix = np.random.default_rng(2).integers(0, 10, (100, 7))
    patterns = distinct_patterns(count_matrix(matrix, 10))
    assert patterns.counts.sum(axis=1).tolist() == [100] * 7
