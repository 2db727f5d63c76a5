"""Rates within k attempts: by enumeration of all k-subsets, from one attempt to all, raw and corrected."""

from __future__ import annotations

import json
from itertools import combinations
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudicate.stats.attempts import MISSING, NO_TELLING, OPEN, corrected_within_attempts, within_attempts
from adjudicate.stats.corrected import StratumCount


def by_hand(rows: list[list[float]], k: int) -> float:
    """Mean over prompts and k-subsets of the chance of at least one event, from the chance of each response."""
    used = [row for row in rows if len(row) >= k]
    chances = [np.mean([1 - prod(1 - p for p in chosen) for chosen in combinations(row, k)]) for row in used]
    return float(np.mean(chances))


def padded(rows: list[list[int]]) -> list[list[int]]:
    most = max(len(row) for row in rows)
    return [row + [MISSING] * (most - len(row)) for row in rows]


@given(st.lists(st.lists(st.integers(0, 1), min_size=1, max_size=6), min_size=1, max_size=8), st.integers(1, 6))
@settings(max_examples=150, deadline=None)
def test_the_estimate_is_the_mean_over_all_subsets(rows: list[list[int]], k: int) -> None:
    estimate = within_attempts(padded(rows), k, group={})
    assert estimate.details["too_few"] == sum(len(row) < k for row in rows)
    if all(len(row) < k for row in rows):
        assert estimate.undefined == f"no prompt has {k} responses"
        return
    assert estimate.value == pytest.approx(by_hand([list(map(float, row)) for row in rows], k))
    assert estimate.value is not None and estimate.low is not None and estimate.high is not None
    assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1
    assert estimate.high > estimate.low


def test_it_is_the_published_formula() -> None:
    # n = 5, c = 2, k = 3: 1 - C(3, 3) / C(5, 3) = 0.9.
    assert within_attempts([[1, 0, 1, 0, 0]], 3, group={}).value == pytest.approx(0.9)


def test_one_attempt_is_the_plain_rate_and_more_never_lower_it() -> None:
    rows = [[1, 0, 0, 0], [0, 0, 0, 0], [1, 1, 0, 1]]
    found = [within_attempts(rows, k, group={}).value for k in (1, 2, 3, 4)]
    assert found[0] == pytest.approx(4 / 12)
    assert found[3] == pytest.approx(2 / 3)
    assert found == sorted(found)  # type: ignore[type-var]


def test_no_event_leaves_an_upper_limit() -> None:
    estimate = within_attempts(np.zeros((30, 5), dtype=int), 5, group={})
    assert (estimate.value, estimate.low) == (0, 0)
    assert estimate.high is not None and estimate.high > 0.05


FLAGGED, CLEAR = StratumCount("flagged", 40, 20, 10), StratumCount("clear", 160, 40, 2)


def test_the_correction_counts_responses_as_rogan_and_gladen_do() -> None:
    # 40 flagged and 160 clear responses, two flagged on every second prompt.
    rows = [[0, 0, 1, 1, 1], [1, 1, 1, 1, 1]] * 20
    estimate = corrected_within_attempts(rows, [FLAGGED, CLEAR], 2, group={})
    # 20 events are flagged and 8 clear, 20 others flagged and 152 clear.
    sensitivity, specificity = 20 / 28, 152 / 172
    counted = [(verdict - (1 - specificity)) / (sensitivity + specificity - 1) for verdict in (1, 0)]
    assert estimate.value == pytest.approx(by_hand([[counted[h] for h in row] for row in rows], 2))
    assert estimate.details["if_unrelated"] == pytest.approx(by_hand([[(0.5, 0.05)[h] for h in row] for row in rows], 2))
    assert estimate.low is not None and estimate.value is not None and estimate.high is not None
    assert estimate.low < estimate.value < min(estimate.high, estimate.details["if_unrelated"])
    assert "repeats an error" in estimate.assumes
    json.dumps(estimate.as_json())


def test_one_attempt_is_the_corrected_rate() -> None:
    # 40 flagged and 160 clear responses: 0.2 * 0.5 + 0.8 * 0.05.
    rows = np.repeat([0, 1], [40, 160]).reshape(40, 5)
    assert corrected_within_attempts(rows, [FLAGGED, CLEAR], 1, group={}).value == pytest.approx(0.14)


def test_the_value_lies_between_one_attempt_and_unrelated_events() -> None:
    random = np.random.default_rng(9)
    for _ in range(30):
        rows = random.integers(0, 2, (20, 4))
        estimate = corrected_within_attempts(rows, [FLAGGED, CLEAR], 3, group={})
        one = corrected_within_attempts(rows, [FLAGGED, CLEAR], 1, group={})
        assert one.value is not None and estimate.value is not None
        assert one.value <= estimate.value <= estimate.details["if_unrelated"]


def test_open_responses_are_left_out_counted_and_bounded() -> None:
    found = within_attempts([[1, 0], [0, OPEN], [OPEN, 0], [0, MISSING]], 2, group={})
    # One prompt has two settled responses. With the open ones 0: one event in three prompts; with them 1: three.
    assert (found.value, found.n, found.details["too_few"], found.details["unresolved"]) == (1, 1, 3, 2)
    assert found.details["unresolved_bounds"] == pytest.approx([1 / 3, 1])
    failed = within_attempts([[1, 0], [0, OPEN]], 1, group={}, open_as="judge_failed")
    assert (failed.details["judge_failed"], failed.details["bounds"]) == (1, [0.25, 0.5])
    assert "unresolved" not in failed.details


