"""Commands that open the terminal interface."""

from __future__ import annotations

import sys
from typing import Literal

import click

from adjudicate.cli.context import Workspace, pass_workspace
from adjudicate.cli.output import has_terminal
from adjudicate.cli.people import annotator_name
from adjudicate.errors import UsageError
from adjudicate.settings import current_user

Start = Literal["home", "label", "resolve", "report"]

annotator_option = click.option("--annotator", default=None, help="Who you are; your user name by default.")


@click.command()
@annotator_option
@click.option("--assisted", is_flag=True, help="Show the verdict at once; the labels count as assisted.")
@pass_workspace
def label(workspace: Workspace, *, annotator: str | None, assisted: bool) -> None:
    """Label the items on your list: outcome first, then the verdict is shown where it differs.

    \b
    Example:
      adjudicate label --annotator ann
    """
    run(workspace, "label", annotator, assisted=assisted)


@click.command()
@annotator_option
@pass_workspace
def resolve(workspace: Workspace, *, annotator: str | None) -> None:
    """Settle disagreements: labels side by side without names, one ruling with its reason.

    \b
    Example:
      adjudicate resolve --annotator lead
    """
    run(workspace, "resolve", annotator)


@click.command()
@annotator_option
@pass_workspace
def home(workspace: Workspace, *, annotator: str | None) -> None:
    """Open the home screen."""
    run(workspace, "home", annotator)


def run(workspace: Workspace, start: Start, annotator: str | None, *, assisted: bool = False) -> None:
    """Open the terminal interface at a screen.

    Raises:
        UsageError: There is no terminal.
        InputError: The annotator's name cannot be used.
    """
    if not has_terminal():
        raise UsageError(
            "this opens a screen and needs a terminal on all three streams; for scripts: 'status', 'report', 'export'"
        )
    who = annotator_name(current_user() if annotator is None else annotator)
    workspace.store().policy()
    workspace.close()
    from adjudicate.tui.app import AdjudicateApp

    app = AdjudicateApp(
        database=workspace.paths.database,
        workspace=workspace.settings.name,
        annotator=who,
        clock=workspace.clock,
        start=start,
        assisted=assisted,
        keys=workspace.settings.keys,
    )
    app.run()
    sys.exit(app.return_code or 0)
