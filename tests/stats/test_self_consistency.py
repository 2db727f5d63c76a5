"""A judge asked again."""

from __future__ import annotations

import json

import pytest

from adjudicate.core.estimates import Estimate
from adjudicate.stats.self_consistency import RepeatedVerdicts, self_consistency_estimates


def run(*verdicts: str, resamples: int = 500) -> list[Estimate]:
    """One string per item, one letter per verdict; a dash is a failure."""
    items = [RepeatedVerdicts(f"i{n}", tuple(None if v == "-" else v for v in word)) for n, word in enumerate(verdicts)]
    return self_consistency_estimates(items, "ab", group={"judge": "j"}, seed=1, resamples=resamples)


def test_agreement_is_the_mean_share_of_agreeing_pairs() -> None:
    # Twelve items: nine alike (1), two of three (1/3), aab- counts three verdicts (1/3), one verdict counts nothing.
    percent, alpha, unstable = run(*["aaa"] * 5, *["bbb"] * 4, "aab", "bba", "aab-", "a")
    assert (percent.statistic, percent.n) == ("judge_self_consistency", 12)
    assert percent.value == pytest.approx((9 + 3 / 3) / 12)
    assert percent.low is not None and percent.value is not None and percent.high is not None
    assert percent.low < percent.value < percent.high
    assert alpha.value is not None and 0 < alpha.value < 1
    assert unstable.value == pytest.approx(3 / 12)
    assert unstable.n == 12
    assert unstable.details["unstable_items"] == ["i10", "i11", "i9"]
    assert unstable.details["judge_failed"] == 1
    assert unstable.details["items_by_repeats"] == {"1": 1, "3": 12}
    json.dumps([estimate.as_json() for estimate in (percent, alpha, unstable)])


def test_the_order_of_repeats_and_items_does_not_matter() -> None:
    words = ["aab", "bbb", "aaa", "ab", "ba-a", "aa", "bb", "bbb", "aaa", "aab", "ab"]
    before, after = run(*words), run(*[word[::-1] for word in words[::-1]])
    assert [(e.value, e.low, e.high) for e in before] == [(e.value, e.low, e.high) for e in after]


def test_a_steady_judge_gets_a_bounded_share_not_certainty() -> None:
    percent, _, unstable = run(*["aa", "bb"] * 10)
    assert (percent.value, percent.low) == (1.0, None)
    assert (unstable.value, unstable.low) == (0.0, 0.0)
    assert unstable.high is not None and 0.05 < unstable.high < 0.2


def test_without_a_repeat_everything_is_undefined() -> None:
    for words in ((), ("a", "b-", "--")):
        assert {estimate.undefined for estimate in run(*words)} == {"no item with two parsed verdicts"}


def test_a_verdict_that_is_not_an_outcome_is_refused() -> None:
    with pytest.raises(ValueError, match="not an outcome of the policy: c"):
        run("ac")


def test_few_items_have_no_interval_in_the_words_of_verdicts() -> None:
    percent, alpha, _ = run("ab", "aa")
    assert percent.details["no_interval"] == alpha.details["no_interval"] == "fewer than 10 items with two parsed verdicts"
