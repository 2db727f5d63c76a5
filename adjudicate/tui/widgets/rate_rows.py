"""Rates as rows: raw beside corrected, each with its interval drawn on one shared scale, or the reason why it is undefined."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from adjudicate.core import present
from adjudicate.core.estimates import Estimate
from adjudicate.core.policy import Policy
from adjudicate.core.text import shortened
from adjudicate.tui.widgets.interval_bar import interval_bar
from adjudicate.tui.widgets.line_view import Look, Paragraph

MARKS = {"corrected_rate": "●", "human_rate": "◆", "raw_rate": "○"}
ORDER = ("raw_rate", "human_rate", "corrected_rate")
STEPS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0)
"""Upper ends of the scale; the smallest that holds every limit is taken."""
NAME = 12
NUMBERS = 2 + NAME + 7 + 2 + 18 + 2
"""Cells before the bar: indent, name, value and interval."""
COUNT = 8
"""Cells for ``n`` behind it."""


def rate_paragraphs(estimates: Iterable[Estimate], policy: Policy, *, width: int) -> list[Paragraph]:
    """Every published rate by group: a heading, then raw, human and corrected."""
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
    rows: list[Paragraph] = []
    if bar >= 12:
        rows.append(Paragraph(f"{'':<{NUMBERS}}{_axis(top, bar)}", "dim"))
    for (rate, group), found in groups.items():
        rows.append(Paragraph(f"{shortened(titles.get(rate, rate), 40)} · {shortened(group, 50)}", "strong"))
        several = len({estimate.group.get("judge", "") for estimate in found if estimate.statistic == "raw_rate"}) > 1
        rows += [_row(estimate, top, bar, width, several=several) for estimate in sorted(found, key=_order)]
    return rows


def estimate_rows(estimates: Sequence[Estimate], *, width: int) -> list[Paragraph]:
    """Any other estimates, one a row under headings by what they speak for."""
    groups: dict[str, list[Estimate]] = {}
    for estimate in estimates:
        groups.setdefault(present.speaks_for(estimate), []).append(estimate)
    name = min(max((len(present.title(estimate)) for estimate in estimates), default=0), max(width - 1 - 2 - 7 - 2 - 15, 12))
    counted = name + 1 + 2 + 7 + 2 + 15 + COUNT < width
    rows: list[Paragraph] = []
    for group, found in groups.items():
        rows += [Paragraph(""), Paragraph(shortened(group, width), "strong")]
        rows += [_plain_row(estimate, name, counted=counted) for estimate in found]
    return rows[1:]


def scale(estimates: Iterable[Estimate]) -> float:
    """The shared upper end of the bars."""
    shown = [each for each in estimates if each.value is not None]
    highest = max((each.high if each.high is not None else each.value or 0.0 for each in shown), default=1.0)
    return next((step for step in STEPS if highest <= step), 1.0)


def _order(estimate: Estimate) -> int:
    return ORDER.index(estimate.statistic)


def _row(estimate: Estimate, top: float, bar: int, width: int, *, several: bool) -> Paragraph:
    name = present.title(estimate)
    if several and estimate.statistic == "raw_rate":
        name = shortened(f"raw {estimate.group.get('judge', '')}", NAME)
    if estimate.undefined is not None:
        return Paragraph(f"  {name:<{NAME}}undefined: {estimate.undefined}", "dim")
    look: Look = "" if estimate.statistic == "corrected_rate" else "dim"
    words = f"  {name:<{NAME}}{present.value(estimate):>7}  {present.interval(estimate):<18}"
    drawn = ""
    if bar >= 12:
        drawn = "  " + interval_bar(
            estimate.value, estimate.low, estimate.high, top=top, width=bar, mark=MARKS[estimate.statistic]
        )
    count = f"  n {estimate.n:,}" if len(words) + len(drawn) + COUNT <= width else ""
    return Paragraph(f"{words}{drawn}{count}", look)


def _plain_row(estimate: Estimate, name_width: int, *, counted: bool) -> Paragraph:
    name = f"{shortened(present.title(estimate), name_width):<{name_width}}"
    if estimate.undefined is not None:
        return Paragraph(f"{name}  undefined: {estimate.undefined}", "dim", " ")
    words = f"{name}  {present.value(estimate):>7}  {_limits(estimate)}"
    row = f"{words:<{name_width + 2 + 7 + 2 + 15}}{f'n {estimate.n:,}':>{COUNT}}" if counted else words
    return Paragraph(row, "", " ")


def _limits(estimate: Estimate) -> str:
    """The interval with its unit once: ``56.7 to 84.4 %``."""
    if estimate.low is None or estimate.high is None:
        return ""
    low, unit, _ = present.number(estimate.low, estimate.unit).partition(" %")
    return f"{low} to {present.number(estimate.high, estimate.unit)}" if unit else present.interval(estimate)


def _axis(top: float, width: int) -> str:
    end = f"{top * 100:g} %"
    return f"0{'┈' * max(width - 1 - len(end), 0)}{end}"
