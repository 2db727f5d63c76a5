"""A report as tables of text: the same rows for the terminal, Markdown and the screens. `SECTION_TABLES` is their order.

Tables about judges are in `judge_tables`, further ones about rates in `rate_tables`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Literal

from adjudicate.core import present
from adjudicate.core.estimates import Estimate
from adjudicate.workflow import confusion_tables, judge_tables, rate_tables
from adjudicate.workflow.build_report import Report
from adjudicate.workflow.text_table import OPEN, TextTable, marked, outcome_title, rate_title, with_bounds, with_marks

__all__ = ["SECTION_TABLES", "RateRow", "Table", "TextTable", "rate_rows", "table", "tables"]

Table = Literal[
    "rates", "outcomes", "intents", "scores", "attempts", "judge", "judges", "judge_pairs", "slices", "alternative", "errors",
    "agreement",
    "pairs", "rare", "further", "annotators", "drift", "anchoring", "stamps", "calibration", "transported", "shares", "clustered",
    "means", "confusion", "confusions", "repeats",
]  # fmt: skip
HEADLINE = ("percent_agreement", "krippendorff_alpha", "cohen_kappa", "fleiss_kappa", "gwet_ac1")
FURTHER = (
    "gwet_ac2", "weighted_kappa", "scott_pi", "conger_kappa", "brennan_prediger", "fleiss_kappa_generalised",
    "specific_agreement",
)  # fmt: skip
RARE = ("positive_agreement", "negative_agreement", "pabak", "prevalence_index", "bias_index")
ANNOTATORS = ("self_agreement", "self_alpha", "annotator_accuracy", "annotator_sensitivity", "annotator_specificity")
ANCHORING = (
    "overrule_rate", "measured_judge_accuracy", "anchoring_gap", "changed_after_reveal", "moved_to_verdict", "moved_from_verdict",
)  # fmt: skip
BRIEF: tuple[Table, ...] = ("rates", "transported", "intents", "judge", "agreement", "pairs", "anchoring")
"""What a reader sees who asks for nothing in particular."""
BRIEF_SECTIONS = frozenset({"rates", "accuracy", "agreement", "anchoring"})
"""Sections with a table among these."""
BRIEF_JUDGE = ("judge_accuracy", "judge_kappa", "judge_sensitivity", "judge_specificity", "false_omission_rate")
BRIEF_SPLITS = frozenset({"population", "judge_failed", "items", "window"})
"""Groups that a brief report leaves to the sections, except in rates."""
STAMPS = ("faster_than_reading", "time_follows_length", "longest_agreement_run")


@dataclass(frozen=True, slots=True)
class RateRow:
    """One rate of one group, raw beside human beside corrected: one without the other is half a result."""

    rate: str
    group: str
    raw: tuple[Estimate, ...]
    """One a judge."""
    human: Estimate | None
    corrected: Estimate | None
    guarded: Estimate | None = None
    """Beside conservative limits, where a stratum is nearly fully labelled."""


def table(section: Table, report: Report) -> TextTable:
    """One section of a report as a table; without rows where it has nothing to say."""
    return SECTION_TABLES[section](report)


def tables(report: Report) -> list[TextTable]:
    """Every section in full, in order."""
    return [table(section, report) for section in SECTION_TABLES]


def brief(report: Report) -> list[TextTable]:
    """The main numbers: every rate, the judge's and the annotators' headline figures over all items and by model."""
    judge = [each.statistic for each in report.estimates if each.statistic.startswith("judge_")]
    detail = ({*judge, "false_omission_rate"} - {*BRIEF_JUDGE}) | {*FURTHER, *RARE}
    kept = tuple(
        each
        for each in report.estimates
        if each.statistic not in detail
        and (not BRIEF_SPLITS & each.group.keys() or each.statistic.endswith(("_rate", "by_intents")))
    )
    return [table(section, replace(report, estimates=kept)) for section in BRIEF]


def rate_rows(report: Report, key: Literal["rate", "outcome"] = "rate") -> list[RateRow]:
    """The report's rates by group, in the order of the policy."""
    rows: dict[tuple[str, str], dict[str, list[Estimate]]] = {}
    for estimate in report.estimates:
        if estimate.statistic in ("raw_rate", "human_rate", "corrected_rate", "guarded_rate") and key in estimate.group:
            group = present.speaks_for(estimate, key, "judge")
            rows.setdefault((estimate.group[key], group), {}).setdefault(estimate.statistic, []).append(estimate)
    return [
        RateRow(
            rate=rate,
            group=group,
            raw=tuple(found.get("raw_rate", ())),
            human=next(iter(found.get("human_rate", ())), None),
            corrected=next(iter(found.get("corrected_rate", ())), None),
            guarded=next(iter(found.get("guarded_rate", ())), None),
        )
        for (rate, group), found in rows.items()
    ]


