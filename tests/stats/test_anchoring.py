"""Blind against assisted labels: the gap, its interval, and what an item with several labels does to it."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest

from adjudicate.core.estimates import Estimate
from adjudicate.stats.anchoring import Arm, ArmLabel, anchoring_estimates
from adjudicate.stats.difference_interval import newcombe_difference


def arm(name: Arm, overruled: int, n: int, *, wrong: int | None = None) -> list[ArmLabel]:
    """One label an item; `wrong` verdicts are not the arm's gold."""
    wrong = overruled if wrong is None else wrong
    return [
        ArmLabel(f"{name}{k}", "ann", name, "bad", "fine" if k < overruled else "bad", "fine" if k < wrong else "bad")
        for k in range(n)
    ]


def found(labels: list[ArmLabel], **more: tuple[str, ...]) -> dict[str, Estimate]:
    estimates = anchoring_estimates(labels, group={"judge": "j"}, **more)
    return {f"{e.statistic} {e.group.get('arm') or e.group['of']}": e for e in estimates}


def test_the_gap_is_assisted_minus_blind_with_newcombes_limits() -> None:
    estimates = found(arm("blind", 12, 60) + arm("assisted", 4, 50, wrong=5))
    assert (estimates["overrule_rate blind"].value, estimates["overrule_rate assisted"].value) == (0.2, 0.08)
    gap, limits = estimates["anchoring_gap overrule_rate"], newcombe_difference(4, 50, 12, 60)
    assert (gap.value, gap.low, gap.high) == pytest.approx((-0.12, limits.low, limits.high))
    assert (gap.n, gap.details["n_blind"], gap.details["n_assisted"]) == (110, 60, 50)
    accuracy = estimates["anchoring_gap measured_judge_accuracy"]
    assert accuracy.value == pytest.approx(0.9 - 0.8)
    json.dumps([estimate.as_json() for estimate in estimates.values()])


def test_outcomes_that_count_the_same_are_not_overruled_for_a_rate() -> None:
    labels = [ArmLabel("1", "a", "blind", "bad", "worse", "worse"), ArmLabel("2", "a", "assisted", "bad", "fine", "fine")]
    assert found(labels)["overrule_rate blind"].value == 1.0
    assert found(labels, counts=("bad", "worse"))["overrule_rate blind"].value == 0.0
    assert found(labels, counts=("bad", "worse"))["measured_judge_accuracy assisted"].value == 0.0


def test_an_empty_arm_is_undefined_with_its_name() -> None:
    estimates = found(arm("blind", 1, 10))
    assert estimates["overrule_rate assisted"].undefined == "no label in the assisted arm"
    assert estimates["anchoring_gap overrule_rate"].undefined == "no label in the assisted arm"
    open_gold = [ArmLabel(str(k), "a", side, "bad", "bad") for k, side in enumerate(("blind", "assisted"))]
    assert found(open_gold)["measured_judge_accuracy blind"].undefined == "no item with a gold label in the blind arm"
    assert found([])["anchoring_gap overrule_rate"].undefined == "no label in the blind arm"


def test_items_that_wait_for_a_ruling_bound_the_measured_accuracy_and_can_leave_the_sign_of_the_gap_open() -> None:
    """Blind 8 of 10 right and 5 open: 8/15 to 13/15. Assisted 9 of 10 and 2 open: 9/12 to 11/12. Gap 0.1, from -7/60 to 23/60."""
    waiting = [ArmLabel(f"blind-open{k}", "ann", "blind", "bad", "fine") for k in range(5)]
    waiting += [ArmLabel(f"assisted-open{k}", "ann", "assisted", "bad", "fine") for k in range(2)]
    estimates = found(arm("blind", 2, 10) + arm("assisted", 1, 10) + waiting)
    blind = estimates["measured_judge_accuracy blind"]
    assert (blind.value, blind.n, blind.details["unresolved"]) == (0.8, 10, 5)
    assert blind.details["unresolved_bounds"] == pytest.approx([8 / 15, 13 / 15])
    gap = estimates["anchoring_gap measured_judge_accuracy"]
    assert gap.details["unresolved"] == 7
    assert gap.details["unresolved_bounds"] == pytest.approx([9 / 12 - 13 / 15, 11 / 12 - 8 / 15])
    assert gap.details["sign_open"] is True
    # An overruled verdict is known whatever the ruling, so nothing about it is open.
    assert "unresolved" not in estimates["anchoring_gap overrule_rate"].details
    certain = found(arm("blind", 9, 10) + arm("assisted", 1, 10) + waiting[:1])
    assert certain["anchoring_gap measured_judge_accuracy"].details["sign_open"] is False


