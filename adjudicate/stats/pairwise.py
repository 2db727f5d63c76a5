"""Every pair of raters: units in common, percent agreement and Cohen's kappa."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isnan
from typing import TYPE_CHECKING, Any

from adjudicate.core.present import is_few
from adjudicate.stats.agreement_coefficients import cohen_kappa
from adjudicate.stats.agreement_counts import Ratings, pair_cells, rating_array

if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy as np
    import numpy.typing as npt

    IntArray: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Pair:
    """Agreement of two raters over the units that both rated."""

    first: str
    second: str
    n_common: int
    percent: float | None
    """Share of common units with the same category, 0 to 1; None without a common unit."""
    kappa: float | None
    """Cohen's kappa; None where it is undefined (no common unit, or one category only)."""


def pairwise(ratings: Ratings, categories: Sequence[str]) -> tuple[Pair, ...]:
    """All pairs of raters, in their given order.

    Raises:
        ValueError: The ratings do not fit the raters or the categories.
    """
    return pairwise_of(ratings.raters, rating_array(ratings, len(categories)), len(categories))


def pairwise_of(raters: Sequence[str], array: IntArray, categories: int) -> tuple[Pair, ...]:
    """All pairs from a checked array, raters x units with -1 for none."""
    return tuple(
        _pair(raters[first], raters[second], array[first], array[second], categories)
        for first, second in combinations(range(len(raters)), 2)
    )


def mean_kappa(pairs: Sequence[Pair]) -> float | None:
    """Unweighted mean of the defined kappas; None without any."""
    defined = [pair.kappa for pair in pairs if pair.kappa is not None]
    return sum(defined) / len(defined) if defined else None


def pairs_as_json(pairs: Sequence[Pair]) -> list[dict[str, Any]]:
    """The pairs as flat objects for the details of an estimate."""
    return [
        {
            "first": pair.first,
            "second": pair.second,
            "n_common": pair.n_common,
            "percent": pair.percent,
            "kappa": pair.kappa,
            "few": is_few(pair.n_common),
        }
        for pair in pairs
    ]


def _pair(first: str, second: str, ratings: IntArray, others: IntArray, categories: int) -> Pair:
    table = pair_cells(ratings, others, categories).reshape(categories, categories)
    common = int(table.sum())
    if not common:
        return Pair(first, second, 0, None, None)
    kappa = float(cohen_kappa(table[None].astype(float))[0])
    return Pair(first, second, common, float(table.trace()) / common, None if isnan(kappa) else kappa)
