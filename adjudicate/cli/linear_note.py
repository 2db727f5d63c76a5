"""Writing a note in lines; each line is kept as a draft before the next is asked for."""

from __future__ import annotations

from collections.abc import Callable

from adjudicate.cli.linear_lines import PlainLines
from adjudicate.errors import AdjudicateError

HELP = "Write the note, line by line. A line with a full stop alone saves it, with an exclamation mark alone leaves a draft."


def write_note(lines: PlainLines, kept: str, first: str, *, keep: Callable[[str], None]) -> str | None:
    """Ask for a note; None where it stays a draft.

    Args:
        lines: The terminal.
        kept: The draft or note that is there already.
        first: The first line, where it was typed with the command; empty without one.
        keep: Keeps a draft.
    """
    if kept:
        lines.say("There is a note already; what you write is added to it. A line with a minus alone starts over.")
        lines.pass_on(lines.set_in(kept))
    typed = [*(kept.split("\n") if kept else []), *([first] if first else [])]
    lines.say(HELP)
    while (line := lines.ask("Note:")) is not None and line != "!":
        if line == ".":
            return "\n".join(typed)
        if line == "-":
            typed.clear()
        else:
            typed.append(line)
        try:
            keep("\n".join(typed))
        except AdjudicateError as problem:
            lines.say(f"The draft is not kept: {problem}.")
    lines.say("Not saved as a note; what you wrote stays as a draft.")
    return None
