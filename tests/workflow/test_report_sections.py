"""The sections of a report on small real stores: every expected number is derived by hand beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from adjudicate.core.estimates import Estimate
from adjudicate.core.labels import Mode, label, resolution
from adjudicate.errors import UsageError
from adjudicate.storage.connection import writing
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.build_report import Report, ReportOptions, build_report
from adjudicate.workflow.draw_sample import draw_sample
from adjudicate.workflow.draw_settings import DrawSettings
from adjudicate.workflow.judge_tables import errors_table
from adjudicate.workflow.list_errors import list_errors
from adjudicate.workflow.operating_point import FrontierQuestion, find_operating_point
from adjudicate.workflow.present_report import SECTION_TABLES, table
from adjudicate.workflow.pseudonyms import pseudonyms
from tests.factory import AT, Answer, make_store

YES, NO, PARTLY = "full_compliance", "full_refusal", "partial_refusal"
MakeStore = Callable[..., SqliteStore]


@pytest.fixture
def store_of(tmp_path: Path) -> MakeStore:
    """Make one store in this test's folder."""

    def make(answers: Sequence[Answer], **options: str) -> SqliteStore:
        return make_store(tmp_path, answers, **options)

    return make


def name(number: int) -> str:
    return f"i{number:04d}"


def say(
    store: SqliteStore,
    person: str,
    outcomes: Sequence[str | None],
    *,
    mode: Mode = "blind",
    round: int = 0,
    at: Callable[[int], str] = lambda _: AT,
    seconds: float | None = None,
) -> None:
    """One label per item in the order of the items; None leaves an item out."""
    policy = store.policy()
    who = store.annotator(person).id
    for number, outcome in enumerate(outcomes):
        if outcome is not None:
            act = label(policy, item_id=name(number), outcome=outcome, mode=mode, round=round, seconds=seconds)
            store.append(who, act, policy=policy.fingerprint, at=at(number))


def change(store: SqliteStore, statement: str, rows: Sequence[Sequence[object]]) -> None:
    """Put into the imported rows what the factory does not know."""
    with writing(store.database) as connection:
        connection.executemany(statement, rows)


def estimate(report: Report, statistic: str, **group: str) -> Estimate:
    found = [each for each in report.estimates if each.statistic == statistic and each.group == group]
    assert len(found) == 1, f"{statistic} {group}: {[each.group for each in report.estimates if each.statistic == statistic]}"
    return found[0]


def statistics(report: Report) -> set[str]:
    return {each.statistic for each in report.estimates}


# The frame


def test_every_item_and_verdict_is_counted_once_whatever_the_number_of_judges(store_of: MakeStore) -> None:
    store = store_of([Answer(YES), Answer(NO, "harmful"), Answer(None, "harmful"), Answer(NO, "harmful", model="n")])
    change(store, "INSERT INTO judges VALUES (?, ?, '', '', '', '')", [("k", "second")])
    # The second judge saw two items and scored one of them; one item has no verdict of the first any more.
    change(
        store, "INSERT INTO verdicts VALUES (?, 'k', ?, NULL, ?, ?, '', '')", [(name(1), YES, 30, 40), (name(3), NO, None, None)]
    )
    change(store, "DELETE FROM verdicts WHERE item_id = ? AND judge_id = 'j'", [(name(0),)])
    counted = {(cell.intent, cell.model, cell.judge, cell.verdict): cell.size for cell in store.frame_cells()}
    assert counted == {
        ("benign", "m", "", None): 1, ("harmful", "m", "", None): 2, ("harmful", "n", "", None): 1,
        ("harmful", "m", "judge", NO): 1, ("harmful", "m", "judge", None): 1, ("harmful", "n", "judge", NO): 1,
        ("harmful", "m", "second", YES): 1, ("harmful", "n", "second", NO): 1,
    }  # fmt: skip
    scored = [cell for cell in store.frame_cells() if cell.helpfulness_n or cell.safety_n]
    assert [(cell.helpfulness, cell.safety, cell.judge) for cell in scored] == [(30, 40, "second")]


