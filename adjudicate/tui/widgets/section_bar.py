"""One line that says which sections there are, which key leads to each, and where we are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from textual.content import Content
from textual.widgets import Static


class Tab(NamedTuple):
    """One section as the bar names it."""

    key: str
    title: str
    short: str


class SectionBar(Static):
    """Titles where there is room, else short titles, else short titles near the one we are in and the keys of the others."""

    DEFAULT_CSS = "SectionBar { height: 1; padding: 0 1; color: $quiet; }"
    ALLOW_SELECT = False

    def __init__(self, tabs: Sequence[Tab], *, id: str) -> None:
        super().__init__("", id=id, markup=False)
        self._tabs = tabs
        self._at = 0

    def show(self, at: int) -> None:
        """Mark a section as the one we are in."""
        self._at = at
        self._rebuild()

    def on_resize(self) -> None:
        """Show as much as fits."""
        self._rebuild()

    def _rebuild(self) -> None:
        count = len(self._tabs)
        near = (self._bar("short", 1, near=reach) for reach in range(count - 1, -1, -1))
        for bar in (self._bar("title", 2, near=count), self._bar("title", 1, near=count), *near):
            if bar.cell_length <= self.size.width:
                break
        self.update(bar, layout=False)

    def _bar(self, wording: str, gap: int, *, near: int) -> Content:
        """All tabs; those further away than `near` by their keys alone."""
        parts = [
            self._tab(tab, wording if abs(place - self._at) <= near else "", is_here=place == self._at)
            for place, tab in enumerate(self._tabs)
        ]
        return Content(" " * gap).join(parts)

    @staticmethod
    def _tab(tab: Tab, wording: str, *, is_here: bool) -> Content:
        if is_here:
            return Content.styled(f"{tab.key} {tab.short if wording == 'short' else tab.title}", "$foreground bold reverse")
        words = {"title": f" {tab.title}", "short": f" {tab.short}"}.get(wording, "")
        return Content.assemble((tab.key, "$foreground bold"), words)
