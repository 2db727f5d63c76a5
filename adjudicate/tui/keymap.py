"""A person's own keys: what `[keys]` in adjudicate.toml says, checked before the first screen opens."""

from __future__ import annotations

from collections.abc import Mapping

from textual.keys import _character_to_key

from adjudicate.core.text import visible_line
from adjudicate.errors import UsageError
from adjudicate.tui.keys import COMMANDS, Command

PRESETS: Mapping[str, Mapping[str, str]] = {
    # Prodigy's accept, reject, ignore and undo; paging stays on the page keys.
    "prodigy": {
        "label.confirm": "a",
        "label.overrule": "x",
        "label.skip": "space",
        "undo": "backspace,delete,u",
        "read.page": "pagedown",
    },
}
FIXED = frozenset({"back", "help", "cancel"})
"""The way out and the way to help stay where everyone looks for them."""


def keymap(said: Mapping[str, str]) -> dict[str, str]:
    """Command id to Textual's key names, for `App.set_keymap`.

    Args:
        said: ``preset`` (a name of `PRESETS`) and command ids with keys, comma-separated, as people write them
            (``z``, ``ctrl+n``, ``space``, ``?``).

    Raises:
        UsageError: A command or preset is unknown, or two commands of one screen would share a key.
    """
    own = dict(said)
    preset = own.pop("preset", None)
    if preset is not None and preset not in PRESETS:
        raise UsageError(f"[keys] preset = {visible_line(preset)!r}: there is {', '.join(PRESETS)}")
    known = {command.id: command for command in COMMANDS}
    for name in own:
        if name not in known or name in FIXED:
            movable = ", ".join(sorted(known.keys() - FIXED))
            raise UsageError(f"[keys] {visible_line(name)}: no command that can be moved; there is {movable}")
    mapped = {**PRESETS.get(preset or "", {}), **own}
    named = {name: ",".join(_named(key) for key in keys.split(",")) for name, keys in mapped.items()}
    _refuse_clashes(named)
    return named


def _named(key: str) -> str:
    """Textual's name of a key as people write it."""
    key = key.strip()
    if len(key) != 1:
        return key.lower()
    return key if key.isalnum() else _character_to_key(key)


def _refuse_clashes(named: Mapping[str, str]) -> None:
    """On a clash Textual would let the moved key win in silence."""
    for place in sorted({place for command in COMMANDS for place in command.where}):
        holders: dict[str, Command] = {}
        for command in (command for command in COMMANDS if place in command.where):
            for key in named.get(command.id, command.keys).split(","):
                other = holders.setdefault(key, command)
                if other is not command:
                    raise UsageError(f"[keys] {key}: both {other.id} and {command.id} would have it; move one of them elsewhere")
