"""Commands that open the terminal interface."""

from __future__ import annotations

import sys
from io import TextIOWrapper
from typing import Literal

import click

from adjudicate.cli.context import Workspace, pass_workspace
from adjudicate.cli.output import has_terminal, say
from adjudicate.cli.people import annotator_name
from adjudicate.errors import UsageError
from adjudicate.settings import current_user

Start = Literal["home", "label", "resolve", "report"]

annotator_option = click.option("--annotator", default=None, help="Who you are; your user name by default.")


@click.command()
@annotator_option
@click.option("--assisted", is_flag=True, help="Show the verdict at once; the labels count as assisted.")
@click.option("--linear", is_flag=True, help="Plain lines, never redrawn: for screen readers and the plainest terminals.")
@pass_workspace
def label(workspace: Workspace, *, annotator: str | None, assisted: bool, linear: bool) -> None:
    """Label the items on your list: outcome first, then the verdict is shown where it differs.

    \b
    Example:
      adjudicate label --annotator ann
    """
    if linear or workspace.settings.label.linear:
        run_linear(workspace, annotator, assisted=assisted)
    else:
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
        colours=workspace.settings.theme,
        label=workspace.settings.label,
    )
    app.run()
    if app.summary is not None:
        for line in app.summary.lines():
            say(line)
    sys.exit(app.return_code or 0)


def run_linear(workspace: Workspace, annotator: str | None, *, assisted: bool) -> None:
    """Label in plain lines.

    Raises:
        UsageError: Nobody sits at a terminal.
        InputError: The annotator's name cannot be used.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("labels are made by people: this needs a terminal for what is typed and for what is said")
    from adjudicate.cli.linear_lines import PlainLines
    from adjudicate.cli.linear_start import label_in_lines

    who = annotator_name(current_user() if annotator is None else annotator)
    if isinstance(sys.stdout, TextIOWrapper):
        # A terminal that cannot show a character must not end the work.
        sys.stdout.reconfigure(errors="replace")
    lines = PlainLines(sys.stdin, sys.stdout, workspace.clock.tick)
    label_in_lines(lines, workspace, who, assisted=assisted)
