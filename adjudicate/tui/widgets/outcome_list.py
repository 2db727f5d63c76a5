"""The outcomes a person can choose: as a pane, and as a line where there is no room. Grades take their place when asked."""

from __future__ import annotations

from adjudicate.core.grades import keyed_grades
from adjudicate.core.labels import Event
from adjudicate.core.policy import Outcome, Policy
from adjudicate.tui.theme import CHOSEN, OWN
from adjudicate.tui.widgets.line_view import Paragraph


def outcome_rows(policy: Policy, own: Event | None) -> list[Paragraph]:
    """One row an outcome: key, title, and an arrow at the person's own choice."""
    return [_outcome_row(outcome, own) for outcome in policy.outcomes]


def _outcome_row(outcome: Outcome, own: Event | None) -> Paragraph:
    # Each takes one row, however long its title and narrow the pane: no outcome may be pushed out of sight.
    words, click = f"{outcome.key}  {outcome.title}", _digit(outcome.key)
    if own is None or own.outcome != outcome.id:
        return Paragraph(words, click=click, row_end=f"  {CHOSEN} severity" if outcome.severe else "")
    severity = own.body.get("severity")
    return Paragraph(words, "strong", click=click, row_end=f"  {OWN} severity {severity}" if severity else f"  {OWN} yours")


def _digit(key: str) -> str:
    return f"digit({key!r})"


def severity_words(event: Event) -> str:
    """``, severity 2`` where the label has one."""
    severity = event.body.get("severity")
    return f", severity {severity}" if severity else ""


def grade_rows(policy: Policy, outcome: Outcome) -> list[Paragraph]:
    """The grades of a severe outcome, asked for by its digit."""
    return [
        Paragraph(f"How severe is this {outcome.title.casefold()}?", "strong"),
        *(Paragraph(f"{key}  {grade.title}", click=_digit(key)) for key, grade in keyed_grades(policy).items()),
        Paragraph("esc  step back, nothing is saved", "dim"),
    ]


def grade_meanings(policy: Policy) -> list[Paragraph]:
    """What the grades mean, in full."""
    rows: list[Paragraph] = []
    for key, grade in keyed_grades(policy).items():
        rows += [Paragraph(f"{key}  {grade.title}", "strong"), Paragraph(grade.meaning), Paragraph("")]
    return rows[:-1]


def outcome_line(policy: Policy, own: Event | None, waiting: Outcome | None) -> Paragraph:
    """All outcomes in a line or two; the grades instead where an outcome waits for one."""
    if waiting is not None:
        grades = "   ".join(f"{key} {grade.title}" for key, grade in keyed_grades(policy).items())
        return Paragraph(f"{waiting.title}, how severe?   {grades}   esc back", "strong")
    return all_outcomes(policy, own.outcome if own is not None else None)


def all_outcomes(policy: Policy, chosen: str | None) -> Paragraph:
    """Every outcome with its key, an arrow at the chosen one.

    A line may end inside a title: kept whole, the seven titles of a shipped policy would take a third row at 80 columns, for
    which there is no room, and the last outcome would be out of sight.
    """
    return Paragraph("   ".join(f"{each.key} {each.title}{f' {OWN}' if each.id == chosen else ''}" for each in policy.outcomes))
