"""What helps to read a long text: finding words in the pane that scrolls, and its text as it is written."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from adjudicate.tui.screens.workplace import Workplace
from adjudicate.tui.widgets.find_line import FindLine
from adjudicate.tui.widgets.key_bar import KeyBar
from adjudicate.tui.widgets.line_view import LineView


class ReadingPlace(Workplace):
    """A workplace with texts. It has a `FindLine` beside its key bar."""

    TEXTS: ClassVar[tuple[str, ...]]
    """Panes with text of the data set, rendered or raw together."""

    @abstractmethod
    def refuse(self, words: str) -> None:
        """Say why a key did nothing."""

    @property
    def finding(self) -> bool:
        """Whether words are being typed."""
        return self.query_one(FindLine).display

    def action_find(self) -> None:
        """Type words to look for; they are marked while they are typed."""
        line = self.query_one(FindLine)
        line.placeholder = f"find in {self.PANE_TITLES[self.active]}: enter back to the keys, esc takes the marks away"
        self._show_line(line, shown=True)
        line.focus()
        if line.value:
            self.active_pane.find(line.value)

    def on_find_line_wanted(self, message: FindLine.Wanted) -> None:
        """Mark them."""
        self.active_pane.find(message.words)

    def on_find_line_done(self) -> None:
        """Back to the keys; the marks stay."""
        self._end_finding()

    def action_match(self, step: int) -> None:
        """To the next or previous place with the words."""
        pane = self._searched()
        if pane is None or pane.found is None:
            self.refuse("nothing is being looked for: / searches the pane that scrolls")
        elif not pane.found.places:
            self.refuse("these words are not there")
        else:
            pane.next_match(step)

    def forget_words(self) -> bool:
        """Take the marks away and end the typing; whether there was anything to take away."""
        pane = self._searched()
        was_finding = self.finding
        self._end_finding()
        if pane is not None:
            pane.find("")
        return was_finding or pane is not None

    def action_pane(self, step: int) -> None:
        """To another pane; words being typed belong to the one before."""
        self._end_finding()
        super().action_pane(step)

    def action_raw(self) -> None:
        """Markdown as it is written, or rendered again."""
        panes = [self.pane(name) for name in self.TEXTS]
        if not any(pane.raw or pane.holds_markdown for pane in panes):
            self.refuse("there is no Markdown here that could be shown as it is written")
            return
        for pane in panes:
            pane.raw = not pane.raw

    def _searched(self) -> LineView | None:
        """The active pane where words are looked for in it, else the first other one."""
        panes = [self.active_pane, *(self.pane(name) for name in self.PANES)]
        return next((pane for pane in panes if pane.found is not None), None)

    def _end_finding(self) -> None:
        line = self.query_one(FindLine)
        if line.display:
            self._show_line(line, shown=False)
            self.set_focus(None)

    def _show_line(self, line: FindLine, *, shown: bool) -> None:
        line.display = shown
        self.query_one(KeyBar).display = not shown
