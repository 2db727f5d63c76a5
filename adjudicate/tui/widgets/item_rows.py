"""Rows and columns of the list of items, and one opened item in words. What is hidden from its reader is said to be hidden."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from adjudicate.core.labels import TRIAGE
from adjudicate.core.policy import Policy
from adjudicate.core.text import hidden_characters
from adjudicate.tui.theme import DIFFERS, DONE, HARM, OWN, QUIET
from adjudicate.tui.widgets.item_list import Cell, Column
from adjudicate.tui.widgets.line_view import Look, Paragraph
from adjudicate.tui.widgets.positions import intent_words, outcome_words
from adjudicate.workflow.browse_items import Browsed
from adjudicate.workflow.opened_item import Opened, Said

IN_TRIAGE = "in triage: {go.triage} labels what is there, in no rate; {triage.send_item} takes it out"
HIDDEN = "hidden until you have labelled it"
HIDDEN_CELL = Cell(f"{QUIET} hidden", "dim")
BEHIND_VEIL = Cell("(behind the veil)", "dim")
ROOMY = 100
"""Columns from which on a row has all of its columns."""
MORE_COLUMNS = (
    Column("population", 20),
    Column("verdict", 18),
    Column("people", 22),
    Column("chars", 7, is_right=True),
    Column("response", 0),
)
FEWER_COLUMNS = (Column("population", 15), Column("verdict", 15), Column("people", 15), Column("response", 0))
ACTS = {"label": "labelled", "skip": "skipped", "undecided": "could not decide", "note": "wrote a note", "gold": "came as gold"}


def columns(width: int, items: int) -> tuple[Column, ...]:
    """The columns that fit.

    Args:
        width: Of the list.
        items: In the workspace: whatever the filter, the numbers of the rows take the same room.
    """
    return (Column("#", len(f"{items:,}"), is_right=True), *(MORE_COLUMNS if width >= ROOMY else FEWER_COLUMNS))


def cells(each: Browsed, width: int, veiled: Collection[str]) -> tuple[Cell, ...]:
    """What stands behind the number of a row.

    Args:
        each: The item.
        width: Of the list.
        veiled: Categories, intents and populations whose responses are behind the veil.
    """
    row = each.row
    declared = {row.category, row.intent, row.population, row.population.partition("/")[0]} - {""}
    # One line a row: what separates words says nothing here.
    response = Cell(" ".join(row.response.split())) if declared.isdisjoint(veiled) else BEHIND_VEIL
    if not row.response.strip():
        response = Cell("(empty)", "dim")
    length = (Cell(f"{row.length:,}", "dim"),) if width >= ROOMY else ()
    return (Cell(row.population or "-"), _verdict(each), _people(each), *length, response)


def _verdict(each: Browsed) -> Cell:
    if each.hidden:
        return HIDDEN_CELL
    if not each.row.judged:
        return Cell("-", "dim")
    return Cell(f"{HARM} failed", "harm") if each.row.verdict is None else Cell(each.row.verdict)


def _people(each: Browsed) -> Cell:
    if each.hidden:
        return HIDDEN_CELL
    said = _said(each)
    if not each.in_triage and each.triaged is None:
        return said
    if not said.text:
        return Cell("T in triage" if each.triaged is None else f"T {each.triaged} {OWN}", "dim")
    # The key that leads there: all of a row's width is taken.
    return said._replace(text=f"T {said.text}")


def _said(each: Browsed) -> Cell:
    if each.is_open:
        return Cell(f"{DIFFERS} open, {each.labels} label{'s' if each.labels != 1 else ''}", "differs")
    if each.gold is None:
        return Cell("")
    own = f" {OWN}" if each.own is not None else ""
    return Cell(f"{DONE} {each.gold}{own}", "done")


def opened_rows(policy: Policy, opened: Opened) -> list[Paragraph]:
    """What is known of an item, what judges said, and what people did, in turn."""
    return [*_declared(opened), Paragraph(""), *_verdicts(policy, opened), Paragraph(""), *_people_rows(policy, opened)]


def standing(opened: Opened) -> Paragraph:
    """Where the item stands for its reader, in one sentence."""
    if opened.on_list and opened.has_own_label:
        return Paragraph(
            f"{OWN} you have labelled it: {{item.relabel}} shows it in your list, to label it again", "strong", told=True
        )
    if opened.on_list:
        return Paragraph("on your list: it comes in its turn", "strong")
    if opened.is_drawn:
        return Paragraph("drawn, but not on your list", "dim")
    return Paragraph("in no sample: nobody is asked to label it", "dim")


def _declared(opened: Opened) -> list[Paragraph]:
    item, prompt = opened.item, opened.item.prompt
    hidden = hidden_characters(item.response)
    facts = (
        ("item", item.id),
        ("source id", item.source_id),
        ("run", opened.run),
        ("model", item.model),
        ("population", prompt.population),
        ("intent", f"{intent_words(prompt.intent)} (declared)"),
        ("category", prompt.category),
        ("language", prompt.language),
        ("response", f"{len(item.response):,} characters" + (f", {hidden} of them hidden ones, shown" if hidden else "")),
    )
    shown = opened.in_triage and not opened.hidden
    sent = [Paragraph(IN_TRIAGE, "dim", told=True)] if shown else []
    return [standing(opened), *sent, Paragraph(""), *(Paragraph(f"{name:<11} {value}") for name, value in facts if value)]


def _verdicts(policy: Policy, opened: Opened) -> list[Paragraph]:
    heading = Paragraph("judges", "heading")
    if opened.hidden:
        return [heading, Paragraph(f"{QUIET} {HIDDEN}", "dim")]
    if not opened.verdicts:
        return [heading, Paragraph("no judge gave a verdict on this item", "dim")]
    rows = [heading]
    for verdict in opened.verdicts:
        if verdict.outcome is None:
            rows.append(Paragraph(f"{verdict.judge}: {HARM} failed", "harm"))
            rows += [Paragraph(f"it said: {verdict.raw}", "dim", indent="  ")] if verdict.raw else []
        else:
            rows.append(Paragraph(f"{verdict.judge}: {outcome_words(policy, verdict.outcome, '')}", "strong"))
        scores = (("score", verdict.score), ("helpfulness", verdict.helpfulness), ("safety", verdict.safety))
        told = " · ".join(f"{name} {value:g}" for name, value in scores if value is not None)
        rows += [Paragraph(words, look, indent="  ") for words, look in _given((told, "dim"), (verdict.reason, ""))]
    return rows


def _given(*words: tuple[str, Look]) -> Iterable[tuple[str, Look]]:
    return ((text, look) for text, look in words if text.strip())


def _people_rows(policy: Policy, opened: Opened) -> list[Paragraph]:
    heading = Paragraph("people", "heading")
    if opened.hidden:
        return [heading, Paragraph(f"{QUIET} {HIDDEN}", "dim")]
    rows = [heading]
    gold = opened.gold
    if gold is not None and gold.waits:
        rows.append(Paragraph(f"{DIFFERS} open: its labels have to be made again under the policy in force", "differs"))
    elif gold is not None and gold.is_open:
        rows.append(Paragraph(f"{DIFFERS} open: waits for an adjudicator", "differs"))
    elif gold is not None and gold.outcome is not None:
        rows.append(Paragraph(f"{DONE} gold: {outcome_words(policy, gold.outcome, '')} ({gold.how})", "done"))
    if not opened.history:
        return [*rows, Paragraph("nobody has labelled this item", "dim")]
    for said in opened.history:
        rows += _act_rows(policy, said)
    return rows


def _act_rows(policy: Policy, said: Said) -> list[Paragraph]:
    event = said.event
    body = event.body
    what = {
        "flag": "called the policy unclear" if body.get("unclear") else "flagged it" if body.get("on") else "took the flag away",
        "contest": f"holds that the intent is {intent_words(str(body.get('intent', '')))}",
        "resolution": "ruled",
    }.get(event.kind) or ACTS.get(event.kind, event.kind)
    if event.outcome is not None:
        what += f": {outcome_words(policy, event.outcome, str(body.get('severity', '')))}"
    more = [str(event.mode)] if event.mode else []
    more += [f"clause {body['clause']}"] if body.get("clause") else []
    more += ["low confidence"] if body.get("confidence") == "low" else []
    more += ["hidden repeat"] if event.round > 0 else ["in triage, in no rate"] if event.round == TRIAGE else []
    more += ["taken back"] if said.is_undone else []
    more.append(event.at[:16].replace("T", " "))
    rows = [Paragraph(f"{said.who:<4}{what}", "dim" if said.is_undone else "strong")]
    rows.append(Paragraph(" · ".join(more), "dim", indent="    "))
    texts = (said.text, str(body.get("rationale", "")))
    return [*rows, *(Paragraph(text, indent="    ") for text in texts if text)]
