"""Keys as a hand types them, to a program in a pty of the measuring tools: ahead of the screen, and for hours."""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

SIZE = (120, 36)
REST_SECONDS = 5.0
GAP_SECONDS = 0.033
"""Between two keys of a fast hand. What comes faster, four keys within 30 ms, the program takes for a paste and refuses."""


def load_tool(tools: Path) -> Any:
    """The measuring program as a module."""
    sys.path.insert(0, str(tools))
    return importlib.import_module("pty_latency")


class Hand:
    """One program, one hand."""

    def __init__(self, tools: Path, ready: str, *command: str | Path, quiet: float = 0.03) -> None:
        self._tool = load_tool(tools)
        self.terminal = self._tool.Terminal([str(part) for part in command], *SIZE, quiet=quiet)
        if self.terminal.wait(self._tool.Expect(f"/{ready}/"), 60) is None:
            raise SystemExit(f"never ready:\n{self.terminal.text()}")
        self.terminal.settle()

    def at_once(self, keys: str, expectation: str) -> float:
        """Seconds from keys that come in one piece to the paint that shows the last."""
        expected = self._armed(expectation)
        began = time.perf_counter()
        self.terminal.send(keys.encode())
        return self._hit(expected) - began

    def ahead(self, keys: Sequence[str], expectation: str) -> float:
        """Seconds from the last of keys typed without looking to the paint that shows that none was lost."""
        expected = self._armed(expectation)
        last = 0.0
        for place, key in enumerate(keys):
            if place:
                until = last + GAP_SECONDS
                while (left := until - time.perf_counter()) > 0:
                    self.terminal.pump(left)
            last = time.perf_counter()
            self.terminal.send(key.encode())
        return self._hit(expected) - last

    def each(self, count: int, key: Callable[[int], str], expectation: str) -> list[float]:
        """Seconds from each key to its paint."""
        return [self.at_once(key(number), expectation) for number in range(count)]

    def megabytes(self) -> tuple[float, float]:
        """Resident memory at rest, and the most of it while statistics were computed in a process beside it.

        They are computed in a pause, some seconds after the last key, and the process ends with that.
        """
        most, quiet_since = 0.0, time.perf_counter()
        while time.perf_counter() - quiet_since < REST_SECONDS:
            self.terminal.pump(0.1)
            memory = self._tool.tree_memory(self.terminal.pid)
            most = max(most, memory["rss_mb"])
            if memory["processes"] > 1:
                quiet_since = time.perf_counter()
        self.terminal.settle()
        return float(memory["rss_mb"]), most

    def close(self) -> None:
        """End the program."""
        self.terminal.close()

    def _armed(self, expectation: str) -> Any:
        self.terminal.settle(0.5)
        expected = self._tool.Expect(expectation)
        expected.arm(self.terminal.text())
        return expected

    def _hit(self, expected: Any) -> float:
        hit = self.terminal.wait(expected, 20)
        if hit is None:
            raise SystemExit(f"{expected.spec} did not come:\n{self.terminal.text()}")
        return float(hit)
