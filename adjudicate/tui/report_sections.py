"""The sections of the report, in one table: what each is called, which key leads to it, and how it is computed.

A section is computed on a worker's thread with the worker's own store; everything heavy is imported there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from adjudicate.core.estimates import Estimate
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.tui.widgets.table_rows import Grouped

if TYPE_CHECKING:
    from adjudicate.workflow.build_report import Report

RATES = ("raw_rate", "human_rate", "corrected_rate")
"""Rows of STATISTICS behind the bars; all that the home screen shows."""
MAIN = ("judge_accuracy", "judge_kappa", "judge_mcc", "judge_sensitivity", "judge_specificity", "false_omission_rate")
"""Statistics of a judge that stand first."""
HALF_WIDTH = 0.02
LISTED = 1000
"""Errors shown at most; the command lists all."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """What a section found."""

    head: str = ""
    """The state of the labelling that it rests on, for the status line."""
    bars: tuple[Estimate, ...] = ()
    """Rates to be drawn as intervals on one scale."""
    tables: tuple[Grouped, ...] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """One section of the report."""

    key: str
    """The digit that leads to it."""
    name: str
    """Id of its pane."""
    title: str
    """In the section bar."""
    short: str
    """In the section bar of a narrow window."""
    heading: str
    """In the border of its pane."""
    compute: Callable[[SqliteStore], Sheet]
    """Sections that share it are computed once."""
    empty: str = "nothing to show yet: label some items first"
    """In place of rows."""


def rates(store: SqliteStore) -> Sheet:
    """Bars, then both intents, scores, means, attempts and single outcomes; and what to know before using them."""
    report = _report(store, section="rates")
    wanted: tuple[tuple[str, tuple[str, ...]], ...] = (
        ("clustered", ("rate",)), ("intents", ("rate",)), ("scores", ()), ("means", ()), ("attempts", ("rate",)),
        ("outcomes", ("group",)),
    )  # fmt: skip
    tables = _tables(report, wanted)
    head = f"{report.labelled:,} of {report.items:,} items labelled · {report.open_items} open disagreements"
    return Sheet(head, bars=report.estimates, tables=tables, warnings=report.warnings)


def judge(store: SqliteStore) -> Sheet:
    """The main numbers and the errors first, then the same by population, judges compared, judges against annotators, counts."""
    names = (
        "judge_accuracy",
        "false_omission_rate",
        "judge_errors",
        "judge_difference",
        "judge_self_consistency",
        "alt_test",
        "judge_agreement",
    )
    report = _report(store, only=names)
    main = replace(report, estimates=tuple(each for each in report.estimates if _is_main(each)))
    rest = replace(report, estimates=tuple(each for each in report.estimates if not _is_main(each)))
    by = ("judge", "on")
    return Sheet(
        tables=(
            *_titled("", _tables(main, (("judge", by),))),
            *_tables(report, (("errors", by),)),
            *_titled("By population, and further measures", _tables(rest, (("judge", by),))),
            *_tables(rest, (("judges", ("judges", "on")), ("alternative", ("judge", "rate")))),
            *_tables(report, (("repeats", by), ("judge_pairs", ("judges", "on")))),
            *_tables(report, (("confusion", ("judge", "rate")), ("confusions", ("judge", "on")))),
        )
    )


def agreement(store: SqliteStore) -> Sheet:
    """Main coefficients of the whole, the pairs, then each group and every other coefficient."""
    from adjudicate.tui.widgets.pair_matrix import pair_table

    report = _report(store, section="agreement")
    main = replace(report, estimates=tuple(each for each in report.estimates if _is_whole(each)))
    rest = replace(report, estimates=tuple(each for each in report.estimates if not _is_whole(each)))
    pairs = Grouped(pair_table(report.estimates))
    return Sheet(
        tables=(
            *_titled("", _tables(main, (("agreement", ("on",)),))),
            *([pairs] if pairs.table.rows else []),
            *_titled("By group", _tables(rest, (("agreement", ("on",)),))),
            *_tables(report, (("rare", ("on",)), ("further", ("on",)), ("annotators", ("on",)), ("drift", ("on",)))),
        )
    )


def anchoring(store: SqliteStore) -> Sheet:
    """What seeing the verdict does, and signs of labelling without reading."""
    report = _report(store, section="anchoring")
    return Sheet(tables=_tables(report, (("anchoring", ("on",)), ("stamps", ("on",)))))


def calibration(store: SqliteStore) -> Sheet:
    """How far a judge's scores can be read as probabilities."""
    return Sheet(tables=_tables(_report(store, section="calibration"), (("calibration", ("judge", "on")),)))