def test_judges_of_one_name_are_counted_together(store_of: MakeStore) -> None:
    store = store_of([Answer(YES)] * 2)
    change(store, "INSERT INTO judges VALUES (?, 'judge', '', '', '', '')", [("k",)])
    change(store, "UPDATE verdicts SET judge_id = 'k' WHERE item_id = ?", [(name(1),)])
    assert [cell.size for cell in store.frame_cells()] == [2, 2]


def test_a_store_without_a_judge_has_a_frame(store_of: MakeStore) -> None:
    store = store_of([Answer(YES)])
    change(store, "DELETE FROM verdicts WHERE item_id = ?", [(name(0),)])
    change(store, "DELETE FROM judges WHERE id = ?", [("j",)])
    assert [(cell.judge, cell.size) for cell in store.frame_cells()] == [("", 1)]


# Agreement


def test_agreement_on_a_rare_event_stands_beside_kappa(store_of: MakeStore) -> None:
    store = store_of([Answer(NO, "harmful")] * 12)
    # Both name the event twice, each alone once, neither eight times.
    say(store, "ann", [YES, YES, YES, NO] + [NO] * 8)
    say(store, "bo", [YES, YES, NO, YES] + [PARTLY] * 8)
    report = build_report(store, ReportOptions(section="agreement"))
    rate = {"rate": "harmful_compliance"}
    assert estimate(report, "positive_agreement", **rate).value == pytest.approx(4 / 6)
    assert estimate(report, "negative_agreement", **rate).value == pytest.approx(16 / 18)
    assert estimate(report, "pabak", **rate).value == pytest.approx(2 * 10 / 12 - 1)
    assert estimate(report, "prevalence_index", **rate).value == pytest.approx(6 / 12)
    # Chance 0.25^2 + 0.75^2 = 0.625 on the event, observed 10/12.
    assert estimate(report, "cohen_kappa", **rate).value == pytest.approx((10 / 12 - 0.625) / 0.375)
    assert estimate(report, "cohen_kappa").value != estimate(report, "cohen_kappa", **rate).value


def test_two_annotators_get_tables_and_three_get_conger(store_of: MakeStore) -> None:
    store = store_of([Answer(NO, "harmful")] * 4)
    say(store, "ann", [YES, NO, NO, NO])
    say(store, "bo", [YES, NO, NO, PARTLY])
    assert {"scott_pi", "weighted_kappa"} <= statistics(build_report(store, ReportOptions(section="agreement")))
    say(store, "cy", [YES, NO, NO, PARTLY])
    three = statistics(build_report(store, ReportOptions(section="agreement")))
    assert "conger_kappa" in three and not {"scott_pi", "weighted_kappa"} & three


def test_hidden_repeats_give_self_agreement_and_stay_out_of_the_rest(store_of: MakeStore) -> None:
    store = store_of([Answer(NO)] * 4)
    say(store, "ann", [YES, NO, NO, PARTLY])
    assert "self_agreement" not in statistics(build_report(store))
    say(store, "ann", [YES, NO, YES, PARTLY], round=1)
    report = build_report(store)
    assert estimate(report, "self_agreement").value == 3 / 4
    assert estimate(report, "self_agreement", annotator=pseudonyms(store)[store.annotator("ann").id]).details["changes"] == [
        {"first": NO, "again": YES, "n": 1}
    ]


def test_people_are_called_by_pseudonym(store_of: MakeStore) -> None:
    store = store_of([Answer(NO)] * 4)
    say(store, "ann-smith", [YES, NO, NO, NO])
    say(store, "bo-jones", [YES, NO, NO, PARTLY])
    shown = str(build_report(store).as_json())
    assert all(f"'{name}'" in shown for name in pseudonyms(store).values())
    assert not any(person.name in shown or person.id in shown for person in store.annotators())


def test_annotators_are_measured_against_gold_where_there_are_several(store_of: MakeStore) -> None:
    store = store_of([Answer(NO)] * 4)
    say(store, "ann", [YES, NO, NO, NO])
    assert "annotator_accuracy" not in statistics(build_report(store))
    say(store, "bo", [YES, NO, NO, PARTLY])
    policy = store.policy()
    settles = [event.id for event in store.events_on([name(3)])[name(3)]]
    act = resolution(policy, item_id=name(3), outcome=NO, rationale="It declines all of it.", settles=settles)
    store.append(store.annotator("lead").id, act, policy=policy.fingerprint, at=AT)
    report = build_report(store)
    right = {each.group["annotator"]: each.value for each in report.estimates
             if each.statistic == "annotator_accuracy" and "items" not in each.group}  # fmt: skip
    assert sorted(right.values(), key=str) == [0.75, 1.0]


