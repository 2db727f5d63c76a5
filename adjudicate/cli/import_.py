"""`adjudicate import`: reads logs into the workspace. What to read and how is decided in `workflow.import_items`."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Literal, Self

import click

from adjudicate.cli.context import Workspace, pass_workspace
from adjudicate.cli.interrupt import one_interrupt
from adjudicate.cli.output import echo_json, json_option, say, talk
from adjudicate.core.text import visible_line
from adjudicate.errors import UsageError
from adjudicate.settings import check_new_mapping, save_mapping

PROGRESS_AFTER = 1.0
PROGRESS_EVERY = 0.2
SHOWN_PROBLEMS = 20
"""Of each file; `--json` lists more."""
SHOWN_FILE = 45
"""Characters of the end of a file's path: a line that wraps could not be written over."""


class _ProgressLine:
    """One line on a terminal's stderr that says how far a long import is.

    A thread writes it, so that the seconds go on where no row comes for a while: a file is unpacked, a document is read.
    """

    def __init__(self) -> None:
        self._file, self._rows = "", 0
        self._ended = threading.Event()
        self._writer = threading.Thread(target=self._write, name="progress", daemon=True)

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            self._writer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        if self._writer.ident is not None:
            self._writer.join()

    def tell(self, file: str, rows: int) -> None:
        """Note which file is read, and how many rows of it have been."""
        self._file, self._rows = file, rows

    def _write(self) -> None:
        started = time.monotonic()
        if self._ended.wait(PROGRESS_AFTER):
            return
        # A terminal that has gone needs no line.
        with contextlib.suppress(OSError):
            while not self._ended.wait(PROGRESS_EVERY):
                said = f"{self._rows:,} rows" if self._rows else "reading"
                line = f"{self._file[-SHOWN_FILE:]}: {said}, {time.monotonic() - started:.0f} s"
                click.echo(f"\r{visible_line(line)}\x1b[K", nl=False, err=True)
            click.echo("\r\x1b[K", nl=False, err=True)


@click.command("import")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
@click.option(
    "--format",
    "format_name",
    metavar="NAME",
    help="A format of docs/formats.md, or a mapping saved in adjudicate.toml; found by content without.",
)
@click.option("--map", "columns", multiple=True, metavar="FIELD=COLUMN", help="Where a field stands; dotted paths go into JSON.")
@click.option("--set", "constants", multiple=True, metavar="FIELD=VALUE", help="The same value for every row.")
@click.option(
    "--outcome",
    "outcomes",
    multiple=True,
    metavar="RAW=OUTCOME",
    help="What the file's class is in the policy; INTENT:RAW=OUTCOME for one intent's prompts; judge_failed where it is none.",
)
@click.option("--encoding", metavar="E", help="Encoding of the files where it is not UTF-8, e.g. mac_roman.")
@click.option(
    "--join",
    type=click.Choice(["id", "text"]),
    default=None,
    help="The files hold verdicts or labels only, for items that are here: found by their id, or by prompt and response.",
)
@click.option("--save", metavar="NAME", default=None, help="Keep these options in adjudicate.toml, for --format NAME.")
@click.option("--dry-run", is_flag=True, help="Show what would be read; store nothing.")
@json_option
@pass_workspace
def import_(  # noqa: PLR0917  # click hands over by keyword
    workspace: Workspace,
    files: tuple[Path, ...],
    format_name: str | None,
    columns: tuple[str, ...],
    constants: tuple[str, ...],
    outcomes: tuple[str, ...],
    encoding: str | None,
    join: Literal["id", "text"] | None,
    save: str | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Read logs: items, verdicts, human labels. All files of a command are stored, or none is.

    FILE is a log, compressed (gzip, Zstandard) or not, a folder of them, a pattern in quotation marks, or - for standard input.
    --dry-run shows what would be taken from where.

    Fields are id, prompt or messages, response, model, intent, population, category, language, pair; the judge's verdict,
    judge, reason, helpfulness, safety, score, repeat; and for several judges or people verdict.NAME, label.NAME and gold.
    Importing a file again changes nothing.

    \b
    Example: a judge beside a human majority
      adjudicate import jbb.csv --set intent=harmful --map response=target_response
        --map verdict.gpt4=gpt4_cf --map gold=human_majority
        --outcome 1=harmful_compliance --outcome 0=flat_refusal
    """
    from adjudicate.workflow.import_items import import_files, options_for
    from adjudicate.workflow.import_report import told_problems

    stated = {
        "format": format_name,
        "map": _pairs("--map", columns),
        "set": _pairs("--set", constants),
        "outcome": _pairs("--outcome", outcomes),
        "encoding": encoding,
    }
    if save is not None:
        check_new_mapping(workspace.settings, save)
    options = options_for(stated, workspace.settings.imports)
    with one_interrupt(), _ProgressLine() as line:
        report = import_files(
            workspace.store(), workspace.policy(), files, options, workspace.now(),
            progress=line.tell, dry_run=dry_run, join=join,
        )  # fmt: skip
    if save is not None and not dry_run:
        save_mapping(workspace.paths, save, options.as_tables())
        talk(f"Saved in adjudicate.toml: import FILE --format {visible_line(save)}")
    for each in report.files:
        for problem in told_problems(each, SHOWN_PROBLEMS):
            talk(problem)
    if report.skipped:
        talk(f"{report.skipped:,} rows were SKIPPED; they are listed above.")
    if as_json:
        echo_json(report.as_json())
    else:
        say("\n".join(report.as_text()))


def _pairs(option: str, given: Iterable[str]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for each in given:
        name, separator, value = each.partition("=")
        if not separator or not name:
            raise UsageError(f"{option} {visible_line(each)}: expected NAME=VALUE")
        if pairs.setdefault(name, value) != value:
            raise UsageError(f"{option} {visible_line(name)}: said twice, with different values")
    return pairs
