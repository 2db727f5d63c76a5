"""The first step: which log. Files that lie here are listed with what they look like; any path can be typed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from adjudicate.core.text import shortened, visible_line
from adjudicate.errors import InputError
from adjudicate.tui.first.plan import Plan
from adjudicate.tui.first.step import Row, RowsToChoose, Typed
from adjudicate.tui.theme import CHOSEN, DONE
from adjudicate.tui.widgets.cells import end_fitted
from adjudicate.tui.widgets.line_view import Look, Paragraph
from adjudicate.workflow.log_files import LogFile, reader_titles

NAME = 44
"""Cells of a file's name."""
INTRO = (
    "Four steps lead to the first label: pick a log, see what was recognised in it, choose the written policy, draw a sample.",
    "A log holds prompts, a model's responses and a judge's verdicts on them. Several files can be one log: space marks them.",
)
NONE_HERE = "No log was found in this folder. e types the path of one that lies elsewhere."
KINDS = "These logs can be read: {titles}. Of tables any with a column of prompts, one of responses and one of verdicts."
NO_LOG_YET = (
    "To write one yourself: a CSV file with the header  prompt,response,verdict,intent  and a line for each response.",
    "To see how it all works without a log: q leaves, then  adjudicate demo  opens a workspace with invented items.",
)


class LogStep(RowsToChoose):
    """Files of the folder, and those that were typed."""

    title = "log"
    hint = "{first.go_on} goes on · {first.mark} marks · {first.type} types a path"

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.logs: list[LogFile] | None = None
        """None while they are looked for."""
        self.problem = ""
        """Why there is no list."""
        self.added: list[Path] = []
        """Typed ones."""
        self.marked: set[Path] = set()
        self._room = 80

    @property
    def _paths(self) -> list[Path]:
        return [*self.added, *(log.path for log in self.logs or ())]

    def chosen(self, at: int) -> list[Path]:
        """The marked files, or the one in the row where none is marked."""
        paths = self._paths
        marked = [path for path in paths if path in self.marked]
        return marked or paths[at : at + 1]

    def mark(self, at: int) -> None:
        """Mark a file, or not."""
        self.marked ^= set(self._paths[at : at + 1])

    def rows(self, width: int) -> Sequence[Row]:
        """Typed ones first."""
        name = max(min(NAME, width - 38), 12)
        self._room = width - 2
        rows = [Row(self._line(path, "", "typed", name)) for path in self.added]
        rows += [Row(self._line(log.path, _size(log.size), log.title, name, log.shown)) for log in self.logs or ()]
        if not rows:
            waiting = "  looking for logs in this folder …" if self.logs is None else "  no log here"
            look: Look = "harm" if self.problem else "dim"
            rows.append(Row(self.problem or waiting, look, can_be_chosen=False))
        heading = f"    {'FILE':<{name}}  {'SIZE':>8}  LOOKS LIKE"
        return [Row(heading, "dim", can_be_chosen=False), *rows]

    def _line(self, path: Path, size: str, title: str, width: int, shown: str | None = None) -> str:
        name = shown if shown is not None else visible_line(str(path))
        return shortened(f"{DONE if path in self.marked else ' '} {end_fitted(name, width)}  {size:>8}  {title}", self._room)

    def beside(self, at: int) -> tuple[str, list[Paragraph]]:
        """How it goes, or how to get a log."""
        if self.logs == [] and not self.added:
            kinds = KINDS.format(titles=", ".join(reader_titles()))
            return "How to get a log", _spaced((NONE_HERE, *NO_LOG_YET, kinds))
        rows = _spaced(INTRO)
        paths = self.chosen(at)
        if paths:
            rows += [Paragraph("CHOSEN", "heading"), *(Paragraph(f"{CHOSEN} {path}") for path in paths), Paragraph("")]
        rows.append(
            Paragraph("Nothing is stored before the sample is drawn: until then esc goes back, q leaves the folder as it is.")
        )
        return "The way to the first label", rows

    def typed(self, at: int) -> Typed:
        """A path."""
        del at
        return Typed("path of a log, or of a folder with logs", "", is_path=True)

    def take(self, at: int, text: str) -> None:
        """Add a path to the list; it is what goes on."""
        del at
        path = Path(text).expanduser()
        path = path if path.is_absolute() else self.plan.folder / path
        if not path.exists():
            raise InputError(f"there is no such file: {visible_line(text)}")
        if path not in self._paths:
            self.added.insert(0, path)
        self.marked.add(path)


def _spaced(sentences: Sequence[str]) -> list[Paragraph]:
    return [row for words in sentences for row in (Paragraph(words), Paragraph(""))]


def _size(size: int) -> str:
    for unit, least in (("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000)):
        if size >= least:
            return f"{size / least:.1f} {unit}"
    return f"{size} B"
