"""The workspaces that somebody opened last, remembered for this person alone, so that they can be opened again from Home."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from adjudicate.settings import WorkspacePaths, write_private

FILE = "recent.json"
MOST = 12
MOST_BESIDE = 30
LOOKED_AT = 500
"""Folders beside a workspace that are looked at."""


def remember(state: Path | None, root: Path) -> None:
    """Remember a workspace as the newest; where it cannot be remembered that is no reason to stop."""
    if state is None:
        return
    kept = [str(root.resolve()), *(str(path) for path in _read(state) if path != root.resolve())][:MOST]
    with contextlib.suppress(OSError):
        state.mkdir(parents=True, exist_ok=True, mode=0o700)
        part = state / f"{FILE}.part"
        write_private(part, json.dumps(kept, indent=1) + "\n")
        part.replace(state / FILE)


def workspaces(state: Path | None, here: Path) -> list[Path]:
    """Workspaces to open: the newest first, then those that lie beside this one; not this one, and none that is gone."""
    here = here.resolve()
    found = dict.fromkeys([*(_read(state) if state is not None else ()), *_beside(here)])
    return [path for path in found if path != here and WorkspacePaths(path).settings.is_file()]


def _beside(here: Path) -> Iterator[Path]:
    try:
        entries = sorted(here.parent.iterdir())[:LOOKED_AT]
    except OSError:
        return
    seen = (path for path in entries if not path.name.startswith("."))
    yield from islice((path for path in seen if WorkspacePaths(path).settings.is_file()), MOST_BESIDE)


def _read(state: Path) -> list[Path]:
    """What is remembered; nothing where the file is not ours to understand."""
    try:
        stored = json.loads((state / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return []
    texts = [each for each in stored if isinstance(each, str) and "\x00" not in each] if isinstance(stored, list) else []
    return [Path(each) for each in texts][:MOST]
