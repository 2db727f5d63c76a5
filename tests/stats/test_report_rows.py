"""Rows of the report on evidence made by hand: what each says, and when it says nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from adjudicate.core.estimates import Estimate
from adjudicate.core.policy import Rate
from adjudicate.stats import STATISTICS, CellCount, Evidence, LabelledItem
from adjudicate.stats.designs import Scope
from adjudicate.stats.evidence import ArmDecision, JudgeReadings, PromptAnswers
from adjudicate.stats.intent_strata import NO_LABELS, WITHOUT_DRAW, intent_frame
from adjudicate.stats.report_anchoring import NOT_RANDOM
from adjudicate.stats.report_comparison import length_band, turn_band

RATES = (Rate("hc", "HC", "harmful", ("bad",), "lower"), Rate("br", "BR", "benign", ("bad",), "lower"))
SILENT_WITHOUT_ITS_NEED = {
    "further_agreement", "rare_event_agreement", "borderline_agreement", "self_agreement", "annotator_accuracy",
    "agreement_drift", "judge_difference", "alt_test", "anchoring", "reveal", "rubber_stamp", "calibration", "isotonic",
    "guarded_rate", "rate_by_intents", "boundary_score", "attempts_rate", "clustered_rate", "transported_rate",
    "transported_share", "mean_score", "judge_self_consistency", "judge_agreement",
}  # fmt: skip
"""Rows that say nothing on a plain workspace: one population, one judge, one annotator, no scores, no repeats, no rulings."""


def compute(name: str, given: Evidence) -> list[Estimate]:
    return next(row for row in STATISTICS if row.name == name).compute(given)


def item(number: int, gold: str = "fine", intent: str = "harmful", **changes: object) -> LabelledItem:
    plain = LabelledItem(
        f"i{number}", "s", f"{intent}/p", intent, "m", gold, gold, {"j": gold}, {"a": gold}, sampled=True
    )  # fmt: skip
    return replace(plain, **changes)  # type: ignore[arg-type]


def frame(intent: str, size: int, *, stratum: str = "s") -> CellCount:
    return CellCount(stratum, f"{intent}/p", intent, "m", "", None, size)


def evidence(cells: list[CellCount], items: list[LabelledItem], **changes: object) -> Evidence:
    plain = Evidence(("fine", "bad"), RATES, tuple(cells), tuple(items), ("a",), ("j",), resamples=50)
    return replace(plain, **changes)  # type: ignore[arg-type]


def test_a_plain_workspace_hears_nothing_of_what_it_does_not_have() -> None:
    cells = [frame("harmful", 10), replace(frame("harmful", 10), judge="j", verdict="fine")]
    given = evidence(cells, [item(number) for number in range(4)])
    assert {row.name for row in STATISTICS if not row.compute(given)} == SILENT_WITHOUT_ITS_NEED


def test_no_row_fails_on_an_empty_workspace() -> None:
    for row in STATISTICS:
        assert all(estimate.undefined is not None for estimate in row.compute(evidence([], [], annotators=(), judges=())))


def test_a_frame_over_populations_keeps_each_ones_design() -> None:
    cells = [frame("harmful", 10), replace(frame("harmful", 30), population="harmful/q")]
    labelled = [item(0), item(1, population="harmful/q")]
    whole = intent_frame(evidence(cells, labelled), Scope(intent="harmful"))
    assert whole.reason is None
    assert sorted(whole.sizes.values()) == [10, 30]
    assert {each.stratum for each in whole.items} == set(whole.sizes)
    # A population that nobody labelled but whose strata were drawn stays in, as a stratum without labels.
    assert sorted(intent_frame(evidence(cells, labelled[:1]), Scope(intent="harmful")).sizes.values()) == [10, 30]


def test_a_population_without_a_design_leaves_the_whole_undefined() -> None:
    outside = replace(frame("harmful", 30, stratum=""), population="harmful/q")
    assert intent_frame(evidence([frame("harmful", 10), outside], [item(0)]), Scope(intent="harmful")).reason == NO_LABELS
    reviewed = [item(0), item(1, population="harmful/q", stratum="")]
    assert intent_frame(evidence([frame("harmful", 10), outside], reviewed), Scope(intent="harmful")).reason == WITHOUT_DRAW


def both_sides(**changes: object) -> Evidence:
    """Ten harmful items, four labelled, one event; ten benign ones, four labelled, two events."""
    items = [item(number, "bad" if number < 1 else "fine") for number in range(4)]
    items += [item(10 + number, "bad" if number < 2 else "fine", "benign") for number in range(4)]
    return evidence([frame("harmful", 10), frame("benign", 10)], items, **changes)


def test_the_boundary_score_of_a_sample_has_an_interval() -> None:
    found = next(each for each in compute("boundary_score", both_sides()) if each.group["by"] == "gold")
    # 1 - BR = 0.5, 1 - HC = 0.75.
    assert found.value == pytest.approx(2 * 0.5 * 0.75 / 1.25)
    assert found.low is not None and found.high is not None and found.low < 0.6 < found.high


def test_points_of_the_policy_are_a_reading_of_their_own() -> None:
    points = {"benign": {"fine": 80.0, "bad": 0.0}, "harmful": {"fine": 100.0, "bad": 20.0}}
    found = [each for each in compute("boundary_score", both_sides(points=points)) if each.group["of"] == "points"]
    corrected = next(each for each in found if each.group["by"] == "gold")
    # Benign (0 + 0 + 80 + 80) / 4 = 40; harmful (20 + 300) / 4 = 80.
    assert corrected.value == pytest.approx(2 * 40 * 80 / 120)
    assert corrected.unit == "points"


def test_a_side_without_labels_leaves_the_score_undefined_with_the_reason() -> None:
    given = both_sides()
    benign_only = replace(given, items=tuple(each for each in given.items if each.intent == "benign"))
    found = next(each for each in compute("boundary_score", benign_only) if each.group["by"] == "gold")
    assert found.undefined == "harmful side: no settled label"


def test_moved_items_change_both_rates_of_the_sample() -> None:
    given = both_sides()
    moved = tuple(replace(each, adjudicated_intent="harmful") if each.item_id == "i10" else each for each in given.items)
    found = {
        (each.group["rate"], each.group["intents"]): each for each in compute("rate_by_intents", replace(given, items=moved))
    }
    # One benign event of the four became harmful: 2.5 more items of the frame, all of them events.
    assert found["hc", "declared"].value == pytest.approx(0.25)
    assert found["hc", "adjudicated"].value == pytest.approx((2.5 + 2.5) / (10 + 2.5))
    assert found["br", "declared"].value == pytest.approx(0.5)
    assert found["br", "adjudicated"].value == pytest.approx(2.5 / 7.5)
    assert [found["br", "adjudicated"].details[key] for key in ("moved_in", "moved_out")] == [0, 1]


def test_only_the_rates_of_intents_that_items_left_or_entered_are_shown() -> None:
    given = both_sides(rates=(*RATES, Rate("du", "DU", "dual_use", ("bad",), "lower")))
    moved = tuple(replace(each, adjudicated_intent="dual_use") if each.item_id == "i10" else each for each in given.items)
    assert {each.group["rate"] for each in compute("rate_by_intents", replace(given, items=moved))} == {"br", "du"}


def test_attempts_are_corrected_by_the_strata_of_the_answers() -> None:
    answers = (PromptAnswers("harmful/p", "harmful", "m", "j", (("s", "bad"), ("s", "fine")), 5),)
    found = {(each.group["by"], each.group["attempts"]): each for each in compute("attempts_rate", both_sides(answers=answers))}
    assert found["judge", "1"].value == pytest.approx(0.5)
    assert found["judge", "2"].value == pytest.approx(1)
    # Every answer is an event with the labelled rate 1/4 of its only stratum, and nothing says whether both of a prompt are:
    # 1/4 if so, 1 - 0.75^2 if they were unrelated.
    assert found["gold", "1"].value == pytest.approx(0.25)
    assert found["gold", "2"].value is None
    assert found["gold", "2"].details["bounds"] == pytest.approx([0.25, 1 - 0.75**2])
    assert found["judge", "2"].n == 5


def test_where_every_answer_is_labelled_attempts_are_counted() -> None:
    # Ten prompts with two answers each: both events on two of them, none on the others.
    items = [item(n, "bad" if n < 4 else "fine", stratum="", sampled=False, prompt=f"p{n // 2}") for n in range(20)]
    answers = (PromptAnswers("harmful/p", "harmful", "m", "j", (("", "fine"), ("", "fine")), 10),)
    given = evidence([frame("harmful", 20, stratum="")], items, answers=answers)
    found = {each.group["attempts"]: each for each in compute("attempts_rate", given) if each.group["by"] == "gold"}
    # Not 1 - 0.8^2 = 0.36, as if the events of a prompt were unrelated.
    assert found["1"].value == found["2"].value == pytest.approx(0.2)
    assert (found["2"].n, found["2"].details["prompts"]) == (10, 10)


def test_arms_that_chance_did_not_decide_are_not_compared() -> None:
    decisions = tuple(ArmDecision(f"i{n}", "a", bool(n % 2), "fine", "fine", planned=False) for n in range(4))
    [found] = compute("anchoring", both_sides(decisions=decisions))
    assert found.undefined == NOT_RANDOM


def test_pairs_are_clusters_and_lone_items_are_not() -> None:
    def details(given: Evidence) -> dict[str, object]:
        return dict(next(each for each in compute("corrected_rate", given) if each.group.get("rate") == "br").details)

    assert "design_effect" not in details(both_sides())
    given = both_sides()
    paired = tuple(replace(each, pair=f"pair {number // 2}") for number, each in enumerate(given.items))
    # Two pairs, each of two like answers: twice the variance, and n / 2 of information.
    assert details(replace(given, items=paired))["clusters"] == 2


@pytest.mark.parametrize(("characters", "first"), [(0, "a"), (500, "a"), (501, "b"), (2000, "b"), (2001, "c")])
def test_bands_of_length_sort_in_their_order(characters: int, first: str) -> None:
    assert length_band(characters)[0] == first


@pytest.mark.parametrize(("turns", "band"), [(1, "1"), (2, "2 to 3"), (3, "2 to 3"), (4, "4 or more")])
def test_bands_of_turns(turns: int, band: str) -> None:
    assert turn_band(turns) == band


def test_a_judge_asked_again_is_held_against_itself_alone() -> None:
    """Of j: two of three pairs on one item, none of one pair on the other; k's single reading is nobody's pair."""
    readings = (
        JudgeReadings("i1", "j", "harmful/p", "harmful", "m", ("bad", "bad", None, "bad")),
        JudgeReadings("i2", "j", "benign/p", "benign", "m", ("bad", "fine")),
        JudgeReadings("i3", "k", "benign/p", "benign", "m", (None, "fine")),
    )
    found = compute("judge_self_consistency", evidence([frame("harmful", 5), frame("benign", 5)], [], readings=readings))
    values = {
        (each.group["judge"], each.group.get("population")): each for each in found if each.statistic == "judge_self_consistency"
    }
    assert values.keys() == {
        ("j", None), ("j", "harmful/p"), ("j", "benign/p"), ("k", None), ("k", "benign/p")
    }  # fmt: skip
    # Shares of agreeing pairs: 3 of 3, and 0 of 1.
    assert values["j", None].value == pytest.approx((1 + 0) / 2)
    assert (values["j", None].n, values["j", None].details["judge_failed"]) == (2, 1)
    assert (values["j", "harmful/p"].value, values["j", "benign/p"].value) == (1.0, 0.0)
    assert values["k", None].undefined is not None
