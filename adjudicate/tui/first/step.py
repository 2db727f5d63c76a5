"""What a step shows and takes: rows to go through, choices by digit, and what can be typed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from adjudicate.tui.theme import CHOSEN, QUIET
from adjudicate.tui.widgets.line_view import Look, Paragraph


class Row(NamedTuple):
    """One row of the list on the left."""

    text: str
    look: Look = ""
    can_be_chosen: bool = True
    """Headings cannot."""


class Choice(NamedTuple):
    """What a digit stands for."""

    digit: int
    words: str


class Typed(NamedTuple):
    """What can be typed instead."""

    asks: str
    """Shown in the empty field."""
    text: str
    """What stands in it already."""
    is_path: bool = False
    """Whether Tab completes it."""


class Step(Protocol):
    """One of the four."""

    title: str
    """In the line above."""
    hint: str
    """What the keys do here, in the lower border of the list: commands in braces, as `keys.with_keys` reads them."""

    def rows(self, width: int) -> Sequence[Row]:
        """The list on the left, `width` cells wide."""

    def beside(self, at: int) -> tuple[str, list[Paragraph]]:
        """Title and text of the pane on the right, for the chosen row: its place among those that can be chosen."""

    def asks(self, at: int) -> str:
        """What the digits answer in a row."""

    def choices(self, at: int) -> Sequence[Choice]:
        """What the digits do in a row."""

    def choose(self, at: int, digit: int) -> None:
        """Take a choice."""

    def typed(self, at: int) -> Typed:
        """What can be typed in a row."""

    def take(self, at: int, text: str) -> None:
        """Take what was typed.

        Raises:
            InputError: It cannot be used.
        """


class RowsToChoose:
    """The half of a step in which the row itself is the choice: the digits ask for nothing and do nothing."""

    def asks(self, at: int) -> str:
        """Nothing."""
        del at
        return ""

    def choices(self, at: int) -> Sequence[Choice]:
        """None."""
        del at
        return ()

    def choose(self, at: int, digit: int) -> None:
        """Nothing to take."""


def listed(rows: Sequence[Row], at: int) -> tuple[list[Paragraph], int]:
    """The rows as they are painted, with the chosen one marked, and its place among all of them."""
    painted: list[Paragraph] = []
    choosable, place = 0, 0
    for row in rows:
        if not row.can_be_chosen:
            painted.append(Paragraph(row.text, row.look))
            continue
        chosen = choosable == at
        if chosen:
            place = len(painted)
        painted.append(Paragraph(f"{CHOSEN if chosen else ' '} {row.text}", "selected" if chosen else row.look))
        choosable += 1
    return painted, place


def offered(choices: Sequence[Choice], words: str) -> list[Paragraph]:
    """The choices under what they answer; nothing where there are none."""
    if not choices:
        return []
    rows = [Paragraph(f"{choice.digit}  {choice.words}") for choice in choices]
    return [Paragraph(words, "strong"), *rows, Paragraph("")]


def in_short(step: Step, at: int, text: Sequence[Paragraph]) -> list[Paragraph]:
    """What of the other pane cannot be done without where that pane is not there: what the digits do.

    Args:
        step: The one on screen.
        at: The chosen row.
        text: All that stands there, where there is no row to choose; else nothing.
    """
    if choices := step.choices(at):
        words = "  ".join(f"{choice.digit} {choice.words}" for choice in choices)
        return [Paragraph(""), Paragraph(step.asks(at), "strong"), Paragraph(words)]
    return [Paragraph(""), *text] if text else []


def commands(lines: Sequence[str]) -> list[Paragraph]:
    """The same on the command line, for whoever wants to do it again."""
    return [
        Paragraph(""),
        Paragraph("THE SAME ON THE COMMAND LINE", "heading"),
        *(Paragraph(f"{QUIET} {line}", "dim") for line in lines),
    ]
