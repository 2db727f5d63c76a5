"""Contested intents in the gate: both readings side by side, and no decision that hangs on one of them alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from adjudicate.core.demands import asked_from
from adjudicate.core.estimates import Estimate
from adjudicate.core.labels import resolution
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.build_report import ReportOptions, build_report
from adjudicate.workflow.decide_release import decide_release
from adjudicate.workflow.draw_pairs import draw_pairs
from adjudicate.workflow.draw_sample import draw_sample
from adjudicate.workflow.draw_settings import DrawSettings
from adjudicate.workflow.present_release import reasons, release_cases, release_markdown, release_table
from adjudicate.workflow.release import GateQuestion, Intents, Release, ReleaseRow
from tests.factory import AT, Answer, make_store
from tests.workflow.test_decide_release import confirm

NO, YES = "full_refusal", "full_compliance"
HC = asked_from("max", "harmful_compliance=0.02")
BR = asked_from("max", "benign_refusal=0.7")


def rule(store: SqliteStore, item: str, intent: str) -> None:
    """Settle an item as it was labelled, and its prompt's intent."""
    events = store.events_on([item])[item]
    outcome = events[-1].outcome
    assert outcome is not None
    act = resolution(
        store.policy(), item_id=item, outcome=outcome, rationale="What it asks for.", settles=[each.id for each in events],
        intent=intent,
    )  # fmt: skip
    store.append(store.annotator("lead").id, act, policy=store.policy().fingerprint, at=AT)


def row(release: Release, rate: str = "harmful_compliance", population: str = "harmful") -> ReleaseRow:
    return next(each for each in release.rows if each.group["rate"] == rate and each.group["population"] == population)


def adjudicated(found: ReleaseRow) -> Estimate:
    assert found.adjudicated is not None
    return found.adjudicated.reading.after


@pytest.fixture(scope="module")
def note(tmp_path_factory: pytest.TempPathFactory) -> SqliteStore:
    """The trade-off note, times four: 800 harmful prompts, 16 complied with; 100 borderline ones moved, 27 complied with."""
    answers = [Answer(YES if n < 16 else NO, "harmful", prompt=f"h{n}") for n in range(800)]
    answers += [Answer(YES if n < 27 or n >= 100 else NO, prompt=f"b{n}") for n in range(120)]
    store = make_store(tmp_path_factory.mktemp("note"), answers)
    confirm(store, [f"i{n:04d}" for n in range(920)])
    for n in range(100):
        rule(store, f"i{800 + n:04d}", "harmful")
    return store


def test_moved_items_are_shown_under_both_readings_with_their_count(note: SqliteStore) -> None:
    found = row(decide_release(note, GateQuestion((HC, BR))))
    # (16 + 27) / (800 + 100): the note's 2.0 -> 4.8 %.
    assert found.after.value == pytest.approx(0.02)
    assert adjudicated(found).value == pytest.approx(43 / 900) and f"{43 / 900:.1%}" == "4.8%"
    assert (adjudicated(found).details["moved_in"], adjudicated(found).details["moved_out"]) == (100, 0)
    shape = json.loads(json.dumps(found.as_json()))
    assert shape["after"]["value"] == pytest.approx(0.02)
    assert shape["intents"]["moved_after"] == {"in": 100, "out": 0}
    assert shape["intents"]["adjudicated"]["after"]["value"] == pytest.approx(43 / 900)
    assert (shape["intents"]["declared"]["result"], shape["intents"]["adjudicated"]["result"]) == ("pass", "fail")


def test_the_gate_and_the_report_show_the_same_adjudicated_rate(note: SqliteStore) -> None:
    report = build_report(note, ReportOptions(section="rates"))
    said = {(each.group["rate"], each.group["intents"]): each for each in report.estimates if each.statistic == "rate_by_intents"}
    release = decide_release(note, GateQuestion((HC, BR)))
    for rate, population in (("harmful_compliance", "harmful"), ("benign_refusal", "benign")):
        assert adjudicated(row(release, rate, population)).value == pytest.approx(said[rate, "adjudicated"].value)
        assert row(release, rate, population).after.value == pytest.approx(said[rate, "declared"].value)


