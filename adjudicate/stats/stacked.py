"""Refusals of a stack (input filter, model, output filter) measured end to end: each layer's, its own alone, and all together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from adjudicate.core.estimates import Estimate
from adjudicate.stats.intervals import jeffreys

if TYPE_CHECKING:
    import numpy.typing as npt

NOT_REACHED = -1
"""A request that an earlier layer had refused, so that this layer never saw it."""
STACK = "all layers"
"""Name of the union in ``group["layer"]``."""
STACK_METHOD = "share of requests refused, Jeffreys limits"
STACK_ASSUMES = "each layer's refusals are recorded right; requests are independent"


def stacked_refusals(
    refused: npt.ArrayLike,
    layers: Sequence[str],
    *,
    group: Mapping[str, str],
    confidence: float = 0.95,
) -> list[Estimate]:
    """Share of requests of one population that each layer refused, and that the stack as a whole refused.

    Args:
        refused: 1, 0 or `NOT_REACHED`, shape (requests, layers), in the order in which a request meets them.
        layers: Their names.
        group: The population; ``layer`` is added.
        confidence: Two-sided, 0 to 1.

    Returns:
        One estimate ``refusal_rate`` per layer, among the requests that reached it, and one for `STACK`, among all. For a
        layer ``details["alone"]`` counts requests that no other layer refused: what would be let through without it (where
        every layer saw every request). Undefined where no request reached a layer.

    Raises:
        ValueError: A shape or value that does not fit.
    """
    import numpy as np

    table = np.asarray(refused, dtype=int)
    if table.ndim != 2 or table.shape[1] != len(layers) or not np.isin(table, (0, 1, NOT_REACHED)).all():
        raise ValueError(f"needs 1, 0 or {NOT_REACHED} per request and layer, {len(layers)} columns")
    stopped = table == 1
    requests, alone = int(table.shape[0]), stopped.sum(axis=1) == 1

    def counted(name: str, n: int, count: int, **more: int) -> Estimate:
        details = {"refused": count, **more, "requests": requests}
        return _estimate(n, count, {**group, "layer": name}, details, confidence)

    return [
        *(
            counted(name, int((table[:, place] != NOT_REACHED).sum()), int(stopped[:, place].sum()),
                    alone=int((stopped[:, place] & alone).sum()))
            for place, name in enumerate(layers)
        ),
        counted(STACK, requests, int(stopped.any(axis=1).sum())),
    ]  # fmt: skip


def _estimate(n: int, count: int, group: Mapping[str, str], details: Mapping[str, int], confidence: float) -> Estimate:
    if not n:
        reason = "no request reached this layer"
        return Estimate(
            "refusal_rate", None, 0, STACK_METHOD, group=group, assumes=STACK_ASSUMES, undefined=reason, details=details
        )
    limits = jeffreys(count, n, confidence)
    return Estimate(
        "refusal_rate", count / n, n, STACK_METHOD, group=group, low=limits.low, high=limits.high, confidence=confidence,
        assumes=STACK_ASSUMES, details=details,
    )  # fmt: skip
