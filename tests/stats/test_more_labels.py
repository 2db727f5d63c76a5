"""The next labels: where they go, how many, and when no more help."""

from __future__ import annotations

import pytest

from adjudicate.stats.corrected import StratumCount, stratified_rate
from adjudicate.stats.more_labels import more_labels

GUESSES = {"flagged": 0.4, "clear": 0.02}


def test_more_labels_go_where_the_interval_is_widest() -> None:
    strata = [StratumCount("flagged", 93, 60, 22), StratumCount("clear", 1907, 140, 0)]
    found = more_labels(strata, GUESSES, 0.005)
    estimate = stratified_rate(strata, statistic="corrected_rate", group={})
    assert found.now.low == pytest.approx(estimate.low) and found.now.high == pytest.approx(estimate.high)
    assert found.next_stratum == "clear"
    assert found.by_stratum["clear"] > found.by_stratum["flagged"] >= 0
    assert found.labels == sum(found.by_stratum.values())
    assert found.reached and found.then.width <= 0.01
    less = more_labels(strata, GUESSES, 0.006)
    assert less.labels < found.labels


def test_a_width_that_is_reached_needs_no_more_labels() -> None:
    found = more_labels([StratumCount("clear", 100, 90, 1)], GUESSES, 0.2)
    assert (found.labels, found.reached, found.then) == (0, True, found.now)


def test_items_that_nobody_could_settle_are_not_planned_again() -> None:
    found = more_labels([StratumCount("clear", 100, 50, 1, unresolved=50)], GUESSES, 0.001)
    assert (found.labels, found.next_stratum, found.reached) == (0, None, False)


def test_a_million_items_are_planned_at_once() -> None:
    strata = [StratumCount("flagged", 50_000, 30, 12), StratumCount("clear", 950_000, 70, 0)]
    found = more_labels(strata, GUESSES, 0.0005)
    assert found.reached and found.labels < 1_000_000


def test_the_last_label_is_needed() -> None:
    strata = [StratumCount("clear", 5000, 100, 1)]
    found = more_labels(strata, GUESSES, 0.01)
    one_less = more_labels(strata, GUESSES, found.then.width / 2 * 1.0001)
    assert one_less.labels <= found.labels
    assert more_labels(strata, GUESSES, found.then.width / 2 * 0.999).labels > found.labels


def test_a_stratum_without_labels_comes_first() -> None:
    found = more_labels([StratumCount("flagged", 50, 20, 8), StratumCount("clear", 950, 0, 0)], GUESSES, 0.02)
    assert found.next_stratum == "clear"
    assert found.reached


def test_nothing_to_plan_is_refused() -> None:
    with pytest.raises(ValueError, match="half-width"):
        more_labels([], GUESSES, 0.1)


@pytest.mark.parametrize("limits", ["jeffreys", "wilson", "clopper_pearson"])
@pytest.mark.parametrize("labelled", [(6, 40), (5, 40), (6, 300)])
def test_the_interval_at_hand_is_the_one_of_the_rate(limits: str, labelled: tuple[int, int]) -> None:
    """Also where a stratum is labelled to the last item, and where all are."""
    strata = [StratumCount("a", 6, labelled[0], 2), StratumCount("b", 300, labelled[1], 3)]
    found = more_labels(strata, {"a": 0.4, "b": 0.01}, 0.02, limits=limits)
    rate = stratified_rate(strata, statistic="corrected_rate", group={}, limits=limits)
    assert rate.low is not None and rate.high is not None
    assert [found.now.low, found.now.high] == pytest.approx([rate.low, rate.high])
