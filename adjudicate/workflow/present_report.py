"""A report as tables of text, one a section: the same rows for the terminal, Markdown and the screens."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from adjudicate.core import present
from adjudicate.core.estimates import Estimate
from adjudicate.workflow.build_report import Report

Table = Literal["rates", "outcomes", "judge", "agreement"]


@dataclass(frozen=True, slots=True)
class TextTable:
    """Rows of text under headers."""

    title: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: tuple[int, ...]
    """Columns that hold numbers."""


@dataclass(frozen=True, slots=True)
class RateRow:
    """One rate of one group, raw beside human beside corrected: one without the other is half a result."""

    rate: str
    group: str
    raw: tuple[Estimate, ...]
    """One a judge."""
    human: Estimate | None
    corrected: Estimate | None


def table(section: Table, report: Report) -> TextTable:
    """One section of a report as a table; without rows where it has nothing to say."""
    return SECTION_TABLES[section](report)


def rate_rows(report: Report, key: Literal["rate", "outcome"] = "rate") -> list[RateRow]:
    """The report's rates by group, in the order of the policy."""
    rows: dict[tuple[str, str], dict[str, list[Estimate]]] = {}
    for estimate in report.estimates:
        if estimate.statistic in ("raw_rate", "human_rate", "corrected_rate") and key in estimate.group:
            group = present.speaks_for(estimate, key, "judge")
            rows.setdefault((estimate.group[key], group), {}).setdefault(estimate.statistic, []).append(estimate)
    return [
        RateRow(
            rate=rate,
            group=group,
            raw=tuple(found.get("raw_rate", ())),
            human=next(iter(found.get("human_rate", ())), None),
            corrected=next(iter(found.get("corrected_rate", ())), None),
        )
        for (rate, group), found in rows.items()
    ]


def _rates(report: Report) -> TextTable:
    return _rate_table("Rates", report, "rate")


def _outcomes(report: Report) -> TextTable:
    return _rate_table("Outcomes", report, "outcome")


def _rate_table(title: str, report: Report, key: Literal["rate", "outcome"]) -> TextTable:
    rows = [
        (
            _name(report, row.rate, key),
            row.group,
            ", ".join(_raw(estimate, several=len(row.raw) > 1) for estimate in row.raw),
            present.value(row.corrected) if row.corrected else "",
            present.interval(row.corrected) if row.corrected else "",
            str(row.corrected.n if row.corrected else 0),
            present.bounds(row.corrected) if row.corrected else "",
        )
        for row in rate_rows(report, key)
    ]
    confidence = next((estimate.confidence for estimate in report.estimates if estimate.confidence), 0.95)
    headers = (key, "group", "raw (judge)", "corrected", f"{confidence:.0%} interval", "n", "unresolved either way")
    return TextTable(title, headers, tuple(rows), right=(3, 5))


def _judge(report: Report) -> TextTable:
    wanted = [each for each in report.estimates if each.statistic.startswith("judge_") or each.statistic == "false_omission_rate"]
    rows = tuple(
        (
            estimate.group.get("judge", ""),
            present.speaks_for(estimate, "judge"),
            present.title(estimate),
            present.value(estimate),
            present.interval(estimate),
            str(estimate.n),
        )
        for estimate in wanted
    )
    return TextTable("Judge against gold, blind labels", ("judge", "on", "measure", "value", "interval", "n"), rows, right=(3, 5))


def _agreement(report: Report) -> TextTable:
    names = ("percent_agreement", "krippendorff_alpha", "cohen_kappa", "fleiss_kappa", "gwet_ac1")
    rows = tuple(
        (
            present.speaks_for(estimate),
            present.title(estimate),
            present.value(estimate),
            present.interval(estimate),
            str(estimate.n),
        )
        for estimate in report.estimates
        if estimate.statistic in names
    )
    return TextTable(
        "Agreement between annotators, blind labels", ("on", "measure", "value", "interval", "units"), rows, right=(2, 4)
    )


SECTION_TABLES: dict[Table, Callable[[Report], TextTable]] = {
    "rates": _rates,
    "outcomes": _outcomes,
    "judge": _judge,
    "agreement": _agreement,
}


def _name(report: Report, name: str, key: str) -> str:
    named: Iterable[tuple[str, str]] = (
        [(rate.id, rate.title) for rate in report.policy.rates]
        if key == "rate"
        else [(outcome.id, outcome.title) for outcome in report.policy.outcomes]
    )
    return dict(named).get(name, name)


def _raw(estimate: Estimate, *, several: bool) -> str:
    judge = f"{estimate.group.get('judge', '')} " if several else ""
    return f"{judge}{present.value(estimate)}"