def test_drift_needs_times_that_differ(store_of: MakeStore) -> None:
    store = store_of([Answer(NO)] * 40)
    said: list[str | None] = [YES, NO] * 20
    clock = lambda number: f"2026-11-{1 + number // 20:02d}T12:00:00.000Z"  # noqa: E731 - two days, twenty items each
    say(store, "ann", said, at=clock)
    # Everything alike on the first day, half of it on the second.
    say(store, "bo", said[:20] + [NO] * 20, at=clock)
    report = build_report(store, ReportOptions(section="agreement"))
    assert estimate(report, "percent_agreement", window="1 of 2").value == 1
    assert estimate(report, "percent_agreement", window="2 of 2").value == 0.5
    assert estimate(report, "agreement_drift").value == -0.5


def test_labels_of_one_time_show_no_drift(store_of: MakeStore) -> None:
    store = store_of([Answer(NO)] * 40)
    say(store, "ann", [YES, NO] * 20)
    say(store, "bo", [YES, NO] * 20)
    assert "agreement_drift" not in statistics(build_report(store))


def test_borderline_agreement_describes_its_sample(store_of: MakeStore) -> None:
    store = store_of([Answer(NO)] * 6)
    change(
        store, "UPDATE prompts SET population = ? WHERE id = ?", [("benign/borderline", f"p{number:04d}") for number in range(4)]
    )
    say(store, "ann", [YES, NO, NO, NO, NO, NO])
    say(store, "bo", [NO, YES, NO, NO, NO, NO])
    found = estimate(build_report(store), "percent_agreement", items="borderline")
    # Two of the four borderline items are labelled alike; the other population is left out.
    assert (found.value, found.n) == (0.5, 4)
    assert found.details["sample"]["frame"] == 4
    assert found.details["sample"]["labels_per_item"] == {"2": 4}


# Accuracy


def test_two_judges_are_compared_on_the_same_items(store_of: MakeStore) -> None:
    store = store_of([Answer(NO, "harmful")] * 6, judge="a")
    change(store, "INSERT INTO judges VALUES (?, 'b', '', '', '', '')", [("k",)])
    change(
        store, "INSERT INTO verdicts VALUES (?, 'k', ?, NULL, NULL, NULL, '', '')", [(name(number), YES) for number in range(6)]
    )
    # Judge a says NO six times and is right on four, b says YES and is right on two.
    say(store, "ann", [YES, YES, NO, NO, NO, NO])
    report = build_report(store, ReportOptions(section="accuracy"))
    found = estimate(report, "judge_accuracy_difference", judge="a", against="b", speaks_for="labelled items")
    assert found.value == pytest.approx(2 / 6)
    assert (found.details["first_right_second_wrong"], found.details["first_wrong_second_right"]) == (4, 2)
    # Exact McNemar on 2 of 6 discordant: 2 * (1 + 6 + 15) / 64.
    assert found.details["p"] == pytest.approx(44 / 64)


def test_slices_show_where_the_judge_is_biased_and_how_many_tests_were_made(store_of: MakeStore) -> None:
    store = store_of([Answer(NO, "harmful")] * 10)
    change(store, "UPDATE prompts SET language = ? WHERE id = ?", [("de", f"p{number:04d}") for number in range(4)])
    change(store, "UPDATE items SET response = ? WHERE id = ?", [("x" * 600, name(number)) for number in range(5)])
    # The judge misses three of four events in German and nothing in English.
    say(store, "ann", [YES, YES, YES, NO] + [NO] * 6)
    report = build_report(store, ReportOptions(section="accuracy"))
    named = {"judge": "judge", "rate": "harmful_compliance"}
    german = estimate(report, "judge_bias", language="de", **named)
    assert (german.value, german.n, german.details["missed"]) == (-0.75, 4, 3)
    assert german.details["few"] and german.details["tests"] == 4
    # Exact McNemar of 0 against 3 is 2/8; Holm multiplies the smallest of four by four.
    assert german.details["p"] == pytest.approx(0.25)
    assert german.details["holm"] == 1
    lengths = {each.group["length"]: each.n for each in report.estimates if "length" in each.group}
    assert lengths == {"a: up to 500 characters": 5, "b: 501 to 2,000 characters": 5}
    assert not any("turns" in each.group or "category" in each.group for each in report.estimates)


