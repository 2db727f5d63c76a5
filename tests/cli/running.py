"""Running commands in tests: within this process, which is quick, or as a program of its own, as a person would.

What only a process has (signals, a terminal, a full disk behind its output, its own memory) is tested with `COMMAND`, and
`test_running.py` holds the two ways against one another.
"""

from __future__ import annotations

import io
import json
import os
import sqlite3
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import chdir, closing, nullcontext, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import pytest

from adjudicate.cli import main

COMMAND = [sys.executable, "-m", "adjudicate"]
"""The program of its own."""

Run = Callable[..., tuple[int, str, str]]
"""Arguments of a command to its exit code, what it printed and what it said."""


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


def in_workspace(capsys: pytest.CaptureFixture[str]) -> Run:
    """Makes a workspace for XSTest in the current folder, and runs commands on it within this process."""

    def command(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(["-w", "audit", *arguments])
        told = capsys.readouterr()
        return int(ended.value.code or 0), told.out, told.err

    with pytest.raises(SystemExit):
        main(["init", "audit", "--policy", "xstest"])
    capsys.readouterr()
    return command


def finished(*arguments: object, key: str | None = None, cwd: Path | None = None) -> Ended:
    """How a command ends within this process: its streams are no terminal, and nothing is there to be read.

    Args:
        arguments: Of the command.
        key: Of the server that it asks.
        cwd: The folder that it is run in.
    """
    out, err = Written(), Written()
    with (
        patch.dict(os.environ, {"ADJUDICATE_API_KEY": key} if key else {}),
        patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO())),
        chdir(cwd) if cwd else nullcontext(),
        redirect_stdout(out),
        redirect_stderr(err),
        pytest.raises(SystemExit) as end,
    ):
        main(list(map(str, arguments)))
    assert "Traceback" not in err.text and "met a bug" not in err.text, err.text
    return Ended(int(end.value.code or 0), out.text, err.text)


class Written(io.TextIOWrapper):
    """A stream that keeps what is written to it, as bytes and as text."""

    def __init__(self) -> None:
        self._kept = io.BytesIO()
        super().__init__(self._kept, encoding="utf-8", write_through=True)

    @property
    def text(self) -> str:
        """All of it."""
        return self._kept.getvalue().decode("utf-8")


def adjudicate(*arguments: object, code: int = 0) -> str:
    """What a command prints, or what it refuses with; it ends with the expected code, and never by a bug."""
    done = finished(*arguments)
    assert done.code == code, f"{done.code}: {done.out}{done.err}"
    return done.out if code != 2 else done.err


def told(done: Ended) -> dict[str, Any]:
    """The JSON object that a command printed."""
    return dict(json.loads(done.out))


def rows(workspace: Path, query: str) -> list[tuple[Any, ...]]:
    """What a workspace's database answers."""
    with closing(sqlite3.connect(workspace / "db" / "adjudicate.db")) as connection:
        return connection.execute(query).fetchall()


def unjudged(folder: Path, responses: list[str], intent: str = "benign") -> Path:
    """A workspace with these responses and no verdict."""
    adjudicate("init", folder / "ws", "--policy", "answered-deflected-refused")
    log = write_rows(
        folder / "log.jsonl",
        (
            {"id": f"r{number}", "prompt": f"When do you open on day {number}?", "response": text}
            for number, text in enumerate(responses)
        ),
    )
    adjudicate("-w", folder / "ws", "import", log, "--set", f"intent={intent}", "--set", "model=m")
    return folder / "ws"


def reported(workspace: Path, *arguments: str) -> dict[str, Any]:
    """What ``report --json`` says of a workspace."""
    found: dict[str, Any] = json.loads(adjudicate("-w", workspace, "report", *arguments, "--json"))
    return found


def estimate(report: Mapping[str, Any], statistic: str, **group: str) -> dict[str, Any]:
    """The one estimate of this name and group."""
    found = [each for each in report["estimates"] if each["statistic"] == statistic and each["group"] == group]
    assert len(found) == 1, f"{statistic} {group}: {len(found)} estimates"
    only: dict[str, Any] = found[0]
    return only


def write_rows(path: str | Path, rows: Iterable[Mapping[str, object]]) -> Path:
    """A log of JSON lines."""
    file = Path(path)
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file
