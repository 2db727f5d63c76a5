"""The sections of the report, in one table: what each is called, which key leads to it, and how it is computed.

A section is computed on a worker's thread with the worker's own store; everything heavy is imported there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from adjudicate.core.estimates import Estimate
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.tui.report_blocks import Bars, Block, Choices, Days, Drawn, Heat, Intervals, Rate, Sheet, Tabled, Words
from adjudicate.tui.widgets.table_rows import Grouped

if TYPE_CHECKING:
    from adjudicate.tui.report_blocks import Targets
    from adjudicate.workflow.behind_numbers import Given
    from adjudicate.workflow.build_report import Report
    from adjudicate.workflow.comparable import Pair
    from adjudicate.workflow.compare_sides import Comparison
    from adjudicate.workflow.text_table import TextTable

RATES = ("raw_rate", "human_rate", "corrected_rate")
"""Rows of STATISTICS behind the bars; all that the home screen shows."""
MAIN = ("judge_accuracy", "judge_kappa", "judge_mcc", "judge_sensitivity", "judge_specificity", "false_omission_rate")
"""Statistics of a judge that stand first."""
HALF_WIDTH = 0.02
LISTED = 1000
"""Errors shown at most; the command lists all."""
ONLY_ONE = "there is one run, one model and one judge at most: a second of any can be compared"


def _nobody_waits(done: int, total: int) -> None:
    """Nobody is told how far it is."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a section is computed for."""

    person: str
    """Id of the reader: what they have yet to label blind is in no list."""
    pair: Pair | None = None
    """What is compared."""
    told: Callable[[int, int], None] = _nobody_waits
    """Given how many of how many statistics are there; raises where nobody waits for them any more."""


Compute = Callable[[SqliteStore, Asked], Sheet]


@dataclass(frozen=True, slots=True)
class Section:
    """One section of the report."""

    key: str
    """The key that leads to it."""
    name: str
    """Id of its pane."""
    title: str
    """In the section bar."""
    short: str
    """In the section bar of a narrow window."""
    heading: str
    """In the border of its pane."""
    compute: Compute
    """Sections that share it are computed once."""
    empty: str = "nothing to show yet: label some items first"
    """In place of rows."""


def rates(store: SqliteStore, asked: Asked) -> Sheet:
    """Bars, then both intents, scores, means, attempts and single outcomes; and what to know before using them."""
    report, where = _report(store, asked, section="rates")
    wanted: tuple[tuple[str, tuple[str, ...]], ...] = (
        ("clustered", ("rate",)), ("intents", ("rate",)), ("scores", ()), ("means", ()), ("attempts", ("rate",)),
        ("outcomes", ("group",)),
    )  # fmt: skip
    head = f"{report.labelled:,} of {report.items:,} items labelled · {report.open_items} open disagreements"
    bars = Bars(tuple(Rate(each, _behind(each, where)) for each in report.estimates))
    return Sheet(head, blocks=(bars, *_tables(report, where, wanted)), warnings=report.warnings)


def judge(store: SqliteStore, asked: Asked) -> Sheet:
    """The main numbers of all items, gold against verdict, the same by rate, the errors; then everything else."""
    from adjudicate.workflow.report_plots import confusions

    names = (
        "judge_accuracy", "false_omission_rate", "judge_errors", "judge_difference", "judge_self_consistency", "alt_test",
        "judge_agreement",
    )  # fmt: skip
    report, where = _report(store, asked, only=names)
    first = replace(report, estimates=tuple(each for each in report.estimates if _is_main(each) and _is_of_all(each)))
    main = replace(report, estimates=tuple(each for each in report.estimates if _is_main(each) and not _is_of_all(each)))
    rest = replace(report, estimates=tuple(each for each in report.estimates if not _is_main(each)))
    by = ("judge", "on")
    heats = [Heat(each) for each in confusions(report, where)] if where else []
    judges = max(len({heat.table.title.split(" · ")[0] for heat in heats}), 1)
    return Sheet(
        blocks=(
            *_titled("", _tables(first, where, (("judge", by),))),
            *heats[:judges],
            *_titled("By rate and model", _tables(main, where, (("judge", by),))),
            *_tables(report, where, (("errors", by),)),
            *_titled("By population, and further measures", _tables(rest, where, (("judge", by),))),
            *_tables(rest, where, (("judges", ("judges", "on")), ("alternative", ("judge", "rate")))),
            *_tables(report, where, (("repeats", by), ("judge_pairs", ("judges", "on")))),
            *_tables(report, where, (("confusion", ("judge", "rate")),)),
            *_under("Gold against verdict, part by part", heats[judges:]),
        )
    )