def test_the_alternative_annotator_test_is_never_without_sensitivity(store_of: MakeStore) -> None:
    store = store_of([Answer(NO, "harmful")] * 32)
    say(store, "ann", [NO] * 32)
    say(store, "bo", [NO] * 32)
    report = build_report(store, ReportOptions(section="accuracy"))
    found = estimate(report, "alt_test_winning_rate", judge="judge", rate="harmful_compliance")
    assert found.undefined is not None and "never shown without sensitivity" in found.undefined
    say(store, "ann", [YES])
    say(store, "bo", [YES])
    shown = estimate(build_report(store), "alt_test_winning_rate", judge="judge", rate="harmful_compliance")
    # One event, missed: the judge passes the test with sensitivity 0.
    assert (shown.value, shown.details["sensitivity"]) == (1.0, 0.0)
    [row, _] = [row for row in table("alternative", build_report(store)).rows if row[1] == "Harmful compliance"]
    assert row[5].startswith("0.0 %")


def test_errors_are_listed_false_safe_first(store_of: MakeStore) -> None:
    store = store_of([Answer(NO), Answer(YES, "harmful"), Answer(NO, "harmful"), Answer(None), Answer(YES)])
    say(store, "ann", [YES, NO, YES, YES, YES])
    listed = list_errors(store)
    assert [(each.error.item_id, each.error.direction) for each in listed.errors] == [
        (name(2), "false_safe"), (name(0), "false_alarm"), (name(1), "false_alarm"), (name(3), "judge_failed"),
    ]  # fmt: skip
    first = listed.as_json()["errors"][0]
    assert first == {
        "item": name(2), "source_id": "s-2", "judge": "judge", "model": "m", "population": "harmful", "intent": "harmful",
        "direction": "false_safe", "rate": "harmful_compliance", "verdict": NO, "gold": YES, "severity": None, "clause": None,
        "blind": True,
    }  # fmt: skip
    counts = {each.group["direction"]: each.value for each in listed.counts}
    assert counts == {"false_safe": 1, "missed": 0, "false_alarm": 2, "other_outcome": 0, "judge_failed": 1}
    assert [row[0] for row in errors_table(listed).rows] == ["false safe", "false alarm", "false alarm", "judge failed"]


# Anchoring


def split(store: SqliteStore, n: int) -> dict[str, bool]:
    """Draw everything for one person, half of it blind; whether each item is to be labelled blind."""
    draw_sample(store, DrawSettings(n=n, annotators=("ann",), overlap=1, blind_share=0.5, seed=3), at=AT)
    return {pick.item_id: pick.blind for pick in store.pending(store.annotator("ann").id, after=-1, limit=n)}


def test_blind_and_assisted_labels_of_the_split_are_compared(store_of: MakeStore) -> None:
    store = store_of([Answer(NO)] * 8)
    blind = split(store, 8)
    left = {True: 2, False: 1}
    for item, is_blind in blind.items():
        # Two of four overruled blind, one of four with the verdict in view.
        outcome = YES if left[is_blind] else NO
        left[is_blind] -= outcome == YES
        act = label(store.policy(), item_id=item, outcome=outcome, mode="blind" if is_blind else "assisted", seconds=0.1)
        store.append(store.annotator("ann").id, act, policy=store.policy().fingerprint, at=AT)
    report = build_report(store, ReportOptions(section="anchoring"))
    assert estimate(report, "overrule_rate", arm="blind").value == 0.5
    assert estimate(report, "overrule_rate", arm="assisted").value == 0.25
    assert estimate(report, "anchoring_gap", of="overrule_rate").value == -0.25
    assert estimate(report, "anchoring_gap", of="measured_judge_accuracy").value == 0.25
    # "A question?" and "An answer." are 21 characters: 0.35 seconds at reading speed.
    assert estimate(report, "faster_than_reading", annotator=pseudonyms(store)[store.annotator("ann").id]).value == 1
    assert estimate(report, "longest_agreement_run", annotator=pseudonyms(store)[store.annotator("ann").id]).value in (1, 2, 3)


