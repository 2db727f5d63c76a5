"""How commands speak: data on stdout (JSON or a table), talk on stderr."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Sequence
from typing import Any

import click

from adjudicate.core.text import visible, visible_line

json_option = click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")


def echo_json(value: Any) -> None:
    """One JSON object; ASCII only, so that no foreign character can act on a terminal."""
    click.echo(json.dumps(value, ensure_ascii=True, allow_nan=False, indent=2 if sys.stdout.isatty() else None))


def talk(message: str) -> None:
    """A message for the person, not for the pipe. Foreign text in it is shown by stand-ins."""
    click.echo(visible(message), err=True)


def say(text: str) -> None:
    """A line of the result. Foreign text in it is shown by stand-ins."""
    click.echo(visible(text))


def counted(number: int, noun: str) -> str:
    """``1 item``, ``2 items``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def has_terminal() -> bool:
    """Whether screens can open: keys come from stdin, and Textual draws on stderr."""
    return sys.stdin.isatty() and sys.stdout.isatty() and sys.stderr.isatty()


def echo_table(
    title: str, headers: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[int] = (), notes: Sequence[str] = ()
) -> None:
    """A plain table. Cells are foreign text and are shown by stand-ins; nothing in them is parsed as markup.

    Args:
        title: Above the table.
        headers: One per column.
        rows: Cells.
        right: Columns that hold numbers.
        notes: Lines below it.
    """
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(visible_line(title), style="bold"), title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for place, header in enumerate(headers):
        table.add_column(Text(visible_line(header)), justify="right" if place in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(visible_line(cell)) for cell in row))
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 120
    console = Console(width=max(width, 60), highlight=False, markup=False, emoji=False)
    console.print(table)
    for note in notes:
        console.print(Text(f" {visible_line(note)}", style="dim"))
    if notes:
        console.print()
