"""Contesting the declared intent: which one is right."""

from __future__ import annotations

from adjudicate.tui.keys import bindings_for
from adjudicate.tui.screens.reading_dialog import ReadingDialog
from adjudicate.tui.widgets.line_view import Paragraph


class IntentDialog(ReadingDialog[str]):
    """Returns the intent that the person holds to be right, or None."""

    PLACE = "intent"
    BINDINGS = bindings_for("intent")
    BOX = "intents"
    HINT = "esc back"
    DEFAULT_CSS = "IntentDialog LineView { width: 60; height: 9; }"

    def __init__(self, declared: str, contested: str) -> None:
        super().__init__()
        self.declared = declared
        self.contested = contested

    def on_mount(self) -> None:
        """Say what is declared and what can be held instead."""
        holds = f"You hold: {self.contested}" if self.contested else "Which intent do you hold to be right?"
        self.box.show(
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