def test_labels_made_against_the_plan_are_not_part_of_the_split(store_of: MakeStore) -> None:
    store = store_of([Answer(NO)] * 4)
    blind = split(store, 4)
    for item in blind:
        act = label(store.policy(), item_id=item, outcome=NO, mode="assisted")
        store.append(store.annotator("ann").id, act, policy=store.policy().fingerprint, at=AT)
    found = estimate(build_report(store, ReportOptions(section="anchoring")), "anchoring_gap", of="overrule_rate")
    assert found.undefined == "every label was made with the verdict in view, so there is nothing to compare"


def test_blind_labels_alone_leave_one_row_that_says_why(store_of: MakeStore) -> None:
    store = store_of([Answer(NO)] * 4)
    assert build_report(store, ReportOptions(section="anchoring")).estimates == ()
    say(store, "ann", [NO] * 4)
    report = build_report(store, ReportOptions(section="anchoring"))
    assert len(report.estimates) == 1
    reason = report.estimates[0].undefined
    assert reason is not None and "every label is blind" in reason


def test_changes_after_the_reveal_are_counted_by_direction(store_of: MakeStore) -> None:
    store = store_of([Answer(NO)] * 5)
    # Three differ from the verdict: one then moves to it, one to something else, one is kept. Two agreed and were not shown it.
    say(store, "ann", [YES, YES, YES, NO, NO], seconds=4.0)
    say(store, "ann", [NO, PARTLY], mode="revealed")
    report = build_report(store, ReportOptions(section="anchoring"))
    changed = estimate(report, "changed_after_reveal")
    assert changed.value == pytest.approx(2 / 3) and changed.n == 3
    assert changed.details["toward_verdict"] == 1 and changed.details["between_others"] == 1
    assert estimate(report, "moved_to_verdict").value == pytest.approx(1 / 3)


def test_imported_labels_were_never_shown_a_verdict(store_of: MakeStore) -> None:
    store = store_of([Answer(NO)] * 4)
    say(store, "file", [YES] * 4)
    assert "changed_after_reveal" not in statistics(build_report(store))


# Calibration


def test_scores_are_calibrated_against_blind_gold(store_of: MakeStore) -> None:
    store = store_of([Answer(NO, "harmful")] * 4)
    change(store, "UPDATE verdicts SET score = ?, safety = ? WHERE item_id = ?",
           [(0.1, 90, name(0)), (0.1, 90, name(1)), (0.9, 10, name(2)), (0.9, 10, name(3))])  # fmt: skip
    say(store, "ann", [NO, NO, YES, NO])
    report = build_report(store, ReportOptions(section="calibration"))
    for reading in ("score", "100 - safety"):
        group = {"judge": "judge", "rate": "harmful_compliance", "score": reading}
        # Half at 0.1 with rate 0, half at 0.9 with rate 1/2.
        ece = estimate(report, "judge_ece", **group)
        assert ece.value == pytest.approx(0.5 * 0.1 + 0.5 * 0.4)
        assert 0 < ece.details["if_calibrated"] < 1
        assert estimate(report, "judge_brier", **group).value == pytest.approx((0.01 + 0.01 + 0.01 + 0.81) / 4)
        fitted = estimate(report, "judge_ece", **group, calibration="isotonic, cross-fitted")
        assert fitted.undefined is not None and "needs an event" in fitted.undefined


def test_a_score_is_a_suspicion_and_predicts_no_refusal(store_of: MakeStore) -> None:
    """What docs/import.md says a score is: high where the response should have been stopped, so it says nothing of refusals."""
    store = store_of([Answer(YES, "harmful")] * 2 + [Answer(NO)] * 2)
    change(store, "UPDATE verdicts SET score = ?, helpfulness = ? WHERE item_id = ?",
           [(0.9, 50, name(0)), (0.8, 50, name(1)), (0.1, 0, name(2)), (0.2, 10, name(3))])  # fmt: skip
    say(store, "ann", [YES, YES, NO, NO])
    report = build_report(store, ReportOptions(section="calibration"))
    held = {(each.group["rate"], each.group["score"]) for each in report.estimates}
    assert held == {("harmful_compliance", "score"), ("benign_refusal", "100 - helpfulness")}
    # The same number is what a filter refuses by: nothing benign is above 0.5, everything harmful is.
    point = find_operating_point(store, FrontierQuestion(threshold=0.5))
    there = [each for each in point.estimates if each.statistic == "frontier_rate" and each.group["choice"] == "given"]
    rates = {each.group["error"]: each.value for each in there}
    assert rates == {"harmful_compliance": 0, "benign_refusal": 0}


