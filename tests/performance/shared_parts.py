"""What several measuring programs need: the pty tool, a bare labeller to compare with, and a workspace to fill with rows."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from sqlite3 import Connection
from typing import Any

from adjudicate.core.policy import Policy
from adjudicate.formats.policy_file import read_policy
from adjudicate.settings import make_workspace, resource
from adjudicate.storage.sqlite_store import SqliteStore

AT = "2026-11-29T12:00:00.000Z"


def add_tools(parser: argparse.ArgumentParser) -> None:
    """The option that names the folder of the measuring tools."""
    parser.add_argument("--tools", type=Path, default=Path(__file__).resolve().parents[3] / "shared" / "tools" / "latency")


def tool(tools: Path, *arguments: str | Path) -> dict[str, Any]:
    """One run of the pty tool: what a program paints, and when."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("OPENBLAS", "PYTHONDONTWRITE"))}
    command = [sys.executable, str(tools / "pty_latency.py"), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise SystemExit(f"failed: {' '.join(command)}\n{done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def painted(result: dict[str, Any]) -> list[dict[str, float]]:
    """The times of each step."""
    return [step["painted"] for step in result["keys"]["steps"]]


def bare_labeller(tools: Path, tasks: Path, labels: Path, *options: str, repeat: int) -> dict[str, Any]:
    """The floor: keys to the next item in a Textual labeller of one screen."""
    return tool(
        tools, *options, "--ready", r"item 1 of", "--starts", "1", "--repeat", str(repeat),
        "--step", r"y => differs /item (\d+)/", "--step", r"n => differs /item (\d+)/",
        "--", sys.executable, tools / "apps" / "textual_minimal.py", tasks, labels,
    )  # fmt: skip


def empty_workspace(folder: Path) -> tuple[SqliteStore, Policy, Path]:
    """A workspace for XSTest without items: its open store, its policy, its database."""
    paths = make_workspace(folder, "bench")
    store = SqliteStore.open(paths.database, create=True)
    policy = read_policy(resource("policies", "xstest.md").read_text(encoding="utf-8"), "xstest.md")
    store.put_policy(policy, AT)
    return store, policy, paths.database


def insert_run(connection: Connection, policy: Policy) -> None:
    """Run ``r`` and judge ``j``, for items and verdicts that are inserted directly."""
    connection.execute("INSERT INTO runs VALUES ('r', 'r', 'set', 'bench', 'bench', '0', '{}', ?, 'bench')", (AT,))
    connection.execute("INSERT INTO judges VALUES ('j', 'judge', '', '', ?, '')", (policy.fingerprint,))
