"""How much more an estimate varies because items come in clusters: turns of a conversation, answers to a prompt, pairs.

The effect is estimated once over the whole sample; what it does to the limits of every stratum is in `stratum_bounds`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

FEWEST_CLUSTERS = 2
TOO_FEW = "fewer than two clusters are labelled"


@dataclass(frozen=True, slots=True)
class DesignEffect:
    """How much more an estimate varies because items come in clusters."""

    value: float
    """Variance with clusters over variance without, at least 1."""
    clusters: int
    """Clusters among the labelled items."""
    n: int
    """Labelled items."""
    estimated: bool
    """False where no spread was seen (no event, or nothing else): then the value is the largest possible one."""

    @property
    def effective_n(self) -> float:
        """Independent items that would be as precise: n / value."""
        return self.n / self.value

    @property
    def lacking(self) -> str | None:
        """Why no limits can be given: one cluster says nothing about variation between clusters. None where they can."""
        return TOO_FEW if self.clusters < FEWEST_CLUSTERS else None

    def as_details(self) -> dict[str, Any]:
        """For the details of an estimate."""
        return {
            "design_effect": self.value, "design_effect_estimated": self.estimated, "clusters": self.clusters,
            "effective_n": self.effective_n,
        }  # fmt: skip


class Clustered(NamedTuple):
    """One labelled unit: an item, or a prompt with a label on both sides."""

    cluster: str
    stratum: str
    value: float
    """1 for an event and 0 for another outcome, -1 to 1 for a change, or what it adds to a ratio."""


def in_clusters(clusters: Iterable[str]) -> bool:
    """Whether any two units share a cluster."""
    each = list(clusters)
    return len(set(each)) < len(each)


def effect_on_process(units: Iterable[Clustered], sizes: Mapping[str, int]) -> DesignEffect | None:
    """`process_design_effect` of a weighted mean; None where no two units share a cluster.

    Args:
        units: All labelled units.
        sizes: Units per stratum in the frame, N_h, of at least the strata that occur.
    """
    rows = list(units)
    if not in_clusters(row.cluster for row in rows):
        return None
    return process_design_effect(
        [row.cluster for row in rows], [row.value for row in rows], strata=[row.stratum for row in rows], sizes=sizes
    )


def design_effect(
    clusters: Sequence[str] | npt.NDArray[np.int64],
    values: npt.ArrayLike,
    *,
    strata: Sequence[str] | npt.NDArray[np.int64] | None = None,
    weights: npt.ArrayLike | None = None,
) -> DesignEffect:
    """``deff = Var_cluster / Var_SRS`` of a (stratified) mean by linearisation, floored at 1.

    Residuals ``w (y - mean_h)`` are summed within clusters: ``C/(C-1) sum_c e_c^2`` over ``n/(n-1) sum_i e_i^2`` (Kish 1965).

    Args:
        clusters: Cluster of each labelled item, shape (n,).
        values: y, 0 or 1 per item for a rate, shape (n,).
        strata: Stratum of each item; one for all by default.
        weights: 1 / inclusion probability per item; equal by default.

    Returns:
        Where no residual differs from 0, and with fewer than two clusters, the largest effect possible, ``sum m_c^2 / n`` (all
        items of a cluster alike).

    Raises:
        ValueError: Shapes differ.
    """
    import numpy as np

    y = np.asarray(values, dtype=float)
    _, cluster, sizes = np.unique(np.asarray(clusters), return_inverse=True, return_counts=True)
    _, stratum = np.unique(np.zeros(y.size) if strata is None else np.asarray(strata), return_inverse=True)
    w = np.ones(y.size) if weights is None else np.asarray(weights, dtype=float)
    if not y.shape == cluster.shape == stratum.shape == w.shape:
        raise ValueError("needs one cluster, value, stratum and weight per labelled item")
    n, count = int(y.size), int(sizes.size)
    largest = DesignEffect(max(1.0, float((sizes**2).sum()) / max(n, 1)), count, n, estimated=False)
    if count < FEWEST_CLUSTERS:
        return largest
    means = np.bincount(stratum, w * y) / np.bincount(stratum, w)
    residual = w * (y - means[stratum])
    plain = n / (n - 1) * float((residual**2).sum())
    if plain <= 1e-12:
        return largest
    clustered = count / (count - 1) * float((np.bincount(cluster, residual) ** 2).sum())
    return DesignEffect(max(1.0, clustered / plain), count, n, estimated=True)


def process_design_effect(
    clusters: Sequence[str] | npt.NDArray[np.int64],
    values: npt.ArrayLike,
    *,
    strata: Sequence[str],
    sizes: Mapping[str, int],
) -> DesignEffect:
    """The design effect for prompts like these: clusters spread the strata themselves too, not just the labels within them.

    The estimate varies with the sizes of the strata, ``sum (mean_h - t)`` over all items, and with the residuals of the labelled
    ones, ``sum w (y - mean_h)``. Both are summed within clusters and squared; products over two items of a cluster that need
    both to be drawn are weighted by w w' (Horvitz and Thompson 1952). That is for items drawn one by one; where whole clusters
    are drawn it is too large.

    Args:
        clusters: Cluster of each labelled item, shape (n,).
        values: y, 0 or 1 per item for a rate, shape (n,).
        strata: Stratum of each item.
        sizes: Items per stratum in the frame, N_h, of at least the strata that occur.

    Returns:
        As `design_effect`, which is what it falls back to where nothing varies.

    Raises:
        ValueError: Shapes differ.
    """
    import numpy as np

    plain = design_effect(clusters, values, strata=strata)
    if plain.lacking is not None:
        return plain
    y = np.asarray(values, dtype=float)
    names, stratum = np.unique(np.asarray(strata), return_inverse=True)
    _, cluster = np.unique(np.asarray(clusters), return_inverse=True)
    labelled, frame = np.bincount(stratum), np.array([sizes[str(name)] for name in names], dtype=float)
    means = np.bincount(stratum, y) / labelled
    w = (frame / labelled)[stratum]
    within, between = w * (y - means[stratum]), w * (means - frame @ means / frame.sum())[stratum]
    apart = float((within**2).sum()) * y.size / (y.size - 1) + float((between**2 / w).sum())
    if apart <= 1e-12:
        return plain
    sums, frames = np.bincount(cluster, within), np.bincount(cluster, between)
    crossed = float((frames**2).sum() - (between**2).sum() + 2 * ((sums * frames).sum() - (within * between).sum()))
    together = plain.clusters / (plain.clusters - 1) * (float((sums**2).sum()) + crossed) + float((between**2 / w).sum())
    return DesignEffect(max(1.0, together / apart), plain.clusters, plain.n, estimated=True)
