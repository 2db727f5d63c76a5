"""The report as a page to be read, printed and archived: every section, its plots, and what the numbers rest on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from adjudicate.core.estimates import Estimate
from adjudicate.core.text import visible_line
from adjudicate.formats.page import Block, Figure, Grid, Heading, Notes, Page, Paragraph
from adjudicate.formats.plots import Bar, Bin, Mark, interval_plot, reliability_plot
from adjudicate.storage.store import Store
from adjudicate.workflow.build_report import Report
from adjudicate.workflow.present_report import RateRow, Table, rate_rows, table
from adjudicate.workflow.text_table import rate_title

SECTIONS: tuple[tuple[str, tuple[Table, ...]], ...] = (
    ("Rates", ("rates", "clustered", "transported", "outcomes", "shares", "intents", "scores", "means", "attempts")),
    (
        "Judge against gold",
        ("judge", "confusion", "confusions", "judges", "judge_pairs", "repeats", "slices", "alternative", "errors"),
    ),
    ("Calibration of the judge's scores", ("calibration",)),
    ("Agreement between annotators", ("agreement", "pairs", "rare", "further", "annotators", "drift")),
    ("Anchoring", ("anchoring", "stamps")),
)
"""Headings with their tables; a table that is in none is told by a test."""
MOST_BARS = 40
READING = (
    "Raw: the share by the judge's verdicts alone. Corrected: by human labels, weighted by the recorded sampling design.",
    "An interval holds the value that a full human review would give, with the stated confidence, if what is assumed holds.",
    "Undefined is neither zero nor missing data: the reason stands in its place.",
    "Harmful compliance and benign refusal belong together: one without the other is half a result.",
)


def report_page(store: Store, report: Report, *, name: str, at: str, software: str) -> Page:
    """The page of a report.

    Args:
        store: Where the report comes from, for what it rests on.
        report: All sections.
        name: The workspace's.
        at: Time of making.
        software: Name and version of this program.
    """
    policy = report.policy
    head: tuple[Block, ...] = (
        Paragraph(
            f"Policy {policy.id} {policy.version}, fingerprint {policy.fingerprint}. {report.items:,} items, {report.labelled:,}"
            f" labelled, {report.open_items:,} waiting for a ruling. Made {at[:16].replace('T', ' ')} UTC by {software}."
        ),
        *_warnings(report),
        Notes(READING),
    )
    body = (block for title, tables in SECTIONS for block in _section(title, tables, report))
    return Page(f"{visible_line(name)}: how far the judge can be trusted", (*head, *body, *_basis(store)))


def _section(title: str, tables: Iterable[Table], report: Report) -> Iterator[Block]:
    inside: list[Block] = [*_plots(title, report), *_grids(tables, report)]
    if inside:
        yield Heading(title)
        yield from inside


def _warnings(report: Report) -> Iterator[Notes]:
    if report.warnings:
        yield Notes(report.warnings, warning=True)


def _grids(sections: Iterable[Table], report: Report) -> Iterator[Grid]:
    for section in sections:
        shown = table(section, report)
        if shown.rows:
            yield Grid(shown.title, shown.headers, shown.rows, shown.right, shown.notes)


def _plots(title: str, report: Report) -> Iterator[Figure]:
    if title == "Rates":
        yield from _rate_plots(report)
    elif title.startswith("Calibration"):
        yield from _reliability_plots(report)


def _rate_plots(report: Report) -> Iterator[Figure]:
    by_rate: dict[str, list[RateRow]] = {}
    for row in rate_rows(report):
        by_rate.setdefault(row.rate, []).append(row)
    for number, (rate, rows) in enumerate(by_rate.items()):
        series = ["corrected", *(f"raw, {judge}" for judge in _judges(rows))]
        bars = [Bar(row.group or "all", _marks(row, series)) for row in rows[:MOST_BARS]]
        if any(mark is not None for bar in bars for mark in bar.marks):
            title = f"{rate_title(report.policy, rate)}: raw and corrected, with intervals"
            left_out = f"; the first {MOST_BARS} of {len(rows)} groups" if len(rows) > MOST_BARS else ""
            yield Figure(interval_plot(f"rate{number}", title, series, bars), title + left_out)


def _judges(rows: Iterable[RateRow]) -> list[str]:
    return list(dict.fromkeys(each.group.get("judge", "") for row in rows for each in row.raw))


def _marks(row: RateRow, series: Iterable[str]) -> tuple[Mark | None, ...]:
    raw = {f"raw, {each.group.get('judge', '')}": each for each in row.raw}
    return tuple(_mark(row.corrected if name == "corrected" else raw.get(name)) for name in series)


def _mark(estimate: Estimate | None) -> Mark | None:
    if estimate is None or estimate.value is None:
        return None
    return Mark(estimate.value, estimate.low, estimate.high)


def _reliability_plots(report: Report) -> Iterator[Figure]:
    found = [each for each in report.estimates if each.statistic == "judge_ece" and each.details.get("reliability")]
    for number, each in enumerate(found[:MOST_BARS]):
        bins = [
            Bin(row["mean_score"], row["event_rate"], row["event_low"], row["event_high"], row["n"])
            for row in each.details["reliability"]
        ]
        group = ", ".join(str(value) for value in each.group.values())
        title = f"Reliability of the scores: {group}; numbers are items"
        yield Figure(reliability_plot(f"reliability{number}", title, bins), title)


def _basis(store: Store) -> Iterator[Block]:
    """What the numbers rest on, so that they can be checked: sources, judges, design, state of the labels."""
    yield Heading("What these numbers rest on")
    runs = tuple((run.name, run.format, f"{run.items:,}", run.source_sha256) for run in store.runs())
    yield Grid("Sources", ("run", "format", "items", "SHA-256 of the files"), runs, (2,))
    judges = tuple((judge.name, f"{judge.verdicts:,}", f"{judge.failed:,}") for judge in store.judges())
    yield Grid("Judges", ("judge", "verdicts", "judge failed"), judges, (1, 2))
    strata = tuple(
        (draw.id, str(draw.seed), stratum.name, f"{stratum.size:,}", f"{stratum.drawn:,}")
        for draw in store.draws()
        for stratum in draw.strata
    )
    if strata:
        yield Grid("Sampling design, fixed before the labels", ("draw", "seed", "stratum", "items", "drawn"), strata, (1, 3, 4))
    events = sum(seq for _, seq, _ in store.heads())
    yield Paragraph(f"{events:,} recorded acts of {len(store.heads())} people; the release receipt names the head of each chain.")
