"""The line in which words are typed that a pane is searched for. It takes the place of the key bar, so that nothing moves."""

from __future__ import annotations

from textual.message import Message
from textual.widgets import Input


class FindLine(Input):
    """One line. Says what is wanted at every change and when Enter ends it."""

    DEFAULT_CSS = """
    FindLine {
        display: none;
        height: 1; border: none; padding: 0 1; background: $background;
        &:focus { border: none; background-tint: $background 0%; }
        & > .input--placeholder { color: $quiet; }
    }
    """

    class Wanted(Message):
        """Other words are wanted."""

        def __init__(self, words: str) -> None:
            super().__init__()
            self.words = words

    class Done(Message):
        """Back to the text."""

    def __init__(self) -> None:
        super().__init__(id="find", select_on_focus=True)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Search while the words are typed."""
        event.stop()
        if self.display:
            self.post_message(self.Wanted(event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter ends it."""
        event.stop()
        self.post_message(self.Done())
