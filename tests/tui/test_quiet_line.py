"""The quiet line: what it says, in which order it gives way, and that it never says a rate."""

from __future__ import annotations

from collections.abc import Sequence

from adjudicate.settings import LabelSettings
from adjudicate.tui.app import AdjudicateApp
from adjudicate.tui.quiet_line import Part, _wide, fitting, parts
from adjudicate.workflow.acting import Clock
from adjudicate.workflow.interval_widths import Standing
from adjudicate.workflow.sitting import Sitting
from tests.tui.conftest import MakeWorkspace
from tests.tui.driving import NARROW, driven, press, text_of
from tests.tui.factory import AT

STANDING = Standing({"benign/general": 0.083}, {"benign/general": 163}, 3600.0)


def sitting(*minutes: float) -> Sitting:
    """A sitting with an act at each of these minutes."""
    times = iter([0.0, *(minute * 60 for minute in minutes)])
    made = Sitting(Clock(now=lambda: AT, tick=lambda: next(times)))
    for _ in minutes:
        made.acted(None)
    return made


def said(
    at: Sitting, standing: Standing | None = None, *, break_minutes: float = 50, pace: float | None = None
) -> Sequence[Part]:
    found = parts(left=188, pace=pace, sitting=at, break_minutes=break_minutes, standing=standing, population="benign/general")
    return list(found)


def line(said: Sequence[Part], cells: int = 200) -> str:
    return fitting(said, cells)


def test_the_line_says_progress_pace_time_today_width_and_further_labels() -> None:
    at = sitting(2, 4)
    at.measured_today(3600.0)
    # 188 left at 47 an hour are 4 h; 163 labels are told to two digits.
    assert line(said(at, STANDING, pace=47.0)) == (
        "188 left · 47/h · 4 h 00 to go · today 1 h 00 · interval 8.3 points wide · about 160 more for ±2 points"
    )


def test_where_there_is_little_room_whole_parts_go_and_the_work_left_stays() -> None:
    at = sitting(2, 4)
    at.measured_today(3600.0)
    everything = said(at, STANDING, pace=47.0)
    assert line(everything, 46) == "188 left · 47/h · interval 8.3 points wide"
    assert line(everything, 3) == "188 left"


def test_a_break_is_suggested_after_so_many_minutes_without_a_pause() -> None:
    steady = [4.0 * step for step in range(1, 14)]
    assert line(said(sitting(*steady[:12]))) == "188 left"
    assert line(said(sitting(*steady))) == "52 min without a break · 188 left"


def test_a_pause_of_more_than_five_minutes_was_a_break() -> None:
    steady = [4.0 * step for step in range(1, 14)]
    assert line(said(sitting(*steady, 58.0))) == "188 left"


def test_no_break_is_suggested_where_the_workspace_wants_none() -> None:
    assert line(said(sitting(*(4.0 * step for step in range(1, 40))), break_minutes=0)) == "188 left"


def test_a_width_that_cannot_be_reached_and_one_that_is_reached_are_told_as_such() -> None:
    at = sitting(1)
    short = Standing({"benign/general": None}, {"benign/general": None}, 0.0)
    assert line(said(at, short)) == "188 left · interval: too few labels yet · ±2 points needs more items"
    done = Standing({"benign/general": 0.03}, {"benign/general": 0}, 0.0)
    assert line(said(at, done)) == "188 left · interval 3.0 points wide"


async def test_the_break_shows_in_the_line_while_labelling(workspace: MakeWorkspace) -> None:
    made = workspace()
    ticks = iter(float(10 * step) for step in range(10_000))
    clock = Clock(now=lambda: AT, tick=lambda: next(ticks))
    app = AdjudicateApp(made.database, "w", "ann", clock, "label", label=LabelSettings(break_minutes=1))
    async with driven(app, NARROW) as pilot:
        await press(pilot, *"nnnnnnnn")
        assert "without a break" in text_of(app).split("\n")[-2]


def test_where_every_item_has_gold_no_interval_of_zero_width_is_told() -> None:
    assert _wide(0.0) == "every item has a gold label"
    assert _wide(0.032) == "interval 3.2 points wide"