def agreement(store: SqliteStore, asked: Asked) -> Sheet:
    """Main coefficients of the whole, the pairs, then each group and every other coefficient."""
    from adjudicate.tui.widgets.pair_matrix import pair_table

    report, where = _report(store, asked, section="agreement")
    main = replace(report, estimates=tuple(each for each in report.estimates if _is_whole(each)))
    rest = replace(report, estimates=tuple(each for each in report.estimates if not _is_whole(each)))
    pairs = pair_table(report.estimates)
    further: tuple[tuple[str, tuple[str, ...]], ...] = (
        ("rare", ("on",)),
        ("further", ("on",)),
        ("annotators", ("on",)),
        ("drift", ("on",)),
    )
    return Sheet(
        blocks=(
            *_titled("", _tables(main, where, (("agreement", ("on",)),))),
            *((Tabled(Grouped(pairs)),) if pairs.rows else ()),
            *_titled("By group", _tables(rest, where, (("agreement", ("on",)),))),
            *_tables(report, where, further),
        )
    )


def anchoring(store: SqliteStore, asked: Asked) -> Sheet:
    """What seeing the verdict does, and signs of labelling without reading."""
    report, where = _report(store, asked, section="anchoring")
    return Sheet(blocks=_tables(report, where, (("anchoring", ("on",)), ("stamps", ("on",)))))


def calibration(store: SqliteStore, asked: Asked) -> Sheet:
    """How far a judge's scores can be read as probabilities: the errors in numbers, and how often each score was right."""
    from adjudicate.workflow.report_plots import behind_bins, reliability_curves

    report, where = _report(store, asked, section="calibration")
    curves = reliability_curves(report)
    estimates = [each for each in report.estimates if each.statistic == "judge_ece" and each.details.get("reliability")]
    drawn = [
        Drawn(curve, Tabled(Grouped(table), tuple(behind_bins(estimate, where)) if where else ()))
        for (curve, table), estimate in zip(curves, estimates, strict=True)
    ]
    return Sheet(blocks=(*drawn, *_titled("All scores", _tables(report, where, (("calibration", ("judge", "on")),)))))


def slices(store: SqliteStore, asked: Asked) -> Sheet:
    """Where a judge is biased; slices with few items are marked."""
    report, where = _report(store, asked, only=("judge_bias",))
    found = _titled("", _tables(report, where, (("slices", ("judge", "rate")),)))
    notes = ("p Holm holds for all slices of a judge and rate together; p BH lets one in twenty of the findings be false.",)
    return Sheet(blocks=found, notes=notes if found else ())


def errors(store: SqliteStore, asked: Asked) -> Sheet:
    """Item by item, ids only, and none of those that the reader has yet to label blind."""
    from adjudicate.workflow.behind import named, unseen
    from adjudicate.workflow.judge_tables import errors_table
    from adjudicate.workflow.list_errors import list_errors

    listed = list_errors(store)
    seen = unseen(store, asked.person, [each.error.item_id for each in listed.errors])
    kept = tuple(each for each in listed.errors if each.error.item_id not in seen)
    table = errors_table(replace(listed, errors=kept[:LISTED]))
    hidden, more = len(listed.errors) - len(kept), len(kept) - LISTED
    notes = (
        *([f"{hidden:,} on items that you have yet to label blind are left out"] if hidden else []),
        *([f"{more:,} more: adjudicate report errors"] if more > 0 else []),
    )
    targets = tuple((named("this item", [each.error.item_id]),) for each in kept[:LISTED])
    blocks = _titled("", [Tabled(Grouped(table, ("direction",)), targets)]) if table.rows else ()
    return Sheet(blocks=blocks, notes=notes)


