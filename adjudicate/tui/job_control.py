"""Coming back from the shell. Textual starts its terminal mode anew at every SIGCONT, which is right after Ctrl-Z only.

A process that was stopped from outside (``kill -STOP``), or that is told that its terminal is gone (SIGHUP comes with a
SIGCONT), is in that mode already: started twice, Textual would leave the terminal unusable, or never end.
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable
from types import FrameType

from textual.driver import Driver


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
