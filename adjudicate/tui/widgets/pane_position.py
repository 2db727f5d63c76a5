"""Where in a text a pane is, in words for its lower border: from all there is to say to the least."""

from __future__ import annotations

LONG = 100
"""Rows of a text from which on its position is told in percent too."""


def wordings(*, top: int, height: int, rows: int, hint: str, tabs: str) -> list[str]:
    """What can be said, the longest first.

    Args:
        top: The first row that is shown, from 0.
        height: Rows of the pane.
        rows: Rows of the text.
        hint: What the keys do here.
        tabs: The other panes, where only one is shown; they take the place of the hint.
    """
    keys = tabs or hint
    if rows <= height:
        return [keys]
    last = min(top + height, rows)
    more = f"▼ {rows - top - height} more" if rows - top - height else "end"
    where = f"{top + 1}-{last} of {rows} lines" + (f", {100 * last // rows} %" if rows > LONG else "")
    # How long a text is matters more than the keys, which the help has too; what Tab leads to is said nowhere else.
    shorter = ((where, keys), (more, keys)) if tabs else ((more, where), (more, keys))
    return joined((more, where, keys), *shorter, (more,))


def joined(*choices: tuple[str, ...]) -> list[str]:
    """Each choice as one text."""
    return [" · ".join(part for part in parts if part) for parts in choices]
