"""`adjudicate export`: files that leave the workspace."""

from __future__ import annotations

from pathlib import Path

import click

from adjudicate import __version__
from adjudicate.cli.context import Workspace, now, pass_workspace
from adjudicate.cli.output import echo_json, json_option, talk
from adjudicate.core.text import visible_line

NAMES = ("rates.json", "rates.csv", "rates.md", "labels.jsonl", "labels.csv", "gold.jsonl", "gold.csv", "receipt", "xstest")


@click.command()
@click.argument("name", metavar="FORMAT", type=click.Choice(NAMES))
@click.option(
    "--out", type=click.Path(path_type=Path), default=None, help="A file or folder; the workspace's exports by default."
)
@click.option("--with-text", is_flag=True, help="Prompts, responses, notes and rationales too. Handle with care.")
@click.option("--model", default=None, help="Only items of this model.")
@click.option("--conservative", is_flag=True, help="Clopper-Pearson limits.")
@json_option
@pass_workspace
def export(  # one option a switch
    workspace: Workspace, /, *, name: str, out: Path | None, with_text: bool, model: str | None, conservative: bool, as_json: bool
) -> None:
    """Write FORMAT: rates, labels, gold, the release receipt, or a log with its labels.

    No response, note or rationale leaves without --with-text (XSTest files keep their prompts). People are A1, A2, ...
    exports/README.md explains every column.

    \b
    Example:
      adjudicate export gold.csv --out gold.csv
    """
    from adjudicate.workflow.export_results import ExportOptions
    from adjudicate.workflow.export_results import export as write

    options = ExportOptions(
        with_text=with_text, model=model, conservative=conservative, software=f"adjudicate {__version__}", at=now()
    )
    paths = write(workspace.store(), name, workspace.paths.exports, options, out=out)
    if as_json:
        echo_json({"files": [str(path) for path in paths]})
    else:
        for path in paths:
            talk(f"Wrote {visible_line(str(path))}")
