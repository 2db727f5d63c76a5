"""What the linear labelling says of an item, an outcome and a verdict: sentences, with no sign that needs to be seen."""

from __future__ import annotations

from collections.abc import Iterator

from adjudicate.core.grades import keyed_grades
from adjudicate.core.items import Item, Message
from adjudicate.core.labels import Event
from adjudicate.core.policy import Clause, Outcome, Policy
from adjudicate.core.text import hidden_characters, shortened
from adjudicate.workflow.item_view import ItemView
from adjudicate.workflow.label_items import LabellingSession

LONGEST_NAME = 60
FIRST_CLAUSES = 2
"""Clauses named with every item, most specific first."""


def opening(view: ItemView, number: int, total: int) -> Iterator[str]:
    """Which item it is, and what its person has said of it."""
    prompt, own = view.item.prompt, view.own
    tags = [shortened(tag, LONGEST_NAME) for tag in (prompt.category, prompt.language) if tag]
    yield f"Item {number} of {total}. {shortened(prompt.population, LONGEST_NAME)}. Declared {prompt.intent}" + (
        f", {', '.join(tags)}." if tags else "."
    )
    if own.flagged:
        yield "You flagged it."
    if own.contested:
        yield f"You contest its intent: {own.contested}."
    if own.undecided:
        yield "You said that you cannot decide."
    if own.skipped and own.label is None:
        yield "You skipped it."


def where(session: LabellingSession) -> str:
    """What is gone through."""
    return "of the triage queue, which are in no rate," if session.work.is_triage else "on your list"


def end(session: LabellingSession) -> str:
    """What is said where there is no item."""
    if session.phase == "finished":
        total = session.progress.total
        return f"All {total} items {where(session)} are done. u takes your last act back, N goes back, q leaves."
    if session.work.is_triage:
        return "Nothing is in triage for you. Send items there first: adjudicate triage --add FILTER"
    return "Nothing is on your list yet. Draw a sample first: adjudicate draw --n 200"


def turn_heading(message: Message, number: int, total: int) -> str:
    """What comes before a turn of the prompt."""
    hidden = _hidden(message.content)
    if total == 1 and message.role == "user":
        return f"Prompt{hidden}:"
    return f"Prompt, turn {number} of {total}, {shortened(message.role, 20)}{hidden}:"


def response_heading(item: Item) -> str:
    """What comes before the response."""
    if not item.response.strip():
        return "The response is empty."
    words = len(item.response.split())
    return f"Response, {words:,} word{'' if words == 1 else 's'}{_hidden(item.response)}:"


def _hidden(text: str) -> str:
    hidden = hidden_characters(text)
    return f", {hidden} hidden character{'' if hidden == 1 else 's'} shown" if hidden else ""


def outcomes(policy: Policy) -> str:
    """All outcomes with their digits."""
    return "Outcomes: " + ", ".join(f"{outcome.key} {outcome.title}" for outcome in policy.outcomes) + "."


def grades(policy: Policy, outcome: Outcome) -> str:
    """The question of severity."""
    told = ", ".join(f"{key} {grade.title}" for key, grade in keyed_grades(policy).items())
    return f"{outcome.title} needs a severity: {told}. An empty line steps back; nothing is saved yet."


def clauses(fitting: tuple[Clause, ...]) -> str:
    """Which clauses matter, by id and title."""
    if not fitting:
        return "No clause speaks to this item; type p for all of them."
    named = ", ".join(f"{clause.id} {clause.title}" for clause in fitting[:FIRST_CLAUSES])
    others = len(fitting) - FIRST_CLAUSES
    more = f", and {others} more that p names" if others > 0 else ""
    return f"Clauses that matter here: {named}{more}. Type p and an id to hear one."


def label(policy: Policy, event: Event) -> str:
    """A label in words."""
    outcome = policy.outcome(event.outcome or "")
    title = f"{outcome.key} {outcome.title}" if outcome is not None else str(event.outcome)
    severity = event.body.get("severity")
    return f"{title}, severity {severity}" if severity else title


def act(policy: Policy, event: Event) -> str:
    """What was saved, in words."""
    if event.kind == "label":
        return f"Saved: {label(policy, event)}."
    if event.kind == "flag":
        return "Saved: flagged." if event.body.get("on") else "Saved: the flag is taken away."
    told = {
        "skip": "Saved: skipped.",
        "undecided": "Saved: cannot decide.",
        "note": "Saved: note.",
        "contest": f"Saved: you hold the intent to be {event.body.get('intent')}.",
        "undo": "Saved: your last act is taken back.",
    }
    return told.get(event.kind, "Saved.")


def verdict(policy: Policy, view: ItemView) -> list[str]:
    """What may be said of the verdict now; nothing while it is hidden. The judge's reason is foreign text and not in it."""
    if view.mode == "blind":
        return []
    if view.verdict is None:
        return ["No judge gave a verdict on this item."]
    judge = shortened(view.verdict.judge, LONGEST_NAME)
    if view.verdict.outcome is None:
        return [f"The judge {judge} failed on this item."]
    title = _title(policy, view.verdict.outcome)
    own = view.own.label
    if own is None or own.outcome is None:
        return [f"The judge {judge} says: {title}. Type a to confirm it, or a digit to overrule it."]
    if own.outcome == view.verdict.outcome:
        return [f"Same: the judge {judge} says: {title}. An empty line goes on."]
    return [
        f"Differs: the judge {judge} says: {title}. You said: {_title(policy, own.outcome)}.",
        "An empty line keeps your label; another digit changes it.",
    ]


def scores(view: ItemView) -> str:
    """The judge's numbers, where it gave any and they may be seen."""
    if view.mode == "blind" or view.verdict is None:
        return ""
    given = (("helpfulness", view.verdict.helpfulness), ("safety", view.verdict.safety))
    told = [f"{name} {score:.0f} of 100" for name, score in given if score is not None]
    return f"Its scores: {', '.join(told)}." if told else ""


def _title(policy: Policy, outcome_id: str) -> str:
    outcome = policy.outcome(outcome_id)
    return outcome.title if outcome is not None else outcome_id