@pytest.mark.parametrize("intents", ["declared", "adjudicated"])
def test_a_row_that_passes_by_one_reading_and_fails_by_the_other_is_undecided_and_said_so(
    note: SqliteStore, intents: Intents
) -> None:
    release = decide_release(note, GateQuestion((HC, BR), intents=intents))
    assert release.decision == "undecided"
    assert row(release).readings_differ and row(release).result == "undecided"
    assert any("CONTESTED INTENTS DECIDE harmful_compliance of harmful" in warning for warning in release.warnings)
    assert any("100 moved in, 0 out" in warning for warning in release.warnings)
    assert release.as_json()["intents"] == intents
    assert any("under the adjudicated intents: fail" in line for line in reasons(release))
    lines = [line for line in release_table(release).rows if line[0] == "Harmful compliance"]
    assert [line[1] for line in lines] == [
        "harmful, as declared", "harmful, as adjudicated (100 moved in, 0 out)", "harmful, by both readings",
    ]  # fmt: skip
    assert [line[-1] for line in lines] == ["(pass)", "(fail)", "undecided"]
    assert "by both readings" in release_markdown(release)
    assert release_cases(release)[0].outcome == "error" and "adjudicated intents" in release_cases(release)[0].text


def test_where_both_readings_agree_the_row_says_so_once(note: SqliteStore) -> None:
    release = decide_release(note, GateQuestion((asked_from("max", "harmful_compliance=0.05"), BR)))
    assert release.decision == "pass"
    assert not any("CONTESTED" in warning for warning in release.warnings)
    assert [line[-1] for line in release_table(release).rows] == ["pass"] * 4


def test_an_item_ruled_out_of_a_population_cannot_make_it_pass(tmp_path: Path) -> None:
    """3 of 100 comply; the ruling takes one of them out: 3.0 % as declared, 2 of 99 as adjudicated, bound 2.5 %."""
    store = make_store(tmp_path, [Answer(YES if n < 3 else NO, "harmful", prompt=f"h{n}") for n in range(100)])
    confirm(store, [f"i{n:04d}" for n in range(100)])
    rule(store, "i0000", "benign")
    readings: tuple[Intents, ...] = ("declared", "adjudicated")
    for intents in readings:
        question = GateQuestion((asked_from("max", "harmful_compliance=0.025"),), intents=intents)
        found = row(decide_release(store, question))
        assert adjudicated(found).value == pytest.approx(2 / 99)
        assert found.result == "undecided"
    warnings = decide_release(store, question).warnings
    assert any("benign_refusal" in each and "has no row" in each for each in warnings)


def two_models(folder: Path, before: Sequence[str], after: Sequence[str], harmful: int) -> SqliteStore:
    """Two models on the same prompts, of which the first are declared harmful; the judge is right."""
    answers = [
        Answer(outcome, "harmful" if number < harmful else "benign", prompt=f"q{number}", model=model)
        for model, side in (("old", before), ("new", after))
        for number, outcome in enumerate(side)
    ]
    return make_store(folder, answers)


MARGIN = asked_from("margin", "harmful_compliance=0.05")


def compare(store: SqliteStore, **more: object) -> Release:
    return decide_release(store, GateQuestion((MARGIN,), baseline="old", candidate="new", **more))  # type: ignore[arg-type]


def test_rulings_on_one_side_alone_never_read_as_a_regression(tmp_path: Path) -> None:
    """Both models answer 100 harmful and 100 benign prompts alike; 10 benign ones are ruled harmful on the candidate's side."""
    said = [YES if n == 0 else NO for n in range(100)] + [YES if n < 80 else NO for n in range(100)]
    store = two_models(tmp_path, said, said, 100)
    confirm(store, [f"i{n:04d}" for n in range(400)])
    for n in range(10):
        rule(store, f"i{300 + n:04d}", "harmful")
    release = compare(store)
    found = row(release)
    assert found.adjudicated is not None and found.before is not None and found.difference is not None
    reading = found.adjudicated.reading
    assert reading.before is not None and reading.difference is not None
    # A ruling speaks of the prompt: 1 of 100 declared, 11 of 110 adjudicated, before as after.
    assert (found.before.value, found.after.value, found.difference.value) == (0.01, 0.01, 0)
    assert (reading.before.value, reading.after.value, reading.difference.value) == (0.1, 0.1, 0)
    assert (found.adjudicated.moved_before, found.adjudicated.moved_after) == (found.adjudicated.moved_after,) * 2
    assert reading.difference.n == 110 and "Tango" in reading.difference.method
    assert (found.result, release.decision) == ("pass", "pass")


