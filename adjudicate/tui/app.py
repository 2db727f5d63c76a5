"""The app: a table of screens, its themes, and what must hold whatever a screen does.

It opens the workspace, hands it to the screens, filters every line that leaves for the terminal, and ends in order when
it is told to (SIGTERM, SIGHUP) or when it must (a crash file without any content of the workspace).
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import gc
import os
import signal
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

from textual import events
from textual.actions import ActionParseResult
from textual.app import App, SystemCommand
from textual.dom import DOMNode
from textual.driver import Driver
from textual.filter import LineFilter
from textual.screen import Screen

from adjudicate.core.text import visible, visible_line
from adjudicate.errors import AdjudicateError
from adjudicate.settings import LabelSettings, Settings, WorkspacePaths, read_settings
from adjudicate.tui import theme, window_title
from adjudicate.tui.bench import Bench, open_bench, with_own_store
from adjudicate.tui.job_control import mind_continuation
from adjudicate.tui.own_theme import remember, remembered
from adjudicate.tui.safe_filter import SafeFilter
from adjudicate.tui.steady_cells import SteadyCells
from adjudicate.tui.typed_ahead import TypedAhead
from adjudicate.workflow.acting import Clock
from adjudicate.workflow.session_summary import SessionSummary, summary_of

if TYPE_CHECKING:
    from adjudicate.tui.screens.first_time import FirstTimeScreen
    from adjudicate.tui.screens.policy_work import PolicyWork

PlaceName = Literal["home", "label", "resolve", "report", "browse", "policies", "triage"]
GO_ON_SECONDS = 0.1
CLIPBOARD_BYTES = 50_000
"""What terminals take in one OSC 52, with room for its encoding."""


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


def _browse(bench: Bench) -> Screen[None]:
    from adjudicate.tui.screens.browse import BrowseScreen

    return BrowseScreen(bench)


def _policies(bench: Bench) -> Screen[None]:
    from adjudicate.tui.screens.policy import PolicyScreen

    return PolicyScreen(bench)


def _triage(bench: Bench) -> Screen[None]:
    from adjudicate.tui.screens.triage import TriageScreen

    return TriageScreen(bench)


SCREENS_BY_NAME: Mapping[PlaceName, Callable[[Bench], Screen[None]]] = {
    "home": _home,
    "label": _label,
    "resolve": _resolve,
    "report": _report,
    "policies": _policies,
    "browse": _browse,
    "triage": _triage,
}
TITLES: Mapping[PlaceName, tuple[str, str]] = {
    "home": ("Home", "What is in the workspace and what to do next"),
    "label": ("Label", "The items on your list"),
    "resolve": ("Disagreements", "Settle items that people labelled differently"),
    "report": ("Report", "Rates, judge accuracy, agreement"),
    "policies": ("Policy", "Read it, compare its versions, adopt another"),
    "browse": ("Items", "Everything imported: filter, search, open"),
    "triage": ("Triage", "Items that somebody picked: labelled, and in no rate"),
}


class Person(NamedTuple):
    """Who sits here, whatever workspace is open."""

    name: str
    clock: Clock
    assisted: bool


class AdjudicateApp(App[None]):
    """The terminal interface of a workspace, or of several one after the other."""

    TITLE = "adjudicate"
    ENABLE_COMMAND_PALETTE = True
    DEFAULT_CSS = """
    Screen { background: $background; }
    ModalScreen { background: $background 60%; }
    """
    # The magnifier of the palette is two cells wide in some terminals and one in others.
    CSS = "CommandPalette SearchIcon { display: none; }"
    NOTIFICATION_TIMEOUT: ClassVar[float] = 4
    DEFAULT_MODE = "0"

    def __init__(
        self,
        database: Path,
        workspace: str,
        annotator: str,
        clock: Clock,
        start: PlaceName | Literal["first"] = "home",
        *,
        assisted: bool = False,
        keys: Mapping[str, str] | None = None,
        colours: str | None = None,
        label: LabelSettings | None = None,
        state: Path | None = None,
    ) -> None:
        """Open the workspace.

        Args:
            database: The workspace's database.
            workspace: Its name, for titles.
            annotator: Who sits here.
            clock: The wall clock and a steady one.
            start: The screen to start with; leaving it ends the app. With "first" there is no workspace yet, and one is made.
            assisted: Show verdicts at once; labels then count as assisted.
            keys: Keys of the person's own, as in `[keys]` of adjudicate.toml.
            colours: The workspace's theme, as in `theme` of adjudicate.toml; a person's own choice goes before.
            label: What `[label]` in adjudicate.toml says.
            state: The folder in which this person's last workspaces are remembered; None for nowhere.

        Raises:
            UsageError: `keys` or `colours` names what there is not, or two commands would share a key.
            StoreError: The database cannot be used, or has no policy yet.
        """
        # Read before Textual takes the variable out of the environment.
        wanted_theme = theme.theme_for(os.environ, colours)
        self._colours = colours
        self._steady = SteadyCells()
        super().__init__(ansi_color=True if wanted_theme == theme.WITHOUT_COLOUR else None)
        self._safe = SafeFilter()
        self._typed = TypedAhead(self, self._hand_on)
        if keys:
            from adjudicate.tui.keymap import keymap

            self.set_keymap(keymap(keys, database.parent.parent))
        self.animation_level = "none"
        for look in theme.THEMES.values():
            self.register_theme(look.theme)
        self.theme = wanted_theme
        self._root = database.parent.parent
        self._person = Person(annotator, clock, assisted)
        self._state = state
        self._workspace = workspace
        self._bench: Bench | None = None
        if start != "first":
            settings = label or LabelSettings()
            self._sit_down(open_bench(database, workspace, annotator, clock, assisted=assisted, settings=settings))
        self._terminal_gone = False
        self.summaries: list[SessionSummary] = []
        """What was done in each workspace that was open, once it is closed."""
        self._start: PlaceName | Literal["first"] = start
        self.add_mode(self.DEFAULT_MODE, self.get_default_screen)

    @property
    def bench(self) -> Bench:
        """The workspace that is open."""
        assert self._bench is not None, "no workspace is open"
        return self._bench

    def _sit_down(self, bench: Bench) -> None:
        """Work on this workspace from now on, in the colours that the person chose for it."""
        self._bench = bench
        if self.theme != theme.WITHOUT_COLOUR and (own := remembered(bench.database, bench.annotator.id)):
            self.theme = theme.THEMES[own].theme.name

    # Screens

    def get_default_screen(self) -> Screen[None]:
        """The start screen is the first and only one that is built."""
        if self._start == "first":
            from adjudicate.tui.first.workspace import NewWorkspace
            from adjudicate.tui.screens.first_time import FirstTimeScreen

            target = NewWorkspace(self._root, self._person.clock.now)
            return FirstTimeScreen(target, self._root, self._workspace, self._person.name, self._person.clock)
        return SCREENS_BY_NAME[self._start](self.bench)

    # Other workspaces

    def action_open_another(self) -> None:
        """Ask for another workspace and open it; this one stays open where that cannot be done."""
        from adjudicate.tui.recent import workspaces
        from adjudicate.tui.screens.open_dialog import OpenDialog

        def chosen(root: Path | None) -> None:
            if root is not None:
                self.call_later(self.open_workspace, root)

        self.push_screen(OpenDialog(workspaces(self._state, self._root), Path.cwd()), chosen)

    async def open_workspace(self, root: Path, *, then: PlaceName | None = None) -> None:
        """Close this workspace and open another one at Home.

        Args:
            root: Its folder.
            then: The screen to go on to from there.
        """
        from adjudicate.tui.keymap import keymap
        from adjudicate.tui.recent import remember as remember_workspace

        paths = WorkspacePaths(root)
        try:
            settings = read_settings(paths)
            keys = keymap(settings.keys, root)
            looks = theme.theme_for(os.environ, settings.theme)
            bench = await asyncio.to_thread(self._checked, paths, settings)
        except AdjudicateError as problem:
            self.notify(visible(f"not opened: {problem}"), markup=False, severity="error", timeout=12)
            return
        before, old_mode = self._bench, self.current_mode
        self._root, self._workspace, self._colours = root, settings.name, settings.theme
        self.set_keymap(keys)
        if self.theme != theme.WITHOUT_COLOUR:
            self.theme = looks
        self._sit_down(bench())
        # Each workspace has a stack of screens of its own: the old ones go as a whole.
        mode = str(int(old_mode) + 1)
        self.add_mode(mode, partial(SCREENS_BY_NAME["home"], self.bench))
        await self.switch_mode(mode)
        await self.remove_mode(old_mode)
        if before is not None:
            self._stand_up(before)
        self._send(window_title.changed(settings.name, os.environ))
        remember_workspace(self._state, root)
        if then is not None:
            await self.push_screen(SCREENS_BY_NAME[then](self.bench))

    def _checked(self, paths: WorkspacePaths, settings: Settings) -> Callable[[], Bench]:
        """Find out in a thread whether a workspace can be opened: a lock or a migration must not stop the keys."""
        name, clock, assisted = self._person
        with_own_store(paths.database, lambda store: store.policy())
        return partial(open_bench, paths.database, settings.name, name, clock, assisted=assisted, settings=settings.label)

    def _stand_up(self, bench: Bench) -> None:
        """Close a workspace, with the count of what was done in it."""
        # A summary is a courtesy: a database that is gone or locked by now must not turn leaving into a failure.
        with contextlib.suppress(AdjudicateError):
            self.summaries.append(summary_of(bench.store, bench.annotator, bench.sitting))
        bench.store.close()

    async def on_first_time_screen_begun(self, message: FirstTimeScreen.Begun) -> None:
        """The sample is drawn: to its first item."""
        if self._bench is None:
            await self.open_workspace(message.paths.root, then="label")
            return
        self._bench.store.look_again()
        self.action_leave()
        self.action_go("label")

    def action_go(self, name: PlaceName) -> None:
        """Go to a screen: back to it where it is already open, so that no screen is there twice."""
        from adjudicate.tui.screens.workplace import Workplace

        open_screens = [screen for screen in self.screen_stack if isinstance(screen, Workplace)]
        wanted = next((screen for screen in open_screens if name == (screen.NAME or screen.PLACE)), None)
        if wanted is None:
            self.push_screen(SCREENS_BY_NAME[name](self.bench))
            return
        while self.screen is not wanted:
            self.pop_screen()
        wanted.come_back()

    def on_policy_work_policy_adopted(self, message: PolicyWork.PolicyAdopted) -> None:
        """Another policy is in force: every open screen works under it from now on."""
        from adjudicate.tui.screens.workplace import Workplace

        self.bench.store.look_again()
        self._bench = replace(self.bench, policy=message.policy)
        for screen in self.screen_stack:
            if isinstance(screen, Workplace):
                screen.renew(self.bench)

    def action_leave(self) -> None:
        """Back to the screen before; from the first one, out. Everything is saved already."""
        from adjudicate.tui.screens.workplace import PaneScreen

        if len(self.screen_stack) == 1:
            self.exit()
            return
        self.pop_screen()
        if isinstance(self.screen, PaneScreen):
            self.screen.come_back()

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """What the command palette offers. No screenshot: it would hold responses."""
        from adjudicate.tui.keys import commands_of
        from adjudicate.tui.screens.workplace import PaneScreen

        if self._bench is not None:
            for name, (title, words) in TITLES.items():
                yield SystemCommand(f"Go to {title}", words, partial(self.action_go, name))
        if isinstance(screen, PaneScreen):
            for command in commands_of(screen.PLACE):
                if command.words and command.help and command.id not in ("palette", "outcome.1"):
                    yield SystemCommand(
                        command.words.capitalize(), command.help, partial(self.run_action, command.action, screen)
                    )
        for colours, look in theme.THEMES.items():
            yield SystemCommand(f"Theme {colours}", look.words, partial(self.action_theme, colours))
        yield SystemCommand("Theme of the workspace", "Forget your own choice of colours", partial(self.action_theme, None))
        yield SystemCommand("Quit", "Everything is saved already", self.exit)

    def action_theme(self, name: str | None) -> None:
        """Change the colours and remember it for this person; None goes back to what the workspace says."""
        if self.theme == theme.WITHOUT_COLOUR:
            self.notify("NO_COLOR is set: there are no colours to choose", markup=False)
            return
        self.theme = theme.theme_for(os.environ, name or self._colours)
        if self._bench is None:
            return
        try:
            remember(self.bench.database, self.bench.annotator.id, name)
        except OSError as error:
            self.notify(f"not remembered: {visible_line(error.strerror or str(error))}", markup=False, severity="warning")

    # What must always hold

    def get_line_filters(self) -> Sequence[LineFilter]:
        """The last filter lets no acting character through."""
        return [*super().get_line_filters(), self._safe, *([] if self.is_headless else [self._steady])]

    def get_driver_class(self) -> type[Driver]:
        """What is painted keeps its columns, whatever width the terminal gives to a sign."""
        return self._steady.driver(super().get_driver_class())

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Our colours under a theme that does not define them."""
        return dict(theme.DEFAULTS)

    def copy_to_clipboard(self, text: str) -> None:
        """Keep it in the app: a terminal's clipboard (OSC 52) is not ours to write responses to."""
        self._clipboard = text

    def copy_out(self, text: str) -> str:
        """Hand a text to the terminal's clipboard (OSC 52) because somebody asked for it; what became of it, in words.

        What is handed over is what the screen shows: pasted into a shell, nothing in it acts.
        """
        shown = visible(text)
        if len(shown.encode("utf-8")) > CLIPBOARD_BYTES:
            return f"not copied: longer than the {CLIPBOARD_BYTES:,} bytes that terminals take"
        super().copy_to_clipboard(shown)
        return f"{len(shown):,} characters handed to the terminal's clipboard"

    def action_command_palette(self) -> None:
        """All commands by name; none in a window that shows no item."""
        from adjudicate.tui.screens.workplace import PaneScreen

        if not (isinstance(self.screen, PaneScreen) and self.screen.too_small):
            super().action_command_palette()

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
        for number, end in ((signal.SIGTERM, self.exit), (signal.SIGHUP, self._hung_up)):
            # Signals reach the main thread only; an app that runs elsewhere is ended by whoever runs it.
            with contextlib.suppress(ValueError, RuntimeError, NotImplementedError):
                loop.add_signal_handler(number, end)
        # A signal comes in whatever context the main thread is in, and Textual finds its app by the context.
        here = contextvars.copy_context()
        mind_continuation(self._driver, lambda: loop.call_soon_threadsafe(self._stopped_from_outside, context=here))
        # After Ctrl-Z and fg the terminal is empty, which Textual does not know.
        self.app_resume_signal.subscribe(self, lambda _app: self.refresh(layout=True))
        self._send(window_title.opening(self._workspace, os.environ))
        self.call_after_refresh(self._after_first_paint)

    def on_unmount(self) -> None:
        """Let go of the database; nothing waits to be saved."""
        gc.unfreeze()
        gc.enable()
        self._send(window_title.closing(os.environ))
        if self._bench is not None:
            self._stand_up(self._bench)

    async def on_event(self, event: events.Event) -> None:
        """What is typed goes where the keys before it led; after leaving, to the shell."""
        if isinstance(event, (events.Key, events.Paste)) and not event.is_forwarded and not self._exit:
            await self._typed.take(event)
        else:
            await self._hand_on(event)

    @property
    def same_key_follows(self) -> bool:
        """Whether the key that is acted on waits behind itself once more."""
        return self._typed.same_key_follows

    async def run_action(
        self,
        action: str | ActionParseResult,
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """No action of a screen that opened while a key was on its way elsewhere and has nothing yet that it could act on."""
        if isinstance(default_namespace, Screen) and not default_namespace.is_mounted:
            return False
        return await super().run_action(action, default_namespace, namespaces)

    async def _hand_on(self, event: events.Event) -> None:
        if not (self._exit and isinstance(event, (events.InputEvent, events.Paste))):
            await super().on_event(event)

    def _hung_up(self) -> None:
        """The terminal is gone: nothing more is written to it, since Textual would wait for it."""
        self._terminal_gone = True
        self.exit()

    def _stopped_from_outside(self) -> None:
        """Somebody stopped the process and lets it go on: the shell has had the terminal, its mode and its screen."""
        # A hang-up comes with the same signal: what it has to say goes first. A timer of Textual's would never ring: it belongs
        # to a task of the app, and a signal comes outside of all of them.
        asyncio.get_running_loop().call_later(GO_ON_SECONDS, self._take_the_terminal_again)

    def _take_the_terminal_again(self) -> None:
        if not self._terminal_gone and not self._exit and self._driver is not None:
            self._driver.suspend_application_mode()
            self._driver.resume_application_mode()
            self.refresh(layout=True)

    def _send(self, codes: str) -> None:
        """Codes of our own to the terminal, past the screen."""
        if codes and not self._terminal_gone and self._driver is not None and not self.is_headless and not self.is_web:
            self._driver.write(codes)
            self._driver.flush()

    def _fatal_error(self) -> None:
        """Textual would print local variables here, responses among them. Say where to look instead."""
        from rich.text import Text

        from adjudicate.tui.crash import write_crash_file

        error = sys.exc_info()[1] or self._exception
        path = None
        if error is not None and self._bench is not None:
            path = write_crash_file(self._bench.database.parent, error, self._bench.clock.now())
        where = f"Where it happened is in {visible_line(str(path))} (no content of the workspace)." if path else ""
        name = type(error).__qualname__ if error is not None else "an error"
        self._exit_renderables.append(
            Text(f"adjudicate stopped: {name}. Every label that the screen called saved is saved. {where}\n")
        )
        self._close_messages_no_wait()
