"""Browse: every imported item in one list, filtered, searched, sorted. Nothing is labelled here; enter opens an item to read."""

from __future__ import annotations

from array import array
from collections.abc import Container, Sequence

from textual.app import ComposeResult
from textual.widgets import Input

from adjudicate.errors import AdjudicateError
from adjudicate.tui.bench import Bench
from adjudicate.tui.keys import bindings_for
from adjudicate.tui.screens.browse_export import Exported, export
from adjudicate.tui.screens.browse_search import Search
from adjudicate.tui.screens.browse_triage import Triaged, tell_who_labels, triage
from adjudicate.tui.screens.browse_view import BrowseView
from adjudicate.tui.screens.workplace import Workplace
from adjudicate.tui.theme import DONE, HARM
from adjudicate.tui.widgets import item_rows
from adjudicate.tui.widgets.item_list import Cell, ItemList
from adjudicate.tui.widgets.key_bar import KeyBar
from adjudicate.tui.widgets.line_view import LineView
from adjudicate.tui.widgets.status_line import SidedLine
from adjudicate.workflow.browse_filter import KEYS, Filter, parse
from adjudicate.workflow.browse_items import ORDERS, Ordering, browsed, everything, item_count, item_id_of

FILTER_WORDS = "words, population:…, verdict:…, open:yes, longer:2000 · ? tells all"
TYPING = f"enter or esc: back to the list · {' '.join(f'{key}:' for key in KEYS)}"
PREVIEW_ROWS = 30
"""Rows of a window from which on there is a preview."""
NEAR = 200
"""Rows from the top in which the cursor's item is looked for when the list changes."""


