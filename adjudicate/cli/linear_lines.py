"""A terminal as plain lines: said in order, never redrawn, without a single escape sequence. For screen readers and plain ssh.

What adjudicate says begins at the left edge; foreign text is wrapped and set in by two spaces, so that no response can
pass for the program.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TextIO

from adjudicate.core.text import visible, visible_line

SET_IN = "  "
NARROWEST = 20
SOON_SECONDS = 0.15
"""A line that comes this soon after its question was typed, or pasted, before anybody could have read the question."""


class PlainLines:
    """Lines to and from a person."""

    def __init__(self, source: TextIO, target: TextIO, tick: Callable[[], float]) -> None:
        """Talk over a terminal.

        Args:
            source: Where typed lines come from.
            target: Where lines go.
            tick: A steady clock, in seconds.
        """
        self._source = source
        self._target = target
        self._tick = tick
        self._question = ""

    def say(self, *lines: str) -> None:
        """Sentences of the program; foreign words in them are shown by stand-ins, and a long one is wrapped."""
        for line in lines:
            self._write("\n".join(_wrapped(visible_line(line), self._width)) + "\n")

    def pass_on(self, rows: list[str]) -> None:
        """Rows made by `set_in`, or by the program."""
        self._write("".join(f"{row}\n" for row in rows))

    def set_in(self, text: str) -> list[str]:
        """Foreign text as rows that fit, each set in."""
        return [SET_IN + row for row in _wrapped(visible(text), max(self._width - len(SET_IN), NARROWEST))]

    def ask(self, question: str, *, hasty: str = "") -> str | None:
        """The line that a person types in answer, without its end; None when there will be no more.

        Args:
            question: Said first, on the line that is typed on.
            hasty: Said of a line that came too soon to be an answer; it is dropped and asked again. Empty takes every line.
        """
        self._question = question
        while True:
            self._write(f"{question} ")
            asked_at = self._tick()
            try:
                line = self._source.readline()
            except UnicodeDecodeError:
                self.say("That was no text. Nothing was done.")
                continue
            except OSError:
                return None
            if not line:
                self._write("\n")
                return None
            if not hasty or self._tick() - asked_at >= SOON_SECONDS:
                self._question = ""
                return line.rstrip("\r\n")
            self.say(hasty)

    def ask_again(self) -> None:
        """Repeat the question that waits for its answer: the program was in the background."""
        if self._question:
            self._write(f"\n{self._question} ")

    @property
    def _width(self) -> int:
        try:
            columns = os.get_terminal_size(self._target.fileno()).columns
        except (OSError, ValueError):
            columns = 0
        # A row as wide as the terminal ends in an empty line on some.
        return max((columns or 80) - 1, NARROWEST)

    def _write(self, text: str) -> None:
        self._target.write(text)
        self._target.flush()


def _wrapped(text: str, width: int) -> list[str]:
    from adjudicate.tui.widgets.line_wrap import wrap

    return [row.rstrip(" ") for row in wrap(text, width)]
