"""What is behind a disagreement, to be read: earlier rulings in full, or all that happened to the item."""

from __future__ import annotations

from collections.abc import Sequence

from adjudicate.tui.keys import bindings_for
from adjudicate.tui.screens.reading_dialog import ReadingDialog
from adjudicate.tui.widgets.line_view import Paragraph


class CaseDialog(ReadingDialog[None]):
    """Read and go back."""

    PLACE = "case"
    BINDINGS = bindings_for("case")
    BOX = "case-text"

    def __init__(self, title: str, rows: Sequence[Paragraph]) -> None:
        super().__init__()
        self._title = title
        self._rows = rows

    def on_mount(self) -> None:
        """Fill it."""
        self.box.show(self._rows, title=self._title)
