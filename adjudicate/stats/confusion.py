"""Weighted confusion matrix of a judge against gold, and the coefficients that need nothing but the matrix.

A report makes thousands of these small tables. scikit-learn gives the same numbers to the last bit (a test compares them),
but checks its arguments a hundred times longer than the sums take.
"""

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
    """Confusion matrix over the outcomes of the policy plus *judge failed*.

    Args:
        gold: Gold outcomes, one per item, at least one.
        verdicts: Verdicts in the same order; None where the judge failed.
        weights: Positive weights in the same order.
        outcomes: Every outcome of the policy.

    Raises:
        ValueError: A gold label or verdict that the policy does not name.
    """
    import numpy as np

    labels = (*outcomes, JUDGE_FAILED)
    code: dict[str | None, int] = {label: place for place, label in enumerate(labels)}
    code[None] = len(outcomes)
    unknown = {label for label in {*gold, *verdicts} if label is not None and label not in outcomes}
    if unknown:
        raise ValueError(f"not an outcome of the policy: {', '.join(sorted(unknown))}")
    cells = [code[one] * len(labels) + code[other] for one, other in zip(gold, verdicts, strict=True)]
    matrix = np.bincount(cells, weights=np.asarray(weights, dtype=float), minlength=len(labels) ** 2)
    return Confusion(labels, np.asarray(matrix, dtype=float).reshape(len(labels), len(labels)))


def kappa(table: Confusion) -> float | None:
    """Cohen's kappa (1960): ``1 - disagreement / disagreement expected by chance``, in the weights of the table.

    Returns:
        None where gold and judge name one and the same class: no disagreement is possible.
    """
    import numpy as np

    shares = table.matrix / table.matrix.sum()
    if float(shares.sum(axis=0) @ shares.sum(axis=1)) > 1 - 1e-12:
        return None
    gold, judged = table.matrix.sum(axis=1), table.matrix.sum(axis=0)
    differs = 1 - np.eye(len(table.labels))
    expected = np.outer(judged, gold) / judged.sum()
    return float(1 - (differs * table.matrix).sum() / (differs * expected).sum())


def mcc(table: Confusion) -> float | None:
    """Matthews' coefficient for any number of classes (Gorodkin 2004), in the weights of the table.

    Returns:
        None where gold, or the judge, names one class only: the coefficient is 0/0 there.
    """
    import numpy as np

    gold, judged = table.matrix.sum(axis=1), table.matrix.sum(axis=0)
    if min(int((side > 0).sum()) for side in (gold, judged)) < 2:
        return None
    total = judged.sum()
    together = np.trace(table.matrix) * total - np.dot(gold, judged)
    return float(together / np.sqrt((total**2 - np.dot(judged, judged)) * (total**2 - np.dot(gold, gold))))


def f1(table: Confusion) -> float | None:
    """Harmonic mean of sensitivity and positive predictive value: ``2 tp / (2 tp + fp + fn)``, 0 to 1.

    Args:
        table: Two classes, as `Confusion.collapsed` gives them.

    Returns:
        None where neither gold nor judge names the event.
    """
    (_, fp), (fn, tp) = table.matrix.tolist()
    return float(2 * tp / (2 * tp + fp + fn)) if tp + fp + fn else None


def youden_j(table: Confusion) -> float | None:
    """Sensitivity + specificity - 1 (Youden 1950), -1 to 1; 0 is a judge that tells nothing.

    Args:
        table: Two classes, as `Confusion.collapsed` gives them.

    Returns:
        None where gold names one class only.
    """
    (tn, fp), (fn, tp) = table.matrix.tolist()
    return float(tp / (tp + fn) + tn / (tn + fp) - 1) if tp + fn and tn + fp else None
