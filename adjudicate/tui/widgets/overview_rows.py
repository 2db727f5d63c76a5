"""The overview of a workspace as rows: progress by stratum, people, runs and judges."""

from __future__ import annotations

from adjudicate.core.text import shortened
from adjudicate.tui.theme import DONE
from adjudicate.tui.widgets.cells import fitted, widest
from adjudicate.tui.widgets.interval_bar import progress_bar
from adjudicate.tui.widgets.line_view import Paragraph
from adjudicate.workflow.overview import Overview

STRATUM, PERSON, RUN, JUDGE = 34, 20, 28, 24
"""Cells that a name may take."""


def progress_rows(overview: Overview) -> list[Paragraph]:
    """How many items of each stratum have a label."""
    if not overview.strata:
        return [Paragraph(f"{overview.items:,} items imported, none drawn yet" if overview.items else "no items yet", "dim")]
    width = widest((stratum.name for stratum, _ in overview.strata), STRATUM)
    rows = [Paragraph(f"{'STRATUM':<{width}}  {'LABELLED':>11}", "dim")]
    for stratum, labelled in overview.strata:
        done = labelled >= stratum.drawn
        count = f"{labelled:,}/{stratum.drawn:,}"
        words = f"{fitted(stratum.name, width)}  {count:>11}  {progress_bar(labelled, stratum.drawn, 20)}"
        rows.append(Paragraph(f"{words}  {DONE}", "done") if done else Paragraph(words))
    return rows


def waiting_rows(overview: Overview) -> list[Paragraph]:
    """What waits beside the lists: disagreements always, the rest where there is any."""
    waiting = overview.open_items
    words = f"{waiting:,} open · {{go.resolve}} resolves" if waiting else f"none open {DONE}"
    rows = [Paragraph(f"disagreements  {words}", "strong" if waiting else "dim", told=True)]
    if overview.contested:
        rows.append(Paragraph(f"only intent contested  {overview.contested:,} · {{go.resolve}} rules", "strong", told=True))
    triage = overview.triage
    if triage.queued or triage.labels:
        rows.append(
            Paragraph(
                f"triage  {triage.queued:,} in it, {triage.labels:,} labels in no rate · {{go.triage}} labels", "dim", told=True
            )
        )
    if overview.steering:
        seen = f"{overview.steering_undrawn:,} in no sample yet" if overview.steering_undrawn else "people see all"
        rows.append(Paragraph(f"speak to the judge  {overview.steering:,} · {seen}", "dim"))
    return rows


def people_rows(overview: Overview) -> list[Paragraph]:
    """How far everybody is on their list."""
    if not overview.people:
        return [Paragraph("nobody has a list yet", "dim")]
    width = widest((each.annotator.name for each in overview.people), PERSON)
    return [
        Paragraph(
            f"{fitted(each.annotator.name, width)}  {f'{each.done:,}/{each.total:,}':>11}"
            f"  {progress_bar(each.done, each.total, 12)}"
        )
        for each in overview.people
    ]


def run_rows(overview: Overview) -> list[Paragraph]:
    """What was imported, and which judges spoke."""
    if not overview.runs:
        return [Paragraph("nothing imported yet: {go.import} adds a log", "dim", told=True)]
    runs = [f"{shortened(run.name, RUN)}  {run.items:,} items  {run.imported_at[:10]}" for run in overview.runs]
    judges = [f"judge {shortened(judge.name, JUDGE)}  {judge.verdicts:,} verdicts" for judge in overview.judges]
    failures = [f", {judge.failed:,} failures" if judge.failed else "" for judge in overview.judges]
    return [Paragraph(words) for words in (*runs, *map(str.__add__, judges, failures))]
