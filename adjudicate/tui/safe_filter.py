"""The last line of defence: no character that acts on a terminal leaves the screen, whatever a widget was given."""

from __future__ import annotations

import re

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

ACTING = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
STAND_IN = "\ufffd"


class SafeFilter(LineFilter):
    """Replaces what `core.text.visible` should have caught already; notifications and borders included."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002 - Textual's signature
        """The segments with acting characters replaced."""
        return [
            segment if segment.text.isprintable() else Segment(ACTING.sub(STAND_IN, segment.text), segment.style, segment.control)
            for segment in segments
        ]
