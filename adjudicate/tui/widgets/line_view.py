"""Text of any length in a pane: wrapped once, painted row by row, scrolled without any layout.

Everything shown goes through `core.text.visible` here, so no caller can forget it. The pane keeps its size whatever it
shows; showing another item repaints it and moves nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.content import Content
from textual.strip import Strip

from adjudicate.core.text import shortened, visible, visible_line
from adjudicate.tui.keys import with_keys
from adjudicate.tui.widgets import pane_position
from adjudicate.tui.widgets.framed_pane import FramedPane
from adjudicate.tui.widgets.markdown_blocks import has_markdown
from adjudicate.tui.widgets.text_find import Found
from adjudicate.tui.widgets.text_layout import Layout, Look, Paragraph, lay_out

__all__ = ["LineView", "Look", "Paragraph"]

MEASURE = 90
"""Columns beyond which a line of prose is hard to read."""
LONGEST_HEADING = 28
"""Characters of a heading in the border."""
STAND_INS = re.compile("<U\\+[0-9A-F]{4,6}>|<[0-9]+ more marks>|[\u2400-\u241f\u2421]")


class LineView(FramedPane):
    """A pane of text. Scrolled by calls from its screen, or by the mouse wheel; it takes no focus."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "line--dim", "line--strong", "line--heading", "line--same", "line--differs", "line--harm", "line--done",
        "line--selected", "line--stand-in", "line--title", "line--frame", "line--bold", "line--italic", "line--code",
        "line--snippet", "line--match", "line--match-at",
    }  # fmt: skip
    DEFAULT_CSS = """
    LineView {
        padding: 0 1;
        & .line--dim { color: $quiet; }
        & .line--strong { text-style: bold; }
        & .line--heading { color: $quiet; text-style: bold; }
        & .line--same { color: $same; text-style: bold; }
        & .line--differs { color: $differs; text-style: bold; }
        & .line--harm { color: $harm; text-style: bold; }
        & .line--done { color: $done; }
        & .line--selected { text-style: bold reverse; }
        & .line--stand-in { color: $differs; text-style: reverse; }
        & .line--title { text-style: bold underline; }
        & .line--frame { color: $quiet; }
        & .line--bold { text-style: bold; }
        & .line--italic { text-style: italic; }
        & .line--code { background: $panel; }
        & .line--code:ansi { background: ansi_default; }
        & .line--snippet { background: $panel; }
        & .line--snippet:ansi { background: ansi_default; text-style: underline; }
        & .line--match { color: $focus; text-style: bold underline; }
        & .line--match-at { color: $focus; text-style: bold reverse; }
    }
    """

    def __init__(self, *, id: str, hint: str = "", measure: int = MEASURE) -> None:
        super().__init__(id=id)
        self.hint = hint
        """What the keys do here, in the lower border: commands in braces, as `keys.with_keys` reads them."""
        self._tabs = ""
        self.measure = measure
        self._paragraphs: tuple[Paragraph, ...] = ()
        self._layout = Layout(0)
        self._raw = False
        self._found: Found | None = None
        self._title = ("", "")
        self._follows = False
        """Whether the title tells the heading of the text at the top."""
        self._top = 0
        self._wanted: int | None = None
        """Paragraph to start with once the width is known."""
        self._begun: int | None = None
        """Paragraph that it started with, until somebody moves: a resize starts there again."""
        self._sought: int | None = None
        """Paragraph to keep in sight also after a resize."""

    # What it shows

    def show(self, paragraphs: Sequence[Paragraph], *, title: str = "", more: str | None = None, start: int = 0) -> None:
        """Show other text.

        Args:
            paragraphs: What to show, foreign text included as it is.
            title: For the upper border; made visible and put on one line.
            more: What follows in the upper border, after the heading that the text at the top stands under; None for no
                heading there.
            start: The paragraph to begin at.
        """
        self._title = (title, more) if more is not None else (title, "")
        self._follows = more is not None
        said = tuple(each._replace(text=self._keyed(each.text)) if each.told else each for each in paragraphs)
        if said == self._paragraphs:
            self.start_at(start)
            return
        self._paragraphs = said
        self._layout = Layout(0)
        self._sought = self._found = None
        self.start_at(start)
        self.refresh()

    @property
    def tabs(self) -> str:
        """The other panes, where only one is shown: in the lower border in place of the hint."""
        return self._tabs

    @tabs.setter
    def tabs(self, words: str) -> None:
        if words != self._tabs:
            self._tabs = words
            self._tell_position()

    @property
    def raw(self) -> bool:
        """Whether Markdown is shown as it is written."""
        return self._raw

    @raw.setter
    def raw(self, raw: bool) -> None:
        if raw != self._raw:
            self._raw = raw
            self._wrap(again=True)
            self._move_to(self._top)
            self.refresh()

    @property
    def holds_markdown(self) -> bool:
        """Whether rendering changes anything."""
        return any(each.markdown and has_markdown(visible(each.text)) for each in self._paragraphs)

    def start_at(self, paragraph: int) -> None:
        """Scroll so that a paragraph is the first thing shown, as far as the text goes."""
        self._wanted = self._begun = paragraph
        if self.size.width:
            self._wrap()
            self._move_to(self._top)
        else:
            self._show_title()

    @property
    def rows(self) -> list[str]:
        """The wrapped rows."""
        self._wrap()
        return self._layout.rows

    def _wrap(self, *, again: bool = False) -> None:
        width = min(self.size.width, self.measure)
        if not width:
            return
        if width != self._layout.width or again:
            before = self._layout
            share = self._top / max(len(before.rows), 1) if before.width else 0.0
            self._layout = lay_out(self._paragraphs, width, raw=self._raw)
            self._top = int(share * len(self._layout.rows))
            if self._found is not None:
                self._find(self._found.words, near=self._top)
        if self._wanted is not None:
            firsts = self._layout.first_rows
            self._top = firsts[self._wanted] if self._wanted < len(firsts) else 0
            self._wanted = None

    def on_resize(self) -> None:
        """Wrap again at the new width, near where we were."""
        if self._begun is not None:
            self._wanted = self._begun
        self._wrap()
        self._move_to(self._top)
        if self._sought is not None:
            self.keep_in_sight(self._sought)

    # Scrolling

    def scroll_rows(self, step: int) -> None:
        """Move by rows; stops at the ends."""
        self._sought = self._begun = None
        self._wrap()
        self._move_to(self._top + step)

    def scroll_page(self, direction: int) -> None:
        """Move by a page less one row of overlap."""
        self.scroll_rows(direction * max(self.size.height - 1, 1))

    def scroll_to_end(self, direction: int) -> None:
        """To the beginning (-1) or the end (1)."""
        self._begun = None
        self._wrap()
        self._move_to(len(self._layout.rows) if direction > 0 else 0)

    def keep_in_sight(self, paragraph: int) -> None:
        """Scroll as little as needed to show the first row of a paragraph."""
        self._sought, self._begun = paragraph, None
        self._wrap()
        if self.size.height and paragraph < len(self._layout.first_rows):
            self._show_row(self._layout.first_rows[paragraph])

    def paragraph_at_top(self) -> int:
        """The paragraph that the first shown row belongs to."""
        self._wrap()
        return self._layout.paragraph_of(self._top)

    def to_heading(self, step: int) -> None:
        """To the next heading, or to the one above; from inside a turn its own heading is the one above."""
        self._wrap()
        firsts = self._layout.first_rows
        headings = [row for row, paragraph in zip(firsts, self._paragraphs, strict=True) if paragraph.look == "heading"]
        rows = [row for row in headings if row > self._top] if step > 0 else [row for row in headings if row < self._top]
        if rows:
            self._sought = self._begun = None
            self._move_to(rows[0] if step > 0 else rows[-1])

    def _show_row(self, row: int, *, margin: int = 0) -> None:
        if row < self._top + margin:
            self._move_to(row - margin)
        elif row >= self._top + self.size.height - margin:
            self._move_to(row - self.size.height + 1 + margin)

    def _move_to(self, row: int) -> None:
        top = max(min(row, len(self._layout.rows) - self.size.height), 0)
        if top != self._top:
            self._top = top
            self.refresh()
        self._tell_position()

    # Finding

    @property
    def found(self) -> Found | None:
        """What is being looked for, if anything."""
        return self._found

    def find(self, words: str) -> None:
        """Mark words and go to the first place at or below the top; nothing is looked for where there are no words."""
        self._wrap()
        if words:
            self._find(words, near=self._top)
        else:
            self._found = None
        self._show_match()

    def next_match(self, step: int) -> None:
        """To the next or previous place."""
        if self._found is not None:
            self._found.move(step)
            self._show_match()

    def _find(self, words: str, *, near: int) -> None:
        self._found = Found(visible_line(words), self._layout, near=near)

    def _show_match(self) -> None:
        if self._found is not None and self._found.place is not None and self.size.height:
            self._begun = None
            self._show_row(self._layout.row_of(self._found.place), margin=min(2, self.size.height // 4))
        self._tell_position()
        self.refresh()

    # What the borders say

    def _show_title(self) -> None:
        title, more = self._title
        words = " · ".join(part for part in (title, self._heading() if self._follows else "", more) if part)
        self.tell_above(Content(visible_line(words)))

    def _heading(self) -> str:
        """The heading that the row at the top stands under."""
        if not self._layout.width:
            return ""
        place = min(self._layout.paragraph_of(self._top), len(self._paragraphs) - 1)
        above = reversed(self._paragraphs[: place + 1])
        return shortened(next((paragraph.text for paragraph in above if paragraph.look == "heading"), ""), LONGEST_HEADING)

    def _keyed(self, words: str) -> str:
        """The words with their commands as keys."""
        return with_keys(words, self.app._keymap)  # noqa: SLF001 - Textual keeps it there and nowhere else

    def _tell_position(self) -> None:
        self._show_title()
        height, rows = self.size.height, len(self._layout.rows)
        if not height:
            return
        # Where nothing is shown there is nothing to do.
        hint = self._keyed(self.hint) if self._paragraphs else ""
        wordings = pane_position.wordings(top=self._top, height=height, rows=rows, hint=hint, tabs=self._tabs)
        if self._found is not None:
            told = self._found.told()
            wordings = pane_position.joined(*((told, words) for words in wordings), (told,))
        room = self.size.width - 2
        self.tell_below(Content(next((words for words in wordings if cell_len(words) <= room), wordings[-1])))

    def action_at(self, event: events.Click) -> str:
        """What the paragraph there does."""
        offset = event.get_content_offset(self)
        row = None if offset is None or not self.size.width else self._top + offset.y
        if row is None or row >= len(self.rows):
            return ""
        return self._paragraphs[self._layout.paragraph_of(row)].click

    def wheel(self, step: int) -> None:
        """Scroll."""
        self.scroll_rows(step)

    # Painting

    def render_line(self, y: int) -> Strip:
        """One row of the screen."""
        width = self.size.width
        base = self.visual_style.rich_style
        rows = self.rows
        at = self._top + y
        if at >= len(rows):
            return Strip.blank(width, base)
        look = self._layout.look_of(at)
        style = base + self._style(look) if look else base
        # What fills the row to the right belongs to it only where the look is one of a whole row.
        filling = style if look in ("selected", "code") else base
        return Strip(self._segments(at, rows[at], style, base)).adjust_cell_length(width, filling)

    def _style(self, look: str) -> Style:
        return self.get_component_rich_style(f"line--{look}", partial=True)

    def _segments(self, at: int, row: str, style: Style, base: Style) -> list[Segment]:
        """A row cut where its look changes: by Markdown, by stand-ins over that, by what is being looked for over both."""
        layers = list(self._layout.spans_of(at))
        lead = self._layout.lead_of(at)
        if not row.isascii() or "<" in row:
            layers += [(match.start(), match.end(), "stand-in") for match in STAND_INS.finditer(row, lead)]
        if self._found is not None:
            marks = self._found.in_row(self._layout, at)
            layers += [(start, end, "match-at" if looked_at else "match") for start, end, looked_at in marks]
        if not layers and not lead:
            return [Segment(row, style)]
        cuts = sorted({0, lead, len(row), *(edge for layer in layers for edge in layer[:2])})
        segments = []
        for start, end in pairwise(cuts):
            own = style if start >= lead or row[:lead].isspace() else base + self._style(self._layout.lead_look_of(at))
            for first, last, look in layers:
                if first <= start and end <= last:
                    for name in look.split():
                        own += self._style(name)
            segments.append(Segment(row[start:end], own))
        return segments
