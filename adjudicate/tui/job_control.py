"""Stopped and let go on. Textual starts its terminal mode anew at every SIGCONT, which is right after Ctrl-Z only.

A process that was stopped from outside (``kill -STOP``), or that is told that its terminal is gone (SIGHUP comes with a
SIGCONT), is in that mode already: started twice, Textual would leave the terminal unusable, or never end. What the shell did
to the terminal meanwhile is put right without leaving the mode, since leaving it throws away the keys that wait to be read.
"""

from __future__ import annotations

import contextlib
import signal
import termios
from collections.abc import Callable
from types import FrameType

from textual.driver import Driver

OWN_SCREEN = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[?1004h\x1b[?2004h"
"""Alternate screen, no cursor, no line wrap, focus and pastes told: what Textual asks for when it starts."""
MOUSE = "\x1b[?1000h\x1b[?1003h\x1b[?1015h\x1b[?1006h"


def mind_continuation(driver: Driver | None, came_back: Callable[[], object]) -> None:
    """Let the driver start anew only where it has left its mode; call `came_back` in the other cases.

    Args:
        driver: Of the running app; one that knows no suspension is left alone.
        came_back: Called from the signal handler.
    """
    if not hasattr(driver, "_must_signal_resume"):
        return
    start_anew = signal.getsignal(signal.SIGCONT)

    def continued(number: int, frame: FrameType | None) -> None:
        # The driver keeps there whether it has left its mode, and nowhere else.
        if not getattr(driver, "_must_signal_resume", True):
            came_back()
        elif callable(start_anew):
            start_anew(number, frame)

    # Signals reach the main thread only; an app that runs elsewhere is ended by whoever runs it.
    with contextlib.suppress(ValueError):
        signal.signal(signal.SIGCONT, continued)


def retaker(driver: Driver | None) -> Callable[[], None]:
    """What puts a terminal back into the mode that it is in now, and loses no key.

    Args:
        driver: Of the running app, which has started its mode.
    """
    fileno = getattr(driver, "fileno", None)
    try:
        mode = termios.tcgetattr(fileno) if fileno is not None else None
    except (termios.error, ValueError):
        mode = None
    if driver is None or fileno is None or mode is None:
        # It is no terminal.
        return lambda: None
    kept = mode

    def take_again() -> None:
        # The terminal may be gone by now; whoever says so ends the app.
        with contextlib.suppress(termios.error):
            termios.tcsetattr(fileno, termios.TCSANOW, kept)
        driver.write(OWN_SCREEN + (MOUSE if driver._mouse else ""))  # noqa: SLF001 - the driver keeps it there and nowhere else
        driver.flush()

    return take_again
