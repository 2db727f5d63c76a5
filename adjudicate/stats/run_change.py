"""How a rate changed from one run to another: paired where the labels allow it, and said so where they do not.

Which of the three estimators is used depends on the design alone, never on an outcome: every pair labelled on both sides
(`paired`), a sample of the prompts labelled on both sides (`paired_sample`), or two rates of their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from adjudicate.core.estimates import Estimate, Interval
from adjudicate.stats.bounding import Bounding
from adjudicate.stats.design_effect import Clustered, DesignEffect, design_effect, effect_on_process, in_clusters
from adjudicate.stats.difference_interval import bounded, independent_difference
from adjudicate.stats.paired import PairedTable, paired_change
from adjudicate.stats.paired_sample import PairedStratum, paired_difference
from adjudicate.stats.rate_counts import RateCounts, bounded_rate

Cell = tuple[str, str]
"""Stratum before and stratum after, as recorded."""

FEWEST_PAIRED = 0.5
"""Share of the labels of the side with fewer that must stand on pairs: below it the pairs would waste most of the labels."""
FEWEST_SHARED = 0.5
"""Share of each run's prompts that must be in both for the change to be one of the same prompts."""

SAME_PROMPTS = "settled labels are right; the two rates are taken as independent, which on shared prompts is usually too wide"
OTHER_PROMPTS = "settled labels are right; the prompts of both runs are random ones of the same kind, chosen independently"


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """A prompt with a label on both sides that counts for the design of each."""

    cell: Cell
    before: str | None
    """Gold outcome; None while unresolved."""
    after: str | None
    """Gold outcome; None while unresolved."""
    ruled_intent: str | None = None
    """What the prompt is after a ruling on its declared intent; None without one."""
    cluster: str = ""
    """What the prompt shares with others, as `LabelledItem.cluster`; empty where it stands alone."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """The prompts that two runs share, in one population."""

    cells: Mapping[Cell, int]
    """Prompts per cell."""
    labelled: tuple[LabelledPair, ...]
    before: int
    """Prompts of the baseline, shared or not."""
    after: int
    """Prompts of the candidate, shared or not."""

    @property
    def shared(self) -> int:
        """Prompts in both runs."""
        return sum(self.cells.values())

    @property
    def comparable(self) -> bool:
        """Whether both runs are mostly on the same prompts."""
        return self.shared > 0 and self.shared >= FEWEST_SHARED * max(self.before, self.after)


def run_change(
    before: RateCounts, after: RateCounts, pairs: Pairs, how: Bounding, *, group: Mapping[str, str] | None = None
) -> Estimate:
    """Rate after minus rate before.

    Args:
        before: Counts of the baseline.
        after: Counts of the candidate.
        pairs: Prompts that both share, in this population.
        how: Limits, target and confidence.
        group: What the estimate speaks for; by default that of `after`.

    Returns:
        ``paired_difference`` or ``rate_difference``, a fraction in -1 to 1. ``details["shared"]`` counts the prompts in both
        runs, ``only_before`` and ``only_after`` the others.
    """
    group = after.group if group is None else group
    events = frozenset(after.rate.counts)
    details = {
        "shared": pairs.shared, "only_before": pairs.before - pairs.shared, "only_after": pairs.after - pairs.shared,
        "pairs_labelled": len(pairs.labelled),
    }  # fmt: skip
    if pairs.comparable and len(pairs.labelled) == pairs.shared:
        found = complete_pairs(pairs.labelled, events.__contains__, group, how.confidence)
    elif pairs.comparable and not how.anytime and _is_paired_sample(before, after, pairs):
        strata = pair_strata(pairs, events.__contains__)
        found = paired_difference(
            strata, group=group, limits=how.limits, target=how.target, confidence=how.confidence,
            effect=_sample_effect(pairs, events.__contains__) if how.asks_effect else None,
        )  # fmt: skip
        found = _with_non_response(found, before, after)
    else:

        def rates(at: Bounding) -> tuple[Estimate, Estimate]:
            return bounded_rate(before, at), bounded_rate(after, at)

        found = rates_apart(rates, how, group, same_prompts=pairs.comparable)
    return replace(found, details={**found.details, **details})


def _is_paired_sample(before: RateCounts, after: RateCounts, pairs: Pairs) -> bool:
    fewer = min(before.labelled, after.labelled)
    filled = {pair.cell for pair in pairs.labelled if pair.before is not None and pair.after is not None}
    whole = not (before.outside_frame or after.outside_frame)
    return whole and filled == pairs.cells.keys() and len(pairs.labelled) >= FEWEST_PAIRED * fewer


def _with_non_response(found: Estimate, before: RateCounts, after: RateCounts) -> Estimate:
    """The bounds of a paired difference, once more widened by the share of each side that skipped items stand for."""
    skipped = sum(stratum.non_response for side in (before, after) for stratum in side.strata)
    if not skipped or found.value is None:
        return found
    share = sum(
        stratum.size * stratum.non_response / (stratum.labelled + stratum.open) / side.size
        for side in (before, after)
        for stratum in side.strata
        if stratum.non_response
    )
    return widened(found, skipped, share)


def widened(found: Estimate, skipped: int, share: float) -> Estimate:
    """A paired difference whose bounds reach `share` further on either side, for drawn items that everyone skipped.

    Args:
        found: A defined difference.
        skipped: How many there are, on both sides.
        share: Of the prompts that they stand for, summed over both sides.
    """
    least, most = found.details.get("unresolved_bounds", (found.value, found.value))
    bounds = [max(-1.0, least - share), min(1.0, most + share)]
    return replace(found, details={**found.details, "non_response": skipped, "unresolved_bounds": bounds})


def complete_pairs(
    pairs: Sequence[LabelledPair], counts: Callable[[str], bool], group: Mapping[str, str], confidence: float
) -> Estimate:
    """All pairs labelled: Tango's interval, for prompts like these, and bounds over the pairs that wait for a ruling."""
    settled = Counter((counts(p.before), counts(p.after)) for p in pairs if p.before is not None and p.after is not None)
    table = PairedTable(settled[True, True], settled[True, False], settled[False, True], settled[False, False])
    units = changes(pairs, counts)
    clusters = [unit.cluster for unit in units]
    effect = design_effect(clusters, [unit.value for unit in units]) if in_clusters(clusters) else None
    found = paired_change(table, group=group, confidence=confidence, effect=effect)
    if table.n == len(pairs):
        return found
    least = most = float(table.after_only - table.before_only)
    for pair in pairs:
        if pair.before is None or pair.after is None:
            ends = [[0, 1] if side is None else [int(counts(side))] * 2 for side in (pair.before, pair.after)]
            least += ends[1][0] - ends[0][1]
            most += ends[1][1] - ends[0][0]
    bounds = {"unresolved": len(pairs) - table.n, "unresolved_bounds": [least / len(pairs), most / len(pairs)]}
    return replace(found, details={**found.details, **bounds})


