"""Adopting a version: foreseen exactly, nothing rewritten, and no rate that pretends the labels to come were never missing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from adjudicate.core.estimates import Estimate
from adjudicate.core.labels import Event, label, resolution
from adjudicate.core.policy import Policy
from adjudicate.errors import LabelRefused, StoreError, UsageError
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.acting import Clock
from adjudicate.workflow.adopt_policy import adopt, look_ahead
from adjudicate.workflow.build_report import Report, build_report
from adjudicate.workflow.export_records import ExportOptions, gold_records, label_records
from adjudicate.workflow.find_policy import find_policy
from adjudicate.workflow.label_items import LabellingSession
from adjudicate.workflow.receipt import receipt
from tests.tui.factory import Row, make_policy, make_workspace

OLD = make_policy()
NEW = replace(
    OLD,
    version="4",
    fingerprint="e" * 64,
    clauses=tuple(replace(each, text="Rewritten.") if each.id == "B2" else each for each in OLD.clauses),
)
LATER = "2026-01-03T00:00:00Z"
Say = Callable[..., Event]


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    """Ten benign items, all drawn, on the list of ann; the judge calls all of them complied."""
    return make_workspace(tmp_path, [Row() for _ in range(10)]).store()


@pytest.fixture
def say(store: SqliteStore) -> Say:
    def act(who: str, item: str, outcome: str, clause: str | None = None, policy: Policy = OLD, **more: Any) -> Event:
        made = label(policy, item_id=item, outcome=outcome, mode=more.pop("mode", "blind"), clause=clause, **more)
        return store.append(store.annotator(who).id, made, policy=policy.fingerprint, at="2026-01-02T04:00:00Z")

    return act


def ids(store: SqliteStore) -> list[str]:
    person = store.annotator("ann").id
    return [pick.item_id for pick in store.pending(person, after=-1, limit=99)]


def label_all(store: SqliteStore, say: Say) -> list[str]:
    """Ten items: refused citing B2 on two, refused citing A1 on two, complied without a clause on six."""
    items = ids(store)
    for place, item in enumerate(items):
        say("ann", item, "refused" if place < 4 else "complied", {0: "B2", 1: "B2", 2: "A1", 3: "A1"}.get(place))
    return items


def rate(report: Report) -> Estimate:
    """The corrected benign refusal."""
    return next(
        each
        for each in report.estimates
        if each.statistic == "corrected_rate" and each.group.get("rate") == "benign_refusal" and "population" in each.group
    )


def test_a_look_ahead_names_who_labels_what_again_and_why_and_writes_nothing(store: SqliteStore, say: Say) -> None:
    items = label_all(store, say)
    ahead = look_ahead(store, NEW)
    assert {each.item_id for each in ahead.coming_back} == set(items[:2])
    assert ahead.by_person == {"ann": 2} and ahead.by_reason == {"clause B2 was changed": 2}
    assert ahead.by_stratum == {"benign/general | clear": 2}
    assert (ahead.standing, ahead.unlisted, ahead.rulings, ahead.older_draws) == (8, 0, (), 1)
    assert [(judge.judge, judge.verdicts, judge.unknown) for judge in ahead.judges] == [("judge-x", 10, 0)]
    told = " ".join(ahead.consequences())
    assert "2 labels on 2 items come back" in told and "8 labels stay" in told and "1 sample was drawn under an older" in told
    assert store.policy() == OLD and ids(store) == []


def test_what_was_foreseen_is_what_comes_back(store: SqliteStore, say: Say) -> None:
    items = label_all(store, say)
    ahead = look_ahead(store, NEW)
    adopt(store, NEW, at=LATER)
    assert set(ids(store)) == {each.item_id for each in ahead.coming_back} == set(items[:2])
    assert look_ahead(store, NEW).coming_back and all(each.waits_already for each in look_ahead(store, NEW).coming_back)


def test_names_stay_out_of_the_json(store: SqliteStore, say: Say) -> None:
    label_all(store, say)
    found = look_ahead(store, NEW).as_json()
    assert "ann" not in str(found["by_annotator"]) and found["labels_again"] == 2


def test_rates_leave_waiting_items_out_and_say_how_far_they_could_move(store: SqliteStore, say: Say) -> None:
    """Ten of ten labelled, 4 refused: 40 %. Two wait: 2 of the 8 others refused, so 25 %, and from 2/10 to 4/10 either way."""
    label_all(store, say)
    assert rate(build_report(store)).value == pytest.approx(0.4)
    adopt(store, NEW, at=LATER)
    report = build_report(store)
    corrected = rate(report)
    assert (report.labelled, report.waiting, report.open_items) == (10, 2, 0)
    assert corrected.details["unresolved"] == 2
    assert corrected.details["unresolved_bounds"] == pytest.approx([0.2, 0.4])
    assert corrected.low is not None and corrected.high is not None and corrected.low <= 0.2 and corrected.high >= 0.4
    assert any(text.startswith("2 items wait for labels to be made again") for text in report.warnings)
    assert any("10 under version 3 (ffffffffffff)" in text for text in report.warnings)


def test_made_again_they_count_and_nothing_of_the_old_is_lost(store: SqliteStore, say: Say) -> None:
    items = label_all(store, say)
    before = [event.id for event in store.chain(store.annotator("ann").id)]
    adopt(store, NEW, at=LATER)
    say("ann", items[0], "complied", "B2", NEW, mode="revealed")
    say("ann", items[1], "refused", "B2", NEW, mode="revealed")
    report = build_report(store)
    assert report.waiting == 0 and rate(report).value == pytest.approx(0.3)
    assert [event.id for event in store.chain(store.annotator("ann").id)][:10] == before
    assert any("2 under version 4" in text and "8 under version 3" in text for text in report.warnings)


def test_judge_and_agreement_see_no_outdated_label(store: SqliteStore, say: Say) -> None:
    """Ten blind labels, two of which wait; made again they are no blind labels, so eight are left to measure the judge by."""
    items = label_all(store, say)
    adopt(store, NEW, at=LATER)

    def accuracy() -> Estimate:
        found = build_report(store).estimates
        return next(
            each for each in found if each.statistic == "judge_accuracy" and each.group.get("population") == "benign/general"
        )

    assert accuracy().n == 8
    for item in items[:2]:
        say("ann", item, "complied", None, NEW, mode="revealed")
    assert accuracy().n == 8


def test_exports_and_receipt_carry_the_fingerprint_of_every_label(store: SqliteStore, say: Say) -> None:
    items = label_all(store, say)
    adopt(store, NEW, at=LATER)
    say("ann", items[0], "complied", None, NEW, mode="revealed")
    rows = list(label_records(store, ExportOptions()))
    of_first = [(row["policy"], row["superseded"], row["outdated"]) for row in rows if row["item"] == items[0]]
    assert of_first == [(OLD.fingerprint, True, True), (NEW.fingerprint, False, False)]
    gold = {row["item"]: row for row in gold_records(store, ExportOptions())}
    assert (gold[items[1]]["how"], gold[items[1]]["outcome"]) == ("open", None)
    assert (gold[items[2]]["policy"], gold[items[0]]["policy"]) == (OLD.fingerprint, NEW.fingerprint)
    made = receipt(store, software="test", at=LATER)
    assert [(each["fingerprint"], each["labels"]) for each in made["policy_versions"]] == [
        (NEW.fingerprint, 1),
        (OLD.fingerprint, 9),
    ]
    assert made["counts"]["to_label_again"] == 1


def test_rulings_fall_away_and_labels_from_a_file_go_to_the_adjudicator(store: SqliteStore, say: Say) -> None:
    first, second, third = ids(store)[:3]
    settles = [say("ann", first, "refused").id, say("file", first, "complied").id]
    act = resolution(OLD, item_id=first, outcome="refused", rationale="so", clause="B2", settles=settles)
    store.append(store.annotator("lead").id, act, policy=OLD.fingerprint, at=LATER)
    say("file", second, "refused", "B2")
    say("ann", third, "refused", "B2")
    ahead = look_ahead(store, NEW)
    assert ahead.rulings == (first,) and ahead.unlisted == 1 and ahead.by_person == {"ann": 1}
    told = " ".join(ahead.consequences())
    assert "Rulings on 1 item fall away" in told and "1 label falls away and is on nobody's list" in told
    adopt(store, NEW, at=LATER)
    assert set(store.open_items()) == {first, second}


def test_going_back_to_an_older_version_says_that_its_labels_count_again(store: SqliteStore, say: Say) -> None:
    label_all(store, say)
    adopt(store, NEW, at=LATER)
    ahead = look_ahead(store, OLD)
    assert (ahead.coming_back, ahead.restored, ahead.standing) == ((), 2, 10)


def test_a_clock_that_is_behind_adopts_nothing(store: SqliteStore) -> None:
    """The newest adoption is in force: with an earlier time it would silently not be."""
    with pytest.raises(StoreError, match="clock"):
        adopt(store, NEW, at="2020-01-01T00:00:00Z")
    assert store.policy() == OLD


def test_every_time_that_a_version_was_taken_into_use_stays_on_record(store: SqliteStore) -> None:
    """Taking an older version into use again makes it the newest, and does not hide when it was in force before."""
    first = store.policy_versions()[0].adopted_at
    for policy, at in ((NEW, "2026-01-03T00:00:00Z"), (OLD, "2026-01-04T00:00:00Z"), (NEW, "2026-01-05T00:00:00Z")):
        store.put_policy(policy, at)
    assert [(each.version, each.adoptions) for each in store.policy_versions()] == [
        (NEW.version, ("2026-01-03T00:00:00Z", "2026-01-05T00:00:00Z")),
        (OLD.version, (first, "2026-01-04T00:00:00Z")),
    ]
    assert [each.adopted_at for each in store.policy_versions()] == ["2026-01-05T00:00:00Z", "2026-01-04T00:00:00Z"]


def test_the_labelling_session_asks_again_and_says_why(store: SqliteStore, say: Say) -> None:
    items = label_all(store, say)
    adopt(store, NEW, at=LATER)
    clock = Clock(now=lambda: LATER, tick=iter(map(float, range(1000))).__next__)
    session = LabellingSession(store, policy=store.policy(), annotator=store.annotator("ann"), clock=clock)
    assert session.view is not None and session.view.item.id == items[0]
    assert session.why_again == "clause B2 was changed"
    assert (session.progress.done, session.progress.total) == (8, 10)
    with pytest.raises(LabelRefused, match="nothing is waiting to be kept"):
        session.keep()
    session.cite("A1")
    assert session.view is not None and session.view.own.label is None, "citing alone must not repeat the old label"
    session.choose("complied")
    assert session.progress.done == 9
    last = store.chain(store.annotator("ann").id)[-1]
    # Whether the verdict was seen the first time cannot be told from nothing having differed: it counts as seen.
    assert (last.policy, last.mode, last.body["clause"]) == (NEW.fingerprint, "revealed", "A1")


def test_who_cannot_decide_leaves_the_clause_that_does_not_settle_it(store: SqliteStore) -> None:
    clock = Clock(now=lambda: LATER, tick=iter(map(float, range(1000))).__next__)
    session = LabellingSession(store, policy=OLD, annotator=store.annotator("ann"), clock=clock)
    session.cite("B2")
    session.undecided()
    event = store.chain(store.annotator("ann").id)[-1]
    assert (event.kind, event.body) == ("undecided", {"clause": "B2"})
    adopt(store, NEW, at=LATER)
    assert event.item_id in ids(store) and store.open_items() == []


def test_versions_are_found_by_fingerprint_version_or_both(store: SqliteStore) -> None:
    adopt(store, NEW, at=LATER)
    assert find_policy(store, "3") == find_policy(store, "ffffff") == find_policy(store, "boundary 3") == OLD
    assert find_policy(store, "eeeeeeee") == NEW and find_policy(store, "fff") is None and find_policy(store, "9") is None
    adopt(store, replace(NEW, fingerprint="d" * 64), at=LATER)
    with pytest.raises(UsageError, match="several versions"):
        find_policy(store, "4")
