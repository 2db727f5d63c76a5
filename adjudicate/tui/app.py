"""The app: a table of screens, two themes, and what must hold whatever a screen does.

It opens the workspace, hands it to the screens, filters every line that leaves for the terminal, and ends in order when
it is told to (SIGTERM, SIGHUP) or when it must (a crash file without any content of the workspace).
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar, Literal

from textual.app import App, SystemCommand
from textual.filter import LineFilter
from textual.screen import Screen

from adjudicate.core.text import visible_line
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.tui import theme
from adjudicate.tui.bench import Bench
from adjudicate.tui.safe_filter import SafeFilter
from adjudicate.workflow.acting import Clock

PlaceName = Literal["home", "label", "resolve", "report"]


def _home(bench: Bench) -> Screen[None]:
    from adjudicate.tui.screens.home import HomeScreen

    return HomeScreen(bench)


def _label(bench: Bench) -> Screen[None]:
    from adjudicate.tui.screens.labelling import LabellingScreen

    return LabellingScreen(bench)


def _resolve(bench: Bench) -> Screen[None]:
    from adjudicate.tui.screens.disagreements import DisagreementsScreen

    return DisagreementsScreen(bench)


def _report(bench: Bench) -> Screen[None]:
    from adjudicate.tui.screens.report import ReportScreen

    return ReportScreen(bench)


SCREENS_BY_NAME: Mapping[PlaceName, Callable[[Bench], Screen[None]]] = {
    "home": _home,
    "label": _label,
    "resolve": _resolve,
    "report": _report,
}
TITLES: Mapping[PlaceName, tuple[str, str]] = {
    "home": ("Home", "What is in the workspace and what to do next"),
    "label": ("Label", "The items on your list"),
    "resolve": ("Disagreements", "Settle items that people labelled differently"),
    "report": ("Report", "Rates, judge accuracy, agreement"),
}


class AdjudicateApp(App[None]):
    """The terminal interface of a workspace."""

    TITLE = "adjudicate"
    ENABLE_COMMAND_PALETTE = True
    DEFAULT_CSS = """
    Screen { background: $background; }
    ModalScreen { background: $background 60%; }
    """
    # The magnifier of the palette is two cells wide in some terminals and one in others.
    CSS = "CommandPalette SearchIcon { display: none; }"
    NOTIFICATION_TIMEOUT: ClassVar[float] = 4

    def __init__(
        self,
        database: Path,
        workspace: str,
        annotator: str,
        clock: Clock,
        start: PlaceName = "home",
        *,
        assisted: bool = False,
        keys: Mapping[str, str] | None = None,
    ) -> None:
        """Open the workspace.

        Args:
            database: The workspace's database.
            workspace: Its name, for titles.
            annotator: Who sits here.
            clock: The wall clock and a steady one.
            start: The screen to start with; leaving it ends the app.
            assisted: Show verdicts at once; labels then count as assisted.
            keys: Keys of the person's own, as in `[keys]` of adjudicate.toml.

        Raises:
            UsageError: `keys` names what there is not, or two commands would share a key.
            StoreError: The database cannot be used, or has no policy yet.
        """
        # Read before Textual takes the variable out of the environment.
        wanted_theme = theme.theme_for(os.environ)
        super().__init__(ansi_color=True if wanted_theme == theme.WITHOUT_COLOUR else None)
        self._safe = SafeFilter()
        if keys:
            from adjudicate.tui.keymap import keymap

            self.set_keymap(keymap(keys))
        self.animation_level = "none"
        self.register_theme(theme.DARK)
        self.register_theme(theme.LIGHT)
        self.theme = wanted_theme
        store = SqliteStore.open(database)
        try:
            person, policy = store.annotator(annotator), store.policy()
        except BaseException:
            store.close()
            raise
        self.bench = Bench(database, workspace, store, policy, person, clock, assisted)
        self._start: PlaceName = start

    # Screens

    def get_default_screen(self) -> Screen[None]:
        """The start screen is the first and only one that is built."""
        return SCREENS_BY_NAME[self._start](self.bench)

    def action_go(self, name: PlaceName) -> None:
        """Go to a screen: back to it where it is already open, so that no screen is there twice."""
        from adjudicate.tui.screens.workplace import Workplace

        open_screens = [screen for screen in self.screen_stack if isinstance(screen, Workplace)]
        wanted = next((screen for screen in open_screens if name == screen.PLACE), None)
        if wanted is None:
            self.push_screen(SCREENS_BY_NAME[name](self.bench))
            return
        while self.screen is not wanted:
            self.pop_screen()
        wanted.come_back()

    def action_leave(self) -> None:
        """Back to the screen before; from the first one, out. Everything is saved already."""
        from adjudicate.tui.screens.workplace import Workplace

        if len(self.screen_stack) == 1:
            self.exit()
            return
        self.pop_screen()
        if isinstance(self.screen, Workplace):
            self.screen.come_back()

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """What the command palette offers. No screenshot: it would hold responses."""
        from adjudicate.tui.keys import commands_of
        from adjudicate.tui.screens.workplace import Workplace

        for name, (title, words) in TITLES.items():
            yield SystemCommand(f"Go to {title}", words, partial(self.action_go, name))
        if isinstance(screen, Workplace):
            for command in commands_of(screen.PLACE):
                if command.words and command.help and command.id not in ("palette", "outcome.1"):
                    yield SystemCommand(
                        command.words.capitalize(), command.help, partial(self.run_action, command.action, screen)
                    )
        yield SystemCommand("Dark or light", "Change between dark and light colours", self.action_other_theme)
        yield SystemCommand("Quit", "Everything is saved already", self.exit)

    def action_other_theme(self) -> None:
        """Dark to light and back."""
        self.theme = theme.LIGHT.name if self.current_theme.dark else theme.DARK.name

    # What must always hold

    def get_line_filters(self) -> Sequence[LineFilter]:
        """The last filter lets no acting character through."""
        return [*super().get_line_filters(), self._safe]

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Our colours under a theme that does not define them."""
        return dict(theme.DEFAULTS)

    def copy_to_clipboard(self, text: str) -> None:
        """Keep it in the app: a terminal's clipboard (OSC 52) is not ours to write responses to."""
        self._clipboard = text

    def on_load(self) -> None:
        """Before the terminal is taken over."""
        # A size in the environment is that of some earlier moment; Textual would believe it over the terminal, also after
        # a resize, and keys would label what is not on screen.
        for name in ("COLUMNS", "LINES"):
            os.environ.pop(name, None)
        # Nothing built until the first paint is garbage; looking for some costs a tenth of the start.
        gc.disable()

    def _after_first_paint(self) -> None:
        """Collect once, then leave what lives as long as the app out of every later collection: pauses stay short."""
        gc.collect()
        gc.freeze()
        gc.enable()

    def on_mount(self) -> None:
        """End in order when told to from outside: Textual alone would leave the terminal as it is."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP):
            # Signals reach the main thread only; an app that runs elsewhere is ended by whoever runs it.
            with contextlib.suppress(ValueError, RuntimeError, NotImplementedError):
                loop.add_signal_handler(number, self.exit)
        self.call_after_refresh(self._after_first_paint)

    def on_unmount(self) -> None:
        """Let go of the database; nothing waits to be saved."""
        gc.unfreeze()
        gc.enable()
        self.bench.store.close()

    def _fatal_error(self) -> None:
        """Textual would print local variables here, responses among them. Say where to look instead."""
        from rich.text import Text

        from adjudicate.tui.crash import write_crash_file

        error = sys.exc_info()[1] or self._exception
        path = write_crash_file(self.bench.database.parent, error, self.bench.clock.now()) if error is not None else None
        where = f"Where it happened is in {visible_line(str(path))} (no content of the workspace)." if path else ""
        name = type(error).__qualname__ if error is not None else "an error"
        self._exit_renderables.append(
            Text(f"adjudicate stopped: {name}. Every label that the screen called saved is saved. {where}\n")
        )
        self._close_messages_no_wait()
