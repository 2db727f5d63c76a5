"""One item of the list, to be read: its text whole, what came with it, and its history. Nothing can be changed here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content

from adjudicate.core.text import shortened, visible_line
from adjudicate.tui.bench import Bench
from adjudicate.tui.keys import bindings_for
from adjudicate.tui.screens.browse_triage import Triaged, tell_who_labels, triage
from adjudicate.tui.screens.workplace import Workplace
from adjudicate.tui.theme import HARM
from adjudicate.tui.widgets import item_rows, item_text
from adjudicate.tui.widgets.key_bar import KeyBar
from adjudicate.tui.widgets.line_view import LineView
from adjudicate.tui.widgets.status_line import SidedLine, styled
from adjudicate.workflow.opened_item import Opened, open_item
from adjudicate.workflow.veil import is_veiled

if TYPE_CHECKING:
    from adjudicate.tui.screens.browse import BrowseScreen


class ItemScreen(Workplace):
    """The item that the cursor of the list is on."""

    PLACE = "item"
    PANES = ("text", "about")
    PANE_TITLES = ("Text", "About")
    BINDINGS = bindings_for("item")
    DEFAULT_CSS = """
    ItemScreen {
        #text { width: 1fr; height: 1fr; }
        #about { width: 40%; min-width: 42; max-width: 76; height: 1fr; }
        &.-narrow { #text, #about { display: none; width: 1fr; max-width: 100%; } }
        &.-narrow.-at-text #text { display: block; }
        &.-narrow.-at-about #about { display: block; }
    }
    """

    def __init__(self, bench: Bench, browse: BrowseScreen) -> None:
        super().__init__(bench)
        self._browse = browse
        self._opened: Opened | None = None
        self._is_unveiled = False

    def compose(self) -> ComposeResult:
        """Text on the left, the rest on the right."""
        yield SidedLine(id="status")
        with Horizontal(classes="columns"):
            yield LineView(id="text", hint="{read.page} page")
            yield LineView(id="about")
        yield SidedLine(id="last")
        yield KeyBar()
        yield self.too_small_notice()

    def on_mount(self) -> None:
        """Show the item."""
        super().on_mount()
        self._show()

    def come_back(self) -> None:
        """It may have been labelled again."""
        self._show()

    # Keys

    def action_next(self) -> None:
        """The next item of the list."""
        self._step(1)

    def action_previous(self) -> None:
        """The item before."""
        self._step(-1)

    def _step(self, step: int) -> None:
        self._browse.step(step)
        self._is_unveiled = False
        self._show()

    def action_unveil(self) -> None:
        """Show a response that is behind the veil."""
        self._is_unveiled = True
        self._show()

    def action_relabel(self) -> None:
        """Go to the item in one's own list, where it can be labelled again."""
        from adjudicate.tui.app import AdjudicateApp
        from adjudicate.tui.screens.labelling import LabellingScreen

        opened = self._opened
        if opened is None or not opened.on_list:
            self._say("it is not on your list: a label from here would be of an item that you chose, not one that was drawn")
            return
        if not opened.has_own_label:
            self._say("you have not labelled it yet: it comes in its turn, so that the sample stays one")
            return
        app = self.app
        assert isinstance(app, AdjudicateApp)
        app.action_go("label")
        screen = app.screen
        assert isinstance(screen, LabellingScreen)
        screen.session.visit(opened.item.id)
        if screen.is_mounted:
            screen.come_back()

    def action_triage(self) -> None:
        """Send the item to triage, or take it out."""
        triage(self, [self._browse.current_row()])

    def on_triaged(self, message: Triaged) -> None:
        """What became of it; it shows in the list too."""
        self._browse.table.forget()
        self._show()
        self.query_one("#last", SidedLine).show(styled((self.keyed(message.words), message.style)), Content(""))
        tell_who_labels(self.app)

    def worker_failed(self, group: str, name: str) -> None:
        """Say so."""
        if group == "triage":
            self.post_message(Triaged(f"not sent to triage ({name})", is_good=False))

    # Showing

    def _say(self, words: str) -> None:
        self.query_one("#last", SidedLine).show(styled((f"{HARM} {words}", "$differs bold")), Content(""))

    def _show(self) -> None:
        opened = self._opened = open_item(self.bench.store, self.bench.annotator.id, self._browse.current_id())
        item = opened.item
        veiled = is_veiled(self.bench.settings.veil, item.prompt) and not self._is_unveiled
        response = item_text.veiled(item.prompt) if veiled else item_text.response(item)
        text = item_text.under_headings(item.prompt, item_text.turns(item.prompt), response)
        title = item_text.prompt_title(item.prompt) if veiled else f"Prompt and {item_text.response_title(item).lower()}"
        self.pane("text").show(text, title=title)
        self.pane("about").show(item_rows.opened_rows(self.bench.policy, opened), title="About")
        self._show_lines(opened)

    def _show_lines(self, opened: Opened) -> None:
        items = self._browse.table
        where = f"{items.cursor + 1:,} of {len(items.items):,}"
        self.query_one("#status", SidedLine).show(
            styled(("Item", "bold"), f" · {where} · {visible_line(opened.item.id[:12])}"),
            styled(f"read only · policy v{shortened(self.bench.policy.version, 10)}"),
        )
        again = " · {item.relabel} labels it again" if opened.on_list and opened.has_own_label else ""
        self.query_one("#last", SidedLine).show(
            styled((self.keyed(f"{{item.next}} the next item of the list{again}"), "$quiet")), Content("")
        )
        self.query_one(KeyBar).grey(() if again else {"item.relabel"})
