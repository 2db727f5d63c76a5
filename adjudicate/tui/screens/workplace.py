"""What the main screens share: panes and the keys that scroll them, help, policy, and the notice that it is too small."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, cast

from textual import events
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static
from textual.worker import Worker, WorkerState

from adjudicate.core.policy import Clause
from adjudicate.tui.bench import Bench
from adjudicate.tui.keys import Place, with_keys
from adjudicate.tui.widgets.framed_pane import FramedPane
from adjudicate.tui.widgets.line_view import LineView

if TYPE_CHECKING:
    from adjudicate.tui.terminal_app import TerminalApp

LEAST_COLUMNS, LEAST_ROWS = 60, 16
WIDE_FROM = 100
"""Columns from which on all panes are shown."""
TOO_SMALL = (
    f"This window is too small: {LEAST_COLUMNS} columns and {LEAST_ROWS} rows are the least. No key labels anything. q goes back."
)
QUITTING = frozenset({"q", "ctrl+q", "ctrl+c"})


class PaneScreen(Screen[None]):
    """A screen of panes. At least `WIDE_FROM` columns show all of them, fewer one at a time."""

    PLACE: ClassVar[Place]
    NAME: ClassVar[str] = ""
    """The app's name for the screen, where two have the keys of one place."""
    PANES: ClassVar[tuple[str, ...]]
    """Ids of the panes in the order of Tab; the first is active at the start."""
    PANE_TITLES: ClassVar[tuple[str, ...]]
    """What Tab leads to, in the same order."""
    HORIZONTAL_BREAKPOINTS = [(0, "-thin"), (LEAST_COLUMNS, "-narrow"), (WIDE_FROM, "-wide")]  # noqa: RUF012 - Textual's declaration
    VERTICAL_BREAKPOINTS = [(0, "-low"), (LEAST_ROWS, "-short"), (22, "-medium"), (30, "-tall")]  # noqa: RUF012
    AUTO_FOCUS = ""
    DEFAULT_CSS = """
    PaneScreen {
        layout: vertical;
        .columns { height: 1fr; }
        #too-small { display: none; width: 100%; height: 100%; content-align: center middle; text-align: center; padding: 0 2; }
        &.-thin > *, &.-low > * { display: none; }
        &.-thin #too-small, &.-low #too-small { display: block; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self.active = 0
        """Index of the active pane."""
        # Before anything is mounted: each later change of a screen's class makes Textual style every widget again.
        self.add_class(f"-at-{self.PANES[0]}")

    @property
    def terminal(self) -> TerminalApp:
        """The app, as far as it has to do with the terminal and its keys."""
        return cast("TerminalApp", self.app)

    def keyed(self, words: str) -> str:
        """The words with every command that is named in braces as its key."""
        return with_keys(words, self.app._keymap)  # noqa: SLF001 - Textual keeps it there and nowhere else

    @property
    def is_narrow(self) -> bool:
        """Whether one pane is shown at a time: by the size itself, which is known before the screen has its class."""
        return self.app.size.width < WIDE_FROM

    @property
    def too_small(self) -> bool:
        """Whether nothing but the notice is shown."""
        return self.has_class("-thin") or self.has_class("-low")

    @staticmethod
    def too_small_notice() -> Static:
        """The notice, to be composed last."""
        return Static(Content(TOO_SMALL), id="too-small", markup=False)

    def on_mount(self) -> None:
        """Mark the first pane as active."""
        self.active_pane.add_class("-active")
        self._show_tabs()

    def on_key(self, event: events.Key) -> None:
        """In a window that is too small only the keys that leave do anything."""
        if self.too_small and event.key not in QUITTING:
            event.stop()
            event.prevent_default()

    def on_paste(self, event: events.Paste) -> None:
        """Pasted text is never read as keys."""
        event.stop()

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A computation that broke must not leave the screen waiting; a screen that computes says what it lacks."""
        if event.state is WorkerState.ERROR:
            self.worker_failed(event.worker.group, type(event.worker.error).__name__)

    def worker_failed(self, group: str, name: str) -> None:
        """Say so.

        Args:
            group: Of the worker.
            name: Kind of the error; never its message, which may hold foreign text.
        """

    def come_back(self) -> None:
        """Another screen that lay on top of this one is gone: show what changed meanwhile."""

    # Panes

    def pane(self, name: str) -> LineView:
        """A pane by its id."""
        return self.query_one(f"#{name}", LineView)

    @property
    def active_pane(self) -> LineView:
        """The pane that scrolls."""
        return self.pane(self.PANES[self.active])

    def activate(self, index: int) -> None:
        """Make a pane the active one; in a narrow window it takes the place of the other."""
        self.active = index % len(self.PANES)
        for place, name in enumerate(self.PANES):
            self.set_class(place == self.active, f"-at-{name}")
            self.pane(name).set_class(place == self.active, "-active")
        self._show_tabs()

    def on_resize(self) -> None:
        """In a narrow window the lower border says what Tab leads to; one that is too small says by how much."""
        self._show_tabs()
        if self.size.width < LEAST_COLUMNS or self.size.height < LEAST_ROWS:
            size = f"It has {self.size.width} columns and {self.size.height} rows."
            self.query_one("#too-small", Static).update(Content(f"{TOO_SMALL} {size}"))

    def _show_tabs(self) -> None:
        for place, name in enumerate(self.PANES):
            words = [f"[{title}]" if place == at else title for at, title in enumerate(self.PANE_TITLES)]
            self.pane(name).tabs = f"tab: {' '.join(words)}" if self.is_narrow and place == self.active else ""

    def action_pane(self, step: int) -> None:
        """To the next or previous pane."""
        self.activate(self.active + step)

    def action_to_pane(self, index: int) -> None:
        """To a pane by number."""
        if index < len(self.PANES):
            self.activate(index)

    def action_page(self, direction: int) -> None:
        """Scroll a page."""
        self.active_pane.scroll_page(direction)

    def action_line(self, step: int) -> None:
        """Scroll a line."""
        self.active_pane.scroll_rows(step)

    def action_end(self, direction: int) -> None:
        """Scroll to an end."""
        self.active_pane.scroll_to_end(direction)

    async def on_framed_pane_clicked(self, message: FramedPane.Clicked) -> None:
        """A clicked pane is the active one; a row of it may do something, as a key would."""
        if message.pane.id in self.PANES:
            self.activate(self.PANES.index(message.pane.id))
        if message.action and not self.too_small:
            await self.run_action(message.action)

    # Dialogs

    def action_help(self) -> None:
        """All keys of this screen."""
        from adjudicate.tui.screens.help_dialog import HelpDialog

        self.app.push_screen(HelpDialog(self.PLACE))


class Workplace(PaneScreen):
    """A screen of panes in an open workspace."""

    def __init__(self, bench: Bench) -> None:
        super().__init__()
        self.bench = bench

    def renew(self, bench: Bench) -> None:
        """Another policy is in force."""
        self.bench = bench

    def action_policy(self) -> None:
        """Read the policy."""
        self.open_policy(())

    def open_policy(
        self,
        fitting: tuple[Clause, ...],
        *,
        cited: str | None = None,
        searching: bool = False,
        then: Callable[[str | None], None] | None = None,
    ) -> None:
        """Open the policy.

        Args:
            fitting: Clauses that matter for the item on screen, put first.
            cited: The clause that is cited now.
            searching: Start in the search field.
            then: Given the clause that was chosen (the cited one again to take it away); None where citing makes no sense.
        """
        from adjudicate.tui.screens.policy_dialog import PolicyDialog

        dialog = PolicyDialog(self.bench.policy, fitting, cited=cited, can_cite=then is not None, searching=searching)
        self.app.push_screen(dialog, then)
