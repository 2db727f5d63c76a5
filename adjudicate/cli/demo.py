"""`adjudicate demo`: a prepared workspace to try everything on."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import click

from adjudicate.cli.context import Workspace, now
from adjudicate.cli.output import has_terminal, talk
from adjudicate.cli.policy_source import load_policy
from adjudicate.core.text import visible_line
from adjudicate.errors import InputError
from adjudicate.settings import make_workspace, resource, write_private

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

    Nothing is written outside the demo's folder, except to a temporary folder beside it while it is made.

    \b
    Example:
      adjudicate demo
    """
    prepare(folder, reset=reset)
    workspace = Workspace(folder)
    context.call_on_close(workspace.close)
    if has_terminal():
        from adjudicate.cli.screens import run

        run(workspace, "label", annotator)
    else:
        from adjudicate.cli.report import report

        talk(f"The demo workspace is {visible_line(str(folder))}. Everything in it is invented.")
        context.obj = workspace
        context.invoke(report, section=None, by=(), model=None, run=None, judge=None, population=None)


def prepare(folder: Path, *, reset: bool = False) -> None:
    """Make the demo workspace where it is not there yet.

    Raises:
        InputError: The folder holds something that is not the demo, is where you are, or cannot be made.
    """
    shown = visible_line(str(folder))
    if folder.is_symlink():
        raise InputError(f"{shown} is a link: name the folder itself with --folder")
    place, here = folder.resolve(), Path.cwd()
    if place == here:
        raise InputError(f"{shown} is the folder you are in: choose another --folder")
    ours = _is_ours(place)
    if ours and not reset:
        return
    if here.is_relative_to(place):
        raise InputError(f"you are inside {shown}: leave it first, or choose another --folder")
    if reset and place.exists() and not ours:
        raise InputError(f"{shown} was not made by the demo and is left alone")
    try:
        if ours:
            _remove(place)
        if place.exists() and (not place.is_dir() or any(place.iterdir())):
            raise InputError(f"{shown} is not empty and was not made by the demo: choose another --folder")
        _build(place)
    except OSError as error:
        raise InputError(f"{shown}: cannot be made ({visible_line(error.strerror or str(error))})") from error


def _build(place: Path) -> None:
    """Built beside its place and renamed, so that a demo that was interrupted is not taken for a whole one."""
    place.parent.mkdir(parents=True, exist_ok=True)
    building = Path(tempfile.mkdtemp(dir=place.parent, prefix=f".{place.name[:40]}.", suffix=".part"))
    try:
        (building / MARK).touch()
        _fill(building)
        # Takes the place of an empty folder, and of nothing else.
        building.rename(place)
    finally:
        # Nothing stands there any more once it has its name.
        _remove(building)


def _is_ours(folder: Path) -> bool:
    mark = folder / MARK
    return mark.is_file() and not mark.is_symlink()


def _remove(folder: Path) -> None:
    """Remove a folder that carries our mark, and no other."""
    if _is_ours(folder):
        shutil.rmtree(folder)


def _fill(folder: Path) -> None:
    from adjudicate.storage.sqlite_store import SqliteStore
    from adjudicate.workflow.demo import fill_demo

    policy = load_policy("refusal-boundary")
    paths = make_workspace(folder, "demo (invented items)")
    write_private(paths.policies / "refusal-boundary.md", policy.text)
    store = SqliteStore.open(paths.database, create=True)
    try:
        fill_demo(store, policy, resource("demo"), now=now)
    finally:
        store.close()
