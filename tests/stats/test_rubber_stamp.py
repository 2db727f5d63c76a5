"""Signs of confirming without reading: counts by hand, exact run probabilities, careful words."""

from __future__ import annotations

import json
from itertools import permutations
from math import nan

import numpy as np
import pytest
from scipy.stats import spearmanr

from adjudicate.core.estimates import Estimate
from adjudicate.stats.longest_run import longest_run, run_probability
from adjudicate.stats.rubber_stamp import TimedDecision, rubber_stamp_estimates


def run(times: list[tuple[float | None, int | None]], agreed: str | None = None) -> dict[str, Estimate]:
    answers = agreed or "y" * len(times)
    decisions = [TimedDecision("ann", str(n), answers[n] == "y", *pair) for n, pair in enumerate(times)]
    return {estimate.statistic: estimate for estimate in rubber_stamp_estimates(decisions, group={})}


def test_decisions_faster_than_reading_are_counted() -> None:
    # 600 characters take 10 seconds at 60 a second; exactly 10 is not faster.
    found = run([(9.9, 600), (10.0, 600), (11.0, 600), (None, 600), (5.0, None)])["faster_than_reading"]
    assert (found.value, found.n, found.details["untimed"]) == (pytest.approx(1 / 3), 3, 2)
    assert found.details["few"] is True


def test_the_rank_correlation_is_spearmans() -> None:
    random = np.random.default_rng(3)
    lengths = random.integers(50, 300, 60)
    seconds = np.round(lengths / 30 + random.normal(0, 3, 60) + 10)
    found = run(list(zip(seconds.tolist(), lengths.tolist(), strict=True)))["time_follows_length"]
    assert found.value == pytest.approx(spearmanr(seconds, lengths).statistic)
    assert found.low is not None and found.high is not None and -1 <= found.low < (found.value or 0) < found.high <= 1
    assert found.unit == "coefficient"


@pytest.mark.parametrize("runs", [400, pytest.param(8000, marks=pytest.mark.slow)])
def test_the_correlations_interval_covers_the_truth(runs: int) -> None:
    # Bivariate normal with Pearson 0.5: Spearman's value is 6/pi asin(0.25) = 0.4826. Samples of 60; s.e. 1.1 points at 400.
    random, truth, inside = np.random.default_rng(5), 6 / np.pi * np.arcsin(0.25), 0
    for _ in range(runs):
        first = random.normal(size=60)
        second = 0.5 * first + np.sqrt(0.75) * random.normal(size=60)
        # Times and lengths are positive and lengths whole; ranks do not mind.
        pairs = zip((first + 10).tolist(), np.round((second + 10) * 1e6).astype(int).tolist(), strict=True)
        found = run(list(pairs))["time_follows_length"]
        assert found.low is not None and found.high is not None
        inside += found.low <= truth <= found.high
    assert 0.92 <= inside / runs <= 0.98


def test_a_correlation_without_spread_or_with_few_decisions() -> None:
    assert run([(5.0, 100), (5.0, 200)])["time_follows_length"].undefined == "decision times or lengths are all equal"
    assert run([(5.0, 100)])["time_follows_length"].undefined == "one timed decision shows no relation"
    assert run([(None, 100)])["time_follows_length"].undefined == "no decision of this annotator has a time and a length"
    assert run([(None, 100)])["faster_than_reading"].undefined == "no decision of this annotator has a time and a length"
    few = run([(1.0, 100), (2.0, 200), (1.5, 300)])["time_follows_length"]
    assert few.value == pytest.approx(0.5) and few.low is None and "fewer than 10" in few.details["no_interval"]
    exact = run([(float(n), n) for n in range(12)])["time_follows_length"]
    assert (exact.value, exact.low) == (1.0, None)


def test_runs_of_agreement_come_with_their_probability() -> None:
    found = run([(None, None)] * 6, "yyynyn")["longest_agreement_run"]
    assert (found.value, found.n, found.unit, found.details["agreed"]) == (3.0, 6, "count", 4)
    orders = set(permutations("yyynyn"))
    at_least = sum("yyy" in "".join(order) for order in orders)
    assert found.details["probability"] == pytest.approx(at_least / len(orders))
    json.dumps(found.as_json())


@pytest.mark.parametrize("yes", range(8))
def test_run_probabilities_are_exact(yes: int) -> None:
    orders = set(permutations([True] * yes + [False] * (7 - yes)))
    for length in range(9):
        share = sum(longest_run(order) >= length for order in orders) / len(orders)
        assert run_probability(length, yes=yes, n=7) == pytest.approx(share)


def test_a_long_history_is_no_problem() -> None:
    # 4,500 of 5,000 agree: runs near log(n)/log(1/0.9) = 59 at a share of 0.1 between them.
    assert 0.3 < run_probability(55, yes=4500, n=5000) < 0.9
    assert run_probability(300, yes=4500, n=5000) < 1e-6


def test_the_words_accuse_nobody() -> None:
    for estimate in run([(float(n % 5), 100 + n) for n in range(20)]).values():
        assert "not evidence of carelessness" in estimate.assumes
        assert "look into together" in estimate.assumes


def test_annotators_are_sorted_and_kept_apart() -> None:
    decisions = [TimedDecision(name, "1", agreed=True, seconds=1.0, characters=10) for name in ("zoe", "ann")]
    estimates = rubber_stamp_estimates(decisions, group={"judge": "j"})
    assert [e.group["annotator"] for e in estimates] == ["ann"] * 3 + ["zoe"] * 3
    assert rubber_stamp_estimates([], group={}) == []


def test_arguments_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match="more than 0 characters"):
        rubber_stamp_estimates([], group={}, fastest=nan)
    with pytest.raises(ValueError, match="cannot be negative"):
        run([(-1.0, 5)])
    with pytest.raises(ValueError, match="counts out of range"):
        run_probability(2, yes=5, n=3)
