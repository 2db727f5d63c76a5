"""Who holds what on a disputed item, without names, and the verdict beside it."""

from __future__ import annotations

from adjudicate.core.policy import Policy
from adjudicate.core.text import shortened
from adjudicate.tui.theme import HARM, OWN, SHAPES
from adjudicate.tui.widgets.line_view import Look, Paragraph
from adjudicate.workflow.resolve_disagreements import Dispute, Intended, Position

INDENT = "      "


def position_rows(policy: Policy, dispute: Dispute) -> list[Paragraph]:
    """One block a position: outcome, clause, confidence, mode, note; the verdict last."""
    rows: list[Paragraph] = []
    for place, position in enumerate(dispute.positions):
        rows += _position(policy, position, SHAPES[place % len(SHAPES)])
    rows += [*_intents(dispute), *_ruling(policy, dispute)]
    return rows + _verdict(policy, dispute)


def _position(policy: Policy, position: Position, shape: str) -> list[Paragraph]:
    held = outcome_words(policy, position.outcome, position.severity) if position.outcome else "cannot decide under the policy"
    details = [
        f"clause {position.clause}" if position.clause else "no clause",
        f"{position.confidence} confidence" if position.confidence else "",
        position.mode or "",
    ]
    rows = [
        Paragraph(f"{shape} {position.letter}  {held}", "strong"),
        Paragraph(" · ".join(detail for detail in details if detail), "dim", INDENT),
    ]
    if position.contested:
        rows.append(Paragraph(f"{HARM} {position.letter} contests: {intent_words(position.contested)}", "differs", "    "))
    return [*rows, Paragraph(position.note, "", INDENT)] if position.note.strip() else rows


def _intents(dispute: Dispute) -> list[Paragraph]:
    """Who else contests the intent, and what it was declared and ruled to be, where that is in question."""
    if not dispute.is_contested:
        return []
    rows = [
        Paragraph(f"{HARM} someone without a label here contests: {intent_words(each)}", "differs") for each in dispute.contests
    ]
    words = f"  intent  declared {intent_words(dispute.item.prompt.intent)}"
    if dispute.ruled_intent is not None:
        words += f", ruled {intent_words(dispute.ruled_intent)} before"
    return [*rows, Paragraph(words, "dim")]


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


def intent_words(intent: str) -> str:
    """As people say it: ``dual use``."""
    return intent.replace("_", " ")


def moves_rates(dispute: Dispute, intended: Intended) -> bool:
    """Whether the ruling would count the prompt as something else than it counts as now."""
    return intended.intent is not None and intended.intent != dispute.intent


def intent_row(dispute: Dispute, intended: Intended) -> Paragraph:
    """What the ruling says of the intent."""
    if intended.intent is None:
        held = "ruled" if dispute.ruled_intent is not None else "declared"
        look: Look = "differs" if dispute.is_contested and dispute.ruled_intent is None else "dim"
        return Paragraph(f"intent as {held}: {intent_words(dispute.intent)} (i rules on it)", look)
    if moves_rates(dispute, intended):
        words = f"{HARM} intent ruled: {intent_words(intended.intent)}, declared {intent_words(dispute.item.prompt.intent)}"
        return Paragraph(words, "differs")
    return Paragraph(f"intent ruled: {intent_words(intended.intent)}, as it counts now", "strong")


def ruling_rows(policy: Policy, dispute: Dispute, intended: Intended) -> list[Paragraph]:
    """The outcomes to pick from, what is picked and still missing, and the intent."""
    outcomes = "   ".join(
        f"{outcome.key} {outcome.title}{f' {OWN}' if outcome.id == intended.outcome else ''}" for outcome in policy.outcomes
    )
    clause = policy.clause(intended.clause) if intended.clause else None
    cited = f"clause {clause.id} {clause.title}" if clause is not None else "no clause cited (p cites one)"
    intent = intent_row(dispute, intended)
    if intended.outcome is None:
        return [Paragraph(outcomes), Paragraph(f"pick the outcome with its digit · {cited}", "dim"), intent]
    picked = outcome_words(policy, intended.outcome, intended.severity or "")
    return [Paragraph(outcomes), Paragraph(f"ruling: {picked} · {cited}", "strong"), intent]