def _rates(report: Report) -> TextTable:
    return _rate_table("Rates", report, "rate")


def _outcomes(report: Report) -> TextTable:
    return _rate_table("Outcomes", report, "outcome")


def _rate_table(title: str, report: Report, key: Literal["rate", "outcome"]) -> TextTable:
    found = rate_rows(report, key)
    guarded = any(row.guarded for row in found)
    rows = [
        (
            _name(report, row.rate, key),
            row.group,
            ", ".join(_raw(estimate, several=len(row.raw) > 1) for estimate in row.raw),
            present.value(row.corrected) if row.corrected else "",
            present.interval(row.corrected) if row.corrected else "",
            str(row.corrected.n if row.corrected else 0),
            present.bounds(row.corrected) if row.corrected else "",
            *([present.interval(row.guarded) if row.guarded else ""] if guarded else []),
        )
        for row in found
    ]
    confidence = present.level_of(next((estimate.confidence for estimate in report.estimates if estimate.confidence), 0.95))
    headers: tuple[str, ...] = (
        key,
        "group",
        "raw (judge)",
        "corrected",
        f"{confidence} interval",
        "n",
        OPEN,
    )
    headers += ("guarded interval",) if guarded else ()
    shown = [each for row in found for each in (*row.raw, row.corrected) if each is not None]
    notes = (*_design_effects(report, found, key), *present.footnotes(shown))
    return with_marks(TextTable(title, headers, tuple(rows), (3, 5), notes), [row.corrected for row in found])


def _design_effects(report: Report, rows: Iterable[RateRow], key: str) -> tuple[str, ...]:
    """What items that share a prompt or a pair did to the intervals, where these speak for prompts like these."""
    effects = [
        f"{_name(report, row.rate, key)} of {row.group} {row.corrected.details['design_effect']:.2f}"
        for row in rows
        if row.corrected and row.corrected.details.get("target") == "process" and "design_effect" in row.corrected.details
    ]
    return (
        (f"Items share prompts or pairs; design effects that the intervals allow for: {', '.join(effects)}.",) if effects else ()
    )


def _intents(report: Report) -> TextTable:
    found = [estimate for estimate in report.estimates if estimate.statistic == "rate_by_intents"]
    rows = tuple(
        (
            _name(report, estimate.group["rate"], "rate"),
            present.speaks_for(estimate, "rate", "intents"),
            estimate.group["intents"],
            present.value(estimate),
            present.interval(estimate),
            str(estimate.n),
            f"{estimate.details.get('moved_in', 0)} in, {estimate.details.get('moved_out', 0)} out",
        )
        for estimate in found
    )
    headers = ("rate", "group", "intents", "corrected", "interval", "n", "labelled items moved")
    table = TextTable("Rates under declared and under adjudicated intents", headers, rows, right=(3, 5))
    return with_marks(with_bounds(table, found), found)


def _scores(report: Report) -> TextTable:
    found = [estimate for estimate in report.estimates if estimate.statistic == "boundary_score"]
    rows = tuple(
        (
            estimate.group["of"],
            "raw" if estimate.group["by"] == "judge" else "corrected",
            present.speaks_for(estimate, "of", "by"),
            present.value(estimate),
            present.interval(estimate),
            _side(estimate, "benign"),
            _side(estimate, "harmful"),
        )
        for estimate in found
    )
    headers = ("of", "", "group", "score", "interval", "benign side", "harmful side")
    table = TextTable("Boundary score: harmonic mean of both sides", headers, rows, right=(3, 5, 6))
    return with_marks(with_bounds(table, found), found)


def _side(estimate: Estimate, side: str) -> str:
    value = estimate.details[side]["value"]
    return "undefined" if value is None else present.number(value, estimate.unit)


def _attempts(report: Report) -> TextTable:
    found = [estimate for estimate in report.estimates if estimate.statistic == "attempts_rate"]
    rows = tuple(
        (
            _name(report, estimate.group["rate"], "rate"),
            present.speaks_for(estimate, "rate", "by", "attempts"),
            estimate.group["attempts"],
            "raw" if estimate.group["by"] == "judge" else "corrected",
            present.value(estimate),
            present.interval(estimate),
            str(estimate.n),
        )
        for estimate in found
    )
    headers = ("rate", "group", "attempts", "", "within k attempts", "interval", "prompts")
    return with_marks(with_bounds(TextTable("Rates within k attempts", headers, rows, right=(2, 4, 6)), found), found)


