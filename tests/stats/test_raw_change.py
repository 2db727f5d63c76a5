"""How shares by the judge's verdicts change between two models."""

from __future__ import annotations

import pytest

from adjudicate.stats.paired import PairedTable, tango
from adjudicate.stats.raw_change import NONE_SHARED, raw_change


def test_the_difference_is_that_of_the_shared_prompts_with_tangos_interval() -> None:
    """Of 10 prompts 3 were answered before only and 1 after only: (1 - 3) / 10."""
    verdicts = [("answered", "refused")] * 3 + [("refused", "answered")] + [("answered", "answered")] * 2
    verdicts += [("refused", "refused")] * 4
    found = raw_change(verdicts, {"answered"}, group={"cell": "helpful"})
    assert (found.statistic, found.value, found.n) == ("raw_difference", -0.2, 10)
    limits = tango(PairedTable(2, 3, 1, 4))
    assert (found.low, found.high) == pytest.approx((limits.low, limits.high))
    assert "the judge is right" in found.assumes


def test_prompts_on_which_the_judge_failed_are_left_out_and_bound_the_difference() -> None:
    """Of 2 prompts with both verdicts none changed; a third that is open on one side was answered before: 0 or -1 of 3."""
    found = raw_change([("answered", "answered"), ("refused", "refused"), ("answered", None)], {"answered"}, group={})
    assert (found.value, found.n, found.details["unresolved"]) == (0.0, 2, 1)
    assert found.details["unresolved_bounds"] == pytest.approx([-1 / 3, 0.0])


def test_without_a_prompt_that_both_answered_it_is_undefined() -> None:
    assert raw_change([], {"answered"}, group={}).undefined == NONE_SHARED
    assert raw_change([(None, "answered")], {"answered"}, group={}).undefined == NONE_SHARED
