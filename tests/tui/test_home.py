"""Home: numbers come in the background, undefined shows its reason, and keys lead to the other screens."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from adjudicate.core.estimates import Estimate
from adjudicate.stats.evidence import Evidence
from adjudicate.stats.registry import Statistic
from adjudicate.tui.report_sections import RATES
from adjudicate.tui.screens import home
from tests.tui.conftest import MakeWorkspace
from tests.tui.driving import driven, press, settled, text_of
from tests.tui.factory import Row
from tests.tui.test_mouse import click


def rows() -> list[Row]:
    benign = [Row(verdict="refused" if number % 3 == 0 else "complied") for number in range(12)]
    harmful = [Row(verdict="complied", intent="harmful", population="harmful/direct") for _ in range(4)]
    return [*benign, *harmful]


async def test_home_shows_progress_next_step_and_both_rates(workspace: MakeWorkspace) -> None:
    made = workspace(rows())
    app = made.app(start="home")
    async with driven(app) as pilot:
        await app.workers.wait_for_complete()
        await pilot.pause()
        shown = text_of(app)
        assert "heat-study" in shown and "benign/general | flagged" in shown and "0/" in shown
        assert "Go on labelling: 16 items" in shown and "press enter" in shown
        assert "raw" in shown and "undefined:" in shown and "judge judge-x  16 verdicts" in shown
        assert "q quit" in shown


async def test_the_next_step_names_its_key_as_moved_and_a_click_does_the_same(workspace: MakeWorkspace) -> None:
    app = workspace(rows()).app(start="home")
    app.set_keymap({"go.label": "f5"})
    async with driven(app) as pilot:
        await settled(app, pilot)
        assert "press f5" in text_of(app) and "press enter" not in text_of(app)
        await press(pilot, "f5")
        assert "item 1 of 16" in text_of(app)
        await press(pilot, "q")
        await settled(app, pilot)
        await click(pilot, "press f5")
        assert "item 1 of 16" in text_of(app)


async def test_keys_lead_to_the_screens_and_back(workspace: MakeWorkspace) -> None:
    made = workspace(rows())
    app = made.app(start="home")
    async with driven(app) as pilot:
        await press(pilot, "enter")
        assert "item 1 of 16" in text_of(app)
        await press(pilot, "3", "enter", "q")
        assert "15 items are left" in text_of(app)
        await press(pilot, "r")
        assert "Nothing is open" in text_of(app)
        await press(pilot, "q", "t")
        assert "Judge against gold" in text_of(app)
        await press(pilot, "q", "p")
        await settled(app, pilot)
        assert "Everyday questions" in text_of(app)
        await press(pilot, "q")
        assert "Next step" in text_of(app)
        await press(pilot, "q")
    assert app.return_code == 0


async def test_going_to_an_open_screen_goes_back_to_it(workspace: MakeWorkspace) -> None:
    app = workspace(rows()).app(start="home")
    async with driven(app) as pilot:
        await press(pilot, "enter")
        app.action_go("report")
        await pilot.pause()
        app.action_go("label")
        await pilot.pause()
        assert len(app.screen_stack) == 2 and "item 1 of 16" in text_of(app)


async def test_home_computes_only_the_rates_it_shows(workspace: MakeWorkspace, monkeypatch: pytest.MonkeyPatch) -> None:
    computed: set[str] = set()
    real = Statistic.compute

    def compute(row: Statistic, given: Evidence) -> list[Estimate]:
        computed.add(row.name)
        return real(row, given)

    monkeypatch.setattr(Statistic, "compute", compute)
    app = workspace(rows()).app(start="home")
    async with driven(app) as pilot:
        await settled(app, pilot)
    assert computed == set(RATES)


async def test_home_says_who_is_how_far_and_what_waits(workspace: MakeWorkspace) -> None:
    app = workspace(rows(), annotators=("ann", "bo")).app(start="home")
    async with driven(app) as pilot:
        await press(pilot, "enter", "3", "enter", "q")
        await settled(app, pilot)
        shown = text_of(app)
        assert "ann         1/16" in shown and "bo          0/16" in shown
        assert "disagreements" in shown and "none open" in shown
        assert "run one  16 items" in shown and "policy boundary v3" in shown


async def test_reading_the_workspace_keeps_no_key_waiting(workspace: MakeWorkspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counting a million items may take its time: until it is done, home says so, and its keys act."""
    go_on = threading.Event()
    real = home.look_at

    def slow(*given: Any, **named: Any) -> Any:
        go_on.wait(10)
        return real(*given, **named)

    monkeypatch.setattr(home, "look_at", slow)
    app = workspace(rows()).app(start="home")
    async with driven(app) as pilot:
        assert "reading …" in text_of(app)
        await press(pilot, "enter")
        assert "item 1 of 16" in text_of(app)
        go_on.set()
        await press(pilot, "q")
        await settled(app, pilot)
        assert "Next step" in text_of(app) and "reading …" not in text_of(app)


def estimate(statistic: str, value: float | None, population: str = "benign") -> Estimate:
    undefined = "no labels" if value is None else None
    group = {"rate": "benign_refusal", "population": population}
    return Estimate(statistic, value, 10, "test", group=group, undefined=undefined)


def test_what_people_found_is_shown_where_nothing_corrects_a_rate() -> None:
    corrected = [estimate("raw_rate", 0.1), estimate("human_rate", 0.2), estimate("corrected_rate", 0.3)]
    assert home._at_a_glance(corrected) == [corrected[0], corrected[2]]
    alone = [estimate("human_rate", 0.2), estimate("corrected_rate", None)]
    assert home._at_a_glance(alone) == alone
    # Another population's correction says nothing of this one; an undefined share of people says nothing at all.
    other = [estimate("human_rate", 0.2), estimate("corrected_rate", 0.3, "harmful")]
    assert home._at_a_glance(other) == other
    assert home._at_a_glance([estimate("human_rate", None)]) == []
