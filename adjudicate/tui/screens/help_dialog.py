"""All keys of a place, from the table of commands."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.screen import ModalScreen

from adjudicate.tui.keys import Place, bindings_for, help_rows, id_rows
from adjudicate.tui.widgets.key_bar import KeyBar
from adjudicate.tui.widgets.line_view import LineView, Paragraph
from adjudicate.workflow.browse_filter import KEYS

TITLES: dict[Place, str] = {
    "home": "Keys at home",
    "label": "Keys while labelling",
    "resolve": "Keys while settling disagreements",
    "report": "Keys in the report",
    "policies": "Keys while reading the policy",
    "browse": "Keys in the list of items",
    "item": "Keys in an item",
}
BLIND = (
    "Blind first: choose an outcome with its digit. It is saved at once. Where the judge says the same you go on to the"
    " next item; where it differs the verdict is shown, Enter keeps your label and a digit changes it."
)


class HelpDialog(ModalScreen[None]):
    """Read and go back; changes nothing."""

    BINDINGS = bindings_for("help")
    DEFAULT_CSS = """
    HelpDialog {
        align: center middle;
        LineView { width: 92; max-width: 96%; height: 90%; max-height: 42; border: round $focus; background: $surface; }
        KeyBar { dock: bottom; background: $surface; }
    }
    """

    def __init__(self, place: Place) -> None:
        super().__init__()
        self.place = place

    def compose(self) -> ComposeResult:
        """One pane."""
        yield LineView(id="help-text", hint="space page · esc back")
        yield KeyBar()

    def on_mount(self) -> None:
        """Fill it."""
        keymap = self.app._keymap  # noqa: SLF001  # Textual keeps it there and nowhere else
        rows = list(help_rows(self.place, keymap))
        width = max(len(key) for key, _ in rows)
        paragraphs = [Paragraph(f"{key:<{width}}  {sentence}") for key, sentence in rows]
        if self.place == "label":
            paragraphs = [Paragraph(BLIND), Paragraph(""), *paragraphs]
        if self.place == "browse":
            told = [Paragraph(f"{f'{key}:':<{width}}  {words}") for key, words in KEYS.items()]
            paragraphs += [Paragraph(""), Paragraph("The filter line: every key narrows", "strong"), *told]
        named = [Paragraph(f"{key:<{width}}  {name}", "dim") for key, name in id_rows(self.place, keymap)]
        paragraphs += [Paragraph(""), Paragraph("Names of the commands, for [keys] in adjudicate.toml", "strong"), *named]
        self._text.show(paragraphs, title=TITLES.get(self.place, "Keys"))

    @property
    def _text(self) -> LineView:
        return self.query_one("#help-text", LineView)

    def action_page(self, direction: int) -> None:
        """Scroll a page."""
        self._text.scroll_page(direction)

    def action_line(self, step: int) -> None:
        """Scroll a line."""
        self._text.scroll_rows(step)

    def action_end(self, direction: int) -> None:
        """Scroll to an end."""
        self._text.scroll_to_end(direction)

    def action_close(self) -> None:
        """Back."""
        self.dismiss(None)
