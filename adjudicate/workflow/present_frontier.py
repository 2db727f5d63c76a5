"""Operating points, curves and stacks as tables of text."""

from __future__ import annotations

from collections.abc import Sequence

from adjudicate.core import present
from adjudicate.core.estimates import Estimate
from adjudicate.stats.frontier import Frontier
from adjudicate.workflow.example_words import FIGURES
from adjudicate.workflow.operating_point import FrontierReport
from adjudicate.workflow.text_table import TextTable, with_marks

CHOICES = {
    "harmful_compliance": "one threshold for all",
    "every_category": "one for each category",
    "per_category": "per category",
    "given": "as given",
    "lowest_cost": "lowest cost",
    "closed_form": "lowest cost, closed form",
    "normal_fit": "lowest cost, normal fit",
}
ERRORS = {"harmful_compliance": "harmful compliance", "benign_refusal": "benign refusal"}
SHORT = {"harmful_compliance": "HC", "benign_refusal": "BR"}
SHOWN_POINTS = 11


def frontier_tables(report: FrontierReport) -> list[TextTable]:
    """Chosen points, their rates, thresholds per category, the curve, the stack; tables without rows are left out."""
    tables = [_thresholds(report.estimates), _rates(report.estimates), _categories(report.estimates)]
    if report.curve is not None:
        tables.append(_curve(report.curve))
    return [table for table in (*tables, _stack(report.estimates)) if table.rows]


def example_table(estimates: Sequence[Estimate]) -> TextTable:
    """Every figure of the worked example."""
    rows = tuple(
        (
            FIGURES[each.group["figure"]].title,
            _figure(each, each.value),
            _figure(each, each.details.get("simulated")),
            _figure(each, each.details.get("printed")),
        )
        for each in estimates
    )  # fmt: skip
    return TextTable("The worked example", ("figure", "computed", "simulated", "printed in the note"), rows, right=(1, 2, 3))


def _thresholds(estimates: Sequence[Estimate]) -> TextTable:
    costs = {tuple(each.group.items()): each for each in estimates if each.statistic == "expected_cost"}
    chosen = [each for each in estimates if each.statistic == "threshold" and "category" not in each.group]
    rows = []
    for each in chosen:
        cost = costs.get(tuple(each.group.items()))
        priced = (present.value(cost) if cost else "",) if costs else ()
        rows.append((_choice(each), _threshold(each), *priced, str(each.n)))
    headers = ("chosen", "threshold", *(("cost per request",) if costs else ()), "scores")
    return TextTable("Thresholds", headers, tuple(rows), right=tuple(range(1, len(headers))))


def _threshold(each: Estimate) -> str:
    beyond = each.details.get("beyond")
    return each.undefined or present.value(each) + (f" ({beyond})" if beyond else "")


def _rates(estimates: Sequence[Estimate]) -> TextTable:
    there = [each for each in estimates if each.statistic == "frontier_rate" and "category" not in each.group]
    rows = tuple(
        (
            CHOICES[each.group["choice"]],
            ERRORS[each.group["error"]],
            each.group["population"],
            present.value(each),
            present.interval(each),
            str(each.n),
        )
        for each in there
    )
    level = next((each.confidence for each in there if each.confidence), 0.95)
    headers = ("chosen", "rate", "group", "value", f"{present.level_of(level)} interval", "n")
    return with_marks(TextTable("Rates there", headers, rows, right=(3, 5)), there)


def _categories(estimates: Sequence[Estimate]) -> TextTable:
    """A row a category: its threshold, and the wrong side of it in every population that it has."""
    inside = [each for each in estimates if "category" in each.group]
    places = list(dict.fromkeys(_place(each) for each in inside if each.statistic == "frontier_rate"))
    rows = []
    for chosen in (each for each in inside if each.statistic == "threshold"):
        found = {_place(each): each for each in inside if each.group["category"] == chosen.group["category"] and _place(each)}
        rates = (f"{present.value(found[place])} of {found[place].n}" if place in found else "" for place in places)
        rows.append((chosen.group["category"] or "no category", _threshold(chosen), *rates))
    headers = ("category", "threshold", *(f"{SHORT[error]} {population}" for error, population in places))
    return TextTable("A threshold for each category", headers, tuple(rows), right=tuple(range(1, len(headers))))


def _place(each: Estimate) -> tuple[str, ...]:
    """Error and population of a rate; nothing for a threshold."""
    return (each.group["error"], each.group["population"]) if "error" in each.group else ()


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
    stack = [each for each in estimates if each.statistic == "refusal_rate"]
    rows = tuple(
        (
            each.group["population"], each.group["layer"], present.value(each), present.interval(each), str(each.n),
            str(each.details.get("alone", "")),
        )
        for each in stack
    )  # fmt: skip
    headers = ("group", "layer", "refused", "95% interval", "reached", "refused by it alone")
    return with_marks(TextTable("Filters, end to end", headers, rows, right=(2, 4, 5)), stack)


def _choice(each: Estimate) -> str:
    most = each.details.get("harmful_compliance")
    return CHOICES[each.group["choice"]] + (f", harmful compliance at most {100 * most:g} %" if most is not None else "")


def _figure(each: Estimate, value: float | None) -> str:
    """A figure of the example with its unit."""
    if value is None:
        return ""
    scale = FIGURES[each.group["figure"]].scale
    return f"{100 * value:.2f} points" if scale == "spread" else f"{100 * value:.2f} %" if scale == "share" else f"{value:.4f}"
