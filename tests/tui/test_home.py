"""Home: numbers come in the background, undefined shows its reason, and keys lead to the other screens."""

from __future__ import annotations

import pytest

from adjudicate.core.estimates import Estimate
from adjudicate.stats.evidence import Evidence
from adjudicate.stats.registry import Statistic
from adjudicate.tui.report_sections import RATES
from tests.tui.conftest import MakeWorkspace
from tests.tui.driving import driven, press, settled, text_of
from tests.tui.factory import Row


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
