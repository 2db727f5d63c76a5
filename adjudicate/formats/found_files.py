"""Which files a command means: those it names, and those that a folder or a pattern stands for."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from adjudicate.core.text import visible_line
from adjudicate.errors import InputError
from adjudicate.formats.packed_file import PACKINGS, plain_suffix
from adjudicate.formats.text_file import first_bytes

SUFFIXES = (".eval", ".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".parquet")
"""How logs and tables are called; also behind the suffix of a compression."""
MOST_FILES = 10_000
FIRST_BYTES = 4096
PACKED = (b"PK", b"PAR1", *(packing.magic for packing in PACKINGS))
"""How files begin that are no text and may be logs."""


class FoundFile(NamedTuple):
    """One file to look at."""

    path: Path
    stated: bool
    """Whether the command named it. A file that only stood in a folder may turn out to be no log."""


def files_of(path: Path) -> list[FoundFile]:
    """The files that one argument stands for; those of a folder or pattern by name.

    Raises:
        InputError: A folder holds no file that could be a log, a pattern fits nothing, or there are too many.
    """
    found = list(islice(_of(path), MOST_FILES + 1))
    if len(found) > MOST_FILES:
        raise InputError(f"{visible_line(str(path))}: more than {MOST_FILES:,} files: import them in parts")
    return found


def _of(path: Path) -> Iterator[FoundFile]:
    if path.is_dir():
        inside = sorted(_walked(path))
        if not inside:
            raise InputError(
                f"{visible_line(str(path))}: a folder with no file in it (links and hidden files are not looked at);"
                " name the files themselves"
            )
        yield from (FoundFile(each, stated=False) for each in inside)
    elif glob.has_magic(str(path)) and not os.path.lexists(path):
        matching = sorted(Path(each) for each in glob.glob(str(path), recursive=True))  # noqa: PTH207  # takes absolute patterns too
        if not matching:
            raise InputError(f"{visible_line(str(path))}: no file fits this pattern")
        for each in matching:
            yield from (inside._replace(stated=False) for inside in _of(each))
    else:
        yield FoundFile(path, stated=True)


def _walked(folder: Path) -> Iterator[Path]:
    """Regular files. Links are not followed: one may lead back, or out of the folder."""
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in names:
            path = Path(parent, name)
            if not name.startswith(".") and path.is_file() and not path.is_symlink():
                yield path


def may_be_log(path: Path) -> bool:
    """Whether a file that nobody named is worth opening, by its name or its first bytes: pictures and programs are not."""
    if plain_suffix(path) in SUFFIXES:
        return True
    try:
        head = first_bytes(path, FIRST_BYTES)
    except InputError:
        return False
    return bool(head.strip()) and (head.startswith(PACKED) or b"\x00" not in head)
