"""What a report says of judges, as tables: accuracy, judges side by side, slices, errors, calibration."""

from __future__ import annotations

from adjudicate.core import present
from adjudicate.core.estimates import Estimate
from adjudicate.workflow.build_report import Report
from adjudicate.workflow.list_errors import ErrorList
from adjudicate.workflow.text_table import TextTable, rate_title

JUDGE = (
    "judge_accuracy", "judge_kappa", "judge_mcc", "judge_sensitivity", "judge_specificity", "judge_ppv", "judge_npv",
    "judge_balanced_accuracy", "false_omission_rate",
)  # fmt: skip
FEW = "fewer than 20"
"""Beside a value that nothing should be built on."""


def judge_table(report: Report) -> TextTable:
    """Accuracy and its kin by judge and group."""
    found = [estimate for estimate in report.estimates if estimate.statistic in JUDGE]
    rows = tuple(
        (
            estimate.group.get("judge", ""),
            present.speaks_for(estimate, "judge"),
            present.title(estimate),
            present.value(estimate),
            present.interval(estimate),
            str(estimate.n),
        )
        for estimate in found
    )
    headers = ("judge", "on", "measure", "value", "interval", "n")
    return TextTable("Judge against gold, blind labels", headers, rows, (3, 5), present.footnotes(found))


def judges_table(report: Report) -> TextTable:
    """Two judges on the same items."""
    rows = tuple(
        (
            f"{estimate.group['judge']} minus {estimate.group['against']}",
            present.speaks_for(estimate, "judge", "against", "speaks_for"),
            estimate.group["speaks_for"],
            present.value(estimate),
            present.interval(estimate),
            _p(estimate.details.get("p")),
            str(estimate.n),
        )
        for estimate in report.estimates
        if estimate.statistic == "judge_accuracy_difference"
    )
    headers = ("judges", "on", "speaks for", "accuracy difference", "interval", "p", "n")
    return TextTable("Judges on the same items, blind labels", headers, rows, right=(3, 5, 6))


def slices_table(report: Report) -> TextTable:
    """Where a judge is biased, with both adjusted p values."""
    rows = tuple(
        (
            estimate.group["judge"],
            rate_title(report.policy, estimate.group["rate"]),
            present.speaks_for(estimate, "judge", "rate"),
            present.value(estimate),
            present.interval(estimate),
            f"{estimate.details.get('missed', 0)} / {estimate.details.get('false_alarm', 0)}",
            _p(estimate.details.get("holm")),
            _p(estimate.details.get("benjamini_hochberg")),
            str(estimate.n),
            FEW if estimate.details.get("few") else "",
        )
        for estimate in report.estimates
        if estimate.statistic == "judge_bias"
    )
    headers = ("judge", "rate", "slice", "judge minus people", "interval", "missed / false alarm", "p Holm", "p BH", "n", "")
    return TextTable("Judge's rate against people's, by slice", headers, rows, right=(3, 6, 7, 8))


def alternative_table(report: Report) -> TextTable:
    """The alternative annotator test, beside the sensitivity."""
    rows = tuple(
        (
            estimate.group["judge"],
            rate_title(report.policy, estimate.group["rate"]),
            present.title(estimate),
            present.value(estimate),
            "" if estimate.undefined is None else estimate.undefined,
            _sensitivity(estimate),
            str(estimate.n),
        )
        for estimate in report.estimates
        if estimate.statistic in ("alt_test_winning_rate", "alt_test_advantage")
    )
    headers = ("judge", "rate", "measure", "value", "", "sensitivity for the rate", "n")
    return TextTable("Judge in place of an annotator: read beside the sensitivity", headers, rows, right=(3, 6))


def _sensitivity(estimate: Estimate) -> str:
    value, low, high = (estimate.details.get(f"sensitivity{part}") for part in ("", "_low", "_high"))
    if value is None:
        return "undefined"
    limits = "" if low is None or high is None else f" ({present.number(low, 'fraction')} to {present.number(high, 'fraction')})"
    return f"{present.number(value, 'fraction')}{limits}"


def error_counts_table(report: Report) -> TextTable:
    """Errors by direction and severity."""
    rows = tuple(
        (
            estimate.group["judge"],
            present.speaks_for(estimate, "judge", "direction"),
            estimate.group["direction"].replace("_", " "),
            present.value(estimate),
            ", ".join(f"{name}: {count}" for name, count in estimate.details["by_severity"].items()),
            str(estimate.n),
        )
        for estimate in report.estimates
        if estimate.statistic == "judge_errors"
    )
    headers = ("judge", "on", "direction", "errors", "by severity", "n")
    return TextTable("Judge errors among labelled items ('report errors' lists them)", headers, rows, right=(3, 5))


def calibration_table(report: Report) -> TextTable:
    """Calibration error beside its value under perfect calibration, and Brier score."""
    rows = tuple(
        (
            estimate.group["judge"],
            present.speaks_for(estimate, "judge"),
            present.title(estimate),
            present.value(estimate),
            present.interval(estimate),
            _if_calibrated(estimate),
            str(estimate.n),
        )
        for estimate in report.estimates
        if estimate.statistic in ("judge_ece", "judge_brier")
    )
    headers = ("judge", "on", "measure", "value", "interval", "if calibrated", "n")
    return TextTable("Calibration of the judge's scores, blind labels", headers, rows, right=(3, 6))


def _if_calibrated(estimate: Estimate) -> str:
    mean, high = estimate.details.get("if_calibrated"), estimate.details.get("if_calibrated_high")
    if mean is None or high is None:
        return ""
    return f"{present.number(mean, 'fraction')} (up to {present.number(high, 'fraction')})"


def _p(value: float | None) -> str:
    if value is None:
        return ""
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def errors_table(errors: ErrorList) -> TextTable:
    """The judge's errors item by item, false "safe" first."""
    rows = tuple(
        (
            each.error.direction.replace("_", " "),
            each.error.severity or "",
            each.error.judge,
            each.source_id or each.error.item_id[:12],
            each.error.model,
            each.error.population,
            each.error.verdict or "failed",
            each.error.gold,
            ", ".join(each.clauses),
            "" if each.error.blind else "not blind",
        )
        for each in errors.errors
    )
    headers = ("direction", "severity", "judge", "item", "model", "population", "verdict", "gold", "clause", "")
    return TextTable("Judge errors, what it let pass first", headers, rows, right=())
