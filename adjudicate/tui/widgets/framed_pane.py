"""What panes share: a frame that says what is in it and which pane is active, and the mouse wheel. They take no focus."""

from __future__ import annotations

from textual import events
from textual.content import Content
from textual.widget import Widget

WHEEL_ROWS = 3
"""Rows that one notch of the wheel moves."""


class FramedPane(Widget):
    """A pane that its screen moves by calls; a subclass says what the wheel does."""

    DEFAULT_CSS = """
    FramedPane {
        border: round $frame;
        border-title-color: $foreground;
        border-subtitle-color: $quiet;
        border-title-style: none;
        &.-active { border: round $focus; border-title-style: bold; }
        &.-active:ansi { border: heavy $focus; }
    }
    """
    ALLOW_SELECT = False

    def wheel(self, step: int) -> None:
        """Move by rows, as the mouse wheel asks."""

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """On."""
        event.stop()
        self.wheel(WHEEL_ROWS)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Back."""
        event.stop()
        self.wheel(-WHEEL_ROWS)

    def tell_above(self, words: Content) -> None:
        """Words in the upper border; nothing is painted where they are the same."""
        if words != self._border_title:
            self.border_title = words

    def tell_below(self, words: Content) -> None:
        """Words in the lower border."""
        if words != self._border_subtitle:
            self.border_subtitle = words
