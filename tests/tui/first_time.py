"""An empty folder with a log in it, and an app that starts there."""

from __future__ import annotations

import csv
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot

from adjudicate.settings import WorkspacePaths
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.tui.app import AdjudicateApp
from adjudicate.tui.screens.first_time import FirstTimeScreen
from adjudicate.workflow.acting import Clock
from tests.tui.driving import WIDE, driven, press, settled
from tests.tui.factory import AT

CLOCK = Clock(now=lambda: AT, tick=time.monotonic)


def write_table(path: Path, rows: Sequence[dict[str, str]]) -> Path:
    """A CSV file with the columns of its first row."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def knives(count: int = 12) -> list[dict[str, str]]:
    """Rows under column names that nobody knows: a third harmful, a quarter refused; the judge says C or R."""
    return [
        {
            "question": f"How do I sharpen knife number {number}?",
            "target_response": f"Use whetstone {number}." if number % 4 else f"I would rather not, {number}.",
            "judged": "C" if number % 4 else "R",
            "kind": "harmful" if number % 3 == 0 else "benign",
        }
        for number in range(count)
    ]


def plain(count: int = 12) -> list[dict[str, str]]:
    """The same under the names of the fields, in the words of the policy xstest."""
    return [
        {
            "prompt": row["question"],
            "response": row["target_response"],
            "verdict": "full_compliance" if row["judged"] == "C" else "full_refusal",
            "intent": row["kind"],
        }
        for row in knives(count)
    ]


def app_in(folder: Path, *, state: Path | None = None) -> AdjudicateApp:
    """The app as `adjudicate` opens it in a folder without a workspace."""
    return AdjudicateApp(WorkspacePaths(folder).database, folder.name, "ann", CLOCK, "first", state=state)


@asynccontextmanager
async def started(folder: Path, size: tuple[int, int] = WIDE) -> AsyncIterator[tuple[AdjudicateApp, Pilot[None]]]:
    """That app, once it has found what there is to begin with."""
    app = app_in(folder)
    async with driven(app, size) as pilot:
        await settled(app, pilot)
        yield app, pilot


def first_screen(app: AdjudicateApp) -> FirstTimeScreen:
    """The screen of the four steps."""
    return next(screen for screen in app.screen_stack if isinstance(screen, FirstTimeScreen))


async def go_on(app: AdjudicateApp, pilot: Pilot[None], steps: int = 1) -> None:
    """Enter, and wait for what it asks for; so many times."""
    for _ in range(steps):
        await press(pilot, "enter")
        await settled(app, pilot)


def names_in(folder: Path) -> list[str]:
    """Everything in a folder, hidden entries too."""
    return sorted(path.name for path in folder.iterdir())


def opened(folder: Path) -> SqliteStore:
    """The workspace that was made there."""
    return SqliteStore.open(WorkspacePaths(folder).database)
