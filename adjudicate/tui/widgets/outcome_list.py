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
    graded = f"  {CHOSEN} severity" if outcome.severe else ""
    if own is None or own.outcome != outcome.id:
        return Paragraph(f"{outcome.key}  {outcome.title}{graded}", click=_digit(outcome.key))
    words = f"{outcome.key}  {outcome.title}{severity_words(own)}  {OWN} yours"
    return Paragraph(words, "strong", click=_digit(outcome.key))


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
    return Paragraph(
        "   ".join(
            f"{outcome.key} {outcome.title}{f' {OWN}' if own is not None and own.outcome == outcome.id else ''}"
            for outcome in policy.outcomes
        )
    )
