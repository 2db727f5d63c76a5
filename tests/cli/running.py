"""Running commands in tests: within this process, which is quick, or as a program of its own, as a person would."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from adjudicate.cli import main

Run = Callable[..., tuple[int, str, str]]
"""Arguments of a command to its exit code, what it printed and what it said."""


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


def adjudicate(*arguments: str | Path, code: int = 0) -> str:
    """What a program of its own prints, or what it refuses with; it ends with the expected code, and never by a bug."""
    command = [sys.executable, "-m", "adjudicate", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == code, f"{done.returncode}: {done.stdout}{done.stderr}"
    assert "Traceback" not in done.stderr and "met a bug" not in done.stderr
    return done.stdout if code != 2 else done.stderr


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
