"""`adjudicate triage`: the queue of items that somebody picked."""

from __future__ import annotations

import click

from adjudicate.cli.context import Workspace, now, pass_workspace
from adjudicate.cli.output import counted, echo_json, echo_table, json_option, say, talk
from adjudicate.cli.screens import annotator_option
from adjudicate.core.person_names import annotator_name
from adjudicate.errors import UsageError
from adjudicate.settings import current_user


@click.command()
@click.option("--add", default=None, metavar="FILTER", help="Send what the filter line of the list of items finds.")
@click.option("--remove", default=None, metavar="FILTER", help="Take out what it finds; what was said of it stays on record.")
@annotator_option
@json_option
@pass_workspace
def triage(workspace: Workspace, *, add: str | None, remove: str | None, annotator: str | None, as_json: bool) -> None:
    """Pick items to be looked at, and label them with `label --triage`: no rate, agreement, plan or gate counts such labels.

    What a sample gives to a person is not offered to them here. A filter is a line as in the list of items.

    \b
    Example:
      adjudicate triage --add "population:harmful verdict:full_compliance longer:2000"
      adjudicate label --triage
    """
    from adjudicate.workflow.triage import picked, send, state, take_back

    if add is not None and remove is not None:
        raise UsageError("--add and --remove: one at a time")
    store = workspace.store()
    if (line := add if add is not None else remove) is not None:
        person = store.annotator(annotator_name(current_user() if annotator is None else annotator))
        found = picked(store, person, line)
        sent = send(store, found, person, at=now()) if add is not None else take_back(store, found)
        talk(f"{counted(len(found), 'item')} found: {sent.words()}.")
        if sent.added:
            talk("Next: adjudicate label --triage")
    there = state(store)
    if as_json:
        echo_json(there.as_json())
        return
    say(f"{counted(there.queued, 'item')} in triage, {counted(there.labels, 'label')} made there: in no rate")
    if there.people:
        rows = [(person.name, str(found.done), str(found.total)) for person, found in there.people]
        echo_table("People", ("annotator", "done", "offered"), rows, right=(1, 2))
