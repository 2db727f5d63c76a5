"""What dialogs to be read share: one titled box of text that scrolls."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult

from adjudicate.tui.screens.dialog import Dialog, Result
from adjudicate.tui.widgets.key_bar import KeyBar
from adjudicate.tui.widgets.line_view import MEASURE, LineView


class ReadingDialog(Dialog[Result]):
    """A box of text over the screen that it belongs to."""

    BOX: ClassVar[str]
    """Id of the box."""
    HINT: ClassVar[str] = "{read.page} page · esc back"
    """What the keys do, in its lower border."""
    MEASURE: ClassVar[int] = MEASURE
    """Columns of a line."""
    DEFAULT_CSS = """
    ReadingDialog LineView {
        width: 92; max-width: 96%; height: 90%; max-height: 42; border: round $focus; background: $surface;
    }
    """

    def compose(self) -> ComposeResult:
        """One pane and its keys."""
        yield LineView(id=self.BOX, hint=self.HINT, measure=self.MEASURE)
        yield KeyBar()

    @property
    def box(self) -> LineView:
        """The pane."""
        return self.query_one(f"#{self.BOX}", LineView)

    def action_page(self, direction: int) -> None:
        """Scroll a page."""
        self.box.scroll_page(direction)

    def action_line(self, step: int) -> None:
        """Scroll a line."""
        self.box.scroll_rows(step)

    def action_end(self, direction: int) -> None:
        """Scroll to an end."""
        self.box.scroll_to_end(direction)
