"""The release gate: every rate against its margin and its bound; pass, fail or undecided, and all rows must pass.

Only the decision. Which intervals a gate uses (Clopper-Pearson limits, or the anytime set where the result ends the
labelling) is settled by whoever makes the estimates; margins must be stated before looking.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from adjudicate.core.estimates import Estimate
from adjudicate.stats.paired import Better

Result = Literal["pass", "fail", "undecided"]

_ROUNDING = 1e-12
"""A limit that meets a bound up to rounding meets it."""


@dataclass(frozen=True, slots=True)
class Demand:
    """What a gate asks of one rate of one population. At least one of the two is given."""

    better: Better
    """Which direction of the rate is good."""
    margin: float | None = None
    """Largest change for the worse that is accepted, a fraction from 0 to 1."""
    bound: float | None = None
    """Largest rate that is accepted (smallest where higher is better), a fraction from 0 to 1."""

    def __post_init__(self) -> None:
        if self.margin is None and self.bound is None:
            raise ValueError("a demand needs a margin or a bound")
        for name, value in (("margin", self.margin), ("bound", self.bound)):
            if value is not None and not 0 <= value <= 1:
                raise ValueError(f"a {name} is a fraction from 0 to 1, not {value}")


@dataclass(frozen=True, slots=True)
class Check:
    """One demand against one interval."""

    kind: Literal["margin", "bound"]
    """Whether the change or the rate itself was asked about."""
    limit: float
    """The margin or bound, a fraction."""
    result: Result
    """What the interval says."""
    reason: str
    """Why, in words; never empty."""


@dataclass(frozen=True, slots=True)
class GateRow:
    """One rate of one population before and after, with what was asked and what came out."""

    group: Mapping[str, str]
    """The rate and population of the row."""
    demand: Demand
    """What was asked."""
    before: Estimate | None
    """The baseline's rate; None without a baseline."""
    after: Estimate | None
    """The candidate's rate."""
    difference: Estimate | None
    """After minus before; None without a baseline."""
    checks: tuple[Check, ...]
    """One per margin and bound."""
    result: Result
    """The worst of the checks."""


@dataclass(frozen=True, slots=True)
class Gate:
    """The whole table."""

    rows: tuple[GateRow, ...]
    """In the order given."""
    result: Result
    """Pass only if every row passes; fail if any fails; otherwise undecided, also without rows."""


def decide_row(
    demand: Demand,
    *,
    group: Mapping[str, str],
    after: Estimate | None,
    before: Estimate | None = None,
    difference: Estimate | None = None,
) -> GateRow:
    """Check one rate.

    A check passes if the whole interval is on the good side of the limit, meeting it included; fails if the whole interval is
    on the bad side; and is undecided if the interval straddles the limit, does not exist, or the estimate is undefined.
    Unresolved items and non-response count against both: the interval is first widened by what they could change
    (``details["unresolved_bounds"]``).

    Args:
        demand: Margin, bound, and which direction is good.
        group: Names of the row.
        after: The candidate's rate, a fraction.
        before: The baseline's rate, for the table.
        difference: After minus before, -1 to 1; needed for a margin.

    Returns:
        The row, with a reason for every check.
    """
    checks: list[Check] = []
    if demand.bound is not None:
        checks.append(_check("bound", demand.bound, demand.bound, after, demand.better))
    if demand.margin is not None:
        limit = demand.margin if demand.better == "lower" else -demand.margin
        checks.append(_check("margin", demand.margin, limit, difference, demand.better))
    return GateRow(group, demand, before, after, difference, tuple(checks), worst(check.result for check in checks))


def decide(rows: Iterable[GateRow]) -> Gate:
    """All rows must pass (intersection-union, so no correction for their number is needed)."""
    table = tuple(rows)
    return Gate(table, worst(row.result for row in table))


def worst(results: Iterable[Result]) -> Result:
    """``fail`` before ``undecided`` before ``pass``; undecided where there is nothing to look at."""
    found = set(results)
    if "fail" in found:
        return "fail"
    return "pass" if found == {"pass"} else "undecided"


def by_both(asked: Result, other: Result) -> Result:
    """What a row may say that two readings of the intents answer: the one that decides, and the other.

    A pass needs both, and neither passes against a fail of the other: a row whose answer hangs on a contested intent is
    undecided. A fail stands where the other reading is undecided.
    """
    if asked == other:
        return asked
    return "fail" if (asked, other) == ("fail", "undecided") else "undecided"


def _check(kind: Literal["margin", "bound"], stated: float, limit: float, estimate: Estimate | None, better: Better) -> Check:
    what = "change" if kind == "margin" else "rate"
    if estimate is None:
        return Check(kind, stated, "undecided", f"no {what} to look at")
    if estimate.value is None:
        return Check(kind, stated, "undecided", f"the {what} is undefined: {estimate.undefined}")
    if estimate.low is None or estimate.high is None:
        return Check(kind, stated, "undecided", f"the {what} has no interval")
    low, high = _with_unresolved(estimate, estimate.value, estimate.low, estimate.high)
    sign = 1 if better == "lower" else -1
    good_end, bad_end = sorted((sign * low, sign * high))
    if bad_end <= sign * limit + _ROUNDING:
        return Check(kind, stated, "pass", f"the whole interval of the {what} is within the limit")
    if good_end > sign * limit + _ROUNDING:
        return Check(kind, stated, "fail", f"the whole interval of the {what} is past the limit")
    return Check(kind, stated, "undecided", f"the interval of the {what} straddles the limit")


def _with_unresolved(estimate: Estimate, value: float, low: float, high: float) -> tuple[float, float]:
    least, most = estimate.details.get("unresolved_bounds", (value, value))
    return low - max(0.0, value - least), high + max(0.0, most - value)
