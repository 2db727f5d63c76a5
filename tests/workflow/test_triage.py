"""Triage: what is picked is labelled and counts for nothing, and a sample's own turns stay as they are; on real stores."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from adjudicate.core.demands import asked_from
from adjudicate.core.labels import TRIAGE, Act, label
from adjudicate.errors import UsageError
from adjudicate.storage.rows import Annotator
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.browse_items import browsed
from adjudicate.workflow.build_report import ReportOptions, build_report
from adjudicate.workflow.decide_release import decide_release
from adjudicate.workflow.draw_sample import draw_sample
from adjudicate.workflow.draw_settings import DrawSettings
from adjudicate.workflow.export_records import ExportOptions, gold_records, label_records
from adjudicate.workflow.export_results import export
from adjudicate.workflow.import_report import FileReport
from adjudicate.workflow.label_items import LabellingSession
from adjudicate.workflow.opened_item import open_item
from adjudicate.workflow.own_list import WorkList
from adjudicate.workflow.release import GateQuestion
from adjudicate.workflow.session_summary import summarised
from adjudicate.workflow.triage import TriageList, picked, send, state, toggle
from tests.factory import AT, Answer, make_store, ticking_clock
from tests.workflow.test_join import OWN, imported

YES, NO = "full_compliance", "full_refusal"
LEFT_OUT = "triage labels are left out of every number here"


def store_of(folder: Path, size: int = 120) -> SqliteStore:
    """Harmful prompts that the judge says were refused."""
    return make_store(folder, [Answer(NO, "harmful", prompt=f"q{place}") for place in range(size)])


def session(store: SqliteStore, name: str, work: WorkList | None = None) -> LabellingSession:
    return LabellingSession(store, policy=store.policy(), annotator=store.annotator(name), clock=ticking_clock(), work=work)


def triage_of(store: SqliteStore, name: str) -> LabellingSession:
    return session(store, name, TriageList(store, store.annotator(name).id))


def shown(found: LabellingSession) -> str:
    assert found.view is not None
    return found.view.item.id


def label_on(found: LabellingSession, outcome: str) -> None:
    """Label the item on screen and go on, whatever is revealed."""
    if found.choose(outcome) == "revealed":
        found.keep()


def label_all(found: LabellingSession, outcome: str) -> list[str]:
    """Label to the end; which items these were."""
    done = []
    while found.view is not None:
        done.append(shown(found))
        label_on(found, outcome)
    return done


def rowids(numbers: Iterable[int]) -> list[int]:
    """Of items by their numbers: rows are counted from 1."""
    return [number + 1 for number in numbers]


def numbers_of(store: SqliteStore) -> tuple[dict[str, Any], Any, list[Any]]:
    """Everything that is published: the whole report but for the count of triage labels, a gate, and gold."""
    report = build_report(store).as_json()
    report["warnings"] = [said for said in report["warnings"] if LEFT_OUT not in said]
    gate = decide_release(store, GateQuestion((asked_from("max", "harmful_compliance=0.5"),)))
    return report, [row.result for row in gate.rows], list(gold_records(store, ExportOptions()))


def half_labelled(folder: Path) -> SqliteStore:
    """A sample of two people, each item theirs, labelled by one of them to the end and by the other in part: they differ once."""
    store = store_of(folder)
    draw_sample(store, DrawSettings(n=40, seed=3, annotators=("ann", "ben"), overlap=2), at=AT)
    mine = session(store, "ann")
    for place in range(40):
        label_on(mine, YES if place % 4 == 0 else NO)
    theirs = session(store, "ben")
    for place in range(10):
        label_on(theirs, YES if place % 4 == 0 or place == 1 else NO)
    return store


def test_fifty_triage_labels_move_no_number_and_are_counted(tmp_path: Path) -> None:
    """Picked as the most harmful: as labels of the sample they would be 50 of 50."""
    store = half_labelled(tmp_path)
    before, open_before, strata = numbers_of(store), store.open_items(), store.strata_progress()
    drawn = {row[0] for row in store.database.connection.execute("SELECT item_id FROM picks")}
    outside = [number for number in range(120) if f"i{number:04d}" not in drawn][:50]
    cyd = store.annotator("cyd")
    # Of the sample too: ten of its items, which are not cyd's.
    inside = [number for number in range(120) if f"i{number:04d}" in drawn][:10]
    send(store, rowids([*outside, *inside]), cyd, at=AT)
    assert len(label_all(triage_of(store, "cyd"), YES)) == 60
    assert store.triage_labels() == 60
    assert numbers_of(store) == before
    assert (store.open_items(), store.strata_progress()) == (open_before, strata)
    assert f"60 {LEFT_OUT}" in " ".join(build_report(store).warnings)


def test_people_who_differ_in_triage_make_no_dispute_and_bound_no_rate(tmp_path: Path) -> None:
    store = half_labelled(tmp_path)
    before = numbers_of(store)
    drawn = {row[0] for row in store.database.connection.execute("SELECT item_id FROM picks")}
    send(store, rowids(number for number in range(120) if f"i{number:04d}" not in drawn), store.annotator("cyd"), at=AT)
    label_all(triage_of(store, "cyd"), YES)
    label_all(triage_of(store, "dee"), NO)
    unsure = triage_of(store, "eve")
    unsure.undecided()
    unsure.contest("benign")
    label_on(unsure, YES)
    unsure.previous()
    unsure.contest("benign")
    assert store.open_items() == numbers_then_open(store, before)


def numbers_then_open(store: SqliteStore, before: object) -> list[str]:
    """What is open, once nothing else has moved."""
    assert numbers_of(store) == before
    [differing] = store.open_items()
    return [differing]


def test_an_item_of_ones_own_sample_is_not_offered_in_triage_before_its_turn_nor_after(tmp_path: Path) -> None:
    store = store_of(tmp_path, 6)
    draw_sample(store, DrawSettings(n=2, seed=1, annotators=("ann",)), at=AT)
    ann, drawn = store.annotator("ann"), {pick.item_id for pick in store.pending(store.annotator("ann").id, after=-1, limit=9)}
    sent = send(store, rowids(range(6)), ann, at=AT)
    assert (sent.added, sent.of_a_sample) == (6, 2)
    assert "2 come to you from a sample, and only there" in sent.words()
    label_all(session(store, "ann"), NO)
    offered = label_all(triage_of(store, "ann"), YES)
    assert sorted([*offered, *drawn]) == [f"i{number:04d}" for number in range(6)]
    # To others, who cannot get it from the sample, it is.
    assert len(label_all(triage_of(store, "ben"), YES)) == 6


def test_of_a_sample_that_is_open_to_everyone_nobody_is_offered_anything(tmp_path: Path) -> None:
    store = store_of(tmp_path, 6)
    draw_sample(store, DrawSettings(n=4, seed=1), at=AT)
    send(store, rowids(range(6)), store.annotator("ann"), at=AT)
    assert len(label_all(triage_of(store, "ann"), YES)) == 2


def test_an_item_that_is_drawn_after_its_triage_comes_in_its_turn_and_is_no_longer_blind(tmp_path: Path) -> None:
    store = store_of(tmp_path, 4)
    send(store, rowids(range(2)), store.annotator("ann"), at=AT)
    label_all(triage_of(store, "ann"), YES)
    draw_sample(store, DrawSettings(n=4, seed=1, annotators=("ann",)), at=AT)
    own, modes = session(store, "ann"), {}
    assert own.progress.total == 4 and own.progress.done == 0
    while own.view is not None:
        assert own.view.own.label is None
        modes[shown(own)] = own.view.mode
        label_on(own, NO)
    assert modes == {"i0000": "revealed", "i0001": "revealed", "i0002": "blind", "i0003": "blind"}
    report = build_report(store)
    rates = [each for each in report.estimates if each.statistic == "corrected_rate" and "rate" in each.group]
    accuracy = [each for each in report.estimates if each.statistic == "judge_accuracy" and each.n is not None]
    assert [(each.value, each.n) for each in rates] == [(0.0, 4)]
    assert {each.n for each in accuracy} == {2}


def test_undo_takes_back_the_last_act_of_the_queue_that_one_is_in(tmp_path: Path) -> None:
    store = store_of(tmp_path, 6)
    draw_sample(store, DrawSettings(n=2, seed=1, annotators=("ann",)), at=AT)
    send(store, rowids(range(6)), store.annotator("ann"), at=AT)
    own, triage = session(store, "ann"), triage_of(store, "ann")
    first = shown(own)
    label_on(own, NO)
    label_on(triage, YES)
    assert own.undo() is not None and shown(own) == first
    assert own.last_act() is None
    taken = triage.undo()
    assert taken is not None and taken.round == TRIAGE and shown(triage) == taken.item_id
    assert store.triage_labels() == 0


def test_a_label_can_be_taken_back_after_its_item_has_left_the_queue(tmp_path: Path) -> None:
    store = store_of(tmp_path, 3)
    ann = store.annotator("ann")
    send(store, rowids([1]), ann, at=AT)
    triage = triage_of(store, "ann")
    label_on(triage, YES)
    assert toggle(store, rowids([1]), ann, at=AT).words().startswith("1 item taken out of triage")
    assert (state(store).queued, state(store).labels) == (0, 1)
    triage.undo()
    assert shown(triage) == "i0001" and state(store).labels == 0


def test_the_queue_keeps_its_order_and_what_comes_later_stands_behind(tmp_path: Path) -> None:
    store = store_of(tmp_path, 9)
    ann = store.annotator("ann")
    send(store, rowids([5, 2, 7]), ann, at=AT)
    toggle(store, rowids([2]), ann, at=AT)
    again = send(store, rowids([7, 0]), ann, at=AT)
    assert (again.added, again.already) == (1, 1)
    triage = triage_of(store, "ann")
    assert label_all(triage, NO) == ["i0005", "i0007", "i0000"]
    triage.previous()
    triage.previous()
    assert (shown(triage), triage.number, triage.progress.total) == ("i0007", 2, 3)


def test_a_filter_line_picks_and_never_tells_what_is_hidden(tmp_path: Path) -> None:
    store = store_of(tmp_path, 8)
    draw_sample(store, DrawSettings(n=3, seed=1, annotators=("ann",)), at=AT)
    ann, ben = store.annotator("ann"), store.annotator("ben")
    assert len(picked(store, ben, "verdict:full_refusal")) == 8
    assert len(picked(store, ann, "verdict:full_refusal")) == 5
    send(store, picked(store, ben, "verdict:full_refusal"), ben, at=AT)
    assert (len(picked(store, ben, "triage:yes")), len(picked(store, ann, "triage:yes"))) == (8, 5)
    with pytest.raises(UsageError, match="empty filter picks everything"):
        picked(store, ann, " ")


def test_lists_and_opened_items_say_what_is_in_triage(tmp_path: Path) -> None:
    store = store_of(tmp_path, 4)
    ann, ben = store.annotator("ann"), store.annotator("ben")
    draw_sample(store, DrawSettings(n=1, seed=1, annotators=("ben",)), at=AT)
    [drawn] = [pick.item_id for pick in store.pending(ben.id, after=-1, limit=9)]
    send(store, rowids(range(4)), ann, at=AT)
    label_all(triage_of(store, "ann"), YES)
    assert all(each.in_triage and each.gold is None and each.labels == 0 for each in browsed(store, ann.id, [1, 2, 3, 4]))
    assert {each.triaged for each in browsed(store, ann.id, [1, 2, 3, 4])} == {YES}
    assert {each.triaged for each in browsed(store, ben.id, [1, 2, 3, 4])} == {None}
    assert [each.row.item_id for each in browsed(store, ben.id, [1, 2, 3, 4]) if not each.in_triage] == [drawn]
    opened = open_item(store, ben.id, drawn)
    assert opened.hidden and not opened.history
    seen = open_item(store, ann.id, drawn)
    assert seen.in_triage and seen.gold is None
    assert {(said.event.kind, said.event.round) for said in seen.history} == {("label", TRIAGE)}


def test_exported_labels_have_those_of_triage_by_their_round_and_gold_has_none(tmp_path: Path) -> None:
    store = store_of(tmp_path, 4)
    send(store, rowids([0, 3]), store.annotator("ann"), at=AT)
    label_all(triage_of(store, "ann"), YES)
    assert [(row["item"], row["round"]) for row in label_records(store, ExportOptions())] == [("i0000", -1), ("i0003", -1)]
    assert list(gold_records(store, ExportOptions())) == []


def test_leaving_tells_labels_of_triage_apart(tmp_path: Path) -> None:
    store = store_of(tmp_path, 4)
    ann = store.annotator("ann")
    send(store, rowids([0, 3]), ann, at=AT)
    label_all(triage_of(store, "ann"), YES)
    told = summarised(store.chain(ann.id), seconds=60, left=0)
    assert (told.labels, told.triaged) == (0, 2)
    assert "2 labelled in triage" in " ".join(told.lines())


def test_a_new_policy_calls_no_triage_label_back_to_anybodys_list(tmp_path: Path) -> None:
    """The event rests on an outcome that is gone; it is no label of the sample that would have to be made again."""
    store = store_of(tmp_path, 4)
    ann = store.annotator("ann")
    send(store, rowids([0]), ann, at=AT)
    label_all(triage_of(store, "ann"), YES)
    changed = frozenset({f"{store.policy().fingerprint} outcome {YES}"})
    assert store.resting_on(changed) == ([], [])
    said(store, ann, 1)
    assert len(store.resting_on(changed)[0]) == 1


def said(store: SqliteStore, person: Annotator, number: int) -> None:
    act: Act = label(store.policy(), item_id=f"i{number:04d}", outcome=YES, mode="blind")
    store.append(person.id, act, policy=store.policy().fingerprint, at=AT)


def test_the_chain_with_triage_in_it_holds(tmp_path: Path) -> None:
    store = store_of(tmp_path, 4)
    send(store, rowids([0, 1]), store.annotator("ann"), at=AT)
    label_all(triage_of(store, "ann"), YES)
    assert store.problems() == []
    assert build_report(store, ReportOptions(section="rates")).labelled == 0


def brought_back(name: str, folder: Path, **stated: Any) -> tuple[FileReport, SqliteStore]:
    """Labels of one item in triage and of one of the sample, exported and read into another workspace."""
    store = store_of(folder, 4)
    send(store, rowids([0]), store.annotator("ann"), at=AT)
    label_all(triage_of(store, "ann"), YES)
    said(store, store.annotator("ann"), 1)
    [path] = export(store, name, folder, ExportOptions(software="test", at=AT))
    (folder / "other").mkdir()
    other = store_of(folder / "other", 4)
    return imported(other, path, "id", **stated).files[0], other


@pytest.mark.parametrize("name", ["labels.csv", "labels.jsonl"])
def test_exported_labels_of_triage_do_not_come_back_as_labels_that_count(name: str, tmp_path: Path) -> None:
    found, other = brought_back(name, tmp_path, **OWN)
    assert (found.labels, [each.field for each in found.problems]) == (1, ["round"])
    assert list(other.events_on()) == ["i0001"] and other.triage_labels() == 0


@pytest.mark.parametrize("name", ["labels.csv", "labels.jsonl"])
@pytest.mark.parametrize("field", ["label.ann", "gold"])
def test_nor_do_they_under_the_name_of_a_person_or_as_gold(field: str, name: str, tmp_path: Path) -> None:
    """Whatever the columns are called: the row itself says that its label was made in triage."""
    found, other = brought_back(name, tmp_path, map={"id": "item", field: "outcome"})
    assert (found.labels, [each.field for each in found.problems]) == (1, ["round"])
    assert list(other.events_on()) == ["i0001"] and other.triage_labels() == 0