def slices(store: SqliteStore) -> Sheet:
    """Where a judge is biased; slices with few items are marked."""
    found = _titled("", _tables(_report(store, only=("judge_bias",)), (("slices", ("judge", "rate")),)))
    notes = ("p Holm holds for all slices of a judge and rate together; p BH lets one in twenty of the findings be false.",)
    return Sheet(tables=found, notes=notes if found else ())


def errors(store: SqliteStore) -> Sheet:
    """Item by item, ids only."""
    from adjudicate.workflow.judge_tables import errors_table
    from adjudicate.workflow.list_errors import list_errors

    table = errors_table(list_errors(store))
    more = len(table.rows) - LISTED
    shown = replace(table, rows=table.rows[:LISTED])
    notes = (f"{more:,} more: adjudicate report errors",) if more > 0 else ()
    return Sheet(tables=_titled("", [Grouped(shown, ("direction",))]) if shown.rows else (), notes=notes)


def plan(store: SqliteStore) -> Sheet:
    """How many more labels, and in which stratum."""
    from adjudicate.workflow.plan_labels import PlanQuestion, plan_labels
    from adjudicate.workflow.present_plan import plan_tables

    planned = plan_labels(store, PlanQuestion(half_width=HALF_WIDTH))
    # From the labels at hand first: that is the question of someone who labels already.
    return Sheet(tables=tuple(Grouped(table, ("rate",)) for table in reversed(plan_tables(planned))), notes=planned.notes)


def frontier(store: SqliteStore) -> Sheet:
    """Operating points on the scores of the judge with the most."""
    from adjudicate.workflow.operating_point import FrontierQuestion, find_operating_point
    from adjudicate.workflow.present_frontier import frontier_tables

    found = find_operating_point(store, FrontierQuestion())
    scores = f"Scores of {found.judge}. Other judges and costs: adjudicate frontier --judge NAME --prevalence POPULATION=SHARE"
    return Sheet(tables=tuple(Grouped(table) for table in frontier_tables(found)), notes=(*found.notes, scores))


SECTIONS: tuple[Section, ...] = (
    Section("1", "rates", "Rates", "Rates", "Rates, raw and corrected", rates),
    Section("2", "judge", "Judge", "Judge", "Judge against gold, blind labels", judge),
    Section("3", "agreement", "Agreement", "Agree", "Agreement, blind labels", agreement),
    Section("4", "warnings", "Warnings", "Warn", "Warnings", rates),
    Section("5", "anchoring", "Anchoring", "Anchor", "Anchoring", anchoring),
    Section("6", "calibration", "Calibration", "Calib", "Calibration", calibration,
            "nothing to show yet: it needs verdicts with scores, on labelled items"),
    Section("7", "slices", "Slices", "Slice", "Judge's rate against people's, by slice", slices,
            "nothing to show yet: it needs blind labels on judged items"),
    Section("8", "errors", "Errors", "Error", "The judge's errors, item by item", errors,
            "no error of a judge among the labelled items"),
    Section("9", "plan", "Plan", "Plan", f"How many more labels for ± {100 * HALF_WIDTH:g} points", plan,
            "nothing to plan: no rate has items"),
    Section("0", "frontier", "Frontier", "Front", "Operating points on the judge's scores", frontier),
)  # fmt: skip
OVERVIEW = frozenset({"rates", "judge", "agreement", "warnings"})
"""Shown together where the window is wide."""


def _report(store: SqliteStore, *, section: str = "all", only: tuple[str, ...] = ()) -> Report:
    from adjudicate.workflow.build_report import ReportOptions, build_report

    return build_report(store, ReportOptions(section=section, only=only))  # type: ignore[arg-type]  # names of this file


def _tables(report: Report, wanted: Iterable[tuple[str, tuple[str, ...]]]) -> tuple[Grouped, ...]:
    """Tables of the report with the columns that become headings; those without rows are left out."""
    from adjudicate.workflow.present_report import table

    found = (Grouped(table(name, report), by) for name, by in wanted)  # type: ignore[arg-type]  # names of this file
    return tuple(each for each in found if each.table.rows)


def _is_main(estimate: Estimate) -> bool:
    """Whether it is one of the few numbers that say how good a judge is: of the whole, or where there is nothing wider."""
    narrower = {"judge_failed", *(["population"] if estimate.statistic != "false_omission_rate" else [])}
    return estimate.statistic in MAIN and not narrower & estimate.group.keys()


def _is_whole(estimate: Estimate) -> bool:
    """Whether it speaks for everything that is labelled."""
    return not estimate.group.keys() - {"level"}


def _titled(title: str, tables: Iterable[Grouped]) -> tuple[Grouped, ...]:
    """Under another title, or none: where a table is shown in parts, or the pane's border says it."""
    return tuple(each._replace(table=replace(each.table, title=title)) for each in tables)
