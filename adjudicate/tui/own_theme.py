"""The colours that a person chose last, remembered beside the database: a workspace is shared, eyes are not."""

from __future__ import annotations

import json
from pathlib import Path

from adjudicate.settings import write_private
from adjudicate.tui.theme import THEMES

FILE = "themes.json"


def remembered(database: Path, annotator_id: str) -> str | None:
    """Name of the theme that the person chose; None where they chose none, or what is remembered cannot be read."""
    name = _read(database.parent / FILE).get(annotator_id)
    return name if name in THEMES else None


def remember(database: Path, annotator_id: str, name: str | None) -> None:
    """Remember a choice; None forgets it.

    Raises:
        OSError: It cannot be written.
    """
    path = database.parent / FILE
    chosen = {key: value for key, value in _read(path).items() if key != annotator_id}
    if name is not None:
        chosen[annotator_id] = name
    part = path.with_suffix(".json.part")
    write_private(part, json.dumps(chosen, indent=1) + "\n")
    part.replace(path)


def _read(path: Path) -> dict[str, str]:
    """What is remembered; nothing where the file is not ours to understand: colours are not worth an error."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(stored, dict):
        return {}
    return {key: value for key, value in stored.items() if isinstance(value, str)}
