"""The pairwise matrix of raters."""

from __future__ import annotations

import pytest

from adjudicate.stats.agreement_counts import Ratings
from adjudicate.stats.pairwise import mean_kappa, pairwise


def test_each_pair_is_compared_on_the_units_both_rated() -> None:
    ratings = Ratings(("a", "b", "c"), [[0, 1, 0, 1], [0, 1, 1, -1], [-1, -1, -1, 1]])
    first, second, third = pairwise(ratings, ("x", "y"))
    # a, b: 2 of 3 agree; po = 2/3, pe = (2/3)(1/3) + (1/3)(2/3) = 4/9, kappa = (2/9)/(5/9).
    assert (first.first, first.second, first.n_common) == ("a", "b", 3)
    assert first.percent == pytest.approx(2 / 3)
    assert first.kappa == pytest.approx(0.4)
    assert (second.n_common, second.percent, second.kappa) == (1, 1.0, None)
    assert (third.n_common, third.percent, third.kappa) == (0, None, None)
    assert mean_kappa((first, second, third)) == pytest.approx(0.4)


def test_ratings_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="-1 to 1"):
        pairwise(Ratings(("a", "b"), [[0, 2], [0, 1]]), ("x", "y"))
    with pytest.raises(ValueError, match="one row"):
        pairwise(Ratings(("a",), [[0, 1], [0, 1]]), ("x", "y"))
