"""Ratings as counts: units x categories, and the distinct rows of that matrix. Coefficients are `agreement_coefficients`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy as np
    import numpy.typing as npt

    IntArray: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Ratings:
    """Who put which unit into which category."""

    raters: tuple[str, ...]
    """Names of the raters, one per row of `matrix`."""
    matrix: Sequence[Sequence[int]] | IntArray
    """Position of the category in the declared list, raters x units; -1 where there is no rating."""


@dataclass(frozen=True, slots=True)
class Patterns:
    """Distinct rows of a count matrix and how many units share each."""

    counts: IntArray
    """Ratings per category, shape (patterns, categories)."""
    multiplicity: IntArray
    """Units with this row, shape (patterns,)."""

    @property
    def pairable_units(self) -> int:
        """Units with at least two ratings."""
        return int(self.multiplicity[self.counts.sum(axis=1) >= 2].sum())


def rating_array(ratings: Ratings, categories: int) -> IntArray:
    """The ratings as a checked array, raters x units.

    Raises:
        ValueError: Not one row per rater, or a rating outside -1 to `categories` - 1.
    """
    import numpy as np

    array: IntArray = np.asarray(ratings.matrix, dtype=np.int64)
    if array.size == 0:
        return np.full((len(ratings.raters), 0), -1, dtype=np.int64)
    if array.ndim != 2 or array.shape[0] != len(ratings.raters):
        raise ValueError(f"expected one row of ratings per rater, {len(ratings.raters)}; found shape {array.shape}")
    if int(array.min()) < -1 or int(array.max()) >= categories:
        raise ValueError(f"ratings must be -1 to {categories - 1}; found {int(array.min())} to {int(array.max())}")
    return array


def count_matrix(array: IntArray, categories: int) -> IntArray:
    """Ratings per unit and category, shape (units, categories), from raters x units with -1 for none."""
    import numpy as np

    return np.stack([(array == category).sum(axis=0) for category in range(categories)], axis=1)


def distinct_patterns(counts: IntArray) -> Patterns:
    """Distinct rows of a count matrix; units without any rating are left out.

    The order of the rows depends on the counts alone, not on the order of units or raters.
    """
    import numpy as np

    rated = counts[counts.sum(axis=1) > 0]
    most = int(rated.max(initial=0)) + 1
    if most ** counts.shape[1] < 2**62:
        # One integer per row: sorting integers is far quicker than sorting rows.
        places = most ** np.arange(counts.shape[1], dtype=np.int64)
        keys, multiplicity = np.unique(rated @ places, return_counts=True)
        return Patterns(keys[:, None] // places % most, multiplicity)
    rows, multiplicity = np.unique(rated, axis=0, return_counts=True)
    return Patterns(rows, multiplicity)


def pair_cells(first: IntArray, second: IntArray, categories: int) -> IntArray:
    """Table of two raters over the units both rated, flattened row by row: shape (categories * categories,).

    Args:
        first: Categories of the row rater, shape (units,), -1 for none.
        second: Categories of the column rater.
        categories: Number of declared categories.
    """
    import numpy as np

    both = (first >= 0) & (second >= 0)
    return np.bincount(first[both] * categories + second[both], minlength=categories * categories)
