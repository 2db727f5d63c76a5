"""A text field that comes when something is asked and goes when that is answered; what it asks for is one of a few questions."""

from __future__ import annotations

from typing import NamedTuple

from textual.content import Content
from textual.widgets import Input


class Question(NamedTuple):
    """What can be asked for."""

    title: str
    """In the border."""
    placeholder: str
    """What to type."""
    keys: str
    """What the keys do meanwhile, for the key bar."""


SEARCH = Question("Search", "words to look for in the clauses", "type to search · enter back to the list · esc all clauses again")


class AskingField(Input):
    """One line above the keys. Tells what is typed as any text field does."""

    DEFAULT_CSS = """
    AskingField {
        display: none; width: 100%; height: 3; padding: 0 1; background: $surface; border: round $focus;
        border-title-color: $foreground;
        &:focus { border: round $focus; background-tint: $background 0%; }
        &:ansi:focus { border: heavy $focus; }
        & > .input--placeholder { color: $quiet; }
    }
    """

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.question: Question | None = None
        """What is asked; None while the field is not there."""

    def ask(self, question: Question, text: str) -> None:
        """Come, with a text to start from, and take the keys."""
        self.question = question
        with self.prevent(Input.Changed):
            self.value = text
        self.border_title = Content(question.title)
        self.placeholder = question.placeholder
        self.display = True
        self.focus()

    def leave(self) -> None:
        """Go; the keys are the screen's again."""
        self.question = None
        self.display = False
        self.screen.set_focus(None)
