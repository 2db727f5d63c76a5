"""`adjudicate demo`: a prepared workspace to try everything on."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import click

from adjudicate.cli.context import Workspace, now
from adjudicate.cli.output import talk
from adjudicate.cli.policy_source import load_policy
from adjudicate.core.text import visible_line
from adjudicate.errors import InputError
from adjudicate.settings import make_workspace, resource

FOLDER = "adjudicate-demo"
MARK = ".adjudicate-demo"
"""A file that marks a folder as ours, so that a reset never deletes anything else."""


@click.command()
@click.option(
    "--folder", type=click.Path(path_type=Path, file_okay=False), default=Path(FOLDER), show_default=True, help="Where."
)
@click.option("--reset", is_flag=True, help="Throw the demo's folder away and start over.")
@click.option("--annotator", default="you", show_default=True, help="Who you are in the demo.")
@click.pass_context
def demo(context: click.Context, *, folder: Path, reset: bool, annotator: str) -> None:
    """Open a prepared demo workspace (invented items); without a terminal, print its report.

    Everything stays inside the demo's folder.

    \b
    Example:
      adjudicate demo
    """
    prepare(folder, reset=reset)
    workspace = Workspace(folder)
    context.call_on_close(workspace.close)
    if sys.stdin.isatty() and sys.stdout.isatty():
        from adjudicate.cli.screens import run

        run(workspace, "label", annotator)
    else:
        from adjudicate.cli.report import report

        talk(f"The demo workspace is {visible_line(str(folder))}. Everything in it is invented.")
        context.obj = workspace
        context.invoke(report, section="all", by=(), model=None, run=None, judge=None, population=None)


def prepare(folder: Path, *, reset: bool = False) -> None:
    """Make the demo workspace where it is not there yet.

    Raises:
        InputError: The folder holds something that is not the demo.
    """
    if reset and folder.exists():
        if not (folder / MARK).is_file():
            raise InputError(f"{visible_line(str(folder))} was not made by the demo and is left alone")
        shutil.rmtree(folder)
    if (folder / MARK).is_file():
        return
    if folder.exists() and any(folder.iterdir()):
        raise InputError(f"{visible_line(str(folder))} is not empty and was not made by the demo: choose another --folder")
    # Built beside its place and renamed, so that a demo that was interrupted is not taken for a whole one.
    building = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(building, ignore_errors=True)
    _fill(building)
    if folder.exists():
        folder.rmdir()
    building.rename(folder)


def _fill(folder: Path) -> None:
    from adjudicate.storage.sqlite_store import SqliteStore
    from adjudicate.workflow.demo import fill_demo

    policy = load_policy("refusal-boundary")
    paths = make_workspace(folder, "demo (invented items)")
    (paths.policies / "refusal-boundary.md").write_text(policy.text, encoding="utf-8")
    store = SqliteStore.open(paths.database, create=True)
    try:
        fill_demo(store, policy, resource("demo"), now=now)
    finally:
        store.close()
    (folder / MARK).touch()
