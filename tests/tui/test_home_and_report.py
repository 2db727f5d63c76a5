"""Home and report: numbers come in the background, undefined shows its reason, and keys lead to the other screens."""

from __future__ import annotations

from tests.tui.conftest import MakeWorkspace
from tests.tui.driving import NARROW, driven, press, text_of
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
        assert "Everyday questions" in text_of(app)
        await press(pilot, "enter", "escape")
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


async def test_report_shows_raw_beside_corrected_and_its_warnings(workspace: MakeWorkspace) -> None:
    made = workspace(rows())
    async with driven(made.app()) as pilot:
        for _ in range(16):
            await press(pilot, "1", "enter")
    app = made.app(start="report")
    async with driven(app) as pilot:
        await app.workers.wait_for_complete()
        await pilot.pause()
        shown = text_of(app)
        assert "16 of 16 items labelled" in shown
        assert "Benign refusal · benign/general" in shown and "Harmful compliance · harmful/direct" in shown
        assert "raw" in shown and "corrected" in shown and "●" in shown and "○" in shown
        await press(pilot, "r")
        await app.workers.wait_for_complete()


async def test_report_shows_one_section_at_a_time_when_narrow(workspace: MakeWorkspace) -> None:
    app = workspace(rows()).app(start="report")
    async with driven(app, NARROW) as pilot:
        await app.workers.wait_for_complete()
        await press(pilot, "4")
        assert "have no label yet" in text_of(app)
        await press(pilot, "tab")
        assert "Rates, raw and corrected" in text_of(app)
        await press(pilot, "2")
        assert "Judge against gold" in text_of(app) and "raw" not in text_of(app)
