"""Tables of further rates: by labels from elsewhere, where items come in clusters, and means of points by a judge's scores."""

from __future__ import annotations

from adjudicate.core import present
from adjudicate.core.estimates import Estimate
from adjudicate.stats.transported import SEEN_NOWHERE
from adjudicate.workflow.build_report import Report
from adjudicate.workflow.text_table import TextTable, marked, outcome_title, rate_title, with_bounds, with_marks


def transported_table(report: Report) -> TextTable:
    """Rates by labels from elsewhere, with the sensitivity and specificity that were carried over."""
    found = _of(report, "transported_rate")
    rows = tuple(
        (
            rate_title(report.policy, estimate.group["rate"]),
            present.speaks_for(estimate, "rate", *_one_judge(found)),
            _fraction(estimate.details["raw"]),
            present.value(estimate),
            present.interval(estimate),
            _errors(estimate),
            _set(estimate),
        )
        for estimate in found
    )
    headers = ("rate", "group", "raw", "corrected", "interval", "sens., spec. there", "labels there")
    table = TextTable(_title("Rates by labels from", found), headers, rows, (2, 3, 5), present.footnotes(found))
    return marked(table, map(_few, found))


def transported_shares_table(report: Report) -> TextTable:
    """Outcomes by labels from elsewhere, those left out that neither a verdict nor a label names."""
    every = _of(report, "transported_share")
    found = [estimate for estimate in every if estimate.undefined != SEEN_NOWHERE]
    rows = tuple(
        (
            outcome_title(report.policy, estimate.group["outcome"]),
            present.speaks_for(estimate, "outcome", *_one_judge(found)),
            _fraction(estimate.details["raw"]),
            present.value(estimate),
            present.interval(estimate),
            _set(estimate),
        )
        for estimate in found
    )
    headers = ("outcome", "group", "raw", "corrected", "interval", "labels there")
    silent = (f"Left out: {len(every) - len(found)} for which {SEEN_NOWHERE}.",) if len(found) < len(every) else ()
    notes = (*present.footnotes(found), *silent)
    return marked(TextTable(_title("Outcomes by labels from", found), headers, rows, (2, 3), notes), map(_few, found))


def clustered_table(report: Report) -> TextTable:
    """Corrected rates whose intervals allow for items that share a prompt or a pair."""
    found = _of(report, "clustered_rate")
    rows = tuple(
        (
            rate_title(report.policy, estimate.group["rate"]),
            present.speaks_for(estimate, "rate"),
            present.value(estimate),
            present.interval(estimate),
            present.number(estimate.details["design_effect"], "coefficient") if "design_effect" in estimate.details else "",
            str(estimate.details.get("clusters", "")),
            str(estimate.n),
        )
        for estimate in found
    )
    title = "Rates where items share a prompt or a pair: for clusters drawn whole, and for prompts like these"
    headers = ("rate", "group", "corrected", "interval", "design effect", "clusters", "n")
    return with_marks(TextTable(title, headers, rows, (2, 4, 5, 6), present.footnotes(found)), found)


def means_table(report: Report) -> TextTable:
    """Mean points with the judge's scores as predictions, beside the same from labels alone."""
    found = _of(report, "mean_score")
    rows = tuple(
        (
            estimate.group["of"],
            present.speaks_for(estimate, "of", "by", *_one_judge(found)),
            _points(estimate.details.get("mean_prediction")),
            "undefined" if estimate.value is None else _points(estimate.value),
            _points_interval(estimate),
            *_alone(estimate),
            str(estimate.n),
        )
        for estimate in found
    )
    headers = ("of", "group", "scores", "corrected", "interval", "labels alone", "interval", "n")
    title = "Mean points, 0 to 100: the judge's scores, corrected by labels"
    reasons = dict.fromkeys(f"No interval: {each.details['no_interval']}." for each in found if "no_interval" in each.details)
    table = TextTable(title, headers, rows, (2, 3, 5, 7), (*present.footnotes(found), *reasons))
    return with_marks(with_bounds(table, found), found)


def _of(report: Report, statistic: str) -> list[Estimate]:
    return [estimate for estimate in report.estimates if estimate.statistic == statistic]


def _title(words: str, found: list[Estimate]) -> str:
    names = dict.fromkeys(estimate.details["calibration"]["workspace"] for estimate in found)
    return f"{words} {', '.join(names)}: true only if the judge errs here as it does there"


def _one_judge(found: list[Estimate]) -> tuple[str, ...]:
    """The judge, to be left out of a group where there is only one."""
    return ("judge",) if len({estimate.group["judge"] for estimate in found}) == 1 else ()


def _set(estimate: Estimate) -> str:
    """How many labels of which part of the calibration set stood for the population."""
    source = estimate.details["calibration"]
    part = source["population"] if "population" in source else f"all {source['intent']}"
    return f"{source['n']} of {part}"


def _few(estimate: Estimate) -> str:
    """Marks few verdicts here or few labels there; for a rate, few events or few others among them."""
    behind = [estimate.n, estimate.details["calibration"]["n"]]
    behind += [int(estimate.details[side]) for side in ("positives", "negatives") if side in estimate.details]
    return present.FEW if estimate.undefined is None and present.is_few(min(behind)) else ""


def _errors(estimate: Estimate) -> str:
    if "sensitivity" not in estimate.details:
        return ""
    return f"{_fraction(estimate.details['sensitivity'])}, {_fraction(estimate.details['specificity'])}"


def _fraction(value: float | None) -> str:
    return "" if value is None else present.number(value, "fraction")


def _points(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}"


def _points_interval(estimate: Estimate) -> str:
    if estimate.undefined is not None:
        return estimate.undefined
    return "none, see below" if estimate.low is None else f"{_points(estimate.low)} to {_points(estimate.high)}"


def _alone(estimate: Estimate) -> tuple[str, str]:
    alone = estimate.details.get("labels_alone")
    if not alone or alone["value"] is None:
        return "", ""
    return _points(alone["value"]), f"{_points(alone['low'])} to {_points(alone['high'])}"
