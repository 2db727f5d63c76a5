"""What is told at the end of a sitting: what stands of it, once each."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from adjudicate.core.labels import Act, Event, chained
from adjudicate.core.work_time import worked
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.acting import Clock
from adjudicate.workflow.draw_sample import draw_sample
from adjudicate.workflow.draw_settings import DrawSettings
from adjudicate.workflow.interval_widths import worked_today
from adjudicate.workflow.label_items import LabellingSession
from adjudicate.workflow.session_summary import summarised, summary_of
from adjudicate.workflow.sitting import Sitting
from tests.factory import AT, Answer, make_store, ticking_clock


def chain(*acts: Act) -> list[Event]:
    events: list[Event] = []
    for act in acts:
        previous = events[-1].id if events else ""
        events.append(chained(act, annotator_id="a", seq=len(events) + 1, previous=previous, policy="p", at=AT))
    return events


def test_a_changed_label_counts_once_and_a_label_answers_the_skip_before_it() -> None:
    events = chain(
        Act("label", "i1", outcome="x", mode="blind"),
        Act("label", "i1", outcome="y", mode="revealed"),
        Act("skip", "i2"),
        Act("label", "i2", outcome="x", mode="blind"),
        Act("skip", "i3"),
        Act("undecided", "i4"),
        Act("skip", "i1"),
    )
    told = summarised(events, seconds=600, left=4)
    assert (told.labels, told.skipped, told.undecided, told.left) == (2, 1, 1, 4)


def test_what_was_taken_back_is_not_told() -> None:
    label, flag = Act("label", "i1", outcome="x", mode="blind"), Act("flag", "i1", body={"on": True})
    undo = Act("undo", "i1", target=chain(label)[0].id)
    told = summarised(chain(label, flag, undo, Act("flag", "i1", body={"on": False})), seconds=1, left=1)
    assert (told.labels, told.flagged, told.is_empty) == (0, 0, True)
    assert told.lines() == []


def test_the_sentences_say_labels_time_pace_and_what_is_left_but_no_rate() -> None:
    acts = [Act("label", f"i{number}", outcome="x", mode="blind") for number in range(6)]
    told = summarised(chain(*acts, Act("note", "i1", note="n"), Act("skip", "i9")), seconds=360, left=1)
    # 6 labels in 360 s are 60 an hour.
    assert told.lines() == ["6 labels in 6 min, 60 an hour. 1 skipped, 1 note.", "Everything is saved. 1 item left on your list."]
    assert "%" not in " ".join(told.lines())


def test_two_labels_have_no_pace() -> None:
    acts = [Act("label", f"i{number}", outcome="x", mode="blind") for number in range(2)]
    assert summarised(chain(*acts), seconds=60, left=0).pace is None


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    made = make_store(tmp_path, [Answer("full_compliance") for _ in range(5)])
    draw_sample(made, DrawSettings(n=5, annotators=("ann",), overlap=1, blind_share=1.0, seed=7), at=AT)
    return made


def test_a_sitting_tells_of_itself_only(store: SqliteStore) -> None:
    clock = ticking_clock()
    person, policy = store.annotator("ann"), store.policy()
    earlier = LabellingSession(store, policy=policy, annotator=person, clock=clock)
    earlier.skip()
    sitting = Sitting(clock)
    session = LabellingSession(store, policy=policy, annotator=person, clock=clock)
    session.skip()
    sitting.acted(session.last)
    told = summary_of(store, person, sitting)
    assert (told.skipped, told.left) == (1, 3)


def test_a_sitting_without_acts_has_nothing_to_tell(store: SqliteStore) -> None:
    assert summary_of(store, store.annotator("ann"), Sitting(ticking_clock())).is_empty


def test_today_is_what_was_measured_and_what_was_worked_since() -> None:
    ticks = iter((0.0, 60.0, 90.0))
    sitting = Sitting(Clock(now=lambda: AT, tick=lambda: next(ticks)))
    assert sitting.today is None
    sitting.acted(None)
    sitting.measured_today(1000.0)
    sitting.acted(None)
    assert (sitting.today, sitting.seconds, sitting.spell) == (1030.0, 90.0, 90.0)


def test_work_of_the_day_leaves_out_what_was_before_midnight(store: SqliteStore) -> None:
    person, policy = store.annotator("ann"), store.policy()
    for at in ("2026-11-28T23:59:00.000Z", "2026-11-29T00:01:00.000Z", "2026-11-29T00:02:30.000Z"):
        store.append(person.id, Act("skip", "i0000"), policy=policy.fingerprint, at=at)
    assert worked_today(store, person.id, datetime(2026, 11, 29, tzinfo=UTC)) == worked([0, 90])
