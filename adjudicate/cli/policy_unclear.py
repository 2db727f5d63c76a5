"""`adjudicate policy unclear`: what people and adjudicators found that the policy does not settle, for its next version."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from adjudicate.cli.context import Workspace, pass_workspace
from adjudicate.cli.output import counted, echo_json, json_option, say
from adjudicate.cli.screens import annotator_option
from adjudicate.core.person_names import annotator_name
from adjudicate.core.text import visible_line
from adjudicate.settings import current_user

if TYPE_CHECKING:
    from adjudicate.workflow.clause_use import Unclear


@click.command()
@annotator_option
@json_option
@pass_workspace
def unclear(workspace: Workspace, *, annotator: str | None, as_json: bool) -> None:
    """List what the policy leaves unclear, by clause: a list to write its next version from.

    An item is on it where somebody could not decide (S while labelling) or an adjudicator put it there (S while resolving).
    What others wrote on an item that is yours to decide first stays hidden.

    \b
    Example:
      adjudicate policy unclear
    """
    from adjudicate.workflow.clause_use import clause_use

    who = annotator_name(current_user() if annotator is None else annotator)
    store = workspace.store()
    in_force = workspace.policy()
    reader = next((person.id for person in store.annotators() if person.name == who), None)
    # Somebody whom the workspace does not know yet may still be given items of an open sample.
    uses = clause_use(store, reader=reader or "")
    found = {clause: use.unclear for clause, use in uses.items() if use.unclear}
    if as_json:
        echo_json([{"clause": clause or None, **asdict(each)} for clause, listed in found.items() for each in listed])
        return
    if not found:
        say("Nothing: nobody has said that the policy does not settle an item.")
        return
    titles = {clause.id: f"{clause.id} {clause.title}" for clause in in_force.clauses}
    for clause, listed in found.items():
        say(f"{visible_line(titles.get(clause, 'No clause cited'))}: {counted(len(listed), 'item')}")
        for each in listed:
            for line in _lines(each):
                say(line)
        say("")


def _lines(each: Unclear) -> Iterator[str]:
    people = f"{each.people} {'person' if each.people == 1 else 'people'} could not decide" if each.people else ""
    who = ", ".join(filter(None, [people, "put here by an adjudicator" if each.collected else ""]))
    state = "settled" if each.settled else "open"
    yield f"  {visible_line(each.item_id)}  {visible_line(each.population)}  {who}  {state}"
    if each.hidden:
        yield "    notes hidden: the item is yours to decide first"
    for note in each.notes:
        yield f"    {visible_line(note)}"
    if each.rationale:
        yield f"    ruling: {visible_line(each.rationale)}"
