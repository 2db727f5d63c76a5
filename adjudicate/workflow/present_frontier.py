"""Operating points, curves and stacks as tables of text."""

from __future__ import annotations

from collections.abc import Sequence

from adjudicate.core import present
from adjudicate.core.estimates import Estimate
from adjudicate.stats.frontier import Frontier
from adjudicate.workflow.operating_point import FrontierReport
from adjudicate.workflow.present_report import TextTable

CHOICES = {
    "harmful_compliance": "for harmful compliance",
    "per_category": "per category",
    "given": "as given",
    "lowest_cost": "lowest cost",
    "closed_form": "lowest cost, closed form",
    "normal_fit": "lowest cost, normal fit",
}
ERRORS = {"harmful_compliance": "harmful compliance", "benign_refusal": "benign refusal"}
SHOWN_POINTS = 11


def frontier_tables(report: FrontierReport) -> list[TextTable]:
    """Chosen points, their rates, the curve, the stack; tables without rows are left out."""
    tables = [_thresholds(report.estimates), _rates(report.estimates), _stack(report.estimates)]
    if report.curve is not None:
        tables.insert(2, _curve(report.curve))
    return [table for table in tables if table.rows]


def example_table(estimates: Sequence[Estimate]) -> TextTable:
    """Every figure of the worked example."""
    rows = tuple(
        (
            each.group["figure"],
            _number(each.value),
            _number(each.details.get("simulated")),
            _number(each.details.get("printed")),
        )
        for each in estimates
    )  # fmt: skip
    return TextTable("The worked example", ("figure", "computed", "simulated", "printed in the note"), rows, right=(1, 2, 3))


def _thresholds(estimates: Sequence[Estimate]) -> TextTable:
    costs = {tuple(each.group.items()): each for each in estimates if each.statistic == "expected_cost"}
    rows = []
    for each in estimates:
        if each.statistic == "threshold":
            cost = costs.get(tuple(each.group.items()))
            value = each.undefined or present.value(each)
            rows.append((_choice(each), value, present.value(cost) if cost else "", str(each.n)))
    return TextTable("Thresholds", ("chosen", "threshold", "cost per request", "scores"), tuple(rows), right=(1, 2, 3))


def _rates(estimates: Sequence[Estimate]) -> TextTable:
    rows = tuple(
        (
            _choice(each),
            ERRORS[each.group["error"]],
            each.group["population"],
            present.value(each),
            present.interval(each),
            str(each.n),
        )
        for each in estimates
        if each.statistic == "frontier_rate"
    )
    return TextTable("Rates there", ("chosen", "rate", "group", "value", "95% interval", "n"), rows, right=(3, 5))


def _curve(curve: Frontier) -> TextTable:
    size = len(curve.thresholds)
    places = sorted({round(step * (size - 1) / (SHOWN_POINTS - 1)) for step in range(SHOWN_POINTS)})
    headers = ("threshold", *(f"HC {name}" for name in curve.compliance), *(f"BR {name}" for name in curve.refusal))
    rows = tuple(
        (
            "refuse all" if place == 0 else f"{curve.thresholds[place]:.4g}",
            *(present.number(float(rates[place]), "fraction") for rates in curve.compliance.values()),
            *(present.number(float(rates[place]), "fraction") for rates in curve.refusal.values()),
        )
        for place in places
    )
    return TextTable("The frontier", headers, rows, right=tuple(range(len(headers))))


def _stack(estimates: Sequence[Estimate]) -> TextTable:
    rows = tuple(
        (
            each.group["population"], each.group["layer"], present.value(each), present.interval(each), str(each.n),
            str(each.details.get("alone", "")),
        )
        for each in estimates
        if each.statistic == "refusal_rate"
    )  # fmt: skip
    headers = ("group", "layer", "refused", "95% interval", "reached", "refused by it alone")
    return TextTable("Filters, end to end", headers, rows, right=(2, 4, 5))


def _choice(each: Estimate) -> str:
    words = CHOICES[each.group["choice"]]
    most = each.details.get("harmful_compliance")
    if most is not None:
        words = f"harmful compliance at most {100 * most:g} %"
    return f"{words}, {each.group['category'] or 'no category'}" if "category" in each.group else words


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"
