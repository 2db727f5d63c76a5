"""Two runs, models or judges compared on the screen: chosen from a list by keys, computed in the background like any section."""

from __future__ import annotations

from pathlib import Path

from adjudicate.tui.screens.report import ReportScreen
from tests.tui.driving import NARROW, WIDE, driven, press, settled, text_of
from tests.workflow.test_compare_sides import two_of_each


async def test_c_lists_what_can_be_compared_and_enter_compares_it(tmp_path: Path) -> None:
    app = two_of_each(tmp_path).app(start="report")
    async with driven(app, WIDE) as pilot:
        await press(pilot, "c")
        await settled(app, pilot)
        shown = text_of(app)
        assert "run two against run one" in shown and "model-b against model-a" in shown and "judge-x against judge-y" in shown
        assert "difference in points" not in shown, "nothing is chosen yet"
        await press(pilot, "enter")
        await settled(app, pilot)
        shown = text_of(app)
        assert "▸ run two against run one" in shown and "run two against run one: difference in points" in shown
        assert "-30.0" in shown and "the same prompts" in shown, "two of ten refused after five of ten"


async def test_another_choice_takes_the_place_of_the_first(tmp_path: Path) -> None:
    app = two_of_each(tmp_path).app(start="report")
    async with driven(app, NARROW) as pilot:
        await press(pilot, "c")
        await settled(app, pilot)
        await press(pilot, "enter")
        await settled(app, pilot)
        await press(pilot, "j", "j", "enter")
        await settled(app, pilot)
        shown = text_of(app)
        assert "▸ judge-x against judge-y" in shown and "difference in points" not in shown
        assert "Judges on the same items" in shown


async def test_from_a_difference_of_judges_to_the_items_that_only_one_got_right(tmp_path: Path) -> None:
    app = two_of_each(tmp_path).app(start="report")
    async with driven(app, WIDE) as pilot:
        await press(pilot, "c")
        await settled(app, pilot)
        await press(pilot, "j", "j", "enter")
        await settled(app, pilot)
        await press(pilot, "j")
        screen = app.screen
        assert isinstance(screen, ReportScreen)
        assert "only judge-x right (7)" in text_of(app), "on the seven that people call refused"
        await press(pilot, "enter")
        await settled(app, pilot)
        assert "7 found" in text_of(app)


async def test_t_shows_time_and_every_key_of_a_section_leads_there_again(tmp_path: Path) -> None:
    app = two_of_each(tmp_path).app(start="report")
    async with driven(app, WIDE) as pilot:
        await press(pilot, "t")
        await settled(app, pilot)
        assert "Labels by day (UTC): 20 on 1 day" in text_of(app) and "2026-01-02" in text_of(app)
        await press(pilot, "3", "t")
        assert "Labels by day" in text_of(app)
