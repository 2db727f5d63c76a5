"""The app: which workspace is open and which screens lie over each other; what always holds is the terminal app's business."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

from textual.app import SystemCommand
from textual.screen import Screen

from adjudicate.core.text import visible, visible_line
from adjudicate.errors import AdjudicateError
from adjudicate.settings import LabelSettings, Settings, WorkspacePaths, read_settings
from adjudicate.tui import theme, window_title
from adjudicate.tui.bench import Bench, open_bench, with_own_store
from adjudicate.tui.keys import read_actions
from adjudicate.tui.own_theme import remember, remembered
from adjudicate.tui.places import SCREENS_BY_NAME, TITLES, PlaceName
from adjudicate.tui.terminal_app import TerminalApp
from adjudicate.workflow.acting import Clock
from adjudicate.workflow.session_summary import SessionSummary, summary_of

if TYPE_CHECKING:
    from adjudicate.tui.screens.first_time import FirstTimeScreen
    from adjudicate.tui.screens.policy_work import PolicyWork


class Person(NamedTuple):
    """Who sits here, whatever workspace is open."""

    name: str
    clock: Clock
    assisted: bool


class AdjudicateApp(TerminalApp):
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
        super().__init__(ansi_color=True if wanted_theme == theme.WITHOUT_COLOUR else None)
        if keys:
            from adjudicate.tui.keymap import keymap

            self.set_keymap(keymap(keys, database.parent.parent))
        read_actions()
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
        self.tell_terminal(window_title.changed(settings.name, os.environ))
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
        from adjudicate.tui.keys import commands_of, with_keys
        from adjudicate.tui.screens.workplace import PaneScreen

        if self._bench is not None:
            for name, (title, words) in TITLES.items():
                yield SystemCommand(f"Go to {title}", words, partial(self.action_go, name))
        if isinstance(screen, PaneScreen):
            for command in commands_of(screen.PLACE):
                if command.words and command.help and command.id not in ("palette", "outcome.1"):
                    yield SystemCommand(
                        command.words.capitalize(),
                        with_keys(command.help, self._keymap),
                        partial(self.run_action, command.action, screen),
                    )
        for colours, look in theme.THEMES.items():
            yield SystemCommand(f"Theme {colours}", look.words, partial(self.action_theme, colours))
        yield SystemCommand("Theme of the workspace", "Forget your own choice of colours", partial(self.action_theme, None))
        yield SystemCommand("Quit", "Everything is saved already", self.exit)

    def action_command_palette(self) -> None:
        """All commands by name; none in a window that shows no item."""
        from adjudicate.tui.screens.workplace import PaneScreen

        if not (isinstance(self.screen, PaneScreen) and self.screen.too_small):
            super().action_command_palette()

    # Colours

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Our colours under a theme that does not define them."""
        return dict(theme.DEFAULTS)

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

    # Beginning and end

    def on_mount(self) -> None:
        """The window is named after the workspace, and after nothing else."""
        self.tell_terminal(window_title.opening(self._workspace, os.environ))

    def on_unmount(self) -> None:
        """Let go of the database; nothing waits to be saved."""
        self.tell_terminal(window_title.closing(os.environ))
        if self._bench is not None:
            self._stand_up(self._bench)

    def crash_file(self, error: BaseException) -> Path | None:
        """Beside the database, where one is open."""
        from adjudicate.tui.crash import write_crash_file

        return None if self._bench is None else write_crash_file(self._bench.database.parent, error, self._bench.clock.now())