def changes(pairs: Iterable[LabelledPair], counts: Callable[[str], bool]) -> list[Clustered]:
    """1 for a settled prompt that was gained, -1 for one that was lost."""
    return [
        Clustered(pair.cluster or f"pair {place}", " > ".join(pair.cell), counts(pair.after) - counts(pair.before))
        for place, pair in enumerate(pairs)
        if pair.before is not None and pair.after is not None
    ]


def _sample_effect(pairs: Pairs, counts: Callable[[str], bool]) -> DesignEffect | None:
    sizes = {" > ".join(cell): size for cell, size in pairs.cells.items()}
    return effect_on_process(changes(pairs.labelled, counts), sizes)


def pair_strata(pairs: Pairs, counts: Callable[[str], bool]) -> list[PairedStratum]:
    """Gained and lost per cell, as a sample of the pairs shows them."""
    tallies: dict[Cell, Counter[str]] = {cell: Counter() for cell in pairs.cells}
    for pair in pairs.labelled:
        if pair.before is None or pair.after is None:
            tallies[pair.cell]["unresolved"] += 1
            continue
        tallies[pair.cell]["labelled"] += 1
        change = counts(pair.after) - counts(pair.before)
        tallies[pair.cell]["gained" if change > 0 else "lost" if change < 0 else "same"] += 1
    return [
        PairedStratum(" > ".join(cell), pairs.cells[cell], found["labelled"], found["gained"], found["lost"], found["unresolved"])
        for cell, found in tallies.items()
    ]


def rates_apart(
    rates: Callable[[Bounding], tuple[Estimate, Estimate]], how: Bounding, group: Mapping[str, str], *, same_prompts: bool
) -> Estimate:
    """Two rates of their own; on other prompts they must speak for the process, or the prompts themselves would be left out.

    Args:
        rates: The rate before and the rate after, bounded as it is told.
        how: Limits, target and confidence of the difference.
        group: What the difference speaks for.
        same_prompts: Whether both runs are on the same prompts.
    """
    if how.anytime:
        how = replace(how, confidence=(1 + how.confidence) / 2)
        method = "difference of two corrected rates, each in an anytime set at half the error"
        if not same_prompts:
            reason = "anytime limits speak for these responses only, and the prompts differ"
            return Estimate("rate_difference", None, 0, method, group=group, undefined=reason)
    else:
        method = "difference of two corrected rates, square-and-add"
        how = how if same_prompts else replace(how, target="process")
    one, two = rates(how)
    assumes = SAME_PROMPTS if same_prompts else OTHER_PROMPTS
    n = one.n + two.n
    missing = [f"{name}: {each.undefined}" for name, each in (("before", one), ("after", two)) if each.undefined]
    if missing:
        return Estimate("rate_difference", None, n, method, group=group, assumes=assumes, undefined="; ".join(missing))
    limits = _limits(one, two, anytime=how.anytime)
    assert one.value is not None
    assert two.value is not None
    return Estimate(
        "rate_difference", two.value - one.value, n, method, group=group, low=max(-1.0, limits.low), high=min(1.0, limits.high),
        confidence=2 * how.confidence - 1 if how.anytime else how.confidence, assumes=assumes, details=_unresolved(one, two),
    )  # fmt: skip


def _limits(before: Estimate, after: Estimate, *, anytime: bool) -> Interval:
    assert before.value is not None
    assert before.low is not None
    assert before.high is not None
    assert after.value is not None
    assert after.low is not None
    assert after.high is not None
    if anytime:
        return Interval(after.low - before.high, after.high - before.low)
    found = independent_difference(
        bounded(after.value, Interval(after.low, after.high)), bounded(before.value, Interval(before.low, before.high))
    )
    return Interval(found.low, found.high)


def _unresolved(before: Estimate, after: Estimate) -> dict[str, Any]:
    kinds = ("unresolved", "non_response")
    counts = {kind: sum(each.details.get(kind, 0) for each in (before, after)) for kind in kinds}
    if not any(counts.values()):
        return {}
    first = before.details.get("unresolved_bounds", (before.value, before.value))
    second = after.details.get("unresolved_bounds", (after.value, after.value))
    named = {kind: count for kind, count in counts.items() if count or kind == "unresolved"}
    return named | {"unresolved_bounds": [second[0] - first[1], second[1] - first[0]]}
