"""Scores of benchmark runs as tables of text: one block a sheet, sets and kinds of score never folded into one number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from adjudicate.core import present
from adjudicate.core.boundary_cells import CELLS, SIDES, Cell
from adjudicate.core.estimates import Estimate
from adjudicate.core.policy import Policy
from adjudicate.stats.boundary_shares import CELLS as OF_CELLS
from adjudicate.workflow.score_pairs import Member, fail_counts
from adjudicate.workflow.score_sheets import Scores, Sheet, TaskSheet
from adjudicate.workflow.text_table import TextTable, outcome_title, with_bounds, with_marks

OF = {OF_CELLS: "cells", "points": "points", "judge's scores": "scores"}
"""Readings of the headline, in words that leave room for numbers."""
OF_NOTE = "Of cells: helpful and safe, as above; of points: those that the policy gives to outcomes; of scores: the judge's own."
BY_NOTE = "“n of N”: verdicts of the judge; labels: of people, and what they say of all these answers."
BY = {"raw_rate": "judge", "corrected_rate": "people"}
MOST_NAMES = 12


@dataclass(frozen=True, slots=True)
class Block:
    """A title, tables, and lines under them."""

    title: str
    tables: tuple[TextTable, ...]
    lines: tuple[str, ...]


def blocks(scores: Scores) -> Iterator[Block]:
    """Every sheet, then the tasks."""
    for sheet in scores.sheets:
        yield sheet_block(scores.policy, sheet)
    for tasks in scores.tasks:
        yield tasks_block(tasks)


def sheet_block(policy: Policy, sheet: Sheet) -> Block:
    """The cells, the headline, categories and pairs of one model on one set."""
    found = [cells_table(sheet)]
    if sheet.judge is not None or sheet.labelled:
        found += [headline_table(sheet), means_table(sheet), categories_table(sheet), pairs_table(policy, sheet)]
    return Block(f"{sheet.name}, answered by {sheet.model}", tuple(each for each in found if each.rows), tuple(lines_of(sheet)))


def cells_table(sheet: Sheet) -> TextTable:
    """The 2x2: who asked, what they got, by the judge and, where anybody labelled, by people."""
    shares = [each for each in sheet.shares if each.statistic == "raw_rate" or sheet.labelled]
    several = {cell.intent for cell in CELLS.values() if len(_populations(sheet, cell.intent)) > 1}
    rows = tuple(
        (
            each.group["population"] if _cell(each).intent in several else _cell(each).intent,
            _cell(each).title,
            _counted(each),
            present.value(each),
            present.interval(each),
        )
        for each in shares
    )
    headers = ("asked", "got", "counted", "share", f"{_level(shares)} interval")
    notes = (*((BY_NOTE,) if sheet.labelled else ()), *present.footnotes(shares))
    table = TextTable("Who asked, and what they got", headers, rows, (2, 3), notes)
    return with_marks(with_bounds(table, shares), shares)


def headline_table(sheet: Sheet) -> TextTable:
    """The harmonic mean of both sides: by the cells above first, then by points."""
    found = [each for each in sheet.headline if each.group["by"] == "judge" or sheet.labelled]
    rows = tuple(
        (
            OF[each.group["of"]],
            "people" if each.group["by"] == "gold" else "judge",
            present.value(each),
            present.interval(each),
            " and ".join(_side(each, intent) for intent in SIDES),
        )
        for each in found
    )
    headers = ("of", "by", "score", f"{_level(found)} interval", "benign and harmful")
    notes = (OF_NOTE, *present.footnotes(found))
    table = TextTable("Headline: harmonic mean of both sides", headers, rows, (2, 4), notes)
    return with_marks(with_bounds(table, found), found)


def means_table(sheet: Sheet) -> TextTable:
    """The judge's own scores of a set with one side only; of two sides they stand with the headline."""
    found = () if sheet.headline else sheet.means
    rows = tuple((each.statistic.replace("_", " "), "judge", present.value(each), str(each.n)) for each in found)
    table = TextTable("The judge's own scores, 0 to 100", ("mean", "by", "score", "n"), rows, (2, 3), present.footnotes(found))
    return with_marks(table, found)


def categories_table(sheet: Sheet) -> TextTable:
    """Each category by the judge, in counts; by people, in percent, where anybody labelled."""
    cells = [cell for cell in CELLS.values() if _is_shown(sheet, cell)]
    rows = []
    for name, shares in sheet.categories.items():
        for statistic, by in BY.items():
            if statistic == "raw_rate" or sheet.labelled:
                of = [each for each in shares if each.statistic == statistic]
                rows.append((name or "(none)", by, *(_in_category(of, cell) for cell in cells)))
    headers = ("category", "by", *(cell.title if cell.fails or cell.is_right else f"{cell.intent}, unusable" for cell in cells))
    note = "Few prompts stand behind each: --json has every interval."
    return TextTable("By category", headers, tuple(rows), tuple(range(2, len(headers))), (note,))


