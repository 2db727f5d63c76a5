"""A judge's confusion counts as tables: items as labelled and, where the design weighs them, the items that they stand for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adjudicate.core import present
from adjudicate.core.estimates import Estimate
from adjudicate.workflow.build_report import Report
from adjudicate.workflow.text_table import TextTable, outcome_title, rate_title, with_marks

WEIGHTED = "In brackets: the items of the frame that these stand for, by the design's weights."


def rate_confusion_table(report: Report) -> TextTable:
    """Events that a judge found and missed, by rate: one row a judge and group."""
    found = [each for each in _tabled(report) if "rate" in each.group]
    rows = []
    for estimate in found:
        (cleared, alarms), (missed, hits) = _cells(estimate)
        rows.append((
            estimate.group["judge"],
            rate_title(report.policy, estimate.group["rate"]),
            present.speaks_for(estimate, "judge", "rate"),
            hits, missed, alarms, cleared,
            str(estimate.details["judge_failed"]),
            str(estimate.n),
        ))  # fmt: skip
    headers = ("judge", "rate", "on", "found", "missed", "false alarm", "cleared", "failed", "n")
    title = "Events of each rate: found, missed; others: false alarm, rightly cleared; verdicts that failed"
    table = TextTable(title, headers, tuple(rows), (3, 4, 5, 6, 7, 8), _notes(found))
    return with_marks(table, found)


def outcome_confusion_table(report: Report) -> TextTable:
    """Gold against verdict over all outcomes, what was seen; a model's populations one by one are in the JSON alone."""
    found = [
        each
        for each in _tabled(report)
        if not {"rate", "judge_failed"} & each.group.keys() and not {"model", "population"} <= each.group.keys()
    ]
    rows = [row for each in found for row in _outcome_rows(report, each)]
    headers = ("judge", "on", "gold", "verdict", "", "items")
    return TextTable("Gold against verdict by outcome, blind labels", headers, tuple(rows), (5,), _notes(found))


def _outcome_rows(report: Report, estimate: Estimate) -> Iterator[tuple[str, ...]]:
    labels = estimate.details["labels"]
    for gold, row in zip(labels, _cells(estimate), strict=True):
        for verdict, items in zip(labels, row, strict=True):
            if items != "0":
                names = outcome_title(report.policy, gold), outcome_title(report.policy, verdict)
                sign = "" if gold == verdict else "differs"
                yield estimate.group["judge"], present.speaks_for(estimate, "judge"), *names, sign, items


def _tabled(report: Report) -> Iterator[Estimate]:
    return (each for each in report.estimates if each.statistic == "judge_accuracy" and "confusion" in each.details)


def _cells(estimate: Estimate) -> list[list[str]]:
    """Counts, with weights in brackets unless every item stands for itself."""
    raw, weighted = estimate.details["confusion"], estimate.details["confusion_weighted"]
    plain = not _is_weighted(estimate)
    return [
        [f"{count:.0f}" if plain or not count else f"{count:.0f} ({weight:.1f})" for count, weight in zip(*both, strict=True)]
        for both in zip(raw, weighted, strict=True)
    ]


def _is_weighted(estimate: Estimate) -> bool:
    return bool(estimate.details["confusion"] != estimate.details["confusion_weighted"])


def _notes(found: Sequence[Estimate]) -> tuple[str, ...]:
    return (WEIGHTED,) if any(map(_is_weighted, found)) else ()
