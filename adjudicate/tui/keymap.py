"""A person's own keys: what `[keys]` in adjudicate.toml says, checked before the first screen opens.

Presets are files, command and keys a line: those in ``adjudicate/keymaps``, or one of the workspace's own.
"""

from __future__ import annotations

import string
import tomllib
from collections.abc import Mapping
from pathlib import Path

from textual.keys import Keys, _character_to_key

from adjudicate.core.text import shortened, visible_line
from adjudicate.errors import UsageError
from adjudicate.settings import resource
from adjudicate.tui.keys import COMMANDS, TYPING, Command, Place, written

FIXED = frozenset({"back", "help", "cancel", "quit"})
"""The way out and the way to help stay where everyone looks for them."""
LOST = {"ctrl+h": "backspace", "ctrl+i": "tab", "ctrl+m": "enter", "ctrl+j": "enter", "ctrl+[": "esc"}
"""What a terminal makes of these."""
WRITTEN = {"esc": "escape", "pgdn": "pagedown", "pgup": "pageup", "del": "delete", "return": "enter"}
"""Other ways to write a key."""
NAMED = frozenset(key.value for key in Keys) | {_character_to_key(character) for character in string.printable}


def presets() -> dict[str, Path]:
    """The shipped presets by name."""
    return {path.stem: path for path in sorted(resource("keymaps").glob("*.toml"))}


def keymap(said: Mapping[str, str], folder: Path | None = None) -> dict[str, str]:
    """Command id to Textual's key names, for `App.set_keymap`.

    Args:
        said: ``preset`` (a shipped name, or a file of one's own) and command ids with keys, comma-separated, as people write
            them (``z``, ``ctrl+n``, ``space``, ``?``).
        folder: The workspace, where a file of one's own is looked for.

    Raises:
        UsageError: A command, key or preset is unknown, or two commands of one place would share a key.
    """
    own = dict(said)
    preset = own.pop("preset", None)
    moved = {**(_preset(preset, folder) if preset is not None else {}), **own}
    known = {command.id: command for command in COMMANDS}
    named: dict[str, str] = {}
    for name, keys in moved.items():
        if name not in known or name in FIXED:
            movable = ", ".join(sorted(known.keys() - FIXED))
            raise UsageError(f"[keys] {shortened(name, 60)}: no command that can be moved; there is {movable}")
        named[name] = ",".join(_named(key, name) for key in keys.split(","))
    _refuse_typed(named, known)
    _refuse_clashes(named)
    return named


def _preset(name: str, folder: Path | None) -> dict[str, str]:
    """The lines of a preset.

    Raises:
        UsageError: There is none of this name, or its file cannot be read.
    """
    path = presets().get(name)
    if path is None and folder is not None and name.endswith(".toml"):
        path = folder / name
    shown = shortened(name, 80)
    if path is None:
        raise UsageError(f"[keys] preset = {shown!r}: there is {', '.join(presets())}, or a file of yours that ends in .toml")
    try:
        lines = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"[keys] preset = {shown!r}: {visible_line(error.strerror or str(error))}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"[keys] preset = {shown!r}: {visible_line(str(error))}") from error
    wrong = next((key for key, value in lines.items() if not isinstance(value, str)), None)
    if wrong is not None:
        raise UsageError(
            f'[keys] preset = {shown!r}: {shortened(wrong, 60)}: expected a line like "label.skip" = "z", both in quotation marks'
        )
    return lines


def _named(key: str, command: str) -> str:
    """Textual's name of a key as people write it; a capital has two.

    Raises:
        UsageError: There is no such key, or a terminal does not send it.
    """
    key = key.strip()
    if len(key) == 1:
        if key.isupper():
            return f"{key},shift+{key.lower()}"
        return key if key.isalnum() else _character_to_key(key)
    lower = WRITTEN.get(key.lower(), key.lower())
    if lower in LOST:
        raise UsageError(f"[keys] {command}: a terminal sends {lower} as {LOST[lower]}; choose another key")
    if lower not in NAMED:
        what = f"there is no key {shortened(key, 30)!r}" if key else "a command needs a key"
        raise UsageError(f"[keys] {command}: {what}; write it like z, Z, ?, space, enter, pagedown, f2 or ctrl+n")
    return lower


def _refuse_typed(named: Mapping[str, str], known: Mapping[str, Command]) -> None:
    """Where a text is typed, a printing key cannot be a command."""
    for name, keys in named.items():
        typed = [key for key in written(keys) if len(key) == 1 or key in ("space", "enter", "tab")]
        if typed and not set(TYPING).isdisjoint(known[name].where):
            raise UsageError(f"[keys] {name}: {typed[0]} is text there; choose a key such as f2 or ctrl+n")


def _refuse_clashes(named: Mapping[str, str]) -> None:
    """On a clash Textual would let the moved key win in silence."""
    places: list[Place] = sorted({place for command in COMMANDS for place in command.where})
    for place in places:
        holders: dict[str, Command] = {}
        for command in (command for command in COMMANDS if place in command.where):
            for key in named.get(command.id, command.keys).split(","):
                other = holders.setdefault(key, command)
                if other is not command:
                    raise UsageError(
                        f"[keys] {written(key)[0]}: both {_told(other)} and {_told(command)} would have it in {place};"
                        " move one of them elsewhere"
                    )


def _told(command: Command) -> str:
    return f"{command.id} ({command.words})" if command.words else command.id
