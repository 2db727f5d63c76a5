"""Anchoring in a report: the blind and the assisted arm, changes after the reveal, and rubber-stamp signs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence

from adjudicate.core.estimates import Estimate
from adjudicate.stats.anchoring import GAP_ASSUMES, ArmLabel, anchoring_estimates
from adjudicate.stats.evidence import ArmDecision, Evidence
from adjudicate.stats.reveal import Reveal, reveal_estimates
from adjudicate.stats.rubber_stamp import TimedDecision, rubber_stamp_estimates

ALL_BLIND = "every label is blind, so there is nothing to compare; draw with a blind share below 1 to measure it"
ALL_ASSISTED = "every label was made with the verdict in view, so there is nothing to compare"
NOT_RANDOM = "which items were labelled with the verdict in view was not decided by a recorded draw"


def anchoring(evidence: Evidence) -> list[Estimate]:
    """Overrule rate and measured accuracy by arm and their gap, overall and per rate.

    One undefined row with the reason where one of the arms is missing; nothing without labels on judged items.
    """
    planned = [each for each in evidence.decisions if each.planned]
    arms = {each.assisted for each in planned}
    if len(arms) < 2:
        return [_nothing(evidence.decisions)] if evidence.decisions else []
    gold = {item.item_id: item.gold for item in evidence.items}
    intents = {item.item_id: item.intent for item in evidence.items}
    estimates = _arms(planned, gold, group={}, counts=None, confidence=evidence.confidence)
    for rate in evidence.rates:
        asked = [each for each in planned if intents.get(each.item_id) == rate.among]
        if {each.assisted for each in asked} == {True, False}:
            estimates += _arms(asked, gold, group={"rate": rate.id}, counts=rate.counts, confidence=evidence.confidence)
    return estimates


def changes_after_reveal(evidence: Evidence) -> list[Estimate]:
    """Shares of blind labels changed once the verdict was shown; nothing where none was shown."""
    if not evidence.reveals:
        return []
    reveals = [Reveal(each.item_id, each.annotator, each.before, each.after, each.verdict) for each in evidence.reveals]
    return reveal_estimates(reveals, group={}, confidence=evidence.confidence)


def rubber_stamps(evidence: Evidence) -> list[Estimate]:
    """Signs per annotator from assisted decisions; nothing where all labels are blind."""
    decisions = [
        TimedDecision(each.annotator, each.item_id, each.outcome == each.verdict, each.seconds, each.reading)
        for each in evidence.decisions
        if each.assisted
    ]
    return rubber_stamp_estimates(decisions, group={}, confidence=evidence.confidence) if decisions else []


def _nothing(decisions: Sequence[ArmDecision]) -> Estimate:
    arms = {each.assisted for each in decisions}
    reason = NOT_RANDOM if len(arms) > 1 else ALL_ASSISTED if arms == {True} else ALL_BLIND
    return Estimate(
        "anchoring_gap", None, len(decisions), "assisted minus blind", group={"of": "overrule_rate"}, assumes=GAP_ASSUMES,
        undefined=reason,
    )  # fmt: skip


def _arms(
    decisions: Sequence[ArmDecision],
    gold: dict[str, str | None],
    *,
    group: dict[str, str],
    counts: Collection[str] | None,
    confidence: float,
) -> list[Estimate]:
    outcomes: dict[tuple[str, bool], set[str]] = defaultdict(set)
    arms: dict[str, set[bool]] = defaultdict(set)
    for each in decisions:
        outcomes[each.item_id, each.assisted].add(each.outcome)
        arms[each.item_id].add(each.assisted)

    def settled(each: ArmDecision) -> str | None:
        """Gold of the arm alone: what all its labels say, or the ruling on them where the item has no other arm."""
        said = outcomes[each.item_id, each.assisted]
        if len(said) == 1:
            return next(iter(said))
        return gold.get(each.item_id) if len(arms[each.item_id]) == 1 else None

    labels = [
        ArmLabel(
            each.item_id, each.annotator, "assisted" if each.assisted else "blind", each.verdict, each.outcome, settled(each)
        )
        for each in decisions
    ]
    return anchoring_estimates(labels, group=group, counts=counts, confidence=confidence)
