"""What a report says of judges, as tables: accuracy, judges side by side, slices, errors, calibration."""

from __future__ import annotations

from dataclasses import replace

from adjudicate.core import present
from adjudicate.core.estimates import Estimate
from adjudicate.workflow.build_report import Report
from adjudicate.workflow.list_errors import ErrorList
from adjudicate.workflow.text_table import TextTable, marked, rate_title, with_bounds, with_marks

JUDGE = (
    "judge_accuracy", "judge_kappa", "judge_mcc", "judge_sensitivity", "judge_specificity", "judge_ppv", "judge_npv",
    "judge_balanced_accuracy", "false_omission_rate",
)  # fmt: skip
REPEATS = ("judge_self_consistency", "judge_self_alpha", "judge_unstable_items")
PAIRS = ("judges_percent_agreement", "judges_cohen_kappa", "judges_alpha")
AT_LEAST = "sensitivity, at least"
AT_LEAST_NOTE = (
    f"{AT_LEAST}: if the events among cleared items were at their upper limit, and the positive predictive value at its lower"
    " one. An event that the judge let pass is rarely drawn, so the value alone overstates."
)


def judge_table(report: Report) -> TextTable:
    """Accuracy and its kin by judge and group."""
    found = [estimate for estimate in report.estimates if estimate.statistic in JUDGE]
    rows = [
        (row, _few(row, estimate), None if row[2] == AT_LEAST else estimate)
        for estimate in found
        for row in _judge_rows(estimate)
    ]
    headers = ("judge", "on", "measure", "value", "interval", "n")
    guarded = any(row[2] == AT_LEAST for row, _, _ in rows)
    notes = (*([AT_LEAST_NOTE] if guarded else []), *present.footnotes(found))
    table = TextTable("Judge against gold, blind labels", headers, tuple(row for row, _, _ in rows), (3, 5), notes)
    return marked(with_bounds(table, (estimate for _, _, estimate in rows)), (mark for _, mark, _ in rows))


def _judge_rows(estimate: Estimate) -> list[tuple[str, ...]]:
    """The value; below a sensitivity the one that what may have slipped through leaves."""
    row = (*_measure(estimate, "judge"), str(estimate.n))
    head = row[:2]
    if estimate.statistic != "judge_sensitivity" or "sensitivity_implied" not in estimate.details:
        return [row]
    implied, n = estimate.details["sensitivity_implied"], str(estimate.details["sensitivity_implied_n"])
    if implied is None:
        return [row, (*head, AT_LEAST, "undefined", "a stratum of flagged or of cleared items has no blind label", n)]
    return [row, (*head, AT_LEAST, present.number(implied, "fraction"), "", n)]


def _few(row: tuple[str, ...], estimate: Estimate) -> str:
    """A sensitivity rests on its events, what it is at least on all labels of flagged and of cleared items."""
    n = estimate.details["sensitivity_implied_n"] if row[2] == AT_LEAST else estimate.n
    return present.few(replace(estimate, n=n))


def judge_pairs_table(report: Report) -> TextTable:
    """Judges against each other, on all items that both judged."""
    found = [estimate for estimate in report.estimates if estimate.statistic in PAIRS]
    rows = tuple((*_measure(estimate, "judge", "second"), str(estimate.n)) for estimate in found)
    headers = ("judges", "on", "measure", "value", "interval", "n")
    table = TextTable("Judges against each other, gold or not", headers, rows, (3, 5), present.footnotes(found))
    return with_marks(table, found)


def judges_table(report: Report) -> TextTable:
    """Two judges on the same items."""
    found = [estimate for estimate in report.estimates if estimate.statistic == "judge_accuracy_difference"]
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
        for estimate in found
    )
    headers = ("judges", "on", "speaks for", "accuracy difference", "interval", "p", "n")
    return with_marks(TextTable("Judges on the same items, blind labels", headers, rows, right=(3, 5, 6)), found)


def repeats_table(report: Report) -> TextTable:
    """How steady a judge is where it was asked again."""
    found = [estimate for estimate in report.estimates if estimate.statistic in REPEATS]
    rows = tuple((*_measure(estimate, "judge"), str(estimate.n)) for estimate in found)
    headers = ("judge", "on", "measure", "value", "interval", "items")
    return with_marks(TextTable("Judge asked again: the same is not yet the right verdict", headers, rows, right=(3, 5)), found)


def slices_table(report: Report) -> TextTable:
    """Where a judge is biased, with both adjusted p values."""
    found = [estimate for estimate in report.estimates if estimate.statistic == "judge_bias"]
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
        )
        for estimate in found
    )
    headers = ("judge", "rate", "slice", "judge minus people", "interval", "missed / false alarm", "p Holm", "p BH", "n")
    return with_marks(TextTable("Judge's rate against people's, by slice", headers, rows, right=(3, 6, 7, 8)), found)


def alternative_table(report: Report) -> TextTable:
    """The alternative annotator test, beside the sensitivity."""
    found = [each for each in report.estimates if each.statistic in ("alt_test_winning_rate", "alt_test_advantage")]
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
        for estimate in found
    )
    headers = ("judge", "rate", "measure", "value", "", "sensitivity for the rate", "n")
    title = "Judge in place of an annotator: read beside the sensitivity"
    return with_marks(TextTable(title, headers, rows, right=(3, 6)), found)


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
    about = tuple(estimate for estimate in report.estimates if estimate.statistic == "judge_errors")
    return TextTable("Judge errors among labelled items ('report errors' lists them)", headers, rows, right=(3, 5), about=about)


def calibration_table(report: Report) -> TextTable:
    """Calibration error beside its value under perfect calibration, and Brier score."""
    found = [estimate for estimate in report.estimates if estimate.statistic in ("judge_ece", "judge_brier")]
    rows = tuple((*_measure(estimate, "judge"), _if_calibrated(estimate), str(estimate.n)) for estimate in found)
    headers = ("judge", "on", "measure", "value", "interval", "if calibrated", "n")
    return with_marks(TextTable("Calibration of the judge's scores, blind labels", headers, rows, right=(3, 6)), found)


def _measure(estimate: Estimate, *judges: str) -> tuple[str, ...]:
    """Whose it is, on what, what it is, its value and its interval.

    Args:
        estimate: Of one judge, or of two.
        judges: Parts of the group that name them.
    """
    return (
        " and ".join(estimate.group[judge] for judge in judges),
        present.speaks_for(estimate, *judges),
        present.title(estimate),
        present.value(estimate),
        present.interval(estimate),
    )


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
