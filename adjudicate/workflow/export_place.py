"""Where files may be written: never over the workspace itself, and over a stranger's file only where told to."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from adjudicate.core.text import visible_line
from adjudicate.errors import UsageError


def refuse_place(path: Path, exports: Path, *, option: str = "--out") -> None:
    """Refuse to write over anything that a workspace lives on.

    Args:
        path: The file to be written; links are followed.
        exports: The folder for exports in the workspace's folder.
        option: What the file was named with.

    Raises:
        UsageError: It is inside the workspace but not in its exports, or is one of the workspace's files by another name.
    """
    shown = visible_line(str(path))
    if _is_inside(path, exports.parent) and not _is_inside(path, exports):
        raise UsageError(
            f"{option} {shown}: that is inside the workspace, whose own files must stay as they are: choose a place in its"
            f" folder {visible_line(exports.name)}, or outside"
        )
    identity = _identity(path)
    if identity is not None and identity in set(_own_files(exports)):
        raise UsageError(f"{option} {shown}: that is another name of one of the workspace's own files, which must stay as it is")
    if path.is_dir():
        raise UsageError(f"{option} {shown}: that is a folder; name a file")


def refuse_overwrite(path: Path, exports: Path, *, force: bool) -> None:
    """Refuse to replace a file that did not come from here.

    Raises:
        UsageError: There is such a file, and `force` was not given.
    """
    if os.path.lexists(path) and not force and not _is_inside(path, exports):
        raise UsageError(f"--out {visible_line(str(path))}: there is such a file already; --force replaces it")


def _is_inside(path: Path, folder: Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())


def _identity(path: Path) -> tuple[int, int] | None:
    """Device and inode of what is there, links followed; None where nothing is."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _own_files(exports: Path) -> Iterable[tuple[int, int]]:
    """Every file of the workspace but its exports."""
    for path in exports.parent.resolve().rglob("*"):
        if path.is_file() and not _is_inside(path, exports) and (identity := _identity(path)):
            yield identity
