"""Completing a path that is being typed, as shells do."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

MOST = 200
"""Names that are listed at most."""


@dataclass(frozen=True, slots=True)
class Completion:
    """What a typed path can become."""

    text: str
    """The path, as far as it is certain."""
    names: tuple[str, ...]
    """The names that it can go on with, folders with a slash; as the file system has them."""


def complete(typed: str, folder: Path, *, folders_only: bool = False) -> Completion:
    """Complete the last part of a path.

    Args:
        typed: As typed; ``~`` stands for the home folder.
        folder: What a relative path starts from.
        folders_only: Leave files out.
    """
    head, slash, start = typed.rpartition("/")
    if start == "~" and not slash:
        return Completion("~/", ())
    try:
        names = _names(folder / Path(head + slash).expanduser(), start, folders_only=folders_only)
    except (OSError, RuntimeError, ValueError):
        # A folder that cannot be read, a user that nobody is, a character that no name has.
        names = ()
    if not names:
        return Completion(typed, ())
    certain = os.path.commonprefix(names)  # noqa: RUF071  # by characters: names of one folder
    return Completion(f"{head}{slash}{certain}", names)


def _names(place: Path, start: str, *, folders_only: bool) -> tuple[str, ...]:
    """Entries of a folder that begin so; hidden ones only where a dot was typed."""
    found = []
    with os.scandir(place) as entries:
        for entry in entries:
            if not entry.name.startswith(start) or (entry.name.startswith(".") and not start.startswith(".")):
                continue
            is_folder = entry.is_dir()
            if is_folder or not folders_only:
                found.append(f"{entry.name}/" if is_folder else entry.name)
            if len(found) == MOST:
                break
    return tuple(sorted(found))
