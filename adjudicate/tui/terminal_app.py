"""What must hold whatever a screen does: nothing that acts reaches the terminal, no key is lost, and every end is in order.

It filters each line that leaves for the terminal, hands keys on in their turn, keeps text off the clipboard, and ends when it is
told to (SIGTERM, SIGHUP) or when it must (a crash file without any content of the workspace). Screens and workspaces are the
app's business.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import gc
import os
import signal
import sys
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from textual import events
from textual.actions import ActionParseResult
from textual.app import App
from textual.dom import DOMNode
from textual.driver import Driver
from textual.filter import LineFilter
from textual.screen import Screen

from adjudicate.core.text import visible, visible_line
from adjudicate.tui.job_control import mind_continuation, retaker
from adjudicate.tui.safe_filter import SafeFilter
from adjudicate.tui.steady_cells import SteadyCells
from adjudicate.tui.typed_ahead import TypedAhead

GO_ON_SECONDS = 0.1
CLIPBOARD_BYTES = 50_000
"""What terminals take in one OSC 52, with room for its encoding."""


def _nothing() -> None:
    """Before the terminal is taken over there is nothing to put back."""


class TerminalApp(App[None]):
    """An app that is safe to leave alone with hostile text and with a terminal that goes away."""

    def __init__(self, *, ansi_color: bool | None = None) -> None:
        """Start with a terminal that is there.

        Args:
            ansi_color: As for Textual.
        """
        self._safe = SafeFilter()
        self._steady = SteadyCells()
        super().__init__(ansi_color=ansi_color)
        self._typed = TypedAhead(self, self._hand_on)
        self._terminal_gone = False
        self._retake: Callable[[], None] = _nothing

    def get_line_filters(self) -> Sequence[LineFilter]:
        """The last filter lets no acting character through."""
        return [*super().get_line_filters(), self._safe, *([] if self.is_headless else [self._steady])]

    def get_driver_class(self) -> type[Driver]:
        """What is painted keeps its columns, whatever width the terminal gives to a sign."""
        return self._steady.driver(super().get_driver_class())

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
        self._retake = retaker(self._driver)
        self.call_after_refresh(self._after_first_paint)

    def on_unmount(self) -> None:
        """Collect garbage as before; an app that runs in a longer process is not its whole life."""
        gc.unfreeze()
        gc.enable()

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
        if not self._terminal_gone and not self._exit:
            self._retake()
            self.refresh(layout=True)

    def tell_terminal(self, codes: str) -> None:
        """Codes of our own to the terminal, past the screen."""
        if codes and not self._terminal_gone and self._driver is not None and not self.is_headless and not self.is_web:
            self._driver.write(codes)
            self._driver.flush()

    @abstractmethod
    def crash_file(self, error: BaseException) -> Path | None:
        """Write down where it happened, without any content; None where there is no place for it."""

    def _fatal_error(self) -> None:
        """Textual would print local variables here, responses among them. Say where to look instead."""
        from rich.text import Text

        error = sys.exc_info()[1] or self._exception
        path = self.crash_file(error) if error is not None else None
        where = f"Where it happened is in {visible_line(str(path))} (no content of the workspace)." if path else ""
        name = type(error).__qualname__ if error is not None else "an error"
        self._exit_renderables.append(
            Text(f"adjudicate stopped: {name}. Every label that the screen called saved is saved. {where}\n")
        )
        self._close_messages_no_wait()
