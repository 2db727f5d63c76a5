"""A real terminal: one tmux server per test, keys typed into it and its screen read back."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path
from types import TracebackType
from typing import Self


class Terminal:
    """A tmux pane that runs one command at a time."""

    def __init__(self, width: int = 120, height: int = 36) -> None:
        self.socket = f"adjudicate-{uuid.uuid4().hex[:8]}"
        self.size = (width, height)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None) -> None:
        self._tmux("kill-server", check=False)

    def start(self, workspace: Path, *arguments: str) -> None:
        """Run adjudicate in a fresh pane."""
        self._tmux("kill-server", check=False)
        # A server of its own each time: a dying one would still answer, with a window of its own size.
        self.socket = f"adjudicate-{uuid.uuid4().hex[:8]}"
        command = " ".join([sys.executable, "-m", "adjudicate", "-w", str(workspace), *arguments])
        width, height = self.size
        shell = f"env -u NO_COLOR LANG=C.UTF-8 COLORTERM=truecolor {command}; echo EXIT=$?; sleep 600"
        self._tmux("-f", "/dev/null", "new-session", "-d", "-s", "t", "-x", str(width), "-y", str(height), shell)

    def start_in_shell(self, workspace: Path, *arguments: str) -> None:
        """Run adjudicate as a job of an interactive shell, as a person does."""
        self._tmux("kill-server", check=False)
        self.socket = f"adjudicate-{uuid.uuid4().hex[:8]}"
        width, height = self.size
        shell = "env -u NO_COLOR LANG=C.UTF-8 COLORTERM=truecolor PS1='$ ' bash --norc --noprofile -i"
        self._tmux("-f", "/dev/null", "new-session", "-d", "-s", "t", "-x", str(width), "-y", str(height), shell)
        self.wait_for("$")
        command = " ".join([sys.executable, "-m", "adjudicate", "-w", str(workspace), *arguments])
        self.type(f"{command}; echo EXIT=$?\n")

    def press(self, *keys: str) -> None:
        """Press named keys, after a reader's pause: what comes faster is taken for a bounce or a paste."""
        time.sleep(0.2)
        self.send(*keys)

    def send(self, *keys: str) -> None:
        """Press named keys at once."""
        self._tmux("send-keys", "-t", "t", *keys)

    def type(self, text: str) -> None:
        """Type text as it is."""
        self._tmux("send-keys", "-t", "t", "-l", text)

    def screen(self) -> str:
        """What is on the screen."""
        return self._tmux("capture-pane", "-p", "-t", "t")

    def wait_for(self, *texts: str, seconds: float = 20) -> str:
        """Poll until one of the texts is on screen; which one."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            shown = self.screen()
            for text in texts:
                if text in shown:
                    return text
            time.sleep(0.03)
        raise AssertionError(f"none of {texts} appeared:\n{self.screen()}")

    def wait_until_gone(self, text: str, seconds: float = 30) -> None:
        """Wait until the screen shows a text no longer, such as what the shell wrote before a program painted over it."""
        end = time.monotonic() + seconds
        while text in self.screen():
            assert time.monotonic() < end, f"{text!r} is still there:\n{self.screen()}"
            time.sleep(0.05)

    def kill(self) -> None:
        """SIGKILL the program, as a crash would end it."""
        shell = int(self._tmux("display-message", "-p", "-t", "t", "#{pane_pid}"))
        children = subprocess.run(["pgrep", "-P", str(shell)], capture_output=True, text=True, check=True).stdout.split()
        for child in children:
            os.kill(int(child), signal.SIGKILL)
        self.wait_for("EXIT=137")

    def child(self) -> int:
        """Process id of what the shell runs."""
        shell = self._tmux("display-message", "-p", "-t", "t", "#{pane_pid}").strip()
        return int(subprocess.run(["pgrep", "-P", shell], capture_output=True, text=True, check=True).stdout.split()[0])

    def title(self) -> str:
        """The pane's title and whether the alternate screen is on."""
        return self._tmux("display-message", "-p", "-t", "t", "#{pane_title} #{alternate_on}").strip()

    def resize(self, width: int, height: int) -> None:
        """Give the window another size."""
        self._tmux("resize-window", "-t", "t", "-x", str(width), "-y", str(height))

    def _tmux(self, *arguments: str, check: bool = True) -> str:
        done = subprocess.run(["tmux", "-L", self.socket, *arguments], capture_output=True, text=True, check=False)
        if check and done.returncode:
            raise AssertionError(f"tmux {arguments}: {done.stderr}")
        return done.stdout
