"""Browse: every imported item in one list, filtered, searched, sorted. Nothing is labelled here; enter opens an item to read."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import count

from textual import events, work
from textual.app import ComposeResult
from textual.content import Content
from textual.message import Message
from textual.widgets import Input
from textual.worker import get_current_worker

from adjudicate.core.text import shortened, visible_line
from adjudicate.errors import AdjudicateError
from adjudicate.settings import WorkspacePaths
from adjudicate.storage.browse import Interrupted
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.tui.bench import Bench, with_own_store
from adjudicate.tui.keys import bindings_for
from adjudicate.tui.screens.workplace import Workplace
from adjudicate.tui.theme import DONE, HARM, QUIET
from adjudicate.tui.widgets import item_rows, item_text
from adjudicate.tui.widgets.item_list import Cell, ItemList
from adjudicate.tui.widgets.key_bar import KeyBar
from adjudicate.tui.widgets.line_view import LineView, Paragraph
from adjudicate.tui.widgets.status_line import SidedLine, styled
from adjudicate.workflow.browse_filter import KEYS, Filter, parse
from adjudicate.workflow.browse_items import ORDERS, Found, browsed, everything, item_count, item_id_of, look_for
from adjudicate.workflow.veil import is_veiled

FILTER_WORDS = "words to look for, population:harmful, verdict:…, gold:…, open:yes, longer:2000; ? in the list tells all"
TYPING = f"enter or esc: back to the list · {' '.join(f'{key}:' for key in KEYS)}"
WIDE_FROM = 100
"""Columns; as in the breakpoints of every workplace."""
PREVIEW_ROWS = 30
"""Rows of a window from which on there is a preview."""
NEAR = 200
"""Rows from the top in which the cursor's item is looked for when the list changes."""
PREVIEW = 2000
"""Characters of a text in the preview: as much as a large window shows."""


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
        #list { height: 1fr; }
        #preview { height: 35%; }
        &.-narrow #preview, &.-short #preview, &.-medium #preview { display: none; }
    }
    """

    class Portion(Message):
        """Something was found."""

        def __init__(self, search: int, found: Found, *, is_first: bool, is_last: bool) -> None:
            super().__init__()
            self.search, self.found, self.is_first, self.is_last = search, found, is_first, is_last

    class Reading(Message):
        """The index is being brought up to date."""

        def __init__(self, search: int, words: str) -> None:
            super().__init__()
            self.search, self.words = search, words

    class Failed(Message):
        """There is no result."""

        def __init__(self, search: int, reason: str) -> None:
            super().__init__()
            self.search, self.reason = search, reason

    class Written(Message):
        """An export has ended."""

        def __init__(self, words: str, *, is_good: bool) -> None:
            super().__init__()
            self.words, self.is_good = words, is_good

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        self.items: Sequence[int] = ()
        """Rowids of what was found, in order; grows while more is found."""
        self.selected: dict[int, None] = {}
        """Rowids of selected items, in the order of their selection."""
        self._total = item_count(bench.store)
        self._filter = Filter()
        self._ordering = 0
        self._searches = count(1)
        self._search = 0
        """Number of the search that is waited for; what earlier ones say is old."""
        self._at_work = ""
        """What the search is doing; empty when it has ended."""
        self._told = Found(array("q"))
        self._stopped = False
        """Whether the reading of texts was ended with escape."""
        self._message: tuple[str, str] | None = None
        """What became of the last act."""
        self._unread = ""
        """Why the filter line cannot be read, as long as it cannot."""
        self._anchor: int | None = None
        """Rowid of the item that the cursor was last put on: it goes back there wherever the item is near."""
        self._is_ready = False
        """Whether there is anything yet that a key typed ahead could act on."""
        self._wants_filter = False
        self._reads_preview = False
        """Whether the keys that scroll act on the preview."""

    def compose(self) -> ComposeResult:
        """The filter, the list, the preview."""
        yield SidedLine(id="status")
        line = Input(placeholder=FILTER_WORDS, id="filter", select_on_focus=False)
        line.border_title = "Filter"
        yield line
        yield ItemList(self._read, lambda width: item_rows.columns(width, self._total), id="list")
        yield LineView(id="preview", hint="tab scrolls here")
        yield SidedLine(id="last")
        yield KeyBar()
        yield self.too_small_notice()

    def on_mount(self) -> None:
        """Show all items at once; what filters and orders need is got ready behind them."""
        super().on_mount()
        self._is_ready = True
        self._mark_active()
        self._look()
        self.refresh_bindings()
        if self._wants_filter:
            self.action_filter()

    def come_back(self) -> None:
        """Something may have been labelled, or imported: what is shown is read again, the place stays."""
        if self._filter.hides or ORDERS[self._ordering].hides or self._filter.is_empty:
            self._look()
        self.table.forget()
        self._show()

    @property
    def table(self) -> ItemList:
        """The list."""
        return self.query_one("#list", ItemList)

    @property
    def is_narrow(self) -> bool:
        """From the size itself: the screen says what Tab leads to before it has its class."""
        return self.app.size.width < WIDE_FROM

    # Keys

    def on_key(self, event: events.Key) -> None:
        """Keys that were typed right behind the one that begins the filter are on their way here already: they belong into it."""
        super().on_key(event)
        line = self.focused
        bound = self.active_bindings.get(event.key)
        if line is None and not self.too_small and bound is not None and bound.binding.action == "filter":
            # Here and now: through the app's bindings it would take its turn behind the letters.
            event.stop()
            event.prevent_default()
            self.action_filter()
            return
        if not isinstance(line, Input):
            return
        if event.is_printable and event.character is not None:
            event.stop()
            event.prevent_default()
            line.insert_text_at_cursor(event.character)
        elif event.key == "enter":
            event.stop()
            event.prevent_default()
            self._narrow(line.value, is_typed=False)
            self.set_focus(None)

    def action_filter(self) -> None:
        """Type what is looked for."""
        if self._is_ready:
            # At once, and not in a message of its own: letters that were typed ahead belong into the line.
            self.set_focus(self.query_one("#filter", Input))
        else:
            self._wants_filter = True

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
            self._unread = f"{HARM} {problem}"
        else:
            self._unread = ""
            if wanted != self._filter:
                self._filter, self._message = wanted, None
                self._look()
        self._show_lines()

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
        elif self._at_work:
            self._stopped = True

    def action_order(self, step: int) -> None:
        """The next order."""
        self._ordering = (self._ordering + step) % len(ORDERS)
        self._message = None
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
            self._say("there is nothing to export", "$differs bold")
            return
        self._say(f"writing {len(chosen):,} items …", "$quiet")
        self._export(chosen, with_text=with_text)

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
        """No other pane where there is no preview; before anything is there, no key but the one that begins the filter."""
        if not self._is_ready:
            return action == "filter"
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
        self._search = next(self._searches)
        self._stopped = False
        self._at_work = "searching …"
        everyone = everything(self.bench.store) if self._filter.is_empty else None
        ordering = ORDERS[self._ordering].order
        if everyone is not None and ordering in ("first", "newest"):
            self._take(everyone if ordering == "first" else everyone[::-1])
            self._at_work = ""
            self._told = Found(array("q"))
            # What filters need is made ready meanwhile; nothing waits for it.
            self._find(self._search, self._filter, self._ordering, is_ahead=True)
        else:
            self._find(self._search, self._filter, self._ordering, is_ahead=False)
        self._show()

    @work(thread=True, exclusive=True, group="search", exit_on_error=False)
    def _find(self, search: int, wanted: Filter, ordering: int, *, is_ahead: bool) -> None:
        worker = get_current_worker()

        def told(what: str, now: tuple[int, int]) -> bool:
            self.post_message(self.Reading(search, f"reading {what} for the search {100 * now[0] // max(now[1], 1)} %"))
            return not self._stopped

        def find(store: SqliteStore) -> None:
            is_first = True
            portions = look_for(
                store,
                self.bench.annotator.id,
                self.bench.policy,
                wanted,
                ORDERS[ordering],
                is_cancelled=lambda: worker.is_cancelled,
                told=told,
            )
            for found in portions:
                if is_ahead:
                    break
                self.post_message(self.Portion(search, found, is_first=is_first, is_last=not len(found.rowids)))
                is_first = False

        try:
            with_own_store(self.bench.database, find)
            if is_ahead:
                self.post_message(self.Reading(search, ""))
        except Interrupted:
            if self._stopped:
                self.post_message(
                    self.Failed(search, "stopped: filters and orders need the items to be read once; / or o goes on")
                )
        except AdjudicateError as problem:
            self.post_message(self.Failed(search, str(problem)))

    def worker_failed(self, group: str, name: str) -> None:
        """Say so in place of a result."""
        if group == "search":
            self.post_message(self.Failed(self._search, f"the search broke off ({name})"))
        elif group == "export":
            self.post_message(self.Written(f"not exported ({name})", is_good=False))

    def on_browse_screen_portion(self, message: Portion) -> None:
        """More was found."""
        if message.search != self._search:
            return
        self._told = message.found
        if message.is_first:
            self._take(message.found.rowids)
        elif isinstance(self.items, array):
            self.items.extend(message.found.rowids)
            self.table.grew()
        self._at_work = "" if message.is_last else "searching …"
        self._show_lines() if not message.is_first else self._show()

    def on_browse_screen_reading(self, message: Reading) -> None:
        """How far the index is."""
        if message.search == self._search:
            self._at_work = message.words
            self._show_lines()

    def on_browse_screen_failed(self, message: Failed) -> None:
        """Why there is no result; the list stays as it was."""
        if message.search == self._search:
            self._at_work = ""
            self._say(f"{HARM} {message.reason}", "$differs bold")

    def _take(self, items: Sequence[int]) -> None:
        """Other items; the cursor goes to its item where that is near."""
        self.items = items
        near = items[:NEAR]
        self.table.show(items, cursor=near.index(self._anchor) if self._anchor is not None and self._anchor in near else 0)

    def _read(self, rowids: Sequence[int]) -> list[tuple[Cell, ...]]:
        veiled, width = self.bench.settings.veil, self.table.size.width
        rows = browsed(self.bench.store, self.bench.annotator.id, rowids)
        return [item_rows.cells(each, width, veiled) for each in rows]

    # Exporting

    @work(thread=True, group="export", exit_on_error=False)
    def _export(self, chosen: Sequence[int], *, with_text: bool) -> None:
        from adjudicate.workflow.export_browsed import export_browsed

        folder = WorkspacePaths(self.bench.database.parent.parent).exports
        at = self.bench.clock.now()
        try:
            path = with_own_store(
                self.bench.database, lambda store: export_browsed(store, chosen, folder, at=at, with_text=with_text)
            )
        except AdjudicateError as problem:
            self.post_message(self.Written(f"not exported: {problem}", is_good=False))
        else:
            what = "with their texts" if with_text else "ids only, E adds the texts"
            words = f"{len(chosen):,} items, {what}: {visible_line(f'{folder.name}/{path.name}')}"
            self.post_message(self.Written(words, is_good=True))

    def on_browse_screen_written(self, message: Written) -> None:
        """Where it is, or why it is not."""
        self._say(f"{DONE if message.is_good else HARM} {message.words}", "$done" if message.is_good else "$harm bold")

    # Showing

    def _say(self, words: str, style: str) -> None:
        self._message = (words, style)
        self._show_lines()

    def _moved(self) -> None:
        self._message = None
        self._anchor = self.table.current
        self._show()

    def _show(self) -> None:
        self.table.marked = self.selected
        self._show_preview()
        self._show_lines()

    def _show_preview(self) -> None:
        if not self._has_preview:
            return
        current = self.table.current
        pane = self.pane("preview")
        if current is None:
            pane.show([Paragraph("no item", "dim")], title="Preview")
            return
        item = self.bench.store.item(self.current_id())
        heading = [] if len(item.prompt.messages) > 1 else [Paragraph("prompt", "heading")]
        turns = [
            paragraph._replace(text=paragraph.text[:PREVIEW]) for paragraph in item_text.turns(item.prompt, folded=True)[-4:]
        ]
        veiled = is_veiled(self.bench.settings.veil, item.prompt)
        response = (
            [Paragraph("response behind the veil: enter opens the item", "dim")]
            if veiled
            else [paragraph._replace(text=paragraph.text[:PREVIEW]) for paragraph in item_text.response(item)]
        )
        pane.show([*heading, *turns, Paragraph("response", "heading"), *response], title=item_text.prompt_title(item.prompt))

    def current_id(self) -> str:
        """Id of the current item. There is one."""
        current = self.table.current
        assert current is not None
        return item_id_of(self.bench.store, current)

    def _show_lines(self) -> None:
        here = f" · {shortened(self.bench.workspace, 30)}"
        self.query_one("#status", SidedLine).show(
            styled(("Items", "bold"), here), styled((self._at_work, "$differs"), " " if self._at_work else "", self._policy)
        )
        more = " so far" if self._at_work.startswith("searching") else ""
        title = f"{len(self.items):,} {'items' if self._filter.is_empty else 'found'}{more} · {ORDERS[self._ordering].words}"
        chosen = f" · {len(self.selected):,} selected" if self.selected else ""
        self.table.border_title = Content(f"{title}{chosen}")
        unread = (self._unread, "$differs bold") if self._unread else None
        self.query_one("#last", SidedLine).show(styled(unread or self._message or (self._left_out(), "$quiet")), Content(""))

    @property
    def _policy(self) -> str:
        return f"policy v{shortened(self.bench.policy.version, 10)}"

    def _left_out(self) -> str:
        words = []
        if self._told.left_out:
            words.append(f"{QUIET} {self._told.left_out:,} items that you have yet to label blind are left out")
        if self._told.unread:
            words.append(f"{HARM} the words of {self._told.unread:,} items were not read: they were not searched")
        if not len(self.items) and not self._at_work:
            words.append("nothing fits the filter: / changes it" if not self._filter.is_empty else "nothing is imported yet")
        return " · ".join(words)
