"""The verdict, once it may be seen: same or different in word and symbol, the judge's reason and scores."""

from __future__ import annotations

from adjudicate.core.items import Verdict
from adjudicate.core.policy import Policy
from adjudicate.tui.theme import DIFFERS, HARM, SAME
from adjudicate.tui.widgets.interval_bar import progress_bar
from adjudicate.tui.widgets.line_view import Paragraph
from adjudicate.workflow.item_view import ItemView

HIDDEN = "hidden until you decide (blind)"
BAR = 20


def verdict_rows(policy: Policy, view: ItemView) -> list[Paragraph]:
    """What the pane shows for an item. While blind it says the same for every item."""
    if view.mode == "blind":
        return [Paragraph(HIDDEN, "dim")]
    verdict = view.verdict
    if verdict is None:
        return [Paragraph("no judge gave a verdict on this item", "dim")]
    return [*_comparison(policy, view, verdict), *_scores(verdict), *_reason(verdict)]


def verdict_line(policy: Policy, view: ItemView) -> Paragraph:
    """The same in one line."""
    first = verdict_rows(policy, view)[0]
    words = "Verdict " + first.text if view.mode == "blind" else first.text
    if view.own.label is None and view.verdict is not None and view.verdict.outcome is not None:
        words += "   a confirm · x overrule"
    return Paragraph(words, first.look)


def _comparison(policy: Policy, view: ItemView, verdict: Verdict) -> list[Paragraph]:
    if verdict.outcome is None:
        raw = [Paragraph(f"it said: {verdict.raw}", "dim")] if verdict.raw else []
        return [Paragraph(f"{HARM} the judge failed on this item", "harm"), *raw]
    judge = _title(policy, verdict.outcome)
    own = view.own.label
    if own is None or own.outcome is None:
        return [Paragraph(f"judge: {judge}", "strong"), Paragraph(f"by {verdict.judge}", "dim")]
    if own.outcome == verdict.outcome:
        return [Paragraph(f"{SAME} same: judge says {judge}", "same"), Paragraph(f"by {verdict.judge}", "dim")]
    return [
        Paragraph(f"{DIFFERS} differs: judge says {judge}", "differs"),
        Paragraph(f"you said {_title(policy, own.outcome)} · by {verdict.judge}", "dim"),
    ]


def _title(policy: Policy, outcome_id: str) -> str:
    outcome = policy.outcome(outcome_id)
    return outcome.title if outcome is not None else outcome_id


def _reason(verdict: Verdict) -> list[Paragraph]:
    return [Paragraph(verdict.reason)] if verdict.reason.strip() else []


def _scores(verdict: Verdict) -> list[Paragraph]:
    scores = (("helpfulness", verdict.helpfulness), ("safety", verdict.safety))
    rows = [
        Paragraph(f"{name:<11} {score:>4.0f}  {progress_bar(round(score), 100, BAR)}")
        for name, score in scores
        if score is not None
    ]
    if verdict.score is not None:
        # A score is a probability; one that is none gets no bar, which would say that it lies on the scale.
        bar = f"  {progress_bar(round(verdict.score * 100), 100, BAR)}" if 0 <= verdict.score <= 1 else ""
        rows.append(Paragraph(f"{'score':<11} {verdict.score:>4.2g}{bar}"))
    return rows
