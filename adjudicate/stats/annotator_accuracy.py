"""Each annotator against gold: over all items, over the disputed ones, and per published rate.

Gold that everybody gave is right by definition, so the disputed items are where annotators differ from it at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from adjudicate.core.estimates import Estimate
from adjudicate.core.policy import Rate
from adjudicate.stats.evidence import LabelledItem
from adjudicate.stats.plain_share import share_estimate

METHOD = "on the items labelled by this annotator"
ASSUMES = (
    "gold labels are right; the annotator's own label is part of what gold was settled from, which flatters; speaks for the "
    "items this annotator labelled, unweighted, so annotators with harder items look worse"
)
NOTHING = "no item of this annotator has a gold label"
MEASURES = (
    ("annotator_sensitivity", True, "no event among the gold labels"),
    ("annotator_specificity", False, "every gold label is an event"),
)
NO_DISPUTE = "no item of this annotator with a gold label was disputed"


def annotator_accuracy_estimates(
    items: Sequence[LabelledItem],
    annotators: Sequence[str],
    *,
    rates: Sequence[Rate] = (),
    group: Mapping[str, str],
    confidence: float = 0.95,
) -> list[Estimate]:
    """Accuracy of each annotator, in the given order, group ``annotator``.

    Args:
        items: Labelled items; those without gold are left out and counted.
        annotators: Names to report on.
        rates: Published rates; each adds sensitivity and specificity for its event among items of its intent.
        group: What the estimates speak for.
        confidence: Two-sided, 0 to 1.

    Returns:
        Fractions with Jeffreys limits: ``annotator_accuracy`` over all items and, group ``{"items": "disputed"}``, over those
        whose labels differ; ``annotator_sensitivity`` and ``annotator_specificity`` per rate. Details: ``few`` below 20, items
        ``without_gold``, and the ``errors`` by gold and label. Undefined where nothing can be counted.
    """
    return [
        estimate for name in annotators for estimate in _of_one(items, name, rates, {**group, "annotator": name}, confidence)
    ]  # fmt: skip


def _of_one(
    items: Sequence[LabelledItem], name: str, rates: Sequence[Rate], group: Mapping[str, str], confidence: float
) -> Iterator[Estimate]:
    own = [item for item in items if name in item.labels]
    settled = [item for item in own if item.gold is not None]
    disputed = [item for item in settled if len(set(item.labels.values())) > 1]
    share = partial(share_estimate, method=METHOD, assumes=ASSUMES, confidence=confidence)
    notes: dict[str, Any] = {"without_gold": len(own) - len(settled)}
    for part, named, reason in ((settled, {}, NOTHING), (disputed, {"items": "disputed"}, NO_DISPUTE)):
        errors = _errors(part, name)
        right = len(part) - sum(row["n"] for row in errors)
        details = {**notes, "errors": errors}
        yield share("annotator_accuracy", right, len(part), group={**group, **named}, undefined=reason, details=details)
    for rate in rates:
        asked = [item for item in settled if item.intent == rate.among]
        for statistic, event, reason in MEASURES:
            among = [item for item in asked if (item.gold in rate.counts) == event]
            right = sum((item.labels[name] in rate.counts) == event for item in among)
            shown, why = {**group, "rate": rate.id}, reason if asked else NOTHING
            yield share(statistic, right, len(among), group=shown, undefined=why, details=notes)


def _errors(items: Sequence[LabelledItem], name: str) -> list[dict[str, Any]]:
    """Labels that are not gold, counted by both."""
    errors = Counter((item.gold or "", item.labels[name]) for item in items if item.labels[name] != item.gold)
    return [{"gold": gold, "label": label, "n": errors[gold, label]} for gold, label in sorted(errors)]
