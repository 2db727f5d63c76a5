"""Time worked: gaps between acts, with pauses left out."""

from __future__ import annotations

from adjudicate.core.work_time import PAUSE_SECONDS, WorkTime, duration, worked


def test_a_gap_longer_than_five_minutes_is_a_pause() -> None:
    assert PAUSE_SECONDS == 300
    assert worked([0, 300, 300 + 301, 611]) == 300 + 10


def test_a_clock_that_was_set_back_counts_as_no_time() -> None:
    assert worked([100, 50, 60]) == 10


def test_no_act_and_one_act_are_no_time() -> None:
    assert worked([]) == worked([5]) == 0


def test_a_spell_ends_with_a_pause_and_the_total_goes_on() -> None:
    work = WorkTime(0, 0)
    for at in (200, 400, 600):
        work.act(at, at)
    assert (work.total, work.spell) == (600, 600)
    work.act(1000, 1000)
    assert (work.total, work.spell) == (600, 0)
    work.act(1060, 1060)
    assert (work.total, work.spell) == (660, 60)


def test_a_machine_that_slept_shows_in_the_wall_clock_only_and_was_a_pause() -> None:
    work = WorkTime(0, 0)
    work.act(100, 100)
    work.act(105, 100 + 3600)
    assert (work.total, work.spell) == (100, 0)


def test_durations_are_minutes_then_hours() -> None:
    assert [duration(seconds) for seconds in (0, 59, 60, 2700, 3900)] == [
        "under 1 min",
        "under 1 min",
        "1 min",
        "45 min",
        "1 h 05",
    ]