def plan(store: SqliteStore, asked: Asked) -> Sheet:
    """How many more labels, and in which stratum."""
    from adjudicate.workflow.plan_labels import PlanQuestion, plan_labels
    from adjudicate.workflow.present_plan import plan_tables

    planned = plan_labels(store, PlanQuestion(half_width=HALF_WIDTH))
    _, where = _report(store, asked, only=("human_rate",))
    # From the labels at hand first: that is the question of someone who labels already.
    tables = (_tabled(table, ("rate",), where) for table in reversed(plan_tables(planned)))
    return Sheet(blocks=tuple(tables), notes=planned.notes)


def frontier(store: SqliteStore, asked: Asked) -> Sheet:  # noqa: ARG001 - as every section is computed
    """Operating points on the scores of the judge with the most."""
    from adjudicate.workflow.operating_point import FrontierQuestion, find_operating_point
    from adjudicate.workflow.present_frontier import frontier_tables
    from adjudicate.workflow.report_plots import frontier_curve

    found = find_operating_point(store, FrontierQuestion())
    curve = frontier_curve(found)
    scores = f"Scores of {found.judge}. Other judges and costs: adjudicate frontier --judge NAME --prevalence POPULATION=SHARE"
    tables = (Tabled(Grouped(table)) for table in frontier_tables(found))
    return Sheet(blocks=(*([Drawn(curve)] if curve else []), *tables), notes=(*found.notes, scores))


def time(store: SqliteStore, asked: Asked) -> Sheet:
    """Agreement in windows of time, and labels by day."""
    from adjudicate.tui.widgets.interval_rows import Line
    from adjudicate.workflow.report_plots import days

    report, where = _report(store, asked, only=("agreement_drift",))
    percent = [each for each in report.estimates if each.statistic == "percent_agreement"]
    change = [each for each in report.estimates if each.statistic == "agreement_drift"]
    blocks: list[Block] = []
    if percent:
        lines = tuple(Line(f"window {each.group['window']}", each, _behind(each, where)) for each in percent)
        blocks.append(Intervals("Percent agreement over time, windows of equally many items", lines))
        last = tuple(Line("last window minus first", each, ()) for each in change)
        blocks.append(Intervals("Change, in points", last))
    else:
        blocks.append(Words("Agreement over time: needs 40 items with two blind labels each, made at different times."))
    made = tuple(days(store))
    blocks += [Days(made)] if made else []
    notes = "Labels that came with a log stand on the day of their import; labels taken back are not counted."
    return Sheet(blocks=tuple(blocks), notes=(notes,) if made else ())


def compared(store: SqliteStore, asked: Asked) -> Sheet:
    """Two runs, models or judges side by side; first what there is to choose from."""
    from adjudicate.workflow.comparable import MOST, pairs
    from adjudicate.workflow.compare_sides import compare

    every = pairs(store)
    if not every:
        return Sheet(blocks=(Words(ONLY_ONE),))
    choices = Choices(tuple(every[:MOST]), asked.pair, max(len(every) - MOST, 0))
    if asked.pair is None:
        return Sheet(blocks=(choices,))
    from adjudicate.errors import UsageError

    try:
        found = compare(store, asked.pair)
    except UsageError as problem:
        return Sheet(blocks=(choices, Words(f"{asked.pair.words}: {problem}")))
    return Sheet(blocks=(choices, *_comparison(store, found, asked.pair)), notes=found.notes)


def _comparison(store: SqliteStore, found: Comparison, pair: Pair) -> list[Block]:
    from adjudicate.core import present
    from adjudicate.tui.widgets.interval_rows import Line
    from adjudicate.workflow.text_table import rate_title

    where = _where(store, found.report) if found.report else None
    if not found.changes:
        return [_tabled(table, ("on",) if place else (), where) for place, table in enumerate(found.tables)]
    policy = store.policy()
    lines = tuple(
        Line(f"{present.speaks_for(each, 'rate')} · {rate_title(policy, each.group['rate'])}", each, ()) for each in found.changes
    )
    return [Intervals(f"{pair.words}: difference in points", lines), *(_tabled(table, (), None) for table in found.tables)]


