"""What is left of a crash: types and places, in a file of the user's own. No values, so no response and no key is in it."""

from __future__ import annotations

import os
import traceback
from pathlib import Path


def crash_report(error: BaseException) -> str:
    """Where the error came from, cause by cause: exception types and code lines, without messages or local variables."""
    parts: list[str] = []
    link: BaseException | None = error
    seen: set[int] = set()
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        frames = traceback.extract_tb(link.__traceback__)
        places = [f'  File "{frame.filename}", line {frame.lineno}, in {frame.name}' for frame in frames]
        parts.append("\n".join([*places, type(link).__qualname__]))
        link = link.__cause__ or link.__context__
    return "\n\nraised from\n\n".join(parts) + "\n"


def write_crash_file(folder: Path, error: BaseException, at: str) -> Path | None:
    """Write the report beside the database, readable by its owner alone; None where the folder cannot be written.

    Args:
        folder: Of the database.
        error: What happened.
        at: Time, as it goes into the file's name.
    """
    name = "crash-" + "".join(character for character in at if character.isalnum()) + ".txt"
    path = folder / name
    try:
        # os.open with the mode, not chmod afterwards: the file is never readable to others, not even for a moment.
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write(crash_report(error))
    except OSError:
        return None
    return path
