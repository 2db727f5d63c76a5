"""Where is a judge biased? Its rate against the human rate in every slice, with the price of many tests named.

Slices (population, category, language, length band, turn count, policy clause) are keys that the caller gives each item.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from adjudicate.core.estimates import Estimate
from adjudicate.core.present import is_few
from adjudicate.stats.multiplicity import benjamini_hochberg, holm
from adjudicate.stats.paired import PairedTable, mcnemar, tango

METHOD = "judge's rate minus human rate, Tango score interval, exact McNemar test"
ASSUMES = (
    "gold labels are right; speaks for the labelled items of the slice, unweighted; use the Holm value for claims, "
    "Benjamini-Hochberg for deciding where to look"
)
ALL_FAILED = "the judge failed on every labelled item of the slice"


@dataclass(frozen=True, slots=True)
class SlicedItem:
    """One labelled item as a slice sees it."""

    item_id: str
    event: bool
    """Whether the gold label is an event of the rate."""
    flagged: bool | None
    """Whether the verdict is; None where the judge failed."""
    slices: Mapping[str, str]
    """Dimension -> value, e.g. ``{"language": "de", "length": "over 2,000 characters"}``; an item is left out of dimensions that
    it does not name."""


def judge_bias_by_slice(
    items: Sequence[SlicedItem], dimensions: Sequence[str], *, group: Mapping[str, str], confidence: float = 0.95
) -> list[Estimate]:
    """Judge's rate minus human rate per slice; all slices of one call are one family of tests.

    Args:
        items: Labelled items with a verdict of the judge.
        dimensions: Dimensions to split by, in order of output.
        group: What the estimates speak for, e.g. judge and rate; dimension -> value is added.
        confidence: Two-sided, of each interval on its own, 0 to 1.

    Returns:
        Fractions in -1 to 1, ordered by dimension and value; positive where the judge sees more events than people do.
        Details: ``missed`` and ``false_alarm`` counts, both rates, ``p``, ``holm``, ``benjamini_hochberg``, ``tests`` in the
        family, ``few`` below 20 items. A slice in which the judge always failed is undefined and not part of the family.
    """
    tables = {key: _table(part) for dimension in dimensions for key, part in _parts(items, dimension)}
    estimates = [_estimate(dimension, value, counted, group, confidence) for (dimension, value), counted in tables.items()]
    defined = [estimate for estimate in estimates if estimate.value is not None]
    p = [estimate.details["p"] for estimate in defined]
    adjusted = iter(zip(holm(p), benjamini_hochberg(p), strict=True))
    return [estimate if estimate.value is None else _adjusted(estimate, *next(adjusted), len(p)) for estimate in estimates]


def _parts(items: Sequence[SlicedItem], dimension: str) -> list[tuple[tuple[str, str], list[SlicedItem]]]:
    parts: defaultdict[str, list[SlicedItem]] = defaultdict(list)
    for item in items:
        if dimension in item.slices:
            parts[item.slices[dimension]].append(item)
    return [((dimension, value), parts[value]) for value in sorted(parts)]


def _table(items: Sequence[SlicedItem]) -> tuple[PairedTable, int]:
    """Human events as *before*, flagged items as *after*, and the number of failures."""
    parsed = [(item.event, item.flagged) for item in items if item.flagged is not None]
    table = PairedTable(
        parsed.count((True, True)), parsed.count((True, False)), parsed.count((False, True)), parsed.count((False, False))
    )
    return table, len(items) - len(parsed)


def _estimate(
    dimension: str, value: str, counted: tuple[PairedTable, int], group: Mapping[str, str], confidence: float
) -> Estimate:
    (table, failed), named = counted, {**group, dimension: value}
    details: dict[str, Any] = {"dimension": dimension, "judge_failed": failed, "few": is_few(table.n)}
    if not table.n:
        return Estimate(
            "judge_bias", None, 0, METHOD, group=named, assumes=ASSUMES, undefined=ALL_FAILED, details=details
        )  # fmt: skip
    limits = tango(table, confidence)
    details |= {
        "missed": table.before_only, "false_alarm": table.after_only, "judge_rate": (table.both + table.after_only) / table.n,
        "human_rate": (table.both + table.before_only) / table.n, "p": mcnemar(table).exact_p,
    }  # fmt: skip
    return Estimate(
        "judge_bias", table.difference, table.n, METHOD, group=named, low=limits.low, high=limits.high, confidence=confidence,
        assumes=ASSUMES, details=details,
    )  # fmt: skip


def _adjusted(estimate: Estimate, holm_p: float, bh_p: float, tests: int) -> Estimate:
    return replace(estimate, details={**estimate.details, "holm": holm_p, "benjamini_hochberg": bh_p, "tests": tests})