def test_open_labels_of_a_stratum_bound_the_corrected_rate() -> None:
    # One attempt is the corrected rate: 0.2 * 10/24 + 0.8 * 2/50 and 0.2 * 14/24 + 0.8 * 12/50.
    flagged = StratumCount("flagged", 40, 20, 10, unresolved=4)
    clear = StratumCount("clear", 160, 40, 2, non_response=10)
    rows = np.repeat([0, 1], [40, 160]).reshape(40, 5)
    found = corrected_within_attempts(rows, [flagged, clear], 1, group={})
    assert found.value == pytest.approx(0.14)
    assert (found.details["unresolved"], found.details["non_response"]) == (4, 10)
    assert found.details["unresolved_bounds"] == pytest.approx([0.2 * 10 / 24 + 0.8 * 2 / 50, 0.2 * 14 / 24 + 0.8 * 12 / 50])


def test_strata_of_one_rate_leave_only_the_ends() -> None:
    alike = [StratumCount("flagged", 40, 20, 2), StratumCount("clear", 160, 40, 4)]
    estimate = corrected_within_attempts([[0, 1, 1], [1, 1, 1]], alike, 2, group={})
    assert estimate.undefined == NO_TELLING
    # All events on one prompt: 0.1; unrelated: 1 - 0.9^2.
    assert estimate.details["bounds"] == pytest.approx([0.1, 0.19])


def test_no_event_among_the_labels_leaves_an_upper_limit() -> None:
    none = [StratumCount("flagged", 40, 20, 0), StratumCount("clear", 160, 40, 0)]
    estimate = corrected_within_attempts([[0, 1, 1], [1, 1, 1]] * 20, none, 2, group={})
    assert (estimate.value, estimate.low) == (0, 0)
    assert estimate.high is not None and 0 < estimate.high < 0.5


def test_a_perfect_judge_needs_no_correction() -> None:
    rows = [[0, 1, 1], [1, 1, 1], [0, 0, 1]]
    perfect = [StratumCount("flagged", 3, 3, 3), StratumCount("clear", 6, 6, 0)]
    events = [[1 - h for h in row] for row in rows]
    corrected, raw = corrected_within_attempts(rows, perfect, 2, group={}), within_attempts(events, 2, group={})
    assert corrected.value == pytest.approx(raw.value)
    assert [corrected.low, corrected.high] == pytest.approx([raw.low, raw.high])


def test_a_stratum_in_use_without_labels_makes_it_undefined() -> None:
    empty = StratumCount("clear", 160, 0, 0)
    estimate = corrected_within_attempts([[0, 1]], [FLAGGED, empty], 1, group={})
    assert estimate.undefined == "no settled label in: clear"
    assert corrected_within_attempts([[0, 0]], [FLAGGED, empty], 1, group={}).value == 0.5


def test_impossible_input_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one attempt"):
        within_attempts([[1, 0]], 0, group={})
    with pytest.raises(ValueError, match="responses are"):
        within_attempts([[2]], 1, group={})
    with pytest.raises(ValueError, match="names a stratum"):
        corrected_within_attempts([[2]], [FLAGGED, CLEAR], 1, group={})


def test_coverage_over_prompts_is_at_least_nominal() -> None:
    covered = 0
    for replicate in range(400):
        rng = np.random.default_rng([20276, replicate])
        chance = rng.beta(0.2, 4, 150)
        events = rng.random((150, 6)) < chance[:, None]
        estimate = within_attempts(events.astype(int), 3, group={})
        assert estimate.low is not None and estimate.high is not None
        # E[1 - (1 - p)^3] for Beta(0.2, 4): 1 - prod (4 + i) / (4.2 + i).
        truth = 1 - prod((4 + i) / (4.2 + i) for i in range(3))
        covered += estimate.low <= truth <= estimate.high
    assert covered / 400 > 0.94


def test_a_row_may_stand_for_many_prompts() -> None:
    rows, prompts = [[1, 0, OPEN], [0, 0, MISSING], [1, 1, 1]], [3, 5, 2]
    whole = [row for row, count in zip(rows, prompts, strict=True) for _ in range(count)]
    assert within_attempts(rows, 2, group={}, prompts=prompts) == within_attempts(whole, 2, group={})
    strata, alike = [[0, 1, 1], [1, 1, MISSING], [0, 0, 1]], [StratumCount("flagged", 40, 20, 10), CLEAR]
    whole = [row for row, count in zip(strata, prompts, strict=True) for _ in range(count)]
    found = corrected_within_attempts(strata, alike, 2, group={}, prompts=prompts)
    every = corrected_within_attempts(whole, alike, 2, group={})
    assert (found.n, found.details["too_few"]) == (every.n, every.details["too_few"]) == (10, 0)
    assert [found.value, found.low, found.high] == pytest.approx([every.value, every.low, every.high])