class BrowseScreen(Workplace):
    """The list, a line for the filter, and in a wide window what the current item says."""

    PLACE = "browse"
    PANES = ("preview",)
    PANE_TITLES = ("Preview",)
    BINDINGS = bindings_for("browse")
    DEFAULT_CSS = """
    BrowseScreen {
        #filter { height: 3; border: round $frame; background: $background; padding: 0 1; border-title-color: $foreground; }
        #filter:focus { border: round $focus; background-tint: $background 0%; }
        #filter > .input--placeholder { color: $quiet; }
        #list { height: 1fr; }
        #preview { height: 35%; }
        &.-narrow #preview, &.-short #preview, &.-medium #preview { display: none; }
    }
    """

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        self.items: Sequence[int] = ()
        """Rowids of what was found, in order; grows while more is found."""
        self.selected: dict[int, None] = {}
        """Rowids of selected items, in the order of their selection."""
        self._total = item_count(bench.store)
        self.wanted = Filter()
        """What the filter line says."""
        self._ordering = 0
        self.search = Search(self)
        self._view = BrowseView(self)
        self._anchor: int | None = None
        """Rowid of the item that the cursor was last put on: it goes back there wherever the item is near."""
        self._reads_preview = False
        """Whether the keys that scroll act on the preview."""

    def compose(self) -> ComposeResult:
        """The filter, the list, the preview."""
        yield SidedLine(id="status")
        line = Input(placeholder=FILTER_WORDS, id="filter", select_on_focus=False)
        line.border_title = "Filter"
        yield line
        yield ItemList(self._read, lambda width: item_rows.columns(width, self._total), id="list")
        yield LineView(id="preview", hint="{pane.next} scrolls here")
        yield SidedLine(id="last")
        yield KeyBar()
        yield self.too_small_notice()

    def on_mount(self) -> None:
        """Show all items at once; what filters and orders need is got ready behind them."""
        super().on_mount()
        self._mark_active()
        self._look()

    def come_back(self) -> None:
        """Something may have been labelled, or imported: what is shown is read again, the place stays."""
        if self.wanted.hides or self.ordering.hides or self.wanted.is_empty:
            self._look()
        self.table.forget()
        self._show()

    @property
    def table(self) -> ItemList:
        """The list."""
        return self.query_one("#list", ItemList)

    @property
    def ordering(self) -> Ordering:
        """The order of the list."""
        return ORDERS[self._ordering]

    # Keys

    def action_filter(self) -> None:
        """Type what is looked for."""
        self.query_one("#filter", Input).focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Each key narrows the list; what cannot be read leaves it as it is and says why."""
        self._narrow(event.value, is_typed=True)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """The line is as it should be: back to the list."""
        event.stop()
        self._narrow(event.value, is_typed=False)
        self.set_focus(None)

    def _narrow(self, line: str, *, is_typed: bool) -> None:
        try:
            wanted = parse(line, is_typed=is_typed)
        except AdjudicateError as problem:
            self._view.unread = f"{HARM} {problem}"
        else:
            self._view.unread = ""
            if wanted != self.wanted:
                self.wanted, self._view.message = wanted, None
                self._look()
        self._view.show_lines()

    def on_descendant_focus(self) -> None:
        """While the filter is typed the keys are its letters."""
        self.query_one(KeyBar).tell(TYPING)
        self.table.remove_class("-active")

    def on_descendant_blur(self) -> None:
        """Keys again."""
        self.query_one(KeyBar).tell("")
        self._mark_active()

    def action_cancel(self) -> None:
        """From the filter back to the list; from there end a long reading. Filter and selection stay."""
        if self.focused is not None:
            self.set_focus(None)
        else:
            self.search.stop()

    def action_order(self, step: int) -> None:
        """The next order."""
        self._ordering = (self._ordering + step) % len(ORDERS)
        self._view.message = None
        self._look()

    def action_select(self) -> None:
        """Select the current item, or not, and go on to the next."""
        current = self.table.current
        if current is None:
            return
        if current in self.selected:
            del self.selected[current]
        else:
            self.selected[current] = None
        self.table.move(1)
        self._moved()

    def action_clear(self) -> None:
        """Select nothing."""
        self.selected.clear()
        self.table.refresh()
        self._moved()

    def action_open(self) -> None:
        """Read the current item."""
        from adjudicate.tui.screens.item import ItemScreen

        if self.table.current is not None:
            self.app.push_screen(ItemScreen(self.bench, self))

    def action_export(self, with_text: bool) -> None:
        """Write what is selected, or all that was found, into a file."""
        chosen = list(self.selected) or self.items
        if not len(chosen):
            self._view.say("there is nothing to export", "$differs bold")
            return
        self._view.say(f"writing {len(chosen):,} items …", "$quiet")
        export(self, chosen, with_text=with_text)

    def action_triage(self) -> None:
        """Send what is selected, else the current item, to triage; or take it out."""
        current = self.table.current
        chosen = list(self.selected) or ([] if current is None else [current])
        if chosen:
            triage(self, chosen)

    def action_pane(self, step: int) -> None:  # noqa: ARG002 - there are two
        """Let the keys scroll the preview, or the list again."""
        self._reads_preview = not self._reads_preview
        self._mark_active()

    def action_line(self, step: int) -> None:
        """The next row, or a line of the preview."""
        if self._is_reading:
            super().action_line(step)
        else:
            self._move(step)

    def action_page(self, direction: int) -> None:
        """A page."""
        if self._is_reading:
            super().action_page(direction)
        else:
            self.table.page(direction)
            self._moved()

    def action_end(self, direction: int) -> None:
        """The first row, or the last."""
        if self._is_reading:
            super().action_end(direction)
        else:
            self.table.move_to(0 if direction < 0 else len(self.items))
            self._moved()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002 - Textual's signature
        """No other pane where there is no preview."""
        return action != "pane" or self._has_preview

    def step(self, step: int) -> None:
        """Move the cursor, for the item that lies on top."""
        self._move(step)

    def _move(self, step: int) -> None:
        self.table.move(step)
        self._moved()

    def on_item_list_picked(self, message: ItemList.Picked) -> None:
        """The mouse did what the keys do."""
        self._moved()
        if message.opened:
            self.action_open()

    def on_resize(self) -> None:
        """The preview comes and goes with the room."""
        super().on_resize()
        if self.is_mounted:
            if not self._has_preview:
                self._reads_preview = False
            self._mark_active()
            self.table.forget()
            self.refresh_bindings()
            self._show()

    @property
    def _has_preview(self) -> bool:
        return not self.is_narrow and self.app.size.height >= PREVIEW_ROWS

    @property
    def _is_reading(self) -> bool:
        return self._reads_preview and self._has_preview

    def _mark_active(self) -> None:
        self.table.set_class(not self._is_reading, "-active")
        self.pane("preview").set_class(self._is_reading, "-active")

    # Looking

    def _look(self) -> None:
        """Start the search that the filter and the order ask for."""
        everyone = everything(self.bench.store) if self.wanted.is_empty else None
        ordering = self.ordering
        is_there = everyone is not None and ordering.order in ("first", "newest")
        if everyone is not None and is_there:
            self._take(everyone if ordering.order == "first" else everyone[::-1])
        self.search.look(self.wanted, ordering, is_only_reading=is_there)
        self._show()

    def worker_failed(self, group: str, name: str) -> None:
        """Say so in place of a result."""
        if group == "search":
            self.search.broke(name)
        elif group == "export":
            self.post_message(Exported(f"not exported ({name})", is_good=False))
        elif group == "triage":
            self.post_message(Triaged(f"not sent to triage ({name})", is_good=False))

    def on_search_portion(self, message: Search.Portion) -> None:
        """More was found."""
        if not self.search.hears(message):
            return
        if message.is_first:
            self._take(message.found.rowids)
            self._show()
            return
        if isinstance(self.items, array):
            self.items.extend(message.found.rowids)
            self.table.grew()
        self._view.show_lines()

    def on_search_reading(self, message: Search.Reading) -> None:
        """How far the index is."""
        if self.search.hears(message):
            self._view.show_lines()

    def on_search_failed(self, message: Search.Failed) -> None:
        """Why there is no result; the list stays as it was."""
        if self.search.hears(message):
            self._view.say(f"{HARM} {self.keyed(message.reason)}", "$differs bold")

    def _take(self, items: Sequence[int]) -> None:
        """Other items; the cursor goes to its item where that is near."""
        self.items = items
        near = items[:NEAR]
        self.table.show(items, cursor=near.index(self._anchor) if self._anchor is not None and self._anchor in near else 0)

    def _drop(self, gone: Container[int]) -> None:
        """Leave items out of the list; the cursor stays in its row, on what comes next."""
        above = sum(1 for rowid in self.items[: self.table.cursor] if rowid in gone)
        self.items = array("q", (rowid for rowid in self.items if rowid not in gone))
        self.table.show(self.items, cursor=self.table.cursor - above)
        self._anchor = self.table.current

    def _read(self, rowids: Sequence[int]) -> list[tuple[Cell, ...]]:
        veiled, width = self.bench.settings.veil, self.table.size.width
        rows = browsed(self.bench.store, self.bench.annotator.id, rowids)
        return [item_rows.cells(each, width, veiled) for each in rows]

    def on_exported(self, message: Exported) -> None:
        """Where it is, or why it is not."""
        words = self.keyed(message.words)
        self._view.say(f"{DONE if message.is_good else HARM} {words}", "$done" if message.is_good else "$harm bold")

    def on_triaged(self, message: Triaged) -> None:
        """What became of it; what the filter leaves no more goes, and the marks of the other rows are read again."""
        match self.wanted.values("triage"):
            case ("yes",):
                self._drop(message.taken_out)
            case ("no",):
                self._drop(message.sent)
        self.table.forget()
        self._show()
        self._view.say(self.keyed(message.words), message.style)
        tell_who_labels(self.app)

    # Showing

    def _moved(self) -> None:
        self._view.message = None
        self._anchor = self.table.current
        self._show()

    def _show(self) -> None:
        self.table.marked = self.selected
        if self._has_preview:
            self._view.show_preview(self.bench.store.item(self.current_id()) if self.table.current is not None else None)
        self._view.show_lines()

    def current_id(self) -> str:
        """Id of the current item. There is one."""
        return item_id_of(self.bench.store, self.current_row())

    def current_row(self) -> int:
        """Rowid of the current item. There is one."""
        current = self.table.current
        assert current is not None
        return current
