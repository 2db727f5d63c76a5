"""Two one-line widgets: where we are and who we are above, the last act below."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from adjudicate.core.text import visible_line


class SidedLine(Static):
    """Words on the left and on the right of one line; the left gives way where both do not fit, unless it must be read whole."""

    DEFAULT_CSS = "SidedLine { height: 1; padding: 0 1; }"
    ALLOW_SELECT = False

    def __init__(self, *, id: str) -> None:
        super().__init__("", id=id, markup=False)
        self._sides: tuple[Content, Content] = (Content(""), Content(""))
        self._keeps_left = False

    def show(self, left: Content, right: Content, *, keeps_left: bool = False) -> None:
        """Show other words; nothing is painted where they are the same.

        Args:
            left: What is cut where there is no room for it.
            right: What has its room first.
            keeps_left: Do without the right where there is no room for both: the left says what to do.
        """
        if (left, right, keeps_left) != (*self._sides, self._keeps_left):
            self._sides, self._keeps_left = (left, right), keeps_left
            self._join()

    def on_resize(self) -> None:
        """Lay the two sides out again."""
        self._join()

    def _join(self) -> None:
        left, right = self._sides
        room = self.size.width - right.cell_length - 2
        if self._keeps_left and room < left.cell_length:
            right, room = Content(""), self.size.width
        if room < left.cell_length:
            left = left.truncate(max(room, 0), ellipsis=True)
        gap = max(self.size.width - left.cell_length - right.cell_length, 0)
        self.update(Content.assemble(left, " " * gap, right), layout=False)


def styled(*parts: str | tuple[str, str]) -> Content:
    """Words with styles, made safe for the terminal: each part is text, or text with a style."""
    return Content.assemble(
        *(visible_line(part) if isinstance(part, str) else (visible_line(part[0]), part[1]) for part in parts)
    )