def test_a_judge_without_scores_has_no_calibration(store_of: MakeStore) -> None:
    store = store_of([Answer(NO)] * 4)
    say(store, "ann", [NO] * 4)
    assert build_report(store, ReportOptions(section="calibration")).estimates == ()


# Rates


def ruled(store: SqliteStore, item: str, outcome: str, intent: str) -> None:
    policy = store.policy()
    settles = [event.id for event in store.events_on([item])[item]]
    act = resolution(policy, item_id=item, outcome=outcome, rationale="It asks for harm.", settles=settles, intent=intent)
    store.append(store.annotator("lead").id, act, policy=policy.fingerprint, at=AT)


@pytest.fixture
def census(store_of: MakeStore) -> SqliteStore:
    """Four benign items of which one is refused, two harmful ones refused; all labelled, the judge right on all."""
    verdicts = [NO, YES, YES, YES, NO, NO]
    store = store_of([Answer(each, "harmful" if n > 3 else "benign", prompt=f"q{n}") for n, each in enumerate(verdicts)])
    say(store, "ann", verdicts)
    return store


def test_a_ruling_on_an_intent_shows_both_readings_side_by_side(census: SqliteStore) -> None:
    assert "rate_by_intents" not in statistics(build_report(census))
    ruled(census, name(3), YES, "harmful")
    report = build_report(census, ReportOptions(section="rates"))
    both = {reading: estimate(report, "rate_by_intents", rate="harmful_compliance", intents=reading)
            for reading in ("declared", "adjudicated")}  # fmt: skip
    # 0 of 2 as declared; the moved item complied, so 1 of 3.
    assert both["declared"].value == 0
    assert both["adjudicated"].value == pytest.approx(1 / 3)
    assert (both["adjudicated"].details["moved_in"], both["adjudicated"].details["moved_out"]) == (1, 0)
    refused = estimate(report, "rate_by_intents", rate="benign_refusal", intents="adjudicated")
    assert refused.value == pytest.approx(1 / 3)
    # What stands under the declared intents stays the published rate.
    assert estimate(report, "corrected_rate", rate="benign_refusal", population="benign").value == 0.25
    assert len(table("intents", report).rows) == 4


def test_a_contested_intent_without_a_ruling_is_a_warning(census: SqliteStore) -> None:
    from adjudicate.core.labels import contest

    act = contest(item_id=name(3), intent="harmful")
    census.append(census.annotator("ann").id, act, policy=census.policy().fingerprint, at=AT)
    assert any("1 items have a contested intent" in warning for warning in build_report(census).warnings)
    ruled(census, name(3), YES, "benign")
    report = build_report(census)
    assert not any("contested intent" in warning for warning in report.warnings)
    assert "rate_by_intents" not in statistics(report)


def test_the_boundary_score_is_the_harmonic_mean_of_both_sides(census: SqliteStore) -> None:
    report = build_report(census, ReportOptions(section="rates"))
    # 1 - BR = 3/4 and 1 - HC = 1: 2 * 0.75 / 1.75.
    assert estimate(report, "boundary_score", of="rates", by="gold").value == pytest.approx(1.5 / 1.75)
    assert estimate(report, "boundary_score", of="rates", by="judge", judge="judge").value == pytest.approx(1.5 / 1.75)


def test_the_boundary_score_of_the_judges_own_scores_is_raw(census: SqliteStore) -> None:
    change(census, "UPDATE verdicts SET helpfulness = 80, safety = ? WHERE item_id = ?",
           [(100 if number < 4 else 80, name(number)) for number in range(6)])  # fmt: skip
    found = estimate(build_report(census), "boundary_score", of="judge's scores", by="judge", judge="judge")
    # Helpfulness 80 on benign prompts, safety 80 on harmful ones.
    assert found.value == pytest.approx(80)
    assert (found.unit, found.low) == ("points", None)


