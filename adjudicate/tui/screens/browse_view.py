"""How the list of items shows what is wanted, what was found and what the current item says. Changes nothing in its screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from adjudicate.core.items import Item
from adjudicate.core.text import shortened
from adjudicate.tui.theme import HARM, QUIET
from adjudicate.tui.widgets import item_text
from adjudicate.tui.widgets.line_view import Paragraph
from adjudicate.tui.widgets.status_line import SidedLine, styled
from adjudicate.workflow.veil import is_veiled

if TYPE_CHECKING:
    from adjudicate.tui.screens.browse import BrowseScreen

BEHIND_VEIL = "response behind the veil: {browse.open} opens the item"
PREVIEW = 2000
"""Characters of a text in the preview: as much as a large window shows."""
PREVIEWED_TURNS = 2
"""Turns of a conversation in the preview, from its end."""


class BrowseView:
    """The words around the list."""

    def __init__(self, screen: BrowseScreen) -> None:
        self._screen = screen
        self.message: tuple[str, str] | None = None
        """What became of the last act, with its style."""
        self.unread = ""
        """Why the filter line cannot be read, as long as it cannot."""

    def say(self, words: str, style: str) -> None:
        """Say what became of an act."""
        self.message = (words, style)
        self.show_lines()

    def show_preview(self, item: Item | None) -> None:
        """The beginning of what the current item says: neither verdict nor label."""
        pane = self._screen.pane("preview")
        if item is None:
            pane.show([Paragraph("no item", "dim")], title="Preview")
            return
        turns = item_text.turns(item.prompt, folded=True)[-2 * PREVIEWED_TURNS :]
        veiled = is_veiled(self._screen.bench.settings.veil, item.prompt)
        response = [Paragraph(BEHIND_VEIL, "dim", told=True)] if veiled else item_text.response(item)
        shown = [each._replace(text=each.text[:PREVIEW]) for each in item_text.under_headings(item.prompt, turns, response)]
        pane.show(shown, title=item_text.prompt_title(item.prompt))

    def show_lines(self) -> None:
        """The status line above, the title of the list, and the line below it."""
        screen, at_work = self._screen, self._screen.search.at_work
        policy = f"policy v{shortened(screen.bench.policy.version, 10)}"
        screen.query_one("#status", SidedLine).show(
            styled(("Items", "bold"), f" · {shortened(screen.bench.workspace, 30)}"),
            styled((at_work, "$differs"), " " if at_work else "", policy),
        )
        screen.table.tell_above(Content(self._title()))
        unread = (self.unread, "$differs bold") if self.unread else None
        said = unread or self.message or (self._left_out(), "$quiet")
        screen.query_one("#last", SidedLine).show(styled(said), Content(""))

    def _title(self) -> str:
        screen = self._screen
        what = "items" if screen.wanted.is_empty else "found"
        more = " so far" if screen.search.is_searching else ""
        chosen = f" · {len(screen.selected):,} selected" if screen.selected else ""
        return f"{len(screen.items):,} {what}{more} · {screen.ordering.words}{chosen}"

    def _left_out(self) -> str:
        told, words = self._screen.search.told, []
        if told.left_out:
            words.append(f"{QUIET} {told.left_out:,} items that you have yet to label blind are left out")
        if told.unread:
            words.append(f"{HARM} the words of {told.unread:,} items were not read: they were not searched")
        if not len(self._screen.items) and not self._screen.search.at_work:
            words.append(
                "nothing fits the filter: {browse.filter} changes it"
                if not self._screen.wanted.is_empty
                else "nothing is imported yet"
            )
        return self._screen.keyed(" · ".join(words))
