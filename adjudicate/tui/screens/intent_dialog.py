"""Contesting the declared intent: which one is right."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.screen import ModalScreen

from adjudicate.tui.keys import bindings_for
from adjudicate.tui.widgets.key_bar import KeyBar
from adjudicate.tui.widgets.line_view import LineView, Paragraph


class IntentDialog(ModalScreen[str | None]):
    """Returns the intent that the person holds to be right, or None."""

    BINDINGS = bindings_for("intent")
    DEFAULT_CSS = """
    IntentDialog {
        align: center middle;
        LineView { width: 60; height: 9; border: round $focus; background: $surface; }
        KeyBar { dock: bottom; background: $surface; }
    }
    """

    def __init__(self, declared: str, contested: str) -> None:
        super().__init__()
        self.declared = declared
        self.contested = contested

    def compose(self) -> ComposeResult:
        """The three intents with their keys."""
        yield LineView(id="intents", hint="esc back")
        yield KeyBar()

    def on_mount(self) -> None:
        """Say what is declared and what can be held instead."""
        holds = f"You hold: {self.contested}" if self.contested else "Which intent do you hold to be right?"
        self.query_one("#intents", LineView).show(
            [
                Paragraph(f"The data set declares: {self.declared}", "strong"),
                Paragraph(holds),
                Paragraph(""),
                Paragraph("b  benign"),
                Paragraph("h  harmful"),
                Paragraph("d  dual use: either, it depends on the person"),
            ],
            title="Contest the intent",
        )

    def action_choose(self, intent: str) -> None:
        """Return it."""
        self.dismiss(intent)

    def action_close(self) -> None:
        """Back."""
        self.dismiss(None)
