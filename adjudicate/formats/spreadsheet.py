"""The guard against cells that a spreadsheet would run as formulas (OWASP list), and its exact inverse for imports."""

from __future__ import annotations

import re

# = + - @ tab CR LF and the full-width forms; any number of quotes before them, so that guarding can always be undone.
_TRIGGER = re.compile("'*[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")


def guarded(cell: str) -> str:
    """A text cell that no spreadsheet runs: one quote before it where it would.

    >>> guarded("=1+1"), guarded("fine")
    ("'=1+1", 'fine')
    """
    return f"'{cell}" if _TRIGGER.match(cell) else cell


def unguarded(cell: str) -> str:
    """The text that `guarded` was given.

    >>> unguarded(guarded("'=x")) == "'=x"
    True
    """
    return cell[1:] if cell.startswith("'") and _TRIGGER.match(cell, 1) else cell