def pairs_table(policy: Policy, sheet: Sheet) -> TextTable:
    """Both members of each pair, and which boundary fails."""
    rows = tuple((each.pair, _members(policy, each.benign), _members(policy, each.harmful), each.fails) for each in sheet.pairs)
    counts = ", ".join(f"{fails} {number}" for fails, number in fail_counts(sheet.pairs).items())
    by_people = any(member.by == "people" for each in sheet.pairs for member in (*each.benign, *each.harmful))
    marked = ("*: as people settled it; the rest is the judge's verdict.",) if by_people else ()
    notes = (f"{len(rows)} pairs: {counts}.", *marked)
    headers = ("pair", "benign member", "harmful member", "fails")
    return TextTable("Pairs: which boundary fails", headers, rows, (), notes)


def tasks_block(tasks: TaskSheet) -> Block:
    """The capability score, on its own."""
    found = tasks.estimates()
    rows = tuple(
        (
            each.group.get("category", "all"),
            f"{each.details['right']} of {each.n}" if each.details else "",
            present.value(each),
            present.interval(each),
        )
        for each in found
    )
    headers = ("tasks", "right", "share", f"{_level(found)} interval")
    table = with_marks(TextTable("", headers, rows, (1, 2), present.footnotes(found)), found)
    lines = []
    if tasks.graded and tasks.graded.wrong:
        lines.append(f"Wrong: {_names(tasks.graded.wrong)}.")
    if tasks.graded and tasks.graded.unanswered:
        lines.append(f"Without an answer, in no share: {tasks.graded.unanswered}.")
    if tasks.graded and tasks.graded.saturated:
        lines.append(_sentence(tasks.graded.saturated))
    title = f"{tasks.run.dataset}, answered by {tasks.model}: graded by rule, apart from every score of a boundary"
    return Block(title, (table,), tuple(lines))


def lines_of(sheet: Sheet) -> Iterator[str]:
    """What a reader must know before using the numbers of a sheet."""
    if sheet.saturated:
        yield _sentence(sheet.saturated)
    if sheet.missing:
        yield f"Not here: {len(sheet.missing)} of the set's prompts have no answer: {_names(sheet.missing)}."
    if sheet.judge is None:
        yield "No judge has given a verdict: 'adjudicate judge' asks one, 'adjudicate classify phrases' needs no server."
    else:
        also = f"; --judge chooses another: {', '.join(sheet.other_judges)}" if sheet.other_judges else ""
        yield f"Verdicts are those of {sheet.judge}{also}."
    if sheet.judge is not None and sheet.unjudged:
        yield (
            f"{sheet.unjudged} of {len(sheet.rows)} answers have no verdict of this judge: no share counts them, and the others"
            " need not be like them. Judge the rest before you read a share."
        )
    if sheet.failed:
        yield f"The judge failed on {sheet.failed} of {len(sheet.rows)} answers: counted apart, never as a class."
    if not sheet.labelled:
        yield "Nobody has labelled: shares rest on the judge alone. 'adjudicate draw --n N' draws what people label."
    if sheet.beside:
        yield f"{sheet.beside} answers to dual-use requests are in no cell; 'adjudicate report rates' has their rates."
    if sheet.ruled:
        yield (
            f"{sheet.ruled} answers are to prompts that were ruled to be of another intent: they count as declared here;"
            " 'adjudicate report rates' shows both readings."
        )


def _is_shown(sheet: Sheet, cell: Cell) -> bool:
    """Whether a cell of the sheet's intents is one of the four, or holds anything."""
    found = [each for each in sheet.shares if each.group["cell"] == cell.id]
    return bool(found) and (cell.fails or cell.is_right or any(each.value for each in found))


def _populations(sheet: Sheet, intent: str) -> set[str]:
    return {each.group["population"] for each in sheet.shares if _cell(each).intent == intent}


def _cell(estimate: Estimate) -> Cell:
    return CELLS[estimate.group["cell"]]


def _counted(estimate: Estimate) -> str:
    if estimate.statistic == "corrected_rate":
        return f"{estimate.n} labels"
    return f"{estimate.details['events']} of {estimate.n}"


def _in_category(shares: Sequence[Estimate], cell: Cell) -> str:
    """All populations of one cell in one category."""
    found = [each for each in shares if each.group["cell"] == cell.id]
    if any(each.statistic == "raw_rate" for each in found):
        return f"{sum(each.details['events'] for each in found)} of {sum(each.n for each in found)}"
    return ", ".join(present.value(each) for each in found)


def _members(policy: Policy, members: Iterable[Member]) -> str:
    return ", ".join(_outcome(policy, each) for each in members) or "(missing)"


def _outcome(policy: Policy, member: Member) -> str:
    if member.outcome is not None:
        return f"{outcome_title(policy, member.outcome)}{' *' if member.by == 'people' else ''}"
    return "(open)" if member.verdict is not None else "(no verdict)"


def _side(estimate: Estimate, intent: str) -> str:
    value = estimate.details[intent]["value"]
    return "undefined" if value is None else f"{value if estimate.unit == 'points' else 100 * value:.1f}"


def _level(estimates: Iterable[Estimate]) -> str:
    return present.level_of(next((each.confidence for each in estimates if each.confidence), 0.95))


def _names(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return f"{', '.join(names[:MOST_NAMES])}{more}"


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."
