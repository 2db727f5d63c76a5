"""Which keys a JSON file begins with, and where: enough to tell one tool's log from another's without reading it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from adjudicate.formats.text_file import SourceFile

DEEPEST = 5
_TOKEN = re.compile(rb'"((?:[^"\\]|\\.)*+)"[ \t\r\n]*+(:)?|([{\[])|([}\]])', re.DOTALL)


def head_paths(source: SourceFile) -> frozenset[str]:
    """Paths of the keys in the first value of a file, as far as its first bytes show them.

    Those of ``{"results": {"rows": [{"id": 1}]}}`` are ``results``, ``results.rows`` and ``results.rows[].id``; those of a list
    of objects begin with ``[].``. A file of JSON lines shows the keys of its first line.
    """
    return _paths(source.head)


def begins_with(paths: Iterable[str], kinds: Iterable[Iterable[str]], lists: Iterable[str] = ()) -> bool:
    """Whether the first record of a file has all keys of some kind.

    Args:
        paths: Those of the file.
        kinds: The keys of each kind.
        lists: Keys under which a list of such records may stand; the file may be one itself, or a record.
    """
    there = frozenset(paths)
    prefixes = ("", "[].", *(f"{name}[]." for name in lists))
    wanted = [frozenset(keys) for keys in kinds]
    return any({f"{prefix}{key}" for key in keys} <= there for prefix in prefixes for keys in wanted)


@lru_cache(maxsize=16)
def _paths(head: bytes) -> frozenset[str]:
    if not head.lstrip(b" \t\r\n").startswith((b"{", b"[")):
        return frozenset()
    found: set[str] = set()
    open_at: list[str] = []
    here = ""
    for match in _TOKEN.finditer(head):
        text, colon, opening, closing = match.groups()
        if colon and open_at and len(open_at) <= DEEPEST:
            key = text.decode("utf-8", "replace")
            here = f"{open_at[-1]}.{key}" if open_at[-1] else key
            found.add(here)
        elif opening:
            here += "[]" if opening == b"[" else ""
            open_at.append(here)
        elif closing:
            open_at.pop()
            if not open_at:
                break
            here = open_at[-1]
    return frozenset(found)