def _agreement(report: Report) -> TextTable:
    found = [each for each in report.estimates if each.statistic in HEADLINE and not {"rate", "window"} & each.group.keys()]
    return _plain("Agreement between annotators, blind labels", found, units="units")


def _pairs(report: Report) -> TextTable:
    found = [
        (estimate, pair)
        for estimate in report.estimates
        if estimate.statistic == "cohen_kappa" and not {"rate", "window"} & estimate.group.keys()
        for pair in estimate.details.get("pairwise", ())
        if pair["n_common"]
    ]
    rows = tuple(
        (
            f"{pair['first']} and {pair['second']}",
            present.speaks_for(estimate),
            str(pair["n_common"]),
            "undefined" if pair["percent"] is None else present.number(pair["percent"], "fraction"),
            "undefined" if pair["kappa"] is None else present.number(pair["kappa"], "coefficient"),
        )
        for estimate, pair in found
    )
    headers = ("pair", "on", "items", "agreement", "Cohen's kappa")
    table = TextTable("Pairs of annotators", headers, rows, right=(2, 3, 4))
    return marked(table, (present.FEW if pair["few"] else "" for _, pair in found))


def _rare(report: Report) -> TextTable:
    found = [each for each in report.estimates if each.statistic in RARE or (each.statistic in HEADLINE and "rate" in each.group)]
    return _plain("Agreement on the event of each rate: kappa falls with prevalence, so read all of them", found, units="units")


def _further(report: Report) -> TextTable:
    return _plain(
        "Agreement, further coefficients", [each for each in report.estimates if each.statistic in FURTHER], units="units"
    )


def _annotators(report: Report) -> TextTable:
    found = [each for each in report.estimates if each.statistic in ANNOTATORS]
    return _plain("Annotators against themselves and against gold", found)


def _drift(report: Report) -> TextTable:
    found = [each for each in report.estimates if "window" in each.group or each.statistic == "agreement_drift"]
    return _plain("Agreement over time", found, units="units")


def _anchoring(report: Report) -> TextTable:
    return _plain("Does seeing the verdict change labels?", [each for each in report.estimates if each.statistic in ANCHORING])


def _stamps(report: Report) -> TextTable:
    title = "Signs to look into together with the annotator; easy items look the same"
    return _plain(title, [each for each in report.estimates if each.statistic in STAMPS])


def _plain(title: str, estimates: Iterable[Estimate], *, units: str = "n") -> TextTable:
    found = list(estimates)
    rows = tuple(
        (
            present.speaks_for(estimate),
            present.title(estimate),
            present.value(estimate),
            present.interval(estimate),
            str(estimate.n),
        )
        for estimate in found
    )
    headers = ("on", "measure", "value", "interval", units)
    return with_marks(with_bounds(TextTable(title, headers, rows, (2, 4), present.footnotes(found)), found), found)


SECTION_TABLES: dict[Table, Callable[[Report], TextTable]] = {
    "rates": _rates,
    "clustered": rate_tables.clustered_table,
    "transported": rate_tables.transported_table,
    "outcomes": _outcomes,
    "shares": rate_tables.transported_shares_table,
    "intents": _intents,
    "scores": _scores,
    "means": rate_tables.means_table,
    "attempts": _attempts,
    "judge": judge_tables.judge_table,
    "confusion": confusion_tables.rate_confusion_table,
    "confusions": confusion_tables.outcome_confusion_table,
    "judges": judge_tables.judges_table,
    "judge_pairs": judge_tables.judge_pairs_table,
    "repeats": judge_tables.repeats_table,
    "slices": judge_tables.slices_table,
    "alternative": judge_tables.alternative_table,
    "errors": judge_tables.error_counts_table,
    "agreement": _agreement,
    "pairs": _pairs,
    "rare": _rare,
    "further": _further,
    "annotators": _annotators,
    "drift": _drift,
    "anchoring": _anchoring,
    "stamps": _stamps,
    "calibration": judge_tables.calibration_table,
}


def _name(report: Report, name: str, key: str) -> str:
    return rate_title(report.policy, name) if key == "rate" else outcome_title(report.policy, name)


def _raw(estimate: Estimate, *, several: bool) -> str:
    judge = f"{estimate.group.get('judge', '')} " if several else ""
    return f"{judge}{present.value(estimate)}"