def test_several_labels_of_one_item_are_not_independent() -> None:
    single = arm("blind", 10, 40) + arm("assisted", 4, 40)
    double = [ArmLabel(label.item_id, name, label.arm, label.verdict, label.label, label.gold)
              for label, name in product(single, ("ann", "bo"))]  # fmt: skip
    once, twice = found(single)["overrule_rate blind"], found(double)["overrule_rate blind"]
    assert (twice.n, twice.details["items"]) == (80, 40)
    # Labels of an item are copies: 2 x 39/40 of a design effect, and t in place of z.
    assert twice.details["design_effect"] == pytest.approx(2 * (40 / 39) / (80 / 79))
    assert None not in (once.low, once.high, twice.low, twice.high)
    assert (once.low, once.high) == pytest.approx((twice.low, twice.high), abs=0.01)
    # Accuracy counts items, so that nothing changes.
    assert found(double)["measured_judge_accuracy blind"].n == 40


def test_one_item_with_many_labels_counts_once() -> None:
    labels = [ArmLabel("1", name, "blind", "bad", "fine") for name in "abcdef"]
    rate = found(labels)["overrule_rate blind"]
    assert rate.low is not None and rate.low < 0.3 and "one item" in rate.method


def test_items_in_both_arms_are_counted() -> None:
    labels = [ArmLabel("1", "a", side, "bad", "bad", "bad") for side in ("blind", "assisted")]
    assert found(labels)["anchoring_gap overrule_rate"].details["items_in_both_arms"] == 1


def test_contradicting_gold_is_refused() -> None:
    with pytest.raises(ValueError, match="item 1: labels of one arm"):
        found([ArmLabel("1", "a", "blind", "bad", "bad", "bad"), ArmLabel("1", "b", "blind", "bad", "bad", "fine")])


def test_no_overrule_at_all_leaves_a_width() -> None:
    gap = found(arm("blind", 0, 30) + arm("assisted", 0, 30))["anchoring_gap overrule_rate"]
    assert gap.value == 0.0
    assert gap.low is not None and gap.high is not None and gap.low < 0 < gap.high


@pytest.mark.parametrize("runs", [400, pytest.param(8000, marks=pytest.mark.slow)])
def test_the_gap_covers_the_truth_when_items_have_two_labels(runs: int) -> None:
    # Items differ in difficulty, two labels each; overrule rates 0.25 blind and 0.15 assisted; s.e. 1.1 points at 400.
    random, inside = np.random.default_rng(41), 0
    for _ in range(runs):
        labels = []
        for side, mean in (("blind", 0.25), ("assisted", 0.15)):
            chance = random.beta(2 * mean, 2 * (1 - mean), 100)
            for k, name in product(range(100), ("ann", "bo")):
                labels.append(ArmLabel(f"{side}{k}", name, side, "bad", "fine" if random.random() < chance[k] else "bad"))  # type: ignore[arg-type]
        gap = found(labels)["anchoring_gap overrule_rate"]
        assert gap.low is not None and gap.high is not None
        inside += gap.low <= -0.10 <= gap.high
    assert 0.92 <= inside / runs <= 0.985
