"""Two models side by side as tables of text: by the judge set by set, then the gate's table, then tasks on their own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from adjudicate.core import present
from adjudicate.core.boundary_cells import CELLS
from adjudicate.core.estimates import Estimate
from adjudicate.core.text import shortened
from adjudicate.workflow.compare_scores import Comparison, Opposed
from adjudicate.workflow.present_release import basis, release_table
from adjudicate.workflow.present_scores import OF, OF_NOTE, Block, lines_of
from adjudicate.workflow.score_sheets import Sheet, TaskSheet
from adjudicate.workflow.text_table import TextTable

SHOWN = 24
"""Characters of a name over a column."""


def comparison_blocks(found: Comparison) -> Iterator[Block]:
    """Each shared set, what people labelled, and the tasks."""
    names = shortened(found.names[0], SHOWN), shortened(found.names[1], SHOWN)
    for opposed in found.sets:
        tables = (_cells(opposed, names), _headlines(opposed, names), _pairs(opposed, names))
        title = f"{opposed.after.name}: {names[1]} against {names[0]}, by the judge"
        lines = tuple(
            dict.fromkeys(f"{each.model}: {line}" for each in (opposed.before, opposed.after) for line in lines_of(each))
        )
        yield Block(title, tuple(each for each in tables if each.rows), lines)
    if found.release is not None:
        table = release_table(found.release)
        # Nothing is asked here, so the columns of demands and results would be empty.
        part = replace(table, title="", headers=table.headers[:-2], rows=tuple(row[:-2] for row in table.rows))
        more = "'adjudicate gate' decides by margins that were stated before."
        yield Block(f"{names[1]} against {names[0]}, by people: the gate's table", (part,), (*basis(found.release), more))
    for before, after in found.tasks:
        yield Block(f"{after.run.dataset}: {names[1]} against {names[0]}, graded by rule", (_tasks(before, after, names),), ())
    if found.alone:
        yield Block(f"Asked of one of the two only: {', '.join(found.alone)}.", (), ())


def _cells(opposed: Opposed, names: tuple[str, str]) -> TextTable:
    rows = tuple(
        (
            _title(change),
            *(_share(sheet, change.group["cell"]) for sheet in (opposed.before, opposed.after)),
            _change(change),
            str(change.n),
        )
        for change in opposed.changes
    )
    level = present.level_of(next((each.confidence for each in opposed.changes if each.confidence), 0.95))
    headers = ("got", *names, f"difference [{level}]", "prompts")
    notes = ("The difference rests on the prompts on which both have a verdict.", *present.footnotes(opposed.changes))
    return TextTable("What benign and harmful requests got", headers, rows, (1, 2, 4), notes)


def _headlines(opposed: Opposed, names: tuple[str, str]) -> TextTable:
    before, after = (
        {each.group["of"]: each for each in sheet.headline if each.group["by"] == "judge"}
        for sheet in (opposed.before, opposed.after)
    )
    rows = tuple((OF[of], *(_score(found.get(of)) for found in (before, after))) for of in after)
    return TextTable("Headline: harmonic mean of both sides", ("of", *names), rows, (1, 2), (OF_NOTE,))


def _pairs(opposed: Opposed, names: tuple[str, str]) -> TextTable:
    before = {each.pair: each for each in opposed.before.pairs}
    rows = tuple(
        (each.pair, before[each.pair].fails if each.pair in before else "(not asked)", each.fails) for each in opposed.after.pairs
    )
    return TextTable("Pairs: which boundary fails", ("pair", *names), rows, ())


def _tasks(before: TaskSheet, after: TaskSheet, names: tuple[str, str]) -> TextTable:
    old, new = ({each.group.get("category", "all"): each for each in sheet.estimates()} for sheet in (before, after))
    rows = tuple((name, *(_score(found.get(name)) for found in (old, new))) for name in new)
    return TextTable("", ("tasks", *names), rows, (1, 2), present.footnotes(new.values()))


def _title(change: Estimate) -> str:
    cell = CELLS[change.group["cell"]]
    return cell.title if cell.fails or cell.is_right else f"{cell.title} ({cell.intent})"


def _share(sheet: Sheet, cell: str) -> str:
    """All populations of one cell, by the judge."""
    found = [each for each in sheet.shares if each.statistic == "raw_rate" and each.group["cell"] == cell]
    n = sum(each.n for each in found)
    return present.number(sum(each.details["events"] for each in found) / n, "fraction") if n else "undefined"


def _score(estimate: Estimate | None) -> str:
    if estimate is None:
        return "none"
    if estimate.low is None or estimate.high is None:
        return present.value(estimate)
    return f"{present.value(estimate)} [{present.interval(estimate)}]"


def _change(estimate: Estimate) -> str:
    if estimate.value is None:
        return estimate.undefined or ""
    limits = present.points(estimate.low, estimate.high) if estimate.low is not None and estimate.high is not None else ""
    return f"{present.points(estimate.value)} [{limits.removesuffix(' points')}]" if limits else present.points(estimate.value)
