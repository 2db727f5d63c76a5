"""One line that is typed into, a path among other things: Tab completes it as a shell does."""

from __future__ import annotations

from pathlib import Path

from textual import events
from textual.message import Message
from textual.widgets import Input

from adjudicate.workflow.complete_path import complete


class PathLine(Input):
    """Closed until it is opened; while it is open the keys are its own."""

    DEFAULT_CSS = """
    PathLine { display: none; width: 100%; height: 3; border: round $focus; background: $surface; }
    PathLine:focus { border: round $focus; background-tint: $background 0%; }
    PathLine > .input--placeholder { color: $quiet; }
    """

    class Names(Message):
        """What the path can go on with, where that is not certain."""

        def __init__(self, names: tuple[str, ...]) -> None:
            super().__init__()
            self.names = names

    def __init__(self, folder: Path, *, folders_only: bool = False) -> None:
        """A line.

        Args:
            folder: What a relative path starts from.
            folders_only: Complete to folders only.
        """
        super().__init__(id="line", select_on_focus=False)
        self.folder = folder
        self.folders_only = folders_only
        self.completes = True

    def open(self, asks: str, text: str, *, completes: bool) -> None:
        """Take the keys."""
        self.completes = completes
        self.placeholder = asks
        self.value = text
        self.cursor_position = len(text)
        self.display = True
        self.focus()

    def close(self) -> None:
        """Give them back."""
        self.display = False
        self.screen.set_focus(None)

    def complete_path(self) -> None:
        """Complete as far as it is certain; say what it can go on with where it is not."""
        found = complete(self.value, self.folder, folders_only=self.folders_only)
        if found.text != self.value:
            self.value = found.text
            self.cursor_position = len(found.text)
        elif len(found.names) != 1:
            self.post_message(self.Names(found.names or ("nothing begins so",)))

    def on_key(self, event: events.Key) -> None:
        """Tab never leaves the line."""
        if event.key in ("tab", "shift+tab"):
            event.stop()
            event.prevent_default()
            if self.completes and event.key == "tab":
                self.complete_path()
