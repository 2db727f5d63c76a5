"""Weighted confusion matrix of a judge against gold, and the coefficients that need nothing but the matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy as np
    import numpy.typing as npt

    FloatArray: TypeAlias = npt.NDArray[np.float64]

JUDGE_FAILED = "judge failed"
"""Class of a verdict that names no outcome; never a gold label."""


@dataclass(frozen=True, slots=True)
class Confusion:
    """Gold in rows, verdicts in columns."""

    labels: tuple[str, ...]
    """Classes of rows and columns."""
    matrix: FloatArray
    """Sum of weights per cell, shape (labels, labels)."""

    def without(self, label: str) -> Confusion:
        """The same without one class."""
        keep = [place for place, name in enumerate(self.labels) if name != label]
        return Confusion(tuple(self.labels[place] for place in keep), self.matrix[keep][:, keep])

    def collapsed(self, counts: Sequence[str]) -> Confusion:
        """The two classes *event* (any of `counts`) and *other*."""
        import numpy as np

        event = np.array([name in counts for name in self.labels])
        rows = np.stack([self.matrix[~event].sum(axis=0), self.matrix[event].sum(axis=0)])
        return Confusion(("other", "event"), np.stack([rows[:, ~event].sum(axis=1), rows[:, event].sum(axis=1)], axis=1))


def confusion(
    gold: Sequence[str], verdicts: Sequence[str | None], weights: Sequence[float], outcomes: Sequence[str]
) -> Confusion:
    """Confusion matrix over the outcomes of the policy plus *judge failed*, through scikit-learn.

    Args:
        gold: Gold outcomes, one per item, at least one.
        verdicts: Verdicts in the same order; None where the judge failed.
        weights: Positive weights in the same order.
        outcomes: Every outcome of the policy.

    Raises:
        ValueError: A gold label or verdict that the policy does not name.
    """
    import numpy as np
    from sklearn.metrics import confusion_matrix

    labels = (*outcomes, JUDGE_FAILED)
    code: dict[str | None, int] = {label: place for place, label in enumerate(labels)}
    code[None] = len(outcomes)
    unknown = {label for label in (*gold, *verdicts) if label is not None and label not in outcomes}
    if unknown:
        raise ValueError(f"not an outcome of the policy: {', '.join(sorted(unknown))}")
    matrix = confusion_matrix(
        np.array([code[label] for label in gold]),
        np.array([code[label] for label in verdicts]),
        labels=np.arange(len(labels)),
        sample_weight=np.asarray(weights, dtype=float),
    )
    return Confusion(labels, np.asarray(matrix, dtype=float))


def kappa(table: Confusion) -> float | None:
    """Cohen's kappa (1960) through scikit-learn, each cell one weighted sample; None where gold and judge name one class."""
    shares = table.matrix / table.matrix.sum()
    if float(shares.sum(axis=0) @ shares.sum(axis=1)) > 1 - 1e-12:
        return None
    from sklearn.metrics import cohen_kappa_score

    rows, columns = _cells(table)
    return float(cohen_kappa_score(rows, columns, sample_weight=table.matrix.ravel()))


def mcc(table: Confusion) -> float | None:
    """Matthews' coefficient for any number of classes (Gorodkin 2004) through scikit-learn.

    Returns:
        None where gold, or the judge, names one class only: the coefficient is 0/0 there.
    """
    if min(int((table.matrix.sum(axis=axis) > 0).sum()) for axis in (0, 1)) < 2:
        return None
    from sklearn.metrics import matthews_corrcoef

    rows, columns = _cells(table)
    return float(matthews_corrcoef(rows, columns, sample_weight=table.matrix.ravel()))


def _cells(table: Confusion) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    import numpy as np

    rows, columns = np.indices(table.matrix.shape).reshape(2, -1)
    return rows, columns
