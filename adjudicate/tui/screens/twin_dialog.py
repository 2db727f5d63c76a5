"""The pair twin of an item, read-only: the same model's response to the other prompt of the pair. No verdict, no label."""

from __future__ import annotations

from textual import work
from textual.message import Message
from textual.worker import Worker, WorkerState

from adjudicate.core.items import Item
from adjudicate.core.text import shortened
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.storage.twins import interrupt, twin_of
from adjudicate.tui.bench import Bench, with_own_store
from adjudicate.tui.keys import bindings_for
from adjudicate.tui.screens.reading_dialog import ReadingDialog
from adjudicate.tui.widgets import item_text
from adjudicate.tui.widgets.key_bar import KeyBar
from adjudicate.tui.widgets.line_view import Paragraph
from adjudicate.workflow.veil import is_veiled

NONE = "No response of this model to the other prompt of the pair is in the workspace."


class TwinDialog(ReadingDialog[None]):
    """Looks for the twin in a thread and shows it."""

    PLACE = "twin"
    BINDINGS = bindings_for("twin")
    BOX = "twin-text"
    HINT = "read-only · {read.page} page · esc back"
    DEFAULT_CSS = "TwinDialog LineView { width: 96; max-height: 100%; }"

    class Looked(Message):
        """The search has ended."""

        def __init__(self, twin: Item | None) -> None:
            super().__init__()
            self.twin = twin

    def __init__(self, bench: Bench, item: Item, *, raw: bool) -> None:
        """Show the twin of an item.

        Args:
            bench: The open workspace.
            item: The item on screen.
            raw: Show Markdown as it is written, as the screen below does.
        """
        super().__init__()
        self.bench = bench
        self.item = item
        self.raw = raw
        self.twin: Item | None = None
        self._store: SqliteStore | None = None

    def on_mount(self) -> None:
        """Start looking."""
        self.box.raw = self.raw
        self.query_one(KeyBar).grey({"label.unveil"})
        self.box.show([Paragraph("looking for the twin …", "dim")], title="Twin")
        self._look()

    def on_unmount(self) -> None:
        """Nobody waits for it any more."""
        if self._store is not None:
            interrupt(self._store)

    @work(thread=True, exclusive=True, group="twin", exit_on_error=False)
    def _look(self) -> None:
        def look(store: SqliteStore) -> Item | None:
            self._store = store
            try:
                return twin_of(store, self.item)
            finally:
                self._store = None

        self.post_message(self.Looked(with_own_store(self.bench.database, look)))

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A search that broke says so."""
        if event.state is WorkerState.ERROR:
            self.box.show([Paragraph("The twin could not be read: close this and try again.", "harm")], title="Twin")

    def on_twin_dialog_looked(self, message: Looked) -> None:
        """Show what was found."""
        self.twin = message.twin
        if self.twin is None:
            self.box.show([Paragraph(NONE)], title="Twin")
            return
        veiled = is_veiled(self.bench.settings.veil, self.twin.prompt)
        self.query_one(KeyBar).grey(() if veiled else {"label.unveil"})
        self._show(self.twin, veiled=veiled)

    def _show(self, twin: Item, *, veiled: bool) -> None:
        response = item_text.veiled(twin.prompt) if veiled else item_text.response(twin)
        facts = " · ".join(["read-only", *item_text.prompt_facts(twin.prompt), shortened(twin.model, 30)])
        paragraphs = item_text.under_headings(twin.prompt, item_text.turns(twin.prompt), response)
        self.box.show(paragraphs, title="Twin", more=facts)

    def action_unveil(self) -> None:
        """Show a response that is behind the veil."""
        if self.twin is not None:
            self.query_one(KeyBar).grey({"label.unveil"})
            self._show(self.twin, veiled=False)
