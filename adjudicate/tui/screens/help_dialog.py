"""All keys of a place, from the table of commands."""

from __future__ import annotations

from adjudicate.tui.keys import Place, bindings_for, help_rows, id_rows
from adjudicate.tui.screens.reading_dialog import ReadingDialog
from adjudicate.tui.widgets.line_view import Paragraph
from adjudicate.workflow.browse_filter import KEYS

TITLES: dict[Place, str] = {
    "home": "Keys at home",
    "label": "Keys while labelling",
    "resolve": "Keys while settling disagreements",
    "report": "Keys in the report",
    "policies": "Keys while reading the policy",
    "browse": "Keys in the list of items",
    "item": "Keys in an item",
    "first": "Keys on the way to the first label",
    "policy": "Keys in the clauses",
    "note": "Keys while writing a note",
    "open": "Keys while opening another workspace",
    "intent": "Keys while contesting the intent",
    "hidden": "Keys in the list of hidden characters",
    "twin": "Keys in the pair twin",
    "adopt": "Keys before adopting a policy",
    "case": "Keys in the history of a disagreement",
}
BLIND = (
    "Blind first: choose an outcome with its digit. It is saved at once. Where the judge says the same you go on to the"
    " next item; where it differs the verdict is shown, {label.keep} keeps your label and a digit changes it."
)


class HelpDialog(ReadingDialog[None]):
    """Read and go back; changes nothing."""

    PLACE = "help"
    BINDINGS = bindings_for("help")
    BOX = "help-text"

    def __init__(self, place: Place) -> None:
        super().__init__()
        self.place = place

    def on_mount(self) -> None:
        """Fill it."""
        keymap = self.app._keymap  # noqa: SLF001  # Textual keeps it there and nowhere else
        rows = list(help_rows(self.place, keymap))
        width = max(len(key) for key, _ in rows)
        paragraphs = [Paragraph(sentence, lead=f"{key:<{width}}  ") for key, sentence in rows]
        if self.place == "label":
            paragraphs = [Paragraph(BLIND, told=True), Paragraph(""), *paragraphs]
        if self.place == "browse":
            told = [Paragraph(words, lead=f"{f'{key}:':<{width}}  ") for key, words in KEYS.items()]
            paragraphs += [Paragraph(""), Paragraph("The filter line: every key narrows", "strong"), *told]
        named = [Paragraph(name, "dim", lead=f"{key:<{width}}  ") for key, name in id_rows(self.place, keymap)]
        paragraphs += [Paragraph(""), Paragraph("Names of the commands, for [keys] in adjudicate.toml", "strong"), *named]
        self.box.show(paragraphs, title=TITLES.get(self.place, "Keys"))
