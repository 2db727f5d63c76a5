"""Anytime limits of a rate under adjudicated intents: around the estimate, exact when all is known, and never too often wrong."""

from __future__ import annotations

import numpy as np
import pytest

from adjudicate.core.estimates import Interval
from adjudicate.stats.bounding import Bounding
from adjudicate.stats.contested import IntentStratum, adjudicated_rate, both_intents
from adjudicate.stats.contested_anytime import anytime_ratio

JEFFREYS = Bounding("jeffreys")


def strata(counts: dict[str, tuple[int, int, int, int, int]]) -> list[IntentStratum]:
    """Size, labelled, events, inside, events inside; declared where the name begins with harmful."""
    return [IntentStratum(name, name.startswith("harmful"), *each) for name, each in counts.items()]


SOME = strata({
    "harmful | flagged": (40, 10, 6, 8, 5), "harmful | clear": (160, 20, 1, 18, 1), "benign | clear": (800, 40, 30, 2, 1)
})  # fmt: skip


def test_the_set_is_around_the_estimate_and_wider_than_the_interval_for_a_planned_number() -> None:
    found, planned = adjudicated_rate(SOME, Bounding(anytime=True), group={}), adjudicated_rate(SOME, JEFFREYS, group={})
    assert found.value == planned.value == pytest.approx(48 / 216)
    assert found.low is not None and planned.low is not None and found.high is not None and planned.high is not None
    assert 0 <= found.low < planned.low < planned.high < found.high <= 1
    assert found.confidence == 0.95 and "anytime" in found.method


def test_both_readings_are_anytime_valid() -> None:
    both = both_intents(SOME, Bounding(anytime=True), group={})
    assert "anytime" in both.declared.method and "anytime" in both.adjudicated.method


def test_a_full_review_leaves_no_width() -> None:
    every = strata({"harmful | clear": (10, 10, 2, 9, 2), "benign | clear": (10, 10, 5, 1, 1)})
    assert anytime_ratio(every) == Interval(3 / 10, 3 / 10)


def test_nothing_inside_bounds_nothing() -> None:
    assert anytime_ratio(strata({"harmful | clear": (10, 10, 0, 0, 0)})) == Interval(0, 1)


def test_the_process_has_no_anytime_limits() -> None:
    with pytest.raises(ValueError, match="anytime"):
        adjudicated_rate(SOME, Bounding(anytime=True, target="process"), group={})


def test_a_look_after_every_batch_misses_the_truth_less_often_than_promised() -> None:
    """200 harmful and 200 benign items, 10 % of these ruled harmful; looked at 8 times, wrong in fewer than 5 % of 150 runs."""
    missed = 0
    for replicate in range(150):
        rng = np.random.default_rng([20273, replicate])
        declared = np.arange(400) < 200
        inside = np.where(declared, rng.random(400) > 0.03, rng.random(400) < 0.1)
        event = rng.random(400) < np.where(declared, 0.1, 0.4)
        truth = event[inside].mean()
        queues = [rng.permutation(np.flatnonzero(declared == side)) for side in (True, False)]
        for n in range(20, 180, 20):
            looked = [queue[:n] for queue in queues]
            found = anytime_ratio([
                IntentStratum(
                    name, name == "harmful | clear", 200, n, int(event[seen].sum()), int(inside[seen].sum()),
                    int((event & inside)[seen].sum()),
                )
                for name, seen in zip(("harmful | clear", "benign | clear"), looked, strict=True)
            ])  # fmt: skip
            if not found.low - 1e-9 <= truth <= found.high + 1e-9:
                missed += 1
                break
    assert missed <= 150 * 0.05
