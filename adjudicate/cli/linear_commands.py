"""What can be typed while labelling in lines: words, and the keys of the one table of keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from adjudicate.tui.keys import COMMANDS, with_keys, written


class Spoken(NamedTuple):
    """A command of the table of keys as it is typed here."""

    word: str
    id: str = ""
    """In `tui.keys`; empty for what only lines need."""
    help: str = ""
    """In place of the table's sentence."""


SPOKEN = (
    Spoken("keep", "label.keep", "Or an empty line, after the reveal: let your label stand and go on. Never labels anything."),
    Spoken("confirm", "label.confirm"),
    Spoken("undo", "undo"),
    Spoken("skip", "label.skip"),
    Spoken("undecided", "label.undecided"),
    Spoken("flag", "label.flag"),
    Spoken("note", "label.note"),
    Spoken("low", "label.low"),
    Spoken("intent", "label.contest"),
    Spoken(
        "policy",
        "policy.show",
        "The clauses that matter here; with an id the text of that one, with all every clause.",
    ),
    Spoken("cite", "", "With the id of a clause: cite it for your label; once more takes it away."),
    Spoken("search", "policy.search", "With words: the clauses that hold all of them."),
    Spoken("next", "move.next"),
    Spoken("previous", "move.previous", "To the item before, decided or not."),
    Spoken("more", "", "The next part of a long item. Also m."),
    Spoken("again", "", "The item from its beginning."),
    Spoken("response", "", "The response from its beginning."),
    Spoken("lift", "label.unveil", "Hear a response that lies behind the veil."),
    Spoken("status", "", "How far, how fast, how long today, how wide the interval is. Takes a moment."),
    Spoken("help", "help", "This list."),
    Spoken("quit", "back", "Leave; everything is saved already."),
)


def typed_keys(keymap: Mapping[str, str]) -> dict[str, str]:
    """The word of every key that can be typed on a line.

    Args:
        keymap: A person's own keys, command id to Textual's names.
    """
    by_id = {command.id: command for command in COMMANDS}
    return {"m": "more"} | {
        key: spoken.word
        for spoken in SPOKEN
        if spoken.id in by_id
        for key in written(keymap.get(spoken.id, by_id[spoken.id].keys))
        if len(key) == 1
    }


def outcome_keys(keymap: Mapping[str, str]) -> dict[str, str]:
    """The policy's digit for every key that chooses an outcome."""
    return {
        key: command.id.removeprefix("outcome.")
        for command in COMMANDS
        if command.id.startswith("outcome.")
        for key in written(keymap.get(command.id, command.keys))
    }


def help_lines(keys: Mapping[str, str]) -> Iterator[str]:
    """Every command with its keys and its sentence.

    Args:
        keys: As from `typed_keys`.
    """
    sentences = {command.id: with_keys(command.help, {}) for command in COMMANDS}
    yield "Type a line and press Enter. A digit chooses the outcome with that digit and saves it at once."
    for spoken in SPOKEN:
        told = [*(key for key, word in keys.items() if word == spoken.word), spoken.word]
        yield f"{', '.join(told)}: {spoken.help or sentences[spoken.id]}"
    yield "What is set in by two spaces is foreign text; adjudicate itself begins at the edge."
