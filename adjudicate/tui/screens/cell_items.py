"""The items behind a number of the report: the list of items with a filter already in its line. Everything else is as there."""

from __future__ import annotations

from textual.widgets import Input

from adjudicate.tui.bench import Bench
from adjudicate.tui.screens.browse import BrowseScreen


class CellItemsScreen(BrowseScreen):
    """On top of the report, so that back leads to the number."""

    def __init__(self, bench: Bench, line: str) -> None:
        """Open with a filter.

        Args:
            bench: As of every screen.
            line: The filter line.
        """
        super().__init__(bench)
        self._line = line

    def on_mount(self) -> None:
        """The filter stands in its line, where it can be changed."""
        super().on_mount()
        self.query_one("#filter", Input).value = self._line
