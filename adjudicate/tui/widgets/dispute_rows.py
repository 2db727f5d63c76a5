"""The adjudicator's queue, what hangs on an item, what the policy says, earlier rulings, the item's history: all in rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from adjudicate.core.estimates import Estimate
from adjudicate.core.labels import Event
from adjudicate.core.policy import Clause, Policy, Rate
from adjudicate.core.text import shortened, visible_line
from adjudicate.stats.foreseen import Foreseen, Moved
from adjudicate.stats.influence import Influence, Swing
from adjudicate.tui.theme import CHOSEN, HARM, QUIET
from adjudicate.tui.widgets.line_view import Paragraph
from adjudicate.tui.widgets.policy_text import reflowed
from adjudicate.tui.widgets.positions import clause_words, intent_words, outcome_words
from adjudicate.workflow.dispute import Dispute
from adjudicate.workflow.dispute_queue import Entry
from adjudicate.workflow.item_history import Past
from adjudicate.workflow.precedents import Precedent

SHOWN_ID = 8
IN_SHORT = 3
"""Earlier rulings beside the labels; all of them are a key away."""
SHORT_REASON = 160
SHORT_TEXT = 600
"""Characters of a prompt or response under an earlier ruling."""
INDENT = "      "
NOBODY_CITES = "nobody cites a clause: {policy.show} reads the policy and cites one"
MINUTE, HOUR, DAY = 60, 3600, 86400
ACTS: Mapping[str, str] = {
    "label": "labelled it",
    "skip": "skipped it",
    "undecided": "could not decide under the policy",
    "note": "wrote a note",
    "resolution": "ruled",
    "gold": "came as gold with the data set",
}


# The queue


def queue_heading() -> Paragraph:
    """Over the columns of `queue_row`."""
    return Paragraph(f"  {'#':>3} {'item':<{SHOWN_ID}} {'moves':>12} {'age':>5}", "dim")


def queue_row(place: int, entry: Entry, influence: Influence | None, *, now: str, chosen: bool) -> Paragraph:
    """One item of the queue: number, id, the rate that hangs on it most and by how much, age."""
    moves = "unclear" if entry.unclear else moves_in_short(influence)
    mark = CHOSEN if chosen else " "
    contested = HARM if entry.intent_contested else " "
    words = (
        f"{mark}{contested}{place:>3} {visible_line(entry.item_id[:SHOWN_ID]):<{SHOWN_ID}} {moves:>12} {age(entry.since, now):>5}"
    )
    return Paragraph(words, "selected" if chosen else "")


def queue_foot(entries: Sequence[Entry], settled: int, collected: int) -> list[Paragraph]:
    """What the signs mean, where there are any, and what was done so far."""
    told = [f"{HARM} intent contested"] if any(entry.intent_contested for entry in entries) else []
    done = f"settled here: {settled}" + (f" · unclear: {collected}" if collected else "")
    return [Paragraph(""), *(Paragraph(words, "dim") for words in (*told, done))]


def age(since: str, now: str) -> str:
    """How long ago, in the largest unit: ``4 h``; empty where a time cannot be read or lies ahead."""
    try:
        seconds = (datetime.fromisoformat(now) - datetime.fromisoformat(since)).total_seconds()
    except (ValueError, TypeError):
        return ""
    if seconds < 0:
        return ""
    for size, unit in ((DAY, "d"), (HOUR, "h")):
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return f"{int(seconds // MINUTE)} m"


# What hangs on an item


def moves_in_short(influence: Influence | None) -> str:
    """``HC 0.4 pt``; a dot where nothing hangs on it, nothing where it is not weighed yet."""
    if influence is None:
        return ""
    if not influence.swings:
        return QUIET
    swing = influence.swings[0]
    return f"{initials(swing.rate)} {'≤' if swing.at_most else ''}{points(swing.size)} pt"


def influence_words(influence: Influence | None) -> str:
    """The same in a sentence, all rates that move."""
    if influence is None:
        return "looking how much hangs on it …"
    if influence.reason:
        return f"moves no rate: {influence.reason}"
    return "moves " + ", ".join(map(_swing_words, influence.swings))


def _swing_words(swing: Swing) -> str:
    of = f" of {visible_line(swing.population)}" if swing.population else ", if the intent changes,"
    return f"{visible_line(swing.rate.title)}{of} by {'at most ' if swing.at_most else ''}{points(swing.size)} pt"


def points(share: float) -> str:
    """A share in percentage points, one decimal; never 0 for what is not 0."""
    return "<0.1" if 0 < share < 0.0005 else f"{100 * share:.1f}"


def initials(rate: Rate) -> str:
    """``HC`` for Harmful compliance."""
    return visible_line("".join(word[0] for word in rate.title.split())[:3].upper()) or visible_line(rate.id[:3])


# What the policy says, and said before


def policy_rows(cited: Sequence[Clause]) -> list[Paragraph]:
    """The clauses that the ruling or the labels cite, in full."""
    if not cited:
        return [Paragraph("policy", "heading"), Paragraph(NOBODY_CITES, "dim", told=True)]
    rows = [Paragraph("policy", "heading")]
    for clause in cited:
        text = Paragraph(reflowed(clause.text), "", "  ", markdown=True)
        rows += [Paragraph(f"{clause.id} {clause.title}", "strong"), text]
    return rows


def precedents_in_short(policy: Policy, dispute: Dispute) -> list[Paragraph]:
    """The latest earlier rulings under the same clause."""
    if not dispute.cited:
        return []
    heading = Paragraph("earlier rulings under the same clause", "heading")
    found = dispute.precedents
    if not found:
        clauses = ", ".join(clause.id for clause in dispute.cited)
        return [heading, Paragraph(f"none yet under {clauses}", "dim")]
    rows = [row for each in found[:IN_SHORT] for row in _precedent(policy, each, SHORT_REASON)]
    more = f"{{resolve.rulings}} reads {'it' if len(found) == 1 else f'all {len(found)}'} in full, with prompt and response"
    return [heading, *rows, Paragraph(more, "dim", told=True)]


def precedents_in_full(policy: Policy, found: Sequence[Precedent]) -> list[Paragraph]:
    """Every earlier ruling with its reason whole, and what it was about."""
    rows: list[Paragraph] = []
    for each in found:
        rows += _precedent(policy, each, None)
        for name, text in (("prompt", each.prompt), ("response", each.response)):
            if text.strip():
                rows.append(Paragraph(f"{name}: {_cut(text)}", "dim", "  "))
        rows.append(Paragraph(""))
    return rows or [Paragraph("none yet", "dim")]


def _precedent(policy: Policy, each: Precedent, longest: int | None) -> Iterator[Paragraph]:
    event = each.ruling.event
    body = event.body
    held = outcome_words(policy, event.outcome or "", str(body.get("severity", "")))
    details = [
        str(body.get("clause", "")),
        f"intent ruled {intent_words(str(body['intent']))}" if body.get("intent") else "",
        each.ruling.population,
        event.item_id[:SHOWN_ID],
        event.at[:10],
    ]
    yield Paragraph(f"{held}", "strong")
    yield Paragraph(" · ".join(filter(None, details)), "dim", "  ")
    if event.outdated:
        yield Paragraph(f"{HARM} under a text of it that has changed since", "dim", "  ")
    reason = str(body.get("rationale", ""))
    yield Paragraph(reason if longest is None else shortened(reason, longest), "", "  ")


def _cut(text: str) -> str:
    return text if len(text) <= SHORT_TEXT else f"{text[:SHORT_TEXT]} … ({len(text) - SHORT_TEXT:,} more characters)"


# A ruling on the intent


def foreseen_row(dispute: Dispute, intent: str, foreseen: Foreseen | None) -> Paragraph:
    """What a ruling on the intent moves, before it is saved; None while it is being counted."""
    if foreseen is None:
        return Paragraph(f"{HARM} it moves the prompt's rates: counting by how much …", "differs")
    if not foreseen.items:
        return Paragraph(f"{HARM} no labelled response to this prompt counts for a rate yet", "differs")
    moved = "; ".join(f"{visible_line(each.rate.title)} {_change(each)}" for each in foreseen.rates)
    items = f"{_responses(foreseen)} from {intent_words(dispute.intent)} to {intent_words(intent)}"
    return Paragraph(f"{HARM} {items}; adjudicated: {moved or 'no rate counts either intent'}", "differs")


def foreseen_in_short(foreseen: Foreseen) -> str:
    """``HC 4.1 % → 4.6 %, BR undefined → 20.0 %``; what is undefined either way is left out."""
    known = [each for each in foreseen.rates if (each.before.value, each.after.value) != (None, None)]
    return ", ".join(f"{initials(each.rate)} {_short(each.before)} → {_short(each.after)}" for each in known)


def _responses(foreseen: Foreseen) -> str:
    return "1 labelled response moves" if foreseen.items == 1 else f"{foreseen.items} labelled responses move"


def _change(moved: Moved) -> str:
    before, after = moved.before, moved.after
    if before.value is None and after.value is None:
        return f"undefined ({after.undefined})"
    return f"{_value(before)} → {_value(after)}"


def _value(estimate: Estimate) -> str:
    return _short(estimate) if estimate.value is not None else f"undefined ({estimate.undefined})"


def _short(estimate: Estimate) -> str:
    return f"{100 * estimate.value:.1f} %" if estimate.value is not None else "undefined"


# History


def history_rows(policy: Policy, past: Sequence[Past]) -> list[Paragraph]:
    """All that happened to the item, oldest first."""
    rows: list[Paragraph] = []
    for each in past:
        event = each.event
        rows.append(
            Paragraph(
                f"{event.at[:16].replace('T', ' ')}  {each.who}  {_act(policy, each)}", "dim" if each.is_undone else "strong"
            )
        )
        details = [
            str(event.mode or ""),
            f"clause {clause_words(policy, str(event.body['clause']))}" if event.body.get("clause") else "",
            "low confidence" if event.body.get("confidence") == "low" else "",
            "hidden repeat" if event.round else "",
            "the verdict, which differs, was shown then" if each.reveals else "",
            "taken back later" if each.is_undone else "",
            "under a text that has changed since" if event.outdated else "",
        ]
        if any(details):
            rows.append(Paragraph(" · ".join(filter(None, details)), "dim", INDENT))
        rows += [Paragraph(text, "", INDENT) for text in (each.text, str(event.body.get("rationale", ""))) if text.strip()]
    return rows or [Paragraph("nothing has happened to it yet", "dim")]


def _act(policy: Policy, each: Past) -> str:
    event = each.event
    if event.kind == "undo":
        taken = each.takes_back
        return "took back" + (f": {_words(policy, taken, changes=False, shown=False)}" if taken is not None else "")
    return _words(policy, event, changes=each.changes, shown=event.mode == "revealed")


def _words(policy: Policy, event: Event, *, changes: bool, shown: bool) -> str:
    body = event.body
    words = {
        "label": "changed the label" if changes else ACTS["label"],
        "flag": "called the policy unclear" if body.get("unclear") else "flagged it" if body.get("on") else "took the flag away",
        "contest": f"holds that the intent is {intent_words(str(body.get('intent', '')))}",
    }.get(event.kind) or ACTS.get(event.kind, event.kind)
    if event.outcome is not None:
        words += f": {outcome_words(policy, event.outcome, str(body.get('severity', '')))}"
    if event.kind == "resolution" and body.get("intent"):
        words += f", intent {intent_words(str(body['intent']))}"
    return f"{words}, with the verdict in view" if shown else words
