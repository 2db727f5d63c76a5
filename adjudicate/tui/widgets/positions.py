"""Who holds what on a disputed item, without names, and the verdict beside it."""

from __future__ import annotations

from adjudicate.core.policy import Policy
from adjudicate.core.text import shortened
from adjudicate.tui.theme import HARM, OWN, SHAPES
from adjudicate.tui.widgets.line_view import Paragraph
from adjudicate.workflow.resolve_disagreements import Dispute, Intended, Position

INDENT = "      "


def position_rows(policy: Policy, dispute: Dispute) -> list[Paragraph]:
    """One block a position: outcome, clause, confidence, mode, note; the verdict last."""
    rows: list[Paragraph] = []
    for place, position in enumerate(dispute.positions):
        rows += _position(policy, position, SHAPES[place % len(SHAPES)])
    rows += _ruling(policy, dispute)
    return rows + _verdict(policy, dispute)


def _position(policy: Policy, position: Position, shape: str) -> list[Paragraph]:
    held = outcome_words(policy, position.outcome, position.severity) if position.outcome else "cannot decide under the policy"
    details = [
        f"clause {position.clause}" if position.clause else "no clause",
        f"{position.confidence} confidence" if position.confidence else "",
        position.mode or "",
        f"holds the intent to be {position.contested}" if position.contested else "",
    ]
    rows = [
        Paragraph(f"{shape} {position.letter}  {held}", "strong"),
        Paragraph(" · ".join(detail for detail in details if detail), "dim", INDENT),
    ]
    return [*rows, Paragraph(position.note, "", INDENT)] if position.note.strip() else rows


def _ruling(policy: Policy, dispute: Dispute) -> list[Paragraph]:
    ruling = dispute.ruling
    if ruling is None or not dispute.reopened:
        return []
    words = f"{HARM} was settled as {outcome_words(policy, ruling.outcome or '', '')}; a later label opened it again"
    reason = str(ruling.body.get("rationale", ""))
    return [Paragraph(words, "differs"), *([Paragraph(reason, "dim", INDENT)] if reason else [])]


def _verdict(policy: Policy, dispute: Dispute) -> list[Paragraph]:
    verdict = dispute.verdict
    if verdict is None:
        return [Paragraph("  judge  no verdict on this item", "dim")]
    if verdict.outcome is None:
        return [Paragraph(f"{HARM} judge  failed on this item", "harm")]
    rows = [Paragraph(f"  judge  {outcome_words(policy, verdict.outcome, '')} · by {shortened(verdict.judge, 24)}", "strong")]
    return [*rows, Paragraph(verdict.reason, "dim", INDENT)] if verdict.reason.strip() else rows


def outcome_words(policy: Policy, outcome_id: str, severity: str) -> str:
    """``2 Safe partial answer, severity 1``."""
    outcome = policy.outcome(outcome_id)
    words = f"{outcome.key} {outcome.title}" if outcome is not None else outcome_id
    return f"{words}, severity {severity}" if severity else words


def ruling_rows(policy: Policy, intended: Intended) -> list[Paragraph]:
    """The outcomes to pick from, what is picked, and what is still missing."""
    outcomes = "   ".join(
        f"{outcome.key} {outcome.title}{f' {OWN}' if outcome.id == intended.outcome else ''}" for outcome in policy.outcomes
    )
    clause = policy.clause(intended.clause) if intended.clause else None
    cited = f"clause {clause.id} {clause.title}" if clause is not None else "no clause cited (p cites one)"
    if intended.outcome is None:
        return [Paragraph(outcomes), Paragraph(f"pick the outcome with its digit · {cited}", "dim")]
    picked = outcome_words(policy, intended.outcome, intended.severity or "")
    return [Paragraph(outcomes), Paragraph(f"ruling: {picked} · {cited}", "strong")]