SECTIONS: tuple[Section, ...] = (
    Section("1", "rates", "Rates", "Rates", "Rates, raw and corrected", rates),
    Section("2", "judge", "Judge", "Judge", "Judge against gold, blind labels", judge),
    Section("3", "agreement", "Agreement", "Agree", "Agreement, blind labels", agreement),
    Section("4", "warnings", "Warnings", "Warn", "Warnings", rates),
    Section("5", "anchoring", "Anchoring", "Anchor", "Anchoring", anchoring),
    Section("6", "calibration", "Calibration", "Calib", "Calibration of the judge's scores, blind labels", calibration,
            "nothing to show yet: it needs verdicts with scores, on labelled items"),
    Section("7", "slices", "Slices", "Slice", "Judge's rate against people's, by slice", slices,
            "nothing to show yet: it needs blind labels on judged items"),
    Section("8", "errors", "Errors", "Error", "The judge's errors, item by item", errors,
            "no error of a judge among the labelled items"),
    Section("9", "plan", "Plan", "Plan", f"How many more labels for ± {100 * HALF_WIDTH:g} points", plan,
            "nothing to plan: no rate has items"),
    Section("0", "frontier", "Frontier", "Front", "Operating points on the judge's scores", frontier),
    Section("t", "time", "Time", "Time", "Agreement and labels over time", time),
    Section("c", "compare", "Compare", "Comp", "Two runs, models or judges", compared),
)  # fmt: skip
OVERVIEW = frozenset({"rates", "judge", "agreement", "warnings"})
"""Shown together where the window is wide."""


def _report(store: SqliteStore, asked: Asked, *, section: str = "all", only: tuple[str, ...] = ()) -> tuple[Report, Given | None]:
    from adjudicate.workflow.build_report import ReportOptions, build_report

    options = ReportOptions(section=section, only=only)  # type: ignore[arg-type]  # names of this file
    report = build_report(store, options, told=asked.told)
    return report, _where(store, report)


def _where(store: SqliteStore, report: Report) -> Given | None:
    from adjudicate.workflow.behind_numbers import given

    return given(report, store)


def _behind(estimate: Estimate | None, where: Given | None) -> Targets:
    from adjudicate.workflow.behind_numbers import behind

    return behind(estimate, where) if estimate is not None and where is not None else ()


def _tables(report: Report, where: Given | None, wanted: Iterable[tuple[str, tuple[str, ...]]]) -> tuple[Tabled, ...]:
    """Tables of the report with the columns that become headings; those without rows are left out."""
    from adjudicate.workflow.present_report import table

    found = (_tabled(table(name, report), by, where) for name, by in wanted)  # type: ignore[arg-type]  # names of this file
    return tuple(each for each in found if each.grouped.table.rows)


def _tabled(table: TextTable, by: tuple[str, ...], where: Given | None) -> Tabled:
    return Tabled(Grouped(table, by), tuple(_behind(each, where) for each in table.about))


def _under(heading: str, blocks: Iterable[Block]) -> tuple[Block, ...]:
    """The blocks under a heading; nothing where there are none."""
    found = tuple(blocks)
    return (Words(heading), *found) if found else ()


def _is_main(estimate: Estimate) -> bool:
    """Whether it is one of the few numbers that say how good a judge is: of the whole, or where there is nothing wider."""
    narrower = {"judge_failed", *(["population"] if estimate.statistic != "false_omission_rate" else [])}
    return estimate.statistic in MAIN and not narrower & estimate.group.keys()


def _is_of_all(estimate: Estimate) -> bool:
    """Whether it speaks of everything that the judge saw."""
    return not estimate.group.keys() - {"judge"}


def _is_whole(estimate: Estimate) -> bool:
    """Whether it speaks for everything that is labelled."""
    return not estimate.group.keys() - {"level"}


def _titled(title: str, tables: Iterable[Tabled]) -> tuple[Tabled, ...]:
    """Under another title, or none: where a table is shown in parts, or the pane's border says it."""
    return tuple(replace(each, grouped=each.grouped._replace(table=replace(each.grouped.table, title=title))) for each in tables)
