"""The program in a pty of our own: every byte that leaves it is kept, and painted as a plain terminal would."""

from __future__ import annotations

import os
import re
import select
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Self

import pexpect

from tests.end_to_end.grid import Grid

FRAMES_ARE_WHOLE = b"\x1b[?2026$p"
"""Textual asks whether the terminal shows frames whole; ours does, so that no half frame is ever looked at."""
YES = b"\x1b[?2026;2$y"
FRAME_BEGINS, FRAME_ENDS = "\x1b[?2026h", "\x1b[?2026l"


class PtyScreen:
    """One run of the program."""

    def __init__(self, workspace: Path, *arguments: str, size: tuple[int, int] = (120, 36), quiet: float = 0.02) -> None:
        self.columns, self.rows = size
        self.quiet = quiet
        """Seconds of silence after which a frame counts as painted."""
        self._sent: list[str] = []
        environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
        environment |= {"TERM": "xterm-256color", "LANG": "C.UTF-8", "COLORTERM": "truecolor"}
        command = ["-m", "adjudicate", "-w", str(workspace), *arguments]
        self._child = pexpect.spawn(sys.executable, command, dimensions=(self.rows, self.columns), env=environment)
        self._child.delaybeforesend = None
        self._grid = Grid(self.columns, self.rows)
        self._bytes = b""
        self._unshown = ""
        """What is not painted yet."""
        self._is_in_a_frame = False
        self.ended = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None) -> None:
        self._child.close(force=True)

    def press(self, keys: str) -> None:
        """Type, and read until the screen rests."""
        self._child.send(keys)
        self.rest(0.15)

    def wait_for(self, words: str, seconds: float = 20) -> None:
        """Read until words are on screen."""
        until = time.monotonic() + seconds
        while not re.search(words, self.text):
            assert time.monotonic() < until and not self.ended, f"{words!r} did not appear:\n{self.text}"
            self._read(0.05)

    def rest(self, longest: float) -> None:
        """Read until it has been silent for a while; give up waiting for a first byte after `longest` seconds."""
        if not self._read(longest):
            return
        until = time.monotonic() + 10
        while time.monotonic() < until and (self._read(self.quiet) or self._is_in_a_frame):
            pass

    def end(self, seconds: float = 120) -> int:
        """Read to the end, which waits for a report that is being computed; how the program ended."""
        until = time.monotonic() + seconds
        while not self.ended and time.monotonic() < until:
            self._read(0.1)
        assert self.ended, f"still running:\n{self.text}"
        self._child.wait()
        return int(self._child.exitstatus if self._child.exitstatus is not None else -(self._child.signalstatus or 0))

    @property
    def sent(self) -> str:
        """All that left the program."""
        return "".join(self._sent)

    @property
    def cells(self) -> list[list[str]]:
        """The screen by row and column; the second cell of a wide character is empty."""
        self._paint()
        return self._grid.cells

    @property
    def text(self) -> str:
        """The screen as one text."""
        self._paint()
        return self._grid.text

    def _read(self, wait: float) -> bool:
        if self.ended:
            return False
        if not select.select([self._child.child_fd], [], [], wait)[0]:
            return False
        try:
            read = os.read(self._child.child_fd, 1 << 16)
        except OSError:
            read = b""
        if not read:
            self.ended = True
            return False
        if FRAMES_ARE_WHOLE in read:
            self._child.send(YES)
        self._bytes += read
        # A character cut by the end of a read waits for its rest; any other byte that is no UTF-8 stays to be found.
        whole = len(self._bytes)
        for back in range(1, min(4, whole) + 1):
            if self._bytes[-back] >= 0xC0:
                needed = 2 + (self._bytes[-back] >= 0xE0) + (self._bytes[-back] >= 0xF0)
                whole -= back if back < needed else 0
                break
        text = self._bytes[:whole].decode("utf-8", "surrogateescape")
        self._bytes = self._bytes[whole:]
        self._sent.append(text)
        self._unshown += text
        last = max(text.rfind(FRAME_BEGINS), text.rfind(FRAME_ENDS))
        if last >= 0:
            self._is_in_a_frame = text.startswith(FRAME_BEGINS, last)
        return True

    def _paint(self) -> None:
        self._grid.feed(self._unshown)
        self._unshown = ""
