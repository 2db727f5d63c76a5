"""Does seeing the verdict change the label? Blind against assisted labels of a randomised split.

Labels changed after a reveal are `reveal`; signs per annotator are `rubber_stamp`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from adjudicate.core.estimates import Estimate
from adjudicate.stats.design_effect import design_effect
from adjudicate.stats.difference_interval import Bounded, bounded, independent_difference
from adjudicate.stats.intervals import wilson
from adjudicate.stats.stratum_bounds import clustered_wilson

Arm = Literal["blind", "assisted"]

ARMS: tuple[Arm, ...] = ("blind", "assisted")
MEASURED = ("overrule_rate", "measured_judge_accuracy")
RATE_ASSUMES = "labels of the arm are a random part of all; annotators are held fixed"
GAP_ASSUMES = (
    "chance decided which arm an item or label fell into; annotators are held fixed; items in both arms make the interval "
    "too wide rather than too short"
)


@dataclass(frozen=True, slots=True)
class ArmLabel:
    """One label of the randomised split."""

    item_id: str
    annotator: str
    arm: Arm
    """Whether the annotator saw the verdict before deciding."""
    verdict: str
    """Outcome that the judge named; items on which it failed have no place here."""
    label: str
    """Outcome that the annotator gave."""
    gold: str | None = None
    """Outcome settled from the labels of this arm alone, the same on every label of an item; None while it is open."""


@dataclass(frozen=True, slots=True)
class _Share:
    """One share of one arm, by item: an item may have several labels."""

    items: tuple[str, ...]
    events: tuple[bool, ...]
    unresolved: int = 0
    """Items of the arm that could not be decided, in neither of these."""

    @property
    def bounds(self) -> tuple[float, float]:
        """The share with all unresolved items counted as no event, and as events; needs an item of either kind."""
        n, events = len(self.events) + self.unresolved, sum(self.events)
        return events / n, (events + self.unresolved) / n


def anchoring_estimates(
    labels: Sequence[ArmLabel], *, group: Mapping[str, str], counts: Collection[str] | None = None, confidence: float = 0.95
) -> list[Estimate]:
    """Overrule rate and measured judge accuracy in each arm, and their gaps.

    To overrule is to label otherwise than the verdict; in the blind arm the annotator does not know it. Measured accuracy is
    the share of items whose verdict is the arm's gold.

    Args:
        labels: Labels of both arms.
        group: What the estimates speak for; ``arm`` or ``of`` is added.
        counts: Outcomes that are the event of a rate: labels then differ when one is an event and the other is not.
        confidence: Two-sided, 0 to 1.

    Returns:
        Fractions. ``overrule_rate`` and ``measured_judge_accuracy`` per arm, Wilson limits, at the effective number of labels
        where items have several. ``anchoring_gap`` of each, *assisted minus blind*, -1 to 1, with the square-and-add interval
        of Newcombe (1998): anchoring shows as fewer overrules and a higher measured accuracy. Undefined where an arm is empty.
        Items on which an arm's labels differ, with no ruling that speaks for the arm, are not in a measured accuracy: details
        hold their number (``unresolved``) and the value with the judge wrong, and right, on all of them
        (``unresolved_bounds``). In a gap, ``sign_open`` says that these bounds leave open on which side of 0 it is.

    Raises:
        ValueError: Labels of one item and arm with different gold or verdicts.
    """
    _check(labels)
    both = {label.item_id for label in labels if label.arm == "blind"} & {
        label.item_id for label in labels if label.arm == "assisted"
    }
    estimates: list[Estimate] = []
    for statistic, shares in zip(MEASURED, (_overrules, _accuracies), strict=True):
        parts = {arm: shares([label for label in labels if label.arm == arm], counts) for arm in ARMS}
        rates = [_rate(statistic, parts[arm], {**group, "arm": arm}, confidence) for arm in ARMS]
        gap = _gap(rates[0], rates[1], {**group, "of": statistic}, confidence)
        more = {"items_in_both_arms": len(both), **_open_gap(gap.value, parts["blind"], parts["assisted"])}
        estimates += [*rates, replace(gap, details={**gap.details, **more})]
    return estimates


def _check(labels: Sequence[ArmLabel]) -> None:
    seen: dict[tuple[str, Arm], tuple[str, str | None]] = {}
    for label in labels:
        key, found = (label.item_id, label.arm), (label.verdict, label.gold)
        if seen.setdefault(key, found) != found:
            raise ValueError(f"item {label.item_id}: labels of one arm must carry one verdict and one gold label")


def _differ(first: str, second: str, counts: Collection[str] | None) -> bool:
    return first != second if counts is None else (first in counts) != (second in counts)


def _overrules(labels: Sequence[ArmLabel], counts: Collection[str] | None) -> _Share:
    events = tuple(_differ(label.label, label.verdict, counts) for label in labels)
    return _Share(tuple(label.item_id for label in labels), events)


def _accuracies(labels: Sequence[ArmLabel], counts: Collection[str] | None) -> _Share:
    settled = {label.item_id: (label.gold, label.verdict) for label in labels if label.gold is not None}
    events = tuple(not _differ(gold or "", verdict, counts) for gold, verdict in settled.values())
    return _Share(tuple(settled), events, len({label.item_id for label in labels} - settled.keys()))


def _open_gap(value: float | None, blind: _Share, assisted: _Share) -> dict[str, Any]:
    """What the unresolved items of both arms could make of the gap."""
    unresolved = blind.unresolved + assisted.unresolved
    if not unresolved:
        return {}
    if value is None:
        return {"unresolved": unresolved}
    least, most = assisted.bounds[0] - blind.bounds[1], assisted.bounds[1] - blind.bounds[0]
    return {"unresolved": unresolved, "unresolved_bounds": [least, most], "sign_open": least < 0 < most}


def _rate(statistic: str, share: _Share, group: Mapping[str, str], confidence: float) -> Estimate:
    n, events, items = len(share.items), sum(share.events), len(set(share.items))
    method = "share, Wilson limits"
    details: dict[str, Any] = {"events": events, "items": items}
    if share.unresolved:
        details |= {"unresolved": share.unresolved, "unresolved_bounds": list(share.bounds)}
    if not n:
        kind = "label" if statistic == MEASURED[0] else "item with a gold label"
        reason = f"no {kind} in the {group['arm']} arm"
        return Estimate(statistic, None, 0, method, group=group, assumes=RATE_ASSUMES, undefined=reason, details=details)
    limits, carried = _limits(share, confidence)
    return Estimate(
        statistic, events / n, n, carried.pop("method", method), group=group, low=limits.low, high=limits.high,
        confidence=confidence, assumes=RATE_ASSUMES, details={**details, **carried},
    )  # fmt: skip


def _limits(share: _Share, confidence: float) -> tuple[Bounded, dict[str, Any]]:
    """Limits of a share, with the design effect of items that have several labels."""
    n, events = len(share.items), sum(share.events)
    if len(set(share.items)) == n:
        return bounded(events / n, wilson(events, n, confidence)), {}
    effect = design_effect(share.items, share.events)
    if effect.lacking is not None:
        # One item only: its labels say nothing about others, so it counts once.
        rate = events / n
        return bounded(rate, wilson(rate, 1, confidence)), {"method": "share, Wilson limits at one item"}
    limits = clustered_wilson(events / n, effect.effective_n, clusters=effect.clusters, confidence=confidence)
    method = "share, t-based Wilson limits at n / design effect"
    return bounded(events / n, limits), {"method": method, "design_effect": effect.value}


def _gap(blind: Estimate, assisted: Estimate, group: Mapping[str, str], confidence: float) -> Estimate:
    """Assisted minus blind."""
    method, n = "assisted minus blind, Newcombe's square-and-add limits", blind.n + assisted.n
    limits = [Bounded(e.value, e.low, e.high) for e in (assisted, blind)
              if e.value is not None and e.low is not None and e.high is not None]  # fmt: skip
    if len(limits) < 2:
        reason = blind.undefined or assisted.undefined
        return Estimate("anchoring_gap", None, n, method, group=group, assumes=GAP_ASSUMES, undefined=reason)
    gap = independent_difference(*limits)
    details = {"blind": blind.value, "assisted": assisted.value, "n_blind": blind.n, "n_assisted": assisted.n}
    return Estimate(
        "anchoring_gap", gap.value, n, method, group=group, low=gap.low, high=gap.high, confidence=confidence,
        assumes=GAP_ASSUMES, details=details,
    )  # fmt: skip
