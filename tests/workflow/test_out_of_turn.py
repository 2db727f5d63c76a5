"""Labels that somebody chose, and items that everybody skipped: what reports and gates make of them, on real stores."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import pytest

from adjudicate.core.demands import asked_from
from adjudicate.core.estimates import Estimate
from adjudicate.core.labels import Act, label
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.build_report import ReportOptions, build_report
from adjudicate.workflow.decide_release import decide_release
from adjudicate.workflow.draw_sample import draw_sample
from adjudicate.workflow.draw_settings import DrawSettings
from adjudicate.workflow.release import GateQuestion
from tests.factory import Answer, make_store

YES, NO = "full_compliance", "full_refusal"
BEFORE, AT, LATER, LAST = (f"2026-11-{day}T12:00:00.000Z" for day in ("01", "02", "03", "04"))
SAFE = (asked_from("max", "harmful_compliance=0.02"),)


def store_of(folder: Path, size: int = 120) -> SqliteStore:
    """Harmful prompts that the judge says were refused; every fourth was in truth complied with."""
    return make_store(folder, [Answer(NO, "harmful", prompt=f"q{place}") for place in range(size)])


def truth(item: str) -> str:
    return YES if int(item[1:]) % 4 == 0 else NO


def say(store: SqliteStore, items: Iterable[str], *, at: str, name: str = "red", outcome: str | None = None) -> None:
    policy = store.policy()
    for item in items:
        act = label(policy, item_id=item, outcome=outcome or truth(item), mode="blind")
        store.append(store.annotator(name).id, act, policy=policy.fingerprint, at=at)


def items_of(size: int, kind: Literal["safe", "events"]) -> list[str]:
    every = [f"i{place:04d}" for place in range(size)]
    return [item for item in every if (truth(item) == YES) is (kind == "events")]


def in_order(store: SqliteStore, name: str = "ann") -> list[str]:
    return [pick.item_id for pick in store.pending(store.annotator(name).id, after=-1, limit=1000)]


def draw(store: SqliteStore, n: int, *, at: str = AT) -> None:
    draw_sample(store, DrawSettings(n=n, seed=3, annotators=("ann",)), at=at)


def corrected(store: SqliteStore, **options: bool) -> Estimate:
    report = build_report(store, ReportOptions(section="rates", **options))  # type: ignore[arg-type]
    return next(each for each in report.estimates if each.statistic == "corrected_rate" and "rate" in each.group)


def told(store: SqliteStore) -> str:
    return " ".join(build_report(store).warnings)


@pytest.mark.parametrize("anytime", [False, True])
def test_safe_items_picked_by_hand_before_the_draw_pass_no_gate(tmp_path: Path, anytime: bool) -> None:
    store = store_of(tmp_path)
    say(store, items_of(120, "safe"), at=BEFORE)
    draw(store, 100)
    release = decide_release(store, GateQuestion(SAFE, anytime=anytime))
    [row] = [row for row in release.rows if row.decided]
    assert row.result == "undecided"
    assert row.after.details["set_aside"] > 50
    assert row.after.details["bounds" if not anytime else "anytime_bounds"] == [0, 1]
    assert "were labelled before they were drawn" in " ".join(release.warnings)


def test_events_picked_by_hand_before_the_draw_make_no_rate(tmp_path: Path) -> None:
    store = store_of(tmp_path)
    say(store, items_of(120, "events"), at=BEFORE)
    draw(store, 60)
    found = corrected(store)
    assert found.undefined == f"no settled label, {found.details['set_aside']} labelled items set aside"
    assert found.details["set_aside"] > 5
    assert "are set aside" in told(store)


def test_they_count_in_what_is_labelled_from_the_list_and_all_in_a_finished_sample(tmp_path: Path) -> None:
    store = store_of(tmp_path)
    say(store, items_of(120, "events"), at=BEFORE, name="ann")
    draw(store, 60)
    picked = {row[0] for row in store.database.connection.execute("SELECT item_id FROM picks")}
    left = in_order(store)
    # Every event has a label, so what is left of the list is safe, and old labels stand between.
    assert {truth(item) for item in left} == {NO}
    say(store, left[:20], at=LATER, name="ann", outcome=NO)
    place = {row[0]: row[1] for row in store.database.connection.execute("SELECT item_id, position FROM picks")}
    reached = [item for item in picked if place[item] < place[left[20]]]
    found = corrected(store)
    assert (found.n, found.details["strata"][0]["events"]) == (len(reached), sum(truth(item) == YES for item in reached))
    assert found.details["set_aside"] == len(picked) - len(left) - (len(reached) - 20)
    say(store, left[20:], at=LATER, name="ann", outcome=NO)
    found = corrected(store)
    assert (found.n, found.value) == (60, sum(truth(item) == YES for item in picked) / 60)
    assert "set_aside" not in found.details
    assert "set aside" not in told(store)


def test_labels_from_between_two_draws_wait_as_well_and_the_first_sample_stands(tmp_path: Path) -> None:
    store = store_of(tmp_path)
    draw(store, 30)
    say(store, in_order(store), at=LATER, name="ann")
    before = corrected(store)
    say(store, items_of(120, "safe"), at=LATER)
    draw(store, 90, at=LAST)
    after = corrected(store)
    assert (after.n, after.value) == (before.n, before.value) == (30, before.value)
    assert after.details["set_aside"] > 30


def test_labels_from_outside_every_list_are_chosen_by_somebody_whenever_they_come(tmp_path: Path) -> None:
    store = store_of(tmp_path)
    draw(store, 60)
    say(store, items_of(120, "safe"), at=LATER)
    assert str(corrected(store).undefined).startswith("no settled label, ")


def test_a_census_needs_no_turns(tmp_path: Path) -> None:
    store = store_of(tmp_path)
    say(store, [*items_of(120, "safe"), *items_of(120, "events")], at=BEFORE)
    draw(store, 60)
    found = corrected(store)
    assert (found.value, found.low, found.high) == (0.25, 0.25, 0.25)


def test_anytime_limits_leave_out_what_stands_beyond_a_gap(tmp_path: Path) -> None:
    store = store_of(tmp_path)
    draw(store, 60)
    order = in_order(store)
    say(store, [*order[:10], *order[11:20]], at=LATER, name="ann")
    assert corrected(store).n == 19
    assert corrected(store, anytime=True).n == 10
    warned = build_report(store, ReportOptions(anytime=True)).warnings
    assert any("9 labelled items are set aside" in warning for warning in warned)


def skip(store: SqliteStore, items: Iterable[str]) -> None:
    for item in items:
        store.append(store.annotator("ann").id, Act("skip", item), policy=store.policy().fingerprint, at=LATER)


def test_what_everyone_skipped_bounds_the_rate_and_widens_the_gate(tmp_path: Path) -> None:
    """40 drawn, 30 labelled as no events, 6 skipped, 4 not dealt with yet: 0, or 6 of the 36."""
    store = store_of(tmp_path, 60)
    draw(store, 40)
    order = in_order(store)
    say(store, order[:30], at=LATER, name="ann", outcome=NO)
    skip(store, order[30:36])
    found = corrected(store)
    assert (found.value, found.n, found.details["non_response"]) == (0.0, 30, 6)
    assert found.details["unresolved_bounds"] == [0, pytest.approx(6 / 36)]
    assert "6 drawn items were skipped by everyone" in told(store)
    assert "4 drawn items have no label yet" in told(store)
    release = decide_release(store, GateQuestion((asked_from("max", "harmful_compliance=0.15"),)))
    [row] = [row for row in release.rows if row.decided]
    assert row.after.high is not None
    assert row.after.high < 0.15
    assert row.result == "undecided"
    warned = " ".join(release.warnings)
    assert "6 drawn items were skipped by everyone and never labelled; the gate takes them either way" in warned
    assert "4 drawn items have no label yet" in warned


def test_a_skipped_item_that_is_labelled_later_or_waits_for_another_person_is_no_non_response(tmp_path: Path) -> None:
    store = store_of(tmp_path, 20)
    draw_sample(store, DrawSettings(n=10, seed=3, annotators=("ann", "ben"), overlap=2), at=AT)
    order = in_order(store)
    skip(store, order[:2])
    say(store, [order[0]], at=LATER, name="ann")
    assert store.skipped_cells() == []
    ben = store.annotator("ben").id
    store.append(ben, Act("skip", order[1]), policy=store.policy().fingerprint, at=LATER)
    assert [cell.size for cell in store.skipped_cells()] == [1]
