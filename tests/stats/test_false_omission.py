"""The false-omission rate and the sensitivity it implies."""

from __future__ import annotations

import pytest

from adjudicate.stats.corrected import StratumCount
from adjudicate.stats.false_omission import false_omission_rate
from adjudicate.stats.intervals import finite_jeffreys


def test_no_missed_event_still_bounds_the_sensitivity() -> None:
    estimate = false_omission_rate([StratumCount("c", 1907, 141, 0)], [StratumCount("f", 93, 59, 22)], group={})
    missed, precise = finite_jeffreys(0, 141, 1907), finite_jeffreys(22, 59, 93)
    assert (estimate.value, estimate.low) == (0.0, 0.0)
    assert estimate.high == pytest.approx(missed.high)
    # statistics.md 4: W1 ppv_l / (W1 ppv_l + W0 for_u)
    implied = 93 * precise.low / (93 * precise.low + 1907 * missed.high)
    assert estimate.details["sensitivity_implied"] == pytest.approx(implied)
    assert implied < 0.7


def test_without_flagged_labels_nothing_is_implied() -> None:
    estimate = false_omission_rate([StratumCount("c", 100, 20, 1)], [StratumCount("f", 10, 0, 0)], group={})
    assert estimate.value == 0.05
    assert estimate.details["sensitivity_implied"] is None


def test_without_cleared_labels_the_rate_is_undefined() -> None:
    estimate = false_omission_rate([StratumCount("c", 100, 0, 0)], [StratumCount("f", 10, 5, 2)], group={})
    assert estimate.undefined == "no settled label"
