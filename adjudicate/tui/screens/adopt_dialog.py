"""What adopting a policy would bring about, shown before anybody says yes. Adopts nothing itself."""

from __future__ import annotations

from collections.abc import Iterator

from textual import events
from textual.message import Message

from adjudicate.core.text import shortened
from adjudicate.tui.keys import bindings_for
from adjudicate.tui.screens.reading_dialog import ReadingDialog
from adjudicate.tui.widgets.line_view import Paragraph
from adjudicate.tui.widgets.policy_rows import SIGNS
from adjudicate.workflow.adopt_policy import Adoption

MOST = 12
"""Rows of one list of counts; the rest is counted."""


class AdoptDialog(ReadingDialog[bool]):
    """Returns whether the person said yes."""

    PLACE = "adopt"
    BINDINGS = bindings_for("adopt")
    BOX = "ahead"
    HINT = "{adopt.yes} adopts · esc back, nothing is changed"
    MEASURE = 104
    DEFAULT_CSS = "AdoptDialog LineView { width: 108; max-width: 98%; max-height: 44; }"

    def __init__(self, ahead: Adoption) -> None:
        super().__init__()
        self.ahead = ahead
        self._seen_at: float | None = None
        """On the clock of Textual's events; None before it is painted."""

    def on_mount(self) -> None:
        """Fill it."""
        changes = self.ahead.changes
        title = f"Adopt {shortened(changes.new.id, 30)} {shortened(changes.new.version, 12)} in place of"
        title += f" {shortened(changes.old.id, 30)} {shortened(changes.old.version, 12)}?"
        self.box.show(list(_rows(self.ahead)), title=title)
        self.call_after_refresh(self._painted)

    def _painted(self) -> None:
        self._seen_at = Message().time

    def on_key(self, event: events.Key) -> None:
        """It opens when it is ready, in the middle of whatever is typed: a key pressed before it was seen says nothing to it."""
        if self._seen_at is None or event.time < self._seen_at:
            event.stop()
            event.prevent_default()

    def action_yes(self) -> None:
        """Adopt it."""
        self.dismiss(result=True)


def _rows(ahead: Adoption) -> Iterator[Paragraph]:
    for sentence in ahead.consequences():
        yield Paragraph(f"- {sentence}", "strong" if sentence == ahead.consequences()[0] else "")
    for title, counts in (
        ("LABELS TO MAKE AGAIN, BY ANNOTATOR", ahead.by_person),
        ("LABELS TO MAKE AGAIN, BY STRATUM", ahead.by_stratum),
        ("WHY", ahead.by_reason),
    ):
        if counts:
            yield Paragraph("")
            yield Paragraph(title, "heading")
            listed = list(counts.items())
            yield from (Paragraph(f"{count:>6,}  {shortened(name, 60)}") for name, count in listed[:MOST])
            if len(listed) > MOST:
                rest = sum(count for _, count in listed[MOST:])
                yield Paragraph(f"{rest:>6,}  in {len(listed) - MOST} more", "dim")
    yield Paragraph("")
    yield Paragraph("WHAT CHANGES", "heading")
    if not ahead.changes.changes:
        yield Paragraph("nothing but blanks, line breaks or the version", "dim")
    for change in ahead.changes.changes:
        name = f"{change.part} {change.id} · {shortened(change.title, 60)}"
        yield Paragraph(f"{SIGNS[change.how]} {name}", "differs" if change.calls_back else "")
        yield Paragraph(change.words, "", "    ")
