"""A pane for texts compared word by word: ``[-gone-]`` is struck through and ``{+new+}`` underlined, beside their marks."""

from __future__ import annotations

import re
from typing import ClassVar

from adjudicate.tui.widgets.line_view import LineView
from adjudicate.tui.widgets.markdown_blocks import Span

MARKED = re.compile(r"(?P<gone>\[-.*?-\])|(?P<new>\{\+.*?\+\})", re.DOTALL)


class DiffView(LineView):
    """As its base, with a look for what `core.word_changes` marks; `marks` says whether the text shown has such marks."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"line--gone", "line--new"}
    DEFAULT_CSS = """
    DiffView {
        & .line--gone { color: $differs; text-style: strike; }
        & .line--new { color: $same; text-style: bold underline; }
    }
    """

    marks = False

    def _wrap(self, *, again: bool = False) -> None:
        before = self._layout
        super()._wrap(again=again)
        if not self.marks or self._layout is before:
            return
        for place, block in enumerate(self._layout.blocks):
            spans = tuple(Span(match.start(), match.end(), match.lastgroup or "") for match in MARKED.finditer(block.text))  # type: ignore[arg-type]
            self._layout.blocks[place] = block._replace(spans=spans)
