"""Plans as estimates: labels before the first one, how many more from those at hand, zero-event limits, and power.

The searches are `planning`, `more_labels` and `power`; here they are asked for one rate of one population, and answer in
the shape of every other number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adjudicate.core.estimates import Estimate
from adjudicate.core.sampling import drawn_whole, planning_rate
from adjudicate.stats.corrected import StratumCount
from adjudicate.stats.intervals import normal_quantile
from adjudicate.stats.more_labels import more_labels
from adjudicate.stats.planning import (
    Allocation,
    labels_for_half_width,
    labels_for_zero_event_limit,
    wald_labels,
    zero_event_limit,
)
from adjudicate.stats.power import (
    independent_power,
    independent_sample_size,
    noninferiority_sample_size,
    paired_minimum_detectable,
    paired_power,
    paired_sample_size,
)

PLAN_ASSUMES = "the event rates of the strata are as guessed"
MORE_ASSUMES = "further labels of a stratum turn out as those at hand, drawn towards the guess"
ZERO_ASSUMES = "none of these labels is an event, and they are a random sample of the stratum"
POWER_ASSUMES = "rates and discordant share are as stated"
MOST_ENUMERATED = 5_000
"""Prompts up to which power is enumerated exactly: beyond, tables get too large."""


@dataclass(frozen=True, slots=True)
class PlanSettings:
    """How labels are to be planned."""

    half_width: float
    """A fraction above 0."""
    allocation: Allocation = "mix"
    limits: str = "jeffreys"
    confidence: float = 0.95
    guesses: Mapping[str, float] | None = None
    """Event rate by verdict cell (``flagged``, ``clear``, ...) in place of the stated ones."""

    def guess(self, stratum: str) -> float:
        """The event rate to plan a stratum with."""
        cells = stratum.split(" | ")
        return next((rate for cell, rate in (self.guesses or {}).items() if cell in cells), planning_rate(stratum))


def planned_labels(sizes: Mapping[str, int], settings: PlanSettings, *, group: Mapping[str, str]) -> Estimate:
    """Labels for a half-width before the first label, by exact search on the expected interval.

    Returns:
        A count, with the strata in it that a draw takes whole. ``details["by_stratum"]`` holds the expected allocation, ``wald``
        what the usual formula would claim.
    """
    method = f"smallest number whose expected MOVER interval is narrow enough, {settings.allocation} allocation"
    if not sizes:
        return Estimate("planned_labels", None, 0, method, unit="count", group=group, assumes=PLAN_ASSUMES, undefined="no items")
    names = sorted(sizes)
    counts, rates = [sizes[name] for name in names], [settings.guess(name) for name in names]
    plan = labels_for_half_width(
        counts, rates, settings.half_width, method=settings.allocation, limits=settings.limits, confidence=settings.confidence,
        whole=[place for place, name in enumerate(names) if drawn_whole(name)],
    )  # fmt: skip
    z = normal_quantile(settings.confidence)
    wald = wald_labels(counts, rates, settings.half_width, method=settings.allocation, z=z)
    details: dict[str, Any] = {
        "N": sum(counts), "half_width": settings.half_width, "limits": settings.limits, "confidence": settings.confidence,
        "by_stratum": {
            name: {"N": sizes[name], "labels": labels, "guess": rate}
            for name, labels, rate in zip(names, plan.allocation, rates, strict=True)
        },
        "expected_low": plan.interval.low, "expected_high": plan.interval.high, "reached": plan.reached, "wald": wald,
    }  # fmt: skip
    return Estimate(
        "planned_labels",
        float(plan.labels),
        sum(counts),
        method,
        unit="count",
        group=group,
        assumes=PLAN_ASSUMES,
        details=details,
    )


def further_labels(strata: Sequence[StratumCount], settings: PlanSettings, *, group: Mapping[str, str]) -> Estimate:
    """How many more labels, and in which stratum, from the labels at hand.

    Returns:
        A count; 0 where the width is reached. ``details["now"]`` and ``then`` hold the interval, ``next`` the stratum of the next
        label, ``reached`` whether all labels together are enough.
    """
    guesses = {stratum.stratum: settings.guess(stratum.stratum) for stratum in strata}
    found = more_labels(strata, guesses, settings.half_width, limits=settings.limits, confidence=settings.confidence)
    labelled = sum(stratum.labelled for stratum in strata)
    details: dict[str, Any] = {
        "N": sum(stratum.size for stratum in strata), "half_width": settings.half_width, "limits": settings.limits,
        "confidence": settings.confidence, "labelled": labelled, "by_stratum": dict(found.by_stratum), "next": found.next_stratum,
        "now": [found.now.low, found.now.high], "then": [found.then.low, found.then.high], "reached": found.reached,
    }  # fmt: skip
    return Estimate(
        "more_labels", float(found.labels), labelled, "steepest narrowing of the expected MOVER interval", unit="count",
        group=group, assumes=MORE_ASSUMES, details=details,
    )  # fmt: skip


def zero_event_labels(
    stratum: str, size: int, counts: StratumCount | None, limit: float, *, group: Mapping[str, str], confidence: float = 0.95
) -> list[Estimate]:
    """Labels without an event that push the one-sided upper limit of a stratum to `limit`, and where it stands now.

    Args:
        stratum: Its name.
        size: Items in it.
        counts: Labels at hand; None without any.
        limit: A fraction.
        group: What the estimates speak for; the stratum is added.
        confidence: One-sided.

    Returns:
        ``zero_event_labels``, a count with ``details["still"]``; and with labels ``zero_event_limit``, a fraction, undefined once
        an event was seen.
    """
    group = {**group, "stratum": stratum}
    needed = labels_for_zero_event_limit(limit, confidence)
    have = counts.labelled if counts else 0
    events = counts.events if counts else 0
    still = max(0, needed - have)
    details = {"limit": limit, "labelled": have, "events": events, "still": still, "size": size, "enough": size >= needed}
    found = [
        Estimate(
            "zero_event_labels", float(needed), have, "exact, one-sided", unit="count", group=group, assumes=ZERO_ASSUMES,
            details={**details, "confidence": confidence},
        )
    ]  # fmt: skip
    if have:
        value = None if events else zero_event_limit(have, confidence)
        reason = f"{events} of {have} labels are events" if events else None
        found.append(
            Estimate(
                "zero_event_limit", value, have, "exact upper limit, one-sided", group=group, assumes=ZERO_ASSUMES,
                undefined=reason, details={"confidence": confidence},
            )
        )  # fmt: skip
    return found


@dataclass(frozen=True, slots=True)
class PowerSettings:
    """What a comparison of two runs is planned with; None where it is not stated."""

    before: float | None = None
    after: float | None = None
    n: int | None = None
    """Prompts (on the same prompts) or prompts per run (on different ones)."""
    discordant: float | None = None
    """Share of prompts that change, in either direction."""
    margin: float | None = None
    power: float = 0.8
    alpha: float = 0.05


def power_estimates(settings: PowerSettings) -> list[Estimate]:
    """Everything that the stated numbers answer: sizes, power and the smallest change that is found, paired and unpaired.

    Raises:
        ValueError: A number is out of range, or the discordant share is smaller than the change.
    """
    found = []
    s, change = settings, None
    if s.before is not None and s.after is not None:
        change = s.after - s.before
        found.append(_size("independent_sample_size", independent_sample_size(s.before, s.after, power=s.power, alpha=s.alpha),
                           "prompts per run, pooled z test (Fleiss 1981)", s))  # fmt: skip
        if s.n is not None:
            found.append(_power("independent_power", s.n, s, paired=None))
    if s.discordant is not None and change is not None:
        if s.discordant < abs(change):
            raise ValueError(f"the discordant share {s.discordant:g} cannot be smaller than the change {abs(change):g}")
        gained, lost = (s.discordant + change) / 2, (s.discordant - change) / 2
        found.append(_size("paired_sample_size", paired_sample_size(gained, lost, power=s.power, alpha=s.alpha),
                           "prompts labelled on both sides, McNemar's test (Connor 1987)", s))  # fmt: skip
        if s.n is not None:
            found.append(_power("paired_power", s.n, s, paired=(gained, lost)))
    if s.discordant is not None and s.n is not None:
        least = paired_minimum_detectable(s.n, s.discordant, power=s.power, alpha=s.alpha)
        found.append(
            Estimate(
                "minimum_detectable_change", least, s.n, "McNemar's test, normal approximation", group={"design": "paired"},
                assumes=POWER_ASSUMES, details=_stated(s),
                undefined=None if least is not None else "not even a change of all discordant prompts in one direction is found",
            )
        )  # fmt: skip
    if s.discordant is not None and s.margin is not None:
        size = noninferiority_sample_size(s.margin, s.discordant, power=s.power, alpha=s.alpha)
        found.append(_size("noninferiority_sample_size", size, "prompts labelled on both sides, if nothing changes", s))
    return found


def _size(statistic: str, value: int, method: str, settings: PowerSettings) -> Estimate:
    design = "independent" if statistic.startswith("independent") else "paired"
    return Estimate(
        statistic, float(value), value, method, unit="count", group={"design": design}, assumes=POWER_ASSUMES,
        details=_stated(settings),
    )  # fmt: skip


def _power(statistic: str, n: int, settings: PowerSettings, *, paired: tuple[float, float] | None) -> Estimate:
    group = {"design": "paired" if paired else "independent"}
    method = "exact enumeration, exact McNemar's test" if paired else "exact enumeration, pooled two-sided z test"
    if n > MOST_ENUMERATED:
        reason = f"enumerated up to {MOST_ENUMERATED} prompts only"
        return Estimate(statistic, None, n, method, group=group, assumes=POWER_ASSUMES, undefined=reason)
    if paired:
        value = paired_power(*paired, n, alpha=settings.alpha)
    else:
        assert settings.before is not None
        assert settings.after is not None
        value = independent_power(settings.before, settings.after, n, alpha=settings.alpha)
    return Estimate(statistic, min(1.0, value), n, method, group=group, assumes=POWER_ASSUMES, details=_stated(settings))


def _stated(settings: PowerSettings) -> dict[str, Any]:
    stated = {name: getattr(settings, name) for name in ("before", "after", "n", "discordant", "margin", "power", "alpha")}
    return {name: value for name, value in stated.items() if value is not None}