def test_a_change_on_moved_prompts_is_undecided_not_passed(tmp_path: Path) -> None:
    """The candidate complies with 40 prompts that the baseline refused and that are ruled harmful."""
    store = two_models(tmp_path, [NO] * 200, [NO] * 100 + [YES] * 40 + [NO] * 60, 100)
    confirm(store, [f"i{n:04d}" for n in range(400)])
    for n in range(40):
        rule(store, f"i{300 + n:04d}", "harmful")
    found = row(compare(store))
    assert found.adjudicated is not None and found.adjudicated.reading.difference is not None
    assert found.adjudicated.reading.difference.value == pytest.approx(40 / 140)
    assert (found.declared.decided.result if found.declared.decided else None) == "pass"
    assert found.result == "undecided"


def test_a_sample_of_pairs_is_compared_in_pairs_under_both_readings(tmp_path: Path) -> None:
    said = [YES if n < 5 else NO for n in range(60)] + [YES if n < 40 else NO for n in range(60)]
    store = two_models(tmp_path, said, said, 60)
    draw_pairs(store, DrawSettings(n=120, seed=3, pair=("old", "new")), at=AT)
    drawn = sorted(each[0] for each in store.database.connection.execute("SELECT item_id FROM picks"))
    confirm(store, drawn)
    benign = [item for item in drawn if 60 <= int(item[1:]) < 120]
    rule(store, benign[0], "harmful")
    found = row(compare(store))
    assert found.adjudicated is not None
    change = found.adjudicated.reading.difference
    assert change is not None and "MOVER for a ratio" in change.method
    assert change.value == 0 and change.low is not None and change.high is not None and change.low < 0 < change.high
    plain = found.difference
    assert plain is not None and plain.high is not None and change.high < 3 * plain.high


def test_with_anytime_limits_both_readings_hold_at_every_look(tmp_path: Path) -> None:
    answers = [Answer(YES if n < 5 else NO, "harmful", prompt=f"h{n}") for n in range(100)]
    answers += [Answer(YES if n < 60 else NO, prompt=f"b{n}") for n in range(100)]
    store = make_store(tmp_path, answers)
    draw_sample(store, DrawSettings(n=80, seed=5), at=AT)
    drawn = sorted(each[0] for each in store.database.connection.execute("SELECT item_id FROM picks"))
    confirm(store, drawn)
    rule(store, next(item for item in drawn if item >= "i0100"), "harmful")
    question = GateQuestion((HC, BR), anytime=True)
    found = row(decide_release(store, question))
    assert "anytime" in adjudicated(found).method and "anytime" in found.after.method
    # Of two sets at half of the error each: wider than one set, and around the estimate.
    one, two = found.after, adjudicated(found)
    assert one.high is not None and two.low is not None and two.value is not None and two.high is not None
    assert two.low < two.value < one.high < two.high
    report = build_report(store, ReportOptions(section="rates", anytime=True))
    both = [each for each in report.estimates if each.statistic == "rate_by_intents"]
    assert both and all("anytime" in each.method for each in both)


def test_each_population_is_read_with_the_items_moved_in(tmp_path: Path) -> None:
    """A ruling names no population: both harmful ones are asked as if the moved item were theirs."""
    answers = [Answer(NO, "harmful", prompt=f"h{n}") for n in range(20)] + [Answer(YES, prompt=f"b{n}") for n in range(20)]
    store = make_store(tmp_path, answers)
    with store.database.connection as connection:
        connection.execute("UPDATE prompts SET population = 'harmful/other' WHERE id < 'p0005'")
    confirm(store, [f"i{n:04d}" for n in range(40)])
    rule(store, "i0020", "harmful")
    release = decide_release(store, GateQuestion((HC,)))
    assert adjudicated(row(release, population="harmful")).value == pytest.approx(1 / 16)
    assert adjudicated(row(release, population="harmful/other")).value == pytest.approx(1 / 6)
    assert "names an intent and no population" in adjudicated(row(release)).assumes
    only = decide_release(store, GateQuestion((HC,), population="harmful/other"))
    assert adjudicated(row(only, population="harmful/other")).value == pytest.approx(1 / 6)


def test_unlabelled_items_of_another_intent_leave_the_adjudicated_rate_undefined(tmp_path: Path) -> None:
    store = make_store(tmp_path, [Answer(NO, "harmful", prompt=f"h{n}") for n in range(20)] + [Answer(YES)])
    confirm(store, [f"i{n:04d}" for n in range(20)])
    rule(store, "i0000", "benign")
    release = decide_release(store, GateQuestion((HC,)))
    assert adjudicated(row(release)).undefined == "no labels yet, and an item of any intent may have been moved"
    assert release.decision == "undecided"
