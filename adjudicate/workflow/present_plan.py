"""Plans as tables of text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from adjudicate.core import present
from adjudicate.core.estimates import Estimate
from adjudicate.workflow.plan_labels import LabelPlan
from adjudicate.workflow.present_report import TextTable

POWER_WORDS = {
    "independent_sample_size": "prompts needed per run, on different prompts",
    "independent_power": "power on different prompts",
    "paired_sample_size": "prompts needed, labelled on both sides",
    "paired_power": "power on the same prompts",
    "minimum_detectable_change": "smallest change found on the same prompts",
    "noninferiority_sample_size": "prompts needed to show “not worse by the margin”",
}


def plan_tables(plan: LabelPlan) -> list[TextTable]:
    """Before the first label, from the labels at hand, and without an event; tables without rows are left out."""
    tables = (_planned(plan), _more(plan), _zero(plan))
    return [table for table in tables if table.rows]


def power_table(estimates: Iterable[Estimate]) -> TextTable:
    """Everything that the stated numbers answer."""
    rows = tuple((POWER_WORDS[each.statistic], _answer(each), each.undefined or each.method) for each in estimates)
    return TextTable("Two runs", ("question", "answer", "method"), rows, right=(1,))


def _answer(estimate: Estimate) -> str:
    """A change in points: "5 % more" could mean two things."""
    if estimate.value is None or estimate.statistic != "minimum_detectable_change":
        return present.value(estimate)
    return f"{_points(estimate.value)} points"


def _planned(plan: LabelPlan) -> TextTable:
    rows = tuple(
        (
            each.group["rate"], present.speaks_for(each, "rate"), str(each.details.get("N", 0)), present.value(each),
            _where(each, {name: part["labels"] for name, part in each.details["by_stratum"].items()}) if each.details else "",
            str(each.details.get("wald", "")),
        )
        for each in plan.estimates
        if each.statistic == "planned_labels"
    )  # fmt: skip
    title = f"Labels for ± {_points(plan.question.half_width)} points, before the first label"
    about = tuple(each for each in plan.estimates if each.statistic == "planned_labels")
    return TextTable(title, ("rate", "group", "N", "labels", "of them", "Wald would say"), rows, right=(2, 3, 5), about=about)


def _more(plan: LabelPlan) -> TextTable:
    rows = tuple(_more_row(each) for each in plan.estimates if each.statistic == "more_labels")
    title = f"More labels for ± {_points(plan.question.half_width)} points, from the labels at hand"
    headers = ("rate", "group", "labelled", "± points now", "more", "of them", "next from")
    about = tuple(each for each in plan.estimates if each.statistic == "more_labels")
    return TextTable(title, headers, rows, right=(2, 3, 4), about=about)


def _more_row(each: Estimate) -> tuple[str, ...]:
    details: Mapping[str, Any] = each.details
    low, high = details["now"]
    least, most = details["then"]
    # Where every label that is left is not enough, what they would reach says more than that.
    more = present.value(each) if details["reached"] else f"{present.value(each)}, then ± {_points((most - least) / 2)}"
    return (
        each.group["rate"], present.speaks_for(each, "rate"), str(each.n), _points((high - low) / 2), more,
        _where(each, details["by_stratum"]), _short(each, details["next"] or "-"),
    )  # fmt: skip


def _zero(plan: LabelPlan) -> TextTable:
    limits = {tuple(each.group.items()): each for each in plan.estimates if each.statistic == "zero_event_limit"}
    rows = tuple(
        _zero_row(each, limits.get(tuple(each.group.items()))) for each in plan.estimates if each.statistic == "zero_event_labels"
    )
    limit = f"{100 * (plan.question.zero_below or 0):g} %"
    headers = ("rate", "group", "stratum", "N", "labels without an event", "labelled", "now")
    return TextTable(f"To claim a rate below {limit} in a stratum without an event", headers, rows, right=(3, 4, 5))


def _zero_row(each: Estimate, now: Estimate | None) -> tuple[str, ...]:
    needed = present.value(each) if each.details["enough"] else "all of them"
    where = (now.undefined or f"below {present.value(now)}") if now else "no labels yet"
    group = present.speaks_for(each, "rate", "stratum")
    stratum = _short(each, each.group["stratum"])
    return each.group["rate"], group, stratum, str(each.details["size"]), needed, str(each.n), where


def _where(each: Estimate, labels: Mapping[str, float]) -> str:
    return ", ".join(f"{_short(each, name)} {round(count)}" for name, count in labels.items() if round(count))


def _short(each: Estimate, stratum: str) -> str:
    """Without the population in front, which stands elsewhere in the row, and without the draw where there is one."""
    draw, _, rest = stratum.partition(" | ")
    if not (rest and draw.startswith("d-")):
        draw, rest = "", stratum
    parts = rest.split(" | ")
    short = " | ".join(parts[1:] if len(parts) > 1 and parts[0] == each.group.get("population") else parts)
    others = {name.partition(" | ")[0] for name in each.details.get("by_stratum", {})} - {draw}
    return f"{draw}: {short}" if draw and others else short


def _points(fraction: float) -> str:
    return f"{100 * fraction:.1f}"
