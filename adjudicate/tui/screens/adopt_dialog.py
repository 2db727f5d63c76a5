"""What adopting a policy would bring about, shown before anybody says yes. Adopts nothing itself."""

from __future__ import annotations

from collections.abc import Iterator

from textual.app import ComposeResult
from textual.screen import ModalScreen

from adjudicate.core.text import shortened
from adjudicate.tui.keys import bindings_for
from adjudicate.tui.widgets.key_bar import KeyBar
from adjudicate.tui.widgets.line_view import LineView, Paragraph
from adjudicate.tui.widgets.policy_rows import SIGNS
from adjudicate.workflow.adopt_policy import Adoption

MOST = 12
"""Rows of one list of counts; the rest is counted."""


class AdoptDialog(ModalScreen[bool]):
    """Returns whether the person said yes."""

    BINDINGS = bindings_for("adopt")
    AUTO_FOCUS = ""
    DEFAULT_CSS = """
    AdoptDialog {
        align: center middle;
        LineView { width: 108; max-width: 98%; height: 90%; max-height: 44; border: round $focus; background: $surface; }
        KeyBar { dock: bottom; background: $surface; }
    }
    """

    def __init__(self, ahead: Adoption) -> None:
        super().__init__()
        self.ahead = ahead

    def compose(self) -> ComposeResult:
        """One pane."""
        yield LineView(id="ahead", hint="y adopts · esc back, nothing is changed", measure=104)
        yield KeyBar()

    def on_mount(self) -> None:
        """Fill it."""
        changes = self.ahead.changes
        title = f"Adopt {shortened(changes.new.id, 30)} {shortened(changes.new.version, 12)} in place of"
        title += f" {shortened(changes.old.id, 30)} {shortened(changes.old.version, 12)}?"
        self._text.show(list(_rows(self.ahead)), title=title)

    @property
    def _text(self) -> LineView:
        return self.query_one("#ahead", LineView)

    def action_page(self, direction: int) -> None:
        """Scroll a page."""
        self._text.scroll_page(direction)

    def action_line(self, step: int) -> None:
        """Scroll a line."""
        self._text.scroll_rows(step)

    def action_end(self, direction: int) -> None:
        """Scroll to an end."""
        self._text.scroll_to_end(direction)

    def action_yes(self) -> None:
        """Adopt it."""
        self.dismiss(result=True)

    def action_close(self) -> None:
        """Change nothing."""
        self.dismiss(result=False)


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
