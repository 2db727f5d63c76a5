"""What panes share: a frame that says what is in it and which pane is active, and the mouse wheel. They take no focus."""

from __future__ import annotations

from textual import events
from textual.content import Content
from textual.message import Message
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

    class Clicked(Message):
        """The mouse was clicked in the pane."""

        def __init__(self, pane: FramedPane, action: str) -> None:
            super().__init__()
            self.pane = pane
            self.action = action
            """Of the screen: what the row under the mouse does; empty for nothing."""

    def action_at(self, event: events.Click) -> str:  # noqa: ARG002 - for subclasses with rows that do something
        """What a click there does: an action of the screen, or nothing."""
        return ""

    def on_click(self, event: events.Click) -> None:
        """Tell the screen. The second click of two does nothing: what the first one brought is not what was aimed at."""
        event.stop()
        if event.chain == 1:
            self.post_message(self.Clicked(self, self.action_at(event)))

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
