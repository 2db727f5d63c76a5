"""`adjudicate classify`: verdicts of a judge that needs no server; the work is done in `workflow.classify`."""

from __future__ import annotations

import click

from adjudicate.cli.context import Workspace, pass_workspace
from adjudicate.cli.output import counted, echo_json, json_option, say, talk

METHODS = ("phrases", "learned")


@click.command()
@click.argument("method", type=click.Choice(METHODS))
@json_option
@pass_workspace
def classify(workspace: Workspace, *, method: str, as_json: bool) -> None:
    """Give verdicts without a server: by phrases, or learned from the gold labels of this workspace.

    Both are yardsticks for a judge, and are validated like one: draw, label, report accuracy.

    \b
    Example:
      adjudicate classify phrases
    """
    from adjudicate.workflow import classify as workflow

    store = workspace.store()
    told = workflow.METHODS[method](store, store.policy())
    if as_json:
        echo_json({"judge": told.judge, "verdicts": told.outcomes, "notes": list(told.notes)})
        return
    outcomes = ", ".join(f"{outcome} {number:,}" for outcome, number in told.outcomes.items())
    say(f"Judge {told.judge}: {counted(sum(told.outcomes.values()), 'new verdict')}{': ' + outcomes if outcomes else ''}")
    for note in told.notes:
        talk(note)
