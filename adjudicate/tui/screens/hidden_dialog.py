"""What an item hides: read and go back."""

from __future__ import annotations

from collections.abc import Sequence

from adjudicate.tui.keys import bindings_for
from adjudicate.tui.screens.reading_dialog import ReadingDialog
from adjudicate.tui.widgets.hidden_rows import hidden_rows


class HiddenDialog(ReadingDialog[None]):
    """Hidden characters and look-alike words with their code points and places."""

    PLACE = "hidden"
    BINDINGS = bindings_for("hidden")
    BOX = "hidden-text"

    def __init__(self, texts: Sequence[tuple[str, str]]) -> None:
        """Show what these texts hide: name and content of each."""
        super().__init__()
        self.texts = texts

    def on_mount(self) -> None:
        """Fill it."""
        self.box.show(hidden_rows(self.texts), title="What the text hides")
