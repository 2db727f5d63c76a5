"""Commands that open the terminal interface."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from typing import TYPE_CHECKING, Literal

import click

from adjudicate.cli.context import Workspace, pass_workspace
from adjudicate.cli.output import has_terminal, say
from adjudicate.core.person_names import annotator_name
from adjudicate.errors import UsageError
from adjudicate.settings import WorkspacePaths, current_user, state_folder

if TYPE_CHECKING:
    from adjudicate.tui.app import AdjudicateApp

Start = Literal["home", "label", "resolve", "report", "triage"]

annotator_option = click.option("--annotator", default=None, help="Who you are; your user name by default.")


@click.command()
@annotator_option
@click.option("--assisted", is_flag=True, help="Show the verdict at once; the labels count as assisted.")
@click.option("--triage", is_flag=True, help="Label the triage queue instead: what somebody picked, in no rate.")
@click.option("--linear", is_flag=True, help="Plain lines, never redrawn: for screen readers and the plainest terminals.")
@pass_workspace
def label(workspace: Workspace, *, annotator: str | None, assisted: bool, triage: bool, linear: bool) -> None:
    """Label the items on your list: outcome first, then the verdict is shown where it differs.

    \b
    Example:
      adjudicate label --annotator ann
    """
    if linear or workspace.settings.label.linear:
        run_linear(workspace, annotator, assisted=assisted, triage=triage)
    else:
        run(workspace, "triage" if triage else "label", annotator, assisted=assisted)


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
    """Open the home screen; in a folder that is no workspace, the way to the first label."""
    root = workspace.paths.root
    if root.is_dir() and not workspace.paths.settings.exists() and not workspace.paths.database.exists():
        begin(workspace, annotator)
    else:
        run(workspace, "home", annotator)


def begin(workspace: Workspace, annotator: str | None) -> None:
    """Open the terminal interface where there is no workspace yet, and make one.

    Raises:
        UsageError: There is no terminal.
        InputError: The annotator's name cannot be used.
    """
    who = _who(annotator)
    from adjudicate.tui.app import AdjudicateApp

    root = workspace.paths.root.resolve()
    place = WorkspacePaths(root)
    _run(AdjudicateApp(place.database, root.name, who, workspace.clock, "first", state=state_folder(os.environ)))


def run(workspace: Workspace, start: Start, annotator: str | None, *, assisted: bool = False) -> None:
    """Open the terminal interface at a screen.

    Raises:
        UsageError: There is no terminal.
        InputError: The annotator's name cannot be used.
    """
    who = _who(annotator)
    workspace.store().policy()
    workspace.close()
    from adjudicate.tui.app import AdjudicateApp
    from adjudicate.tui.recent import remember

    state = state_folder(os.environ)
    remember(state, workspace.paths.root)
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
        state=state,
    )
    _run(app)


def _who(annotator: str | None) -> str:
    if not has_terminal():
        raise UsageError(
            "this opens a screen and needs a terminal on all three streams; for scripts: 'status', 'report', 'export'"
        )
    return annotator_name(current_user() if annotator is None else annotator)


def _run(app: AdjudicateApp) -> None:
    app.run()
    for summary in app.summaries:
        for line in summary.lines():
            say(line)
    sys.exit(app.return_code or 0)


def run_linear(workspace: Workspace, annotator: str | None, *, assisted: bool, triage: bool) -> None:
    """Label in plain lines, the own list or the triage queue.

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
    label_in_lines(lines, workspace, who, assisted=assisted, triage=triage)
