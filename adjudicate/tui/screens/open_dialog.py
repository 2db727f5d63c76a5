"""Another workspace: those that were open lately and those beside this one, or any path. Opens nothing itself."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input

from adjudicate.core.text import visible_line
from adjudicate.settings import SETTINGS_FILE, WorkspacePaths
from adjudicate.tui.keys import bindings_for
from adjudicate.tui.theme import CHOSEN, HARM
from adjudicate.tui.widgets.key_bar import KeyBar
from adjudicate.tui.widgets.line_view import LineView, Paragraph
from adjudicate.tui.widgets.path_line import PathLine

ASKS = "path of a workspace, or words of one in the list"


class OpenDialog(ModalScreen[Path | None]):
    """Returns the folder of the workspace to open, or None."""

    BINDINGS = bindings_for("open")
    DEFAULT_CSS = """
    OpenDialog {
        align: center middle;
        Vertical { width: 92; max-width: 96%; height: 70%; max-height: 26; background: $surface; }
        LineView { height: 1fr; border: round $focus; background: $surface; }
        KeyBar { dock: bottom; background: $surface; }
    }
    """

    def __init__(self, known: Sequence[Path], here: Path) -> None:
        """Ask.

        Args:
            known: Workspaces to offer, the likeliest first.
            here: What a relative path starts from.
        """
        super().__init__()
        self.known = known
        self.here = here
        self._chosen = 0
        self._problem = ""

    def compose(self) -> ComposeResult:
        """A line to type in, above what it finds."""
        with Vertical():
            yield PathLine(self.here, folders_only=True)
            yield LineView(
                id="workspaces",
                measure=200,
                hint="{open.take} opens · {open.next} {open.previous} choose · {open.complete} completes a path",
            )
        yield KeyBar()

    def on_mount(self) -> None:
        """All of them."""
        self.query_one(PathLine).open(ASKS, "", completes=True)
        self._show()

    @property
    def _line(self) -> PathLine:
        return self.query_one(PathLine)

    @property
    def _found(self) -> list[Path]:
        """Those with the typed words in their path; all where a path is typed that is none of them."""
        words = self._line.value.casefold().split()
        return [path for path in self.known if all(word in str(path).casefold() for word in words)]

    def _show(self) -> None:
        found = self._found
        self._chosen = max(min(self._chosen, len(found) - 1), 0)
        rows = [Paragraph(f"{HARM} {self._problem}", "harm")] if self._problem else []
        for place, path in enumerate(found):
            mark = CHOSEN if place == self._chosen else " "
            rows.append(Paragraph(f"{mark} {path.name or path}  {path.parent}", "selected" if place == self._chosen else ""))
        if not found:
            rows.append(Paragraph("none of those opened lately: enter opens the path that is typed", "dim"))
        pane = self.query_one("#workspaces", LineView)
        pane.show(rows, title="Open another workspace")
        pane.keep_in_sight(self._chosen + bool(self._problem))

    def on_input_changed(self, event: Input.Changed) -> None:
        """Fewer are left."""
        event.stop()
        self._problem = ""
        self._show()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter."""
        event.stop()
        self.action_take()

    def action_choose(self, step: int) -> None:
        """The next of the list."""
        self._chosen += step
        self._show()

    def action_complete(self) -> None:
        """Complete the path."""
        self._line.complete_path()

    def on_path_line_names(self, message: PathLine.Names) -> None:
        """What it can go on with."""
        self._problem = "  ".join(message.names)
        self._show()

    def action_take(self) -> None:
        """Return the workspace, if it is one."""
        found, typed = self._found, self._line.value.strip()
        root = found[self._chosen] if found else self.here / Path(typed).expanduser()
        if WorkspacePaths(root).settings.is_file():
            self.dismiss(root)
        else:
            self._problem = f"{visible_line(str(root))} is no workspace: it has no {SETTINGS_FILE}"
            self._show()

    def action_help(self) -> None:
        """All keys of this dialog."""
        from adjudicate.tui.screens.help_dialog import HelpDialog

        self.app.push_screen(HelpDialog("open"))

    def action_close(self) -> None:
        """Stay here."""
        self.dismiss(None)
