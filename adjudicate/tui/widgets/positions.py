"""Who holds what on a disputed item, without names, and the verdict beside it."""

from __future__ import annotations

from adjudicate.core.policy import Policy
from adjudicate.core.text import shortened
from adjudicate.tui.theme import HARM, QUIET, SHAPES
from adjudicate.tui.widgets.line_view import Look, Paragraph
from adjudicate.tui.widgets.outcome_list import all_outcomes
from adjudicate.tui.widgets.side_by_side import side_by_side
from adjudicate.workflow.dispute import Dispute, Intended, Position

INDENT = "     "


def position_rows(policy: Policy, dispute: Dispute, width: int) -> list[Paragraph]:
    """The positions side by side: outcome, clause, confidence, mode, note; then the intent, former rulings and the verdict.

    Args:
        policy: The one in force.
        dispute: The item.
        width: Cells of the pane; too few put the positions below each other.
    """
    positions = [_position(policy, position, SHAPES[place % len(SHAPES)]) for place, position in enumerate(dispute.positions)]
    rows = side_by_side(positions, width)
    rows += [*_intents(dispute), *_ruling(policy, dispute), *_unclear(dispute)]
    return rows + _verdict(policy, dispute)


def _position(policy: Policy, position: Position, shape: str) -> list[Paragraph]:
    held = outcome_words(policy, position.outcome, position.severity) if position.outcome else "cannot decide under the policy"
    details = [
        f"clause {clause_words(policy, position.clause)}" if position.clause else "no clause",
        f"{position.confidence} confidence" if position.confidence else "",
        position.mode or "",
    ]
    rows = [
        Paragraph(f"{shape} {position.letter}  {held}", "strong"),
        Paragraph(" · ".join(detail for detail in details if detail), "dim", INDENT),
    ]
    if position.outdated:
        rows.append(
            Paragraph(f"{HARM} under a text that has changed since: counts for nothing until it is made again", "dim", INDENT)
        )
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


def _unclear(dispute: Dispute) -> list[Paragraph]:
    """What adjudicators wrote who did not rule on it."""
    if not dispute.unclear:
        return []
    words = Paragraph(f"{QUIET} called unclear, on the list for the next version of the policy", "strong")
    return [words, *(Paragraph(note, "", INDENT) for note in dispute.unclear)]


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


def clause_words(policy: Policy, clause_id: str) -> str:
    """``B2 Health and first aid``; the id alone where the policy in force has no such clause."""
    clause = policy.clause(clause_id)
    return clause_id if clause is None else f"{clause.id} {clause.title}"


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
        return Paragraph(f"intent as {held}: {intent_words(dispute.intent)} ({{resolve.intent}} rules on it)", look, told=True)
    if moves_rates(dispute, intended):
        words = f"{HARM} intent ruled: {intent_words(intended.intent)}, declared {intent_words(dispute.item.prompt.intent)}"
        return Paragraph(words, "differs")
    return Paragraph(f"intent ruled: {intent_words(intended.intent)}, as it counts now", "strong")


def ruling_rows(policy: Policy, dispute: Dispute, intended: Intended) -> list[Paragraph]:
    """The outcomes to pick from, what is picked and still missing, and the intent."""
    outcomes = all_outcomes(policy, intended.outcome)
    clause = f"clause {clause_words(policy, intended.clause)}" if intended.clause else "no clause cited ({policy.show} cites one)"
    if intended.unclear:
        return [outcomes, Paragraph(f"policy unclear, for its next version · {clause}", "differs", told=True)]
    intent = intent_row(dispute, intended)
    if intended.outcome is None:
        return [outcomes, Paragraph(f"pick the outcome with its digit · {clause}", "dim", told=True), intent]
    picked = outcome_words(policy, intended.outcome, intended.severity or "")
    # Where the labels agree only the intent is in dispute, and the outcome stands before anybody has picked it.
    agreed = " (as all labels say)" if dispute.entry is not None and not dispute.entry.labels_differ else ""
    return [outcomes, Paragraph(f"ruling: {picked}{agreed} · {clause}", "strong", told=True), intent]
