"""How the report computes: no key waits for it, it says how far it is, escape ends it, and what is old says what came since."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest

from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.tui.report_blocks import Sheet, Words
from adjudicate.tui.report_sections import SECTIONS, Asked
from adjudicate.tui.screens import report as report_screen
from adjudicate.tui.screens.report import ReportScreen
from tests.tui.conftest import MakeWorkspace
from tests.tui.driving import NARROW, driven, press, settled, text_of
from tests.tui.factory import Row
from tests.tui.labelled_store import label_items
from tests.tui.test_report import use


class Held:
    """A section that is computed for as long as the test wants."""

    def __init__(self) -> None:
        self.goes_on = threading.Event()
        self.started = threading.Event()
        self.runs = 0
        self.stopped = threading.Event()

    def compute(self, _store: SqliteStore, asked: Asked) -> Sheet:
        self.runs += 1
        self.started.set()
        # Never longer than a test may take: a failed one would wait for its worker for ever.
        for _ in range(6000):
            if self.goes_on.wait(0.01):
                break
            try:
                asked.told(3, 8)
            except BaseException:
                self.stopped.set()
                raise
        return Sheet(blocks=(Words(f"computed {self.runs}"),))


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[Held]:
    """The section of rates does not end before it may."""
    held = Held()
    names = ("rates", "warnings")
    use(monkeypatch, tuple(replace(each, compute=held.compute) if each.name in names else each for each in SECTIONS))
    yield held
    held.goes_on.set()


async def test_every_key_acts_at_once_while_numbers_are_computed(workspace: MakeWorkspace, held: Held) -> None:
    app = workspace().app(start="report")
    async with driven(app) as pilot:
        assert held.started.wait(10)
        await press(pilot, "t")
        assert "Agreement and labels over time" in text_of(app)
        await press(pilot, "c")
        assert "Two runs, models or judges" in text_of(app)
        await press(pilot, "1", "z", "j", "k", "l", "h", "space", "b", "G", "g", "enter")
        assert "computing …" in text_of(app) and "Warnings" in text_of(app)
        await press(pilot, "question_mark")
        assert "Compute all numbers again." in text_of(app)
        await press(pilot, "escape", "p")
        assert "Everyday questions" in text_of(app)
        await press(pilot, "escape")
        assert not held.goes_on.is_set() and held.runs == 1
        assert "computing rates 3 of 8" in text_of(app), "and it says how far it is"
        held.goes_on.set()


async def test_escape_ends_the_computing_and_r_begins_it_again(workspace: MakeWorkspace, held: Held) -> None:
    app = workspace().app(start="report")
    async with driven(app) as pilot:
        assert held.started.wait(10)
        await press(pilot, "escape")
        shown = text_of(app)
        assert "stopped; r computes it again" in shown and "not computed: r does it" in shown and "esc stops" not in shown
        await settled(app, pilot)
        assert held.stopped.wait(10), "the worker does not go on in secret"
        await press(pilot, "2", "1")
        assert held.runs == 1, "looking at it does not start it again"
        held.goes_on.set()
        await press(pilot, "r")
        await settled(app, pilot)
        assert "computed 2" in text_of(app)


async def test_escape_without_a_computation_does_nothing(workspace: MakeWorkspace) -> None:
    app = workspace().app(start="report")
    async with driven(app) as pilot:
        await settled(app, pilot)
        before = text_of(app)
        await press(pilot, "escape")
        assert text_of(app) == before


async def test_old_numbers_stay_while_new_ones_are_computed(workspace: MakeWorkspace, held: Held) -> None:
    held.goes_on.set()
    app = workspace().app(start="report")
    async with driven(app) as pilot:
        await settled(app, pilot)
        held.goes_on.clear()
        held.started.clear()
        await press(pilot, "r")
        assert held.started.wait(10)
        assert "computed 1" in text_of(app) and "computing again …" in text_of(app)
        await press(pilot, "escape")
        assert "computed 1" in text_of(app) and "old: r renews" in text_of(app)


async def test_what_others_do_meanwhile_is_told_and_moves_nothing(
    workspace: MakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_screen, "WATCH_SECONDS", 0.05)
    made = workspace([Row() for _ in range(6)], annotators=("ann", "bob"), overlap=2)
    app = made.app(start="report")
    async with driven(app, NARROW) as pilot:
        await settled(app, pilot)
        before = text_of(app).split("\n")
        label_items(made, "bob", 3)
        for _ in range(100):
            await pilot.pause(0.05)
            if "since" in text_of(app):
                break
        after = text_of(app).split("\n")
        assert "3 labels since 03:04 · r renews" in after[2]
        assert [row for row in range(len(after)) if before[row] != after[row]] == [2], "the border alone says so"
        await press(pilot, "r")
        await settled(app, pilot)
        assert "since" not in text_of(app) and "3 of 6 items labelled" in text_of(app)


async def test_new_verdicts_make_numbers_old_too(workspace: MakeWorkspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_screen, "WATCH_SECONDS", 0.05)
    made = workspace([Row(judged=number > 1) for number in range(6)])
    app = made.app(start="report")
    async with driven(app, NARROW) as pilot:
        await settled(app, pilot)
        store = made.store()
        for number in range(2):
            store.database.connection.execute(
                "INSERT INTO verdicts VALUES (?, 'j1', 'complied', NULL, 62, 91, '', '')", (f"{number:04}item",)
            )
        store.database.connection.commit()
        store.close()
        for _ in range(100):
            await pilot.pause(0.05)
            if "2 verdicts since" in text_of(app):
                break
        assert "2 verdicts since 03:04 · r renews" in text_of(app)


async def test_leaving_while_numbers_are_computed_ends_them(workspace: MakeWorkspace, held: Held) -> None:
    app = workspace().app(start="home")
    async with driven(app) as pilot:
        await press(pilot, "t")
        assert held.started.wait(10)
        await press(pilot, "q")
        assert not any(isinstance(screen, ReportScreen) for screen in app.screen_stack)
        await settled(app, pilot)
        # The thread sees it a moment after the worker has ended.
        assert held.stopped.wait(10)
