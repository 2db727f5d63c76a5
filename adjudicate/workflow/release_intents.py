"""Contested intents in a gate: every rate whose items a ruling moved, once more under the adjudicated intents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from adjudicate.core.estimates import Estimate
from adjudicate.core.policy import Rate
from adjudicate.stats.adjudicated_change import Place, adjudicated_change, with_non_response
from adjudicate.stats.adjudicated_rows import Moved, adjudicated_row, moved_items
from adjudicate.stats.bounding import Bounding
from adjudicate.stats.run_change import Pairs
from adjudicate.workflow.read_side import Side


@dataclass(frozen=True, slots=True)
class Sides:
    """What is compared."""

    before: Side | None
    """None without a baseline."""
    after: Side
    pairs: Mapping[Place, Pairs] = field(default_factory=dict)
    """Prompts of every population that both share."""


@dataclass(frozen=True, slots=True)
class MovedEstimates:
    """One rate of one population under the adjudicated intents."""

    before: Estimate | None
    after: Estimate
    difference: Estimate | None
    moved_before: Moved | None
    moved_after: Moved


def moved_estimates(
    rate: Rate, group: Mapping[str, str], declared: Estimate | None, sides: Sides, how: Bounding
) -> MovedEstimates | None:
    """Both sides and their difference, among the items that have the rate's intent after adjudication.

    Args:
        rate: A rate of the policy.
        group: Its population, and the model where there are several.
        declared: The difference under the declared intents; None without a baseline.
        sides: Every population counts, also where only one is asked about: a ruling may have moved an item in from another.
        how: Limits, target and confidence.

    Returns:
        None where no ruling moved a labelled item on either side.
    """
    after = sides.after.whole.evidence
    now = moved_items(after, rate, group)
    if sides.before is None or declared is None:
        return MovedEstimates(None, adjudicated_row(after, rate, group, how), None, None, now) if now else None
    before = sides.before.whole.evidence
    then = moved_items(before, rate, group)
    if not (now or then):
        return None

    def rates(at: Bounding) -> tuple[Estimate, Estimate]:
        return adjudicated_row(before, rate, group, at), adjudicated_row(after, rate, group, at)

    one, two = rates(how)
    change = adjudicated_change(
        rates, sides.pairs, (group["population"], rate.among), rate, how, group=two.group,
        sampled=declared.statistic == "paired_difference",
    )  # fmt: skip
    return MovedEstimates(one, two, with_non_response(change, one, two), then, now)


def moved_without_row(after: Side, shown: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Rates without a row, by id, whose intent rulings gave to labelled items that nobody had declared so."""
    rows = set(shown)
    for rate in after.frame.policy.rates:
        count = sum(item.adjudicated_intent == rate.among and item.intent != rate.among for item in after.whole.evidence.items)
        if count and rate.id not in rows and after.population is None:
            yield rate.id, count