def test_one_intent_alone_has_no_boundary_score(store_of: MakeStore) -> None:
    store = store_of([Answer(NO)] * 2)
    say(store, "ann", [NO] * 2)
    assert "boundary_score" not in statistics(build_report(store))


def test_several_answers_per_prompt_give_rates_within_k_attempts(store_of: MakeStore) -> None:
    verdicts = [YES, NO, NO, NO, YES, YES, NO, NO]
    store = store_of([Answer(verdict, "harmful") for verdict in verdicts])
    change(store, "UPDATE items SET prompt_id = ? WHERE id = ?", [(f"p{number // 2:04d}", name(number)) for number in range(8)])
    say(store, "ann", verdicts)
    report = build_report(store, ReportOptions(section="rates"))
    group = {"rate": "harmful_compliance", "population": "harmful", "by": "judge", "judge": "judge"}
    # Prompts complied 1/2, 0, 2/2 and 0 of 2 times.
    assert estimate(report, "attempts_rate", **group, attempts="1").value == pytest.approx(0.375)
    assert estimate(report, "attempts_rate", **group, attempts="2").value == pytest.approx(0.5)
    # Answers to one prompt are a cluster; three of eight events in four clusters.
    assert estimate(report, "corrected_rate", rate="harmful_compliance", population="harmful").details["clusters"] == 4


def test_one_answer_per_prompt_has_no_attempts(census: SqliteStore) -> None:
    report = build_report(census, ReportOptions(section="rates"))
    assert "attempts_rate" not in statistics(report)
    assert "clusters" not in estimate(report, "corrected_rate", rate="benign_refusal", population="benign").details


@pytest.fixture
def sample(store_of: MakeStore) -> SqliteStore:
    """Twenty benign items, none flagged, sixteen drawn and labelled, one of them refused."""
    store = store_of([Answer(YES)] * 20)
    draw_sample(store, DrawSettings(n=16, annotators=("ann",), overlap=1, seed=5), at=AT)
    drawn = store.pending(store.annotator("ann").id, after=-1, limit=20)
    for place, pick in enumerate(drawn):
        act = label(store.policy(), item_id=pick.item_id, outcome=YES if place else NO, mode="blind")
        store.append(store.annotator("ann").id, act, policy=store.policy().fingerprint, at=AT)
    return store


def test_anytime_limits_are_wider_and_say_so(sample: SqliteStore) -> None:
    plain = estimate(build_report(sample), "corrected_rate", rate="benign_refusal", population="benign")
    report = build_report(sample, ReportOptions(anytime=True))
    anytime = estimate(report, "corrected_rate", rate="benign_refusal", population="benign")
    assert anytime.value == plain.value == 1 / 16
    assert "anytime" in anytime.method
    assert (anytime.high or 0) >= (plain.high or 1)
    with pytest.raises(UsageError, match="--anytime"):
        build_report(sample, ReportOptions(anytime=True, target="process"))


def test_conservative_limits_have_a_guarded_row_beside_them(sample: SqliteStore) -> None:
    assert "guarded_rate" not in statistics(build_report(sample))
    report = build_report(sample, ReportOptions(section="rates", conservative=True))
    # 16 of 20 is above 0.7 and one event is at most two: this stratum is the guarded one.
    guarded = estimate(report, "guarded_rate", rate="benign_refusal", population="benign")
    assert len(guarded.details["guarded"]) == 1 and "Clopper-Pearson in nearly complete strata" in guarded.method
    assert "guarded interval" in table("rates", report).headers


# All of it


def test_every_table_of_a_plain_workspace_can_be_made(census: SqliteStore) -> None:
    report = build_report(census)
    shown = {section for section in SECTION_TABLES if table(section, report).rows}
    judge = {"judge", "confusion", "confusions", "slices", "errors"}
    assert shown == {"rates", "outcomes", "scores", "agreement", "anchoring", *judge}


def test_one_row_can_be_asked_for(census: SqliteStore) -> None:
    assert statistics(build_report(census, ReportOptions(only=("raw_rate",)))) == {"raw_rate"}
