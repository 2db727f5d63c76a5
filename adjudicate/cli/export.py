"""`adjudicate export`: files that leave the workspace."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from adjudicate import __version__
from adjudicate.cli.context import Workspace, now, pass_workspace
from adjudicate.cli.output import echo_json, json_option, talk
from adjudicate.core.text import visible_line

NAMES = (
    "rates.json",
    "rates.csv",
    "rates.md",
    "report.html",
    "report.md",
    "labels.jsonl",
    "labels.csv",
    "gold.jsonl",
    "gold.csv",
    "sample.csv",
    "prompts",
    "judge-set",
    "pairs",
    "classifications",
    "sqlite",
    "receipt",
    "xstest",
    "inspect",
    "promptfoo",
    "log",
    "scout",
    "pyrit",
)


@click.command()
@click.argument("name", metavar="FORMAT", type=click.Choice(NAMES))
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=None,
    help="A file or folder, or - for standard output; the workspace's exports by default.",
)
@click.option("--with-text", is_flag=True, help="Prompts, responses, notes and rationales too. Handle with care.")
@click.option("--model", default=None, help="Only items of this model.")
@click.option("--judge", default=None, help="The judge that is meant, where there are several.")
@click.option(
    "--source", type=click.Path(path_type=Path), default=None, help="The log to make a copy of, with labels; it stays as it is."
)
@click.option("--rate", default=None, help="The rate or outcome that counts as yes, for scout and pyrit.")
@click.option("--run", "run", default=None, help="Only items of this run: its id, the beginning of it, or its name.")
@click.option(
    "--prompt",
    type=click.Path(path_type=Path),
    default=None,
    help="The file with the instructions that the judge was given, for classifications.",
)
@click.option("--force", is_flag=True, help="Replace a file that is there already, outside the workspace's exports.")
@click.option("--conservative", is_flag=True, help="Clopper-Pearson limits.")
@json_option
@pass_workspace
def export(  # one option a switch
    workspace: Workspace, /, *, name: str, out: Path | None, force: bool, run: str | None, as_json: bool, **options: Any
) -> None:
    """Write FORMAT: rates, labels, gold, the release receipt, or a log with its labels.

    No prompt, response, note or rationale leaves without --with-text (XSTest's own prompts are public and stay, and the copy of
    a log holds what the log holds). People are A17, A803, ... exports/README.md explains every column. The workspace's own files
    and the log are never written over.

    \b
    Example:
      adjudicate export gold.csv --out ~/gold.csv
    """
    from adjudicate.workflow.export_records import ExportOptions
    from adjudicate.workflow.export_results import export as write
    from adjudicate.workflow.export_results import pieces
    from adjudicate.workflow.run_names import run_id

    store = workspace.store()
    wanted = ExportOptions(
        run=run_id(store, run),
        software=f"adjudicate {__version__}",
        at=now(),
        workspace=workspace.settings.name,
        tell=talk,
        **options,
    )
    if out == Path("-"):
        for piece in pieces(store, name, wanted):
            click.echo(piece, nl=False)
        return
    paths = write(store, name, workspace.paths.exports, wanted, out=out, force=force)
    if as_json:
        echo_json({"files": [str(path) for path in paths]})
    else:
        for path in paths:
            talk(f"Wrote {visible_line(str(path))}")
