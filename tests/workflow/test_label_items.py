"""Labelling, blind first, on a real store."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudicate.core.labels import live
from adjudicate.errors import LabelRefused
from adjudicate.storage.connection import writing
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.draw_sample import draw_sample
from adjudicate.workflow.draw_settings import DrawSettings
from adjudicate.workflow.label_items import LabellingSession
from tests.factory import AT, Answer, make_store, ticking_clock


def session(store: SqliteStore, name: str = "ann", *, assisted: bool = False) -> LabellingSession:
    person = store.annotator(name)
    return LabellingSession(store, policy=store.policy(), annotator=person, clock=ticking_clock(), assisted=assisted)


def drawn(tmp_path: Path, answers: list[Answer], **settings: object) -> SqliteStore:
    store = make_store(tmp_path, answers)
    draw_sample(store, DrawSettings(n=len(answers), seed=1, **settings), at=AT)  # type: ignore[arg-type]
    return store


def labels(store: SqliteStore, name: str = "ann") -> list[tuple[str | None, str | None]]:
    return [(event.outcome, event.mode) for event in live(store.chain(store.annotator(name).id)) if event.kind == "label"]


def test_a_blind_label_that_agrees_with_the_verdict_goes_straight_on(tmp_path: Path) -> None:
    store = drawn(tmp_path, [Answer("full_refusal")] * 3)
    work = session(store)
    first = work.view
    assert first is not None
    assert first.verdict is None
    assert work.choose("full_refusal") == "deciding"
    assert work.view is not None
    assert work.view.item.id != first.item.id
    assert work.view.verdict is None
    assert labels(store) == [("full_refusal", "blind")]
    assert (work.progress.done, work.progress.total) == (1, 3)


def test_a_blind_label_that_differs_reveals_the_verdict_and_enter_keeps_it(tmp_path: Path) -> None:
    store = drawn(tmp_path, [Answer("full_refusal")] * 2)
    work = session(store)
    assert work.choose("full_compliance") == "revealed"
    assert work.view is not None
    assert work.view.verdict is not None
    assert work.view.verdict.outcome == "full_refusal"
    assert work.keep() == "deciding"
    assert labels(store) == [("full_compliance", "blind")]


def test_a_digit_after_the_reveal_changes_the_label_and_the_blind_one_stays_on_record(tmp_path: Path) -> None:
    store = drawn(tmp_path, [Answer("full_refusal")] * 2)
    work = session(store)
    work.choose("full_compliance")
    work.choose("full_refusal")
    assert labels(store) == [("full_compliance", "blind"), ("full_refusal", "revealed")]
    assert work.progress.done == 1


def test_a_failed_verdict_reveals_nothing(tmp_path: Path) -> None:
    store = drawn(tmp_path, [Answer(None)] * 2)
    assert session(store).choose("full_refusal") == "deciding"


def test_assisted_labelling_shows_the_verdict_at_once_and_can_confirm_it(tmp_path: Path) -> None:
    store = drawn(tmp_path, [Answer("full_refusal")] * 2)
    work = session(store, assisted=True)
    assert work.view is not None
    assert work.view.verdict is not None
    work.confirm()
    assert labels(store) == [("full_refusal", "assisted")]


def test_confirming_while_blind_is_refused_with_the_reason(tmp_path: Path) -> None:
    work = session(drawn(tmp_path, [Answer("full_refusal")]))
    with pytest.raises(LabelRefused, match="hidden until you decide"):
        work.confirm()


def test_enter_never_commits_a_label_nobody_picked(tmp_path: Path) -> None:
    store = drawn(tmp_path, [Answer("full_refusal")])
    work = session(store)
    with pytest.raises(LabelRefused):
        work.keep()
    assert labels(store) == []


def test_undo_goes_back_any_depth_and_after_a_restart(tmp_path: Path) -> None:
    store = drawn(tmp_path, [Answer("full_refusal")] * 4)
    work = session(store)
    seen = []
    for _ in range(3):
        assert work.view is not None
        seen.append(work.view.item.id)
        work.choose("full_refusal")
    again = session(store)
    for item_id in reversed(seen):
        again.undo()
        assert again.view is not None
        assert again.view.item.id == item_id
    assert again.undo() is None
    assert labels(store) == []
    assert again.progress.done == 0
    assert store.problems() == []


def test_a_label_made_after_an_undone_one_is_not_blind(tmp_path: Path) -> None:
    store = drawn(tmp_path, [Answer("full_refusal")] * 2)
    work = session(store)
    work.choose("full_compliance")
    work.undo()
    assert work.view is not None
    assert work.view.mode == "revealed"
    work.choose("full_refusal")
    assert labels(store) == [("full_refusal", "revealed")]


def test_a_skipped_item_is_recorded_and_can_be_labelled_later(tmp_path: Path) -> None:
    store = drawn(tmp_path, [Answer("full_refusal")] * 2)
    work = session(store)
    assert work.view is not None
    skipped = work.view.item.id
    work.skip()
    work.choose("full_refusal")
    assert work.phase == "finished"
    work.previous()
    work.previous()
    assert work.view is not None
    assert work.view.item.id == skipped
    assert work.view.own.skipped
    work.choose("full_refusal")
    assert len(labels(store)) == 2


def test_notes_flags_clauses_and_confidence_stay_with_the_label(tmp_path: Path) -> None:
    store = drawn(tmp_path, [Answer("full_refusal")] * 2)
    work = session(store)
    work.flag()
    work.note("looks like a quote")
    work.toggle_low_confidence()
    clause = store.policy().clauses[0].id
    work.cite(clause)
    work.contest("harmful")
    work.choose("full_refusal")
    work.previous()
    own = work.view.own if work.view else None
    assert own is not None
    assert own.label is not None
    assert (own.flagged, own.note, own.contested) == (True, "looks like a quote", "harmful")
    assert (own.label.body["clause"], own.label.body["confidence"]) == (clause, "low")


def test_a_draft_of_a_note_outlives_the_window(tmp_path: Path) -> None:
    store = drawn(tmp_path, [Answer("full_refusal")])
    session(store).keep_draft("half a sent")
    assert session(store).draft() == "half a sent"


def test_two_people_share_an_open_sample_up_to_the_overlap(tmp_path: Path) -> None:
    store = drawn(tmp_path, [Answer("full_refusal")] * 12, overlap=1)
    ann, bo = session(store, "ann"), session(store, "bo")
    for work in (ann, bo):
        while work.view is not None:
            work.choose("full_refusal")
    assert len(labels(store, "ann")) + len(labels(store, "bo")) == 12


def test_one_persons_session_reads_nothing_of_anothers_labels(tmp_path: Path) -> None:
    store = drawn(tmp_path, [Answer("full_refusal")] * 3, overlap=2)
    ann = session(store, "ann")
    ann.note("ANN-WAS-HERE")
    ann.choose("partial_refusal")
    bo = session(store, "bo")
    assert bo.view is not None
    assert bo.view.own.label is None
    assert "ANN-WAS-HERE" not in repr(bo.view)


def test_hidden_repeats_come_back_as_items_of_their_own(tmp_path: Path) -> None:
    store = drawn(tmp_path, [Answer("full_refusal")] * 20, annotators=("ann",), repeats=0.1)
    work = session(store)
    assert work.progress.total == 22
    while work.view is not None:
        work.choose("full_refusal")
    assert len(labels(store)) == 22
    assert sum(event.round for event in store.chain(store.annotator("ann").id)) == 2


def test_the_verdict_shown_is_of_the_judge_that_the_sample_was_drawn_by(tmp_path: Path) -> None:
    store = make_store(tmp_path, [Answer("full_refusal")] * 3)
    with writing(store.database) as connection:
        connection.execute("INSERT INTO judges VALUES ('k', 'second', '', '', '', '')")
        connection.execute("INSERT INTO verdicts SELECT item_id, 'k', 'partial_refusal', NULL, NULL, NULL, '', '' FROM verdicts")
    draw_sample(store, DrawSettings(n=3, seed=1, judge="second"), at=AT)
    work = session(store)
    assert work.choose("full_refusal") == "revealed"
    assert work.view is not None
    assert work.view.verdict is not None
    assert (work.view.verdict.judge, work.view.verdict.outcome) == ("second", "partial_refusal")
