"""How a rate changed from one run to another under the adjudicated intents: paired where the labels allow it.

The same choice between three estimators as in `run_change`, by the design alone. A ruling speaks of a prompt, so it moves the
prompt on both sides: what only a ruling changed is no change of the model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from adjudicate.core.estimates import Estimate
from adjudicate.core.policy import Rate
from adjudicate.stats.boundary_score import square_and_add
from adjudicate.stats.bounding import Bounding
from adjudicate.stats.contrast import TwoCounts, contrast
from adjudicate.stats.corrected import StratumCount, mover
from adjudicate.stats.design_effect import Clustered, DesignEffect, effect_on_process
from adjudicate.stats.paired_sample import PAIRED_ASSUMES
from adjudicate.stats.run_change import Cell, LabelledPair, Pairs, changes, complete_pairs, pair_strata, rates_apart, widened
from adjudicate.stats.stratum_bounds import StratumBounds, stratum_bounds

Place = tuple[str, str]
"""Population and declared intent."""

RATIO_METHOD = "stratified paired difference among the prompts of the intent, MOVER for a ratio, {}"


def adjudicated_change(
    rates: Callable[[Bounding], tuple[Estimate, Estimate]],
    pairs: Mapping[Place, Pairs],
    place: Place,
    rate: Rate,
    how: Bounding,
    *,
    group: Mapping[str, str],
    sampled: bool,
) -> Estimate:
    """Rate after minus rate before among the prompts that have the rate's intent after adjudication.

    Args:
        rates: Both rates under the adjudicated intents, bounded as they are told.
        pairs: Prompts that both runs share, by population and declared intent.
        place: The population that is asked about; prompts declared otherwise count where a ruling moved them in.
        rate: A rate of the policy.
        how: Limits, target and confidence.
        group: What the estimate speaks for.
        sampled: Whether the change under the declared intents is one of a sample of pairs.

    Returns:
        ``paired_difference`` or ``rate_difference``, a fraction in -1 to 1.
    """
    seen = {each: found for each, found in pairs.items() if each == place or each[1] != rate.among}
    comparable = place in seen and all(found.comparable for found in seen.values())
    if comparable and all(len(found.labelled) == found.shared for found in seen.values()):
        inside = [pair for each, found in seen.items() for pair in found.labelled if _inside(pair, each, rate)]
        if not inside:
            return _none(group)
        found = complete_pairs(inside, frozenset(rate.counts).__contains__, group, how.confidence)
        return replace(found, details={**found.details, "shared": len(inside)})
    if comparable and sampled and not how.anytime and all(_filled(found) for found in seen.values()):
        return _of_sample(seen, rate, how, group)
    return rates_apart(rates, how, group, same_prompts=comparable)


def _of_sample(seen: Mapping[Place, Pairs], rate: Rate, how: Bounding, group: Mapping[str, str]) -> Estimate:
    """``T / D``: T the share of prompts gained less lost inside the intent, D the share inside.

    MOVER for a function of two estimates (Zou and Donner 2008) from the limits of both. Coverage of a nominal 95 % with
    Clopper-Pearson limits over four simulated settings: 99.5 % or more, so it is wider than it need be
    (``tests/stats/test_adjudicated_change.py``).
    """
    among = list(_among(seen, rate))
    n, total = sum(count.events for count in among), sum(count.size for count in among)
    if not n:
        return _none(group)
    effects = [_effect(seen, rate, how, changed=changed) for changed in (True, False)]
    lacking = next((effect.lacking for effect in effects if effect is not None), None)
    of_change, of_share = (_bounds(how, effect if lacking is None else None) for effect in effects)
    method = RATIO_METHOD.format(of_change.title)
    if lacking is not None:
        return Estimate("paired_difference", None, n, method, group=group, assumes=PAIRED_ASSUMES, undefined=lacking)
    top = contrast(list(_changes(seen, rate)), of_change)
    share = sum(count.size * count.rate for count in among) / total
    limits = mover(among, share, of_share)
    value = top.value / share
    below, above = (limits.high, limits.low) if value >= 0 else (limits.low, limits.high)

    def distance(end: float, inside: float) -> float:
        # A share of no prompts bounds nothing; one label of the sample is inside, so the estimate itself is not 0.
        return square_and_add(lambda changed, base: changed / max(base, 1e-9), (top.value, share), (end, inside))

    return Estimate(
        "paired_difference", value, n, method, group=group, low=max(-1.0, value - distance(top.low, below)),
        high=min(1.0, value + distance(top.high, above)), confidence=how.confidence, assumes=PAIRED_ASSUMES,
        details={
            "estimated_size": share * total, "target": how.target, **_unresolved(seen, rate, share * total),
            **(effects[0].as_details() if effects[0] is not None else {}),
        },
    )  # fmt: skip


def with_non_response(change: Estimate, before: Estimate, after: Estimate) -> Estimate:
    """A paired difference with the bounds that drawn items ask for which everyone skipped; any other as it is.

    The bounds of a rate are as far apart as the share of its prompts that open items stand for.

    Args:
        change: As from `adjudicated_change`.
        before: The rate before, under the adjudicated intents.
        after: The rate after.
    """
    sides = [each for each in (before, after) if each.details.get("non_response") and "unresolved_bounds" in each.details]
    if change.value is None or change.statistic != "paired_difference" or not sides:
        return change
    share = sum(each.details["unresolved_bounds"][1] - each.details["unresolved_bounds"][0] for each in sides)
    return widened(change, sum(each.details["non_response"] for each in sides), share)


def _bounds(how: Bounding, effect: DesignEffect | None) -> StratumBounds:
    return stratum_bounds(how.limits, how.target, how.confidence, effect)


def _effect(seen: Mapping[Place, Pairs], rate: Rate, how: Bounding, *, changed: bool) -> DesignEffect | None:
    """On the change of the prompts inside the intent, or on their share; None where nothing asks for it."""
    if not how.asks_effect:
        return None
    units: list[Clustered] = []
    sizes: dict[str, int] = {}
    for place, pairs in seen.items():
        sizes |= {" > ".join((*place, *cell)): size for cell, size in pairs.cells.items()}
        settled = [pair for pair in pairs.labelled if pair.before is not None and pair.after is not None]
        for pair, unit in zip(settled, changes(settled, frozenset(rate.counts).__contains__), strict=True):
            value = _inside(pair, place, rate) * (unit.value if changed else 1)
            cluster = pair.cluster or f"{place} {unit.cluster}"
            units.append(Clustered(cluster, " > ".join((*place, *pair.cell)), value))
    return effect_on_process(units, sizes)


def _changes(seen: Mapping[Place, Pairs], rate: Rate) -> Iterator[TwoCounts]:
    for place, pairs in seen.items():
        inside = replace(pairs, labelled=tuple(pair for pair in pairs.labelled if _inside(pair, place, rate)))
        moved = pair_strata(inside, frozenset(rate.counts).__contains__)
        for stratum, settled in zip(moved, _settled(pairs).values(), strict=True):
            yield TwoCounts(stratum.size, settled, stratum.gained, stratum.lost)


def _among(seen: Mapping[Place, Pairs], rate: Rate) -> Iterator[StratumCount]:
    for place, pairs in seen.items():
        inside = replace(pairs, labelled=tuple(pair for pair in pairs.labelled if _inside(pair, place, rate)))
        for cell, settled in _settled(pairs).items():
            yield StratumCount(" > ".join((*place, *cell)), pairs.cells[cell], settled, _settled(inside)[cell])


def _settled(pairs: Pairs) -> dict[Cell, int]:
    found = dict.fromkeys(pairs.cells, 0)
    for pair in pairs.labelled:
        found[pair.cell] += pair.before is not None and pair.after is not None
    return found


def _filled(pairs: Pairs) -> bool:
    return all(_settled(pairs).values())


def _unresolved(seen: Mapping[Place, Pairs], rate: Rate, size: float) -> dict[str, object]:
    """The change with every unresolved pair inside the intent lost, and gained; they count as labelled in both."""
    open_pairs = least = most = 0.0
    for place, pairs in seen.items():
        n: dict[Cell, int] = dict.fromkeys(pairs.cells, 0)
        for pair in pairs.labelled:
            n[pair.cell] += 1
        for pair in pairs.labelled:
            if _inside(pair, place, rate):
                unsettled = pair.before is None or pair.after is None
                change = 0 if unsettled else (pair.after in rate.counts) - (pair.before in rate.counts)
                weight = pairs.cells[pair.cell] / n[pair.cell] / size
                open_pairs += unsettled
                least += weight * (-1 if unsettled else change)
                most += weight * (1 if unsettled else change)
    return {"unresolved": int(open_pairs), "unresolved_bounds": [max(-1.0, least), min(1.0, most)]} if open_pairs else {}


def _inside(pair: LabelledPair, place: Place, rate: Rate) -> bool:
    return (pair.ruled_intent or place[1]) == rate.among


def _none(group: Mapping[str, str]) -> Estimate:
    reason = "no labelled prompt has this intent after adjudication"
    return Estimate("paired_difference", None, 0, "paired difference", group=group, undefined=reason)
