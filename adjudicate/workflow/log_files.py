"""Logs that lie in a folder, for somebody who has not named one: each with what it looks like."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from adjudicate.core.text import visible_line
from adjudicate.errors import AdjudicateError
from adjudicate.formats.found_files import may_be_log
from adjudicate.formats.labels_only import LABELS_ONLY
from adjudicate.formats.packed_file import PACKINGS, plain_suffix
from adjudicate.formats.readers import READERS, recognised
from adjudicate.formats.text_file import HEAD_BYTES, SourceFile, first_bytes

DEEPEST = 3
"""Folders below the one that is searched: logs lie near, and a home folder is large."""
MOST_LOOKED_AT = 2_000
MOST_SHOWN = 200
GENERAL_SUFFIXES = (".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".parquet")
"""How plain tables have to be called; anything may look like one."""
OWN = frozenset({"db", "exports", "policies"})
"""Folders of a workspace."""


@dataclass(frozen=True, slots=True)
class LogFile:
    """A file that can be imported, as far as its beginning shows."""

    path: Path
    shown: str
    """Where it lies below the folder, safe to print."""
    size: int
    """Bytes."""
    title: str
    """What it was recognised as."""
    is_known: bool
    """Whether it is a log of a known kind, and not just any table."""


def logs_in(folder: Path) -> list[LogFile]:
    """The logs of a folder and of the folders in it, logs of a known kind first, then by name.

    Raises:
        OSError: The folder cannot be read.
    """
    os.scandir(folder).close()
    found = []
    for path in _files(folder):
        log = _look(path, folder)
        if log is not None:
            found.append(log)
        if len(found) == MOST_SHOWN:
            break
    return sorted(found, key=lambda log: (not log.is_known, log.shown))


def reader_titles() -> list[str]:
    """What can be read, in the words of the formats; tables that hold labels only are no logs."""
    without_items = {each.title for each in LABELS_ONLY}
    return [reader.title for reader in READERS if reader.title not in without_items]


def _files(folder: Path) -> Iterator[Path]:
    """Regular files, near ones first; no links, nothing hidden, nothing of a workspace."""
    looked_at = 0
    level = [folder]
    for depth in range(DEEPEST + 1):
        below: list[Path] = []
        for each in level:
            try:
                entries = sorted(os.scandir(each), key=lambda entry: entry.name)
            except OSError:
                continue
            for entry in entries:
                looked_at += 1
                if looked_at > MOST_LOOKED_AT:
                    return
                if entry.name.startswith("."):
                    continue
                if entry.is_file(follow_symlinks=False):
                    yield Path(entry.path)
                elif entry.is_dir(follow_symlinks=False) and not (depth == 0 and entry.name in OWN):
                    below.append(Path(entry.path))
        level = below


def _look(path: Path, folder: Path) -> LogFile | None:
    """What a file is; None for one that is no log or cannot be read."""
    if not may_be_log(path):
        return None
    try:
        head, found = first_bytes(path, HEAD_BYTES), path.stat()
        packing = next((each for each in PACKINGS if head.startswith(each.magic)), None)
        if packing is not None:
            title, known = f"compressed ({packing.title})", False
            return LogFile(path, _shown(path, folder), found.st_size, title, known) if _is_called_so(path) else None
        if not stat.S_ISREG(found.st_mode) or not head:
            return None
        reader = recognised(SourceFile(path, path.name, "", found.st_size, head.removeprefix(b"\xef\xbb\xbf")))
    except (AdjudicateError, OSError):
        return None
    if reader.general and not _is_called_so(path):
        return None
    return LogFile(path, _shown(path, folder), found.st_size, reader.title, not reader.general)


def _is_called_so(path: Path) -> bool:
    return plain_suffix(path) in (*GENERAL_SUFFIXES, ".eval")


def _shown(path: Path, folder: Path) -> str:
    return visible_line(str(path.relative_to(folder)))
