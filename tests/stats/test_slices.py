"""What is shown of small, failed and unnamed slices. Reference values: test_reference_judge."""

from __future__ import annotations

import json

import pytest

from adjudicate.core.estimates import Estimate
from adjudicate.stats.slices import SlicedItem, judge_bias_by_slice


def items(letters: str, value: str = "x", dimension: str = "d") -> list[SlicedItem]:
    """``t`` flagged event, ``m`` missed, ``f`` false alarm, ``c`` cleared, ``-`` a failed judge on an event."""
    flagged: dict[str, bool | None] = {"t": True, "m": False, "f": True, "c": False, "-": None}
    return [SlicedItem(f"{value}{n}", letter in "tm-", flagged[letter], {dimension: value}) for n, letter in enumerate(letters)]


def by_value(estimates: list[Estimate], dimension: str = "d") -> dict[str, Estimate]:
    return {estimate.group[dimension]: estimate for estimate in estimates}


def test_the_bias_is_the_judges_rate_minus_the_human_rate() -> None:
    estimate = judge_bias_by_slice(items("ttmfffccccc" * 2), ["d"], group={})[0]
    # Of 22: judge 10, people 6.
    assert estimate.value == pytest.approx(4 / 22)
    assert (estimate.details["judge_rate"], estimate.details["human_rate"]) == (10 / 22, 6 / 22)
    assert estimate.low is not None and estimate.high is not None and estimate.low < 4 / 22 < estimate.high
    json.dumps(estimate.as_json())


def test_a_small_slice_is_marked_and_stays_in_the_family() -> None:
    found = by_value(judge_bias_by_slice(items("f" * 19, "small") + items("f" * 20, "large"), ["d"], group={}))
    assert (found["small"].details["few"], found["large"].details["few"]) == (True, False)
    assert found["small"].details["tests"] == 2


def test_a_slice_without_any_error_has_a_width() -> None:
    estimate = judge_bias_by_slice(items("ccctt"), ["d"], group={})[0]
    assert (estimate.value, estimate.details["p"]) == (0.0, 1.0)
    assert estimate.low is not None and estimate.high is not None and estimate.low < 0 < estimate.high


def test_failures_are_counted_and_a_slice_of_them_is_undefined() -> None:
    found = by_value(judge_bias_by_slice(items("--", "none") + items("c-f", "some"), ["d"], group={}))
    assert found["none"].undefined == "the judge failed on every labelled item of the slice"
    assert (found["some"].n, found["some"].details["judge_failed"], found["some"].details["tests"]) == (2, 1, 1)
    assert "holm" not in found["none"].details


def test_dimensions_of_one_call_are_one_family_and_unnamed_items_stay_out() -> None:
    both = [SlicedItem(str(n), event=False, flagged=n < 8, slices={"a": "1", "b": str(n % 2)}) for n in range(30)]
    estimates = judge_bias_by_slice([*both, SlicedItem("out", event=True, flagged=True, slices={})], ["a", "b"], group={})
    assert [tuple(estimate.group.items()) for estimate in estimates] == [(("a", "1"),), (("b", "0"),), (("b", "1"),)]
    assert {estimate.details["tests"] for estimate in estimates} == {3}
    assert estimates[0].n == 30


def test_the_order_of_items_does_not_matter() -> None:
    mixed = items("tmfc" * 6, "x") + items("ffc" * 8, "y")
    assert judge_bias_by_slice(mixed, ["d"], group={}) == judge_bias_by_slice(mixed[::-1], ["d"], group={})


def test_no_item_gives_no_slice() -> None:
    assert judge_bias_by_slice([], ["d"], group={}) == []
