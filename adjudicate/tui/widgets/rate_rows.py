"""Rates as rows: raw beside corrected, each with its interval drawn on one shared scale, or the reason why it is undefined."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from adjudicate.core import present
from adjudicate.core.estimates import Estimate
from adjudicate.core.policy import Policy
from adjudicate.core.text import shortened
from adjudicate.tui.widgets.cells import fitted
from adjudicate.tui.widgets.interval_bar import interval_bar
from adjudicate.tui.widgets.line_view import Look, Paragraph
from adjudicate.tui.widgets.tick_axis import STEPS, axis, with_guides

MARKS = {"corrected_rate": "●", "guarded_rate": "●", "human_rate": "◆", "raw_rate": "○"}
ORDER = ("raw_rate", "human_rate", "corrected_rate", "guarded_rate")
NAME = 12
NUMBERS = 2 + NAME + 7 + 2 + 18 + 2
"""Cells before the bar: indent, name, value and interval."""
COUNT = 10
"""Cells for ``n`` behind it, and the mark of few items."""


class RateLine(NamedTuple):
    """A row of the panel."""

    paragraph: Paragraph
    estimate: Estimate | None = None
    """The one that the row shows; None for headings, the scale and bounds."""


def rate_paragraphs(estimates: Iterable[Estimate], policy: Policy, *, width: int) -> list[Paragraph]:
    """Every published rate by group: a heading, then raw, human and corrected."""
    return [line.paragraph for line in rate_lines(estimates, policy, width=width)]


def rate_lines(estimates: Iterable[Estimate], policy: Policy, *, width: int) -> list[RateLine]:
    """The same, each row with the estimate that it shows."""
    groups: dict[tuple[str, str], list[Estimate]] = {}
    for estimate in estimates:
        if estimate.statistic in ORDER and "rate" in estimate.group:
            key = (estimate.group["rate"], present.speaks_for(estimate, "rate", "judge"))
            groups.setdefault(key, []).append(estimate)
    if not groups:
        return []
    top = scale([estimate for group in groups.values() for estimate in group])
    titles = {rate.id: rate.title for rate in policy.rates}
    bar = min(max(width - NUMBERS - COUNT, 0), 60)
    rows: list[RateLine] = []
    if bar >= 12:
        rows.append(RateLine(Paragraph(f"{'':<{NUMBERS}}{axis(0.0, top, bar)}", "dim")))
    for (rate, group), found in groups.items():
        rows.append(RateLine(Paragraph(f"{shortened(titles.get(rate, rate), 40)} · {shortened(group, 50)}", "strong")))
        several = len({estimate.group.get("judge", "") for estimate in found if estimate.statistic == "raw_rate"}) > 1
        for estimate in sorted(found, key=_order):
            rows.append(RateLine(_row(estimate, top, bar, width, several=several), estimate))
            rows += map(RateLine, _bounds(estimate))
    return rows


def scale(estimates: Iterable[Estimate]) -> float:
    """The shared upper end of the bars."""
    shown = [each for each in estimates if each.value is not None]
    highest = max((each.high if each.high is not None else each.value or 0.0 for each in shown), default=1.0)
    return next((step for step in STEPS if highest <= step), 1.0)


def _order(estimate: Estimate) -> int:
    return ORDER.index(estimate.statistic)


def _bounds(estimate: Estimate) -> list[Paragraph]:
    """How far open disagreements can move the corrected rate."""
    bounds = present.bounds(estimate) if estimate.statistic == "corrected_rate" else ""
    return [Paragraph(f"{'':<{2 + NAME + 7 + 2}}{bounds}, however the open items are settled", "dim")] if bounds else []


def _row(estimate: Estimate, top: float, bar: int, width: int, *, several: bool) -> Paragraph:
    name = "guarded" if estimate.statistic == "guarded_rate" else present.title(estimate)
    if several and estimate.statistic == "raw_rate":
        name = fitted(f"raw {estimate.group.get('judge', '')}", NAME)
    if estimate.undefined is not None:
        return Paragraph(f"  {name:<{NAME}}undefined: {estimate.undefined}", "dim")
    few = present.few(estimate)
    look: Look = "" if estimate.statistic == "corrected_rate" and not few else "dim"
    words = f"  {name:<{NAME}}{present.value(estimate):>7}  {present.interval(estimate):<18}"
    drawn = ""
    if bar >= 12:
        mark = MARKS[estimate.statistic]
        drawn = "  " + with_guides(
            interval_bar(estimate.value, estimate.low, estimate.high, top=top, width=bar, mark=mark), 0, top
        )
    count = f"  n {estimate.n:,} {few}".rstrip() if len(words) + len(drawn) + COUNT <= width else ""
    return Paragraph(f"{words}{drawn}{count}", look)
