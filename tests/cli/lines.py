"""Labelling in plain lines, as a program on a real terminal that a person types into."""

from __future__ import annotations

import os
import re
import sys
import time
from pathlib import Path

import pexpect

READ = 0.3
"""A person's pause: what comes faster is no answer."""
ASKED = "Outcome or command:"


class Lines:
    """The program on a terminal, line by line."""

    def __init__(self, folder: Path, *arguments: str, columns: int = 80) -> None:
        environment = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "LINES")}
        command = ["-m", "adjudicate", "-w", str(folder), "label", "--linear", *arguments]
        self.child = pexpect.spawn(
            sys.executable, command, dimensions=(24, columns), timeout=20, env=environment | {"LANG": "C.UTF-8"}, encoding="utf-8"
        )
        self.said = ""
        self.wait()

    def wait(self, *more: str) -> str:
        """What is said up to the next question."""
        self.child.expect([re.escape(words) for words in (ASKED, *more)])
        self.said += self.child.before + self.child.after
        return str(self.child.before).replace("\r\n", "\n")

    def type(self, line: str, *more: str) -> str:
        """Type a line after a reader's pause; what is said then."""
        time.sleep(READ)
        self.child.sendline(line)
        return self.wait(*more)

    def leave(self) -> str:
        """Type q; what is said at the end."""
        time.sleep(READ)
        self.child.sendline("q")
        self.child.expect(pexpect.EOF)
        self.said += self.child.before
        self.child.close()
        assert self.child.exitstatus == 0
        return str(self.child.before).replace("\r\n", "\n")
