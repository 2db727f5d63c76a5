"""What an item hides: read and go back."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.screen import ModalScreen

from adjudicate.tui.keys import bindings_for
from adjudicate.tui.widgets.hidden_rows import hidden_rows
from adjudicate.tui.widgets.key_bar import KeyBar
from adjudicate.tui.widgets.line_view import LineView


class HiddenDialog(ModalScreen[None]):
    """Hidden characters and look-alike words with their code points and places."""

    BINDINGS = bindings_for("hidden")
    AUTO_FOCUS = ""
    DEFAULT_CSS = """
    HiddenDialog {
        align: center middle;
        LineView { width: 92; max-width: 96%; height: 90%; max-height: 42; border: round $focus; background: $surface; }
        KeyBar { dock: bottom; background: $surface; }
    }
    """

    def __init__(self, texts: Sequence[tuple[str, str]]) -> None:
        """Show what these texts hide: name and content of each."""
        super().__init__()
        self.texts = texts

    def compose(self) -> ComposeResult:
        """One pane."""
        yield LineView(id="hidden-text", hint="space page · esc back")
        yield KeyBar()

    def on_mount(self) -> None:
        """Fill it."""
        self._text.show(hidden_rows(self.texts), title="What the text hides")

    @property
    def _text(self) -> LineView:
        return self.query_one("#hidden-text", LineView)

    def action_page(self, direction: int) -> None:
        """Scroll a page."""
        self._text.scroll_page(direction)

    def action_line(self, step: int) -> None:
        """Scroll a line."""
        self._text.scroll_rows(step)

    def action_end(self, direction: int) -> None:
        """Scroll to an end."""
        self._text.scroll_to_end(direction)

    def action_close(self) -> None:
        """Back."""
        self.dismiss(None)
