"""Writing a note. Every change is handed on as a draft, so that nothing typed is lost whatever happens to the terminal."""

from __future__ import annotations

from collections.abc import Callable

from textual.app import ComposeResult
from textual.timer import Timer
from textual.widgets import TextArea

from adjudicate.tui.keys import bindings_for, with_keys
from adjudicate.tui.screens.dialog import Dialog
from adjudicate.tui.widgets.key_bar import KeyBar

DRAFT_SECONDS = 0.3
"""Rest after the last key before the draft is kept."""


class NoteDialog(Dialog[str]):
    """Returns the note to save, or None when it stays a draft. Saves nothing itself."""

    PLACE = "note"
    BINDINGS = bindings_for("note")
    DEFAULT_CSS = """
    NoteDialog {
        TextArea { width: 84; max-width: 96%; height: 50%; min-height: 8; }
        TextArea, TextArea:focus { border: round $focus; border-subtitle-color: $quiet; background: $surface; padding: 0 1; }
    }
    """

    def __init__(self, text: str, *, keep: Callable[[str], None], keep_now: Callable[[str], None]) -> None:
        """Start with a note or draft.

        Args:
            text: What is there already.
            keep: Keeps a draft soon, without making anybody wait.
            keep_now: Keeps a draft before it returns: the dialog is going away.
        """
        super().__init__()
        self.text = text
        self.keep = keep
        self.keep_now = keep_now
        self._unkept = False
        self._timer: Timer | None = None

    def compose(self) -> ComposeResult:
        """A plain text field."""
        field = TextArea(self.text, soft_wrap=True, show_line_numbers=False, id="note-text")
        field.border_title = "Note"
        keymap = self.app._keymap  # noqa: SLF001  # Textual keeps it there and nowhere else
        field.border_subtitle = with_keys("{note.save} saves · {note.close} keeps a draft", keymap)
        yield field
        yield KeyBar()

    def on_mount(self) -> None:
        """Go on writing at the end."""
        field = self.query_one(TextArea)
        field.move_cursor(field.document.end)
        field.focus()

    def on_text_area_changed(self) -> None:
        """Keep a draft once the hands rest."""
        text = self.query_one(TextArea).text
        if text == self.text:
            return
        self.text = text
        self._unkept = True
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(DRAFT_SECONDS, self._keep)

    def _keep(self) -> None:
        if self._unkept:
            self._unkept = False
            self.keep(self.text)

    def on_unmount(self) -> None:
        """The terminal may be gone: keep what the timer has not."""
        if self._unkept:
            self._unkept = False
            self.keep_now(self.text)

    def action_save(self) -> None:
        """Return the text."""
        self._unkept = False
        self.dismiss(self.query_one(TextArea).text)

    def action_close(self) -> None:
        """Back, with the draft kept."""
        self.text = self.query_one(TextArea).text
        self._keep()
        self.dismiss(None)
