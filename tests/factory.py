"""Small real workspaces for tests: a SQLite file, the shipped XSTest policy, items with verdicts."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from adjudicate.core.policy import Policy
from adjudicate.formats.policy_file import read_policy
from adjudicate.settings import make_workspace, resource
from adjudicate.storage.connection import writing
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.acting import Clock
from tests.empty_store import empty_store

AT = "2026-11-29T12:00:00.000Z"


@dataclass(frozen=True)
class Answer:
    """An item of a test workspace."""

    verdict: str | None
    intent: str = "benign"
    response: str = "An answer."
    prompt: str = "A question?"
    model: str = "m"


def xstest_policy() -> Policy:
    path = resource("policies", "xstest.md")
    return read_policy(path.read_text(encoding="utf-8"), "xstest.md")


def make_store(folder: Path, answers: Sequence[Answer], *, judge: str = "judge") -> SqliteStore:
    """A store whose items are named i0000, i0001, ... in the order given."""
    paths = make_workspace(folder / "workspace", "test")
    store = empty_store(paths.database)
    policy = xstest_policy()
    store.put_policy(policy, AT)
    with writing(store.database) as connection:
        connection.execute("INSERT INTO runs VALUES ('r', 'r', 'set', 'test', 'test.jsonl', '0', '{}', ?, 'test')", (AT,))
        connection.execute("INSERT INTO judges VALUES ('j', ?, '', '', ?, '')", (judge, policy.fingerprint))
        for number, answer in enumerate(answers):
            item, prompt = f"i{number:04d}", f"p{number:04d}"
            connection.execute(
                "INSERT INTO prompts VALUES (?, ?, NULL, ?, ?, '', 'en', '')",
                (prompt, answer.prompt, answer.intent, answer.intent),
            )
            connection.execute(
                "INSERT INTO items VALUES (?, ?, 'r', ?, ?, ?, ?, '')",
                (item, prompt, answer.model, f"s-{number}", number + 1, answer.response),
            )
            connection.execute("INSERT INTO verdicts VALUES (?, 'j', ?, NULL, NULL, NULL, 'because', '')", (item, answer.verdict))
    return store


def ticking_clock() -> Clock:
    """A clock whose every reading is a second after the last."""
    seconds = itertools.count()
    return Clock(now=lambda: AT, tick=lambda: float(next(seconds)))
