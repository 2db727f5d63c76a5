"""Annotators against themselves."""

from __future__ import annotations

import json

import pytest

from adjudicate.stats.self_agreement import RepeatedLabel, self_agreement_estimates


def repeats(annotator: str, *pairs: str) -> list[RepeatedLabel]:
    return [RepeatedLabel(annotator, f"i{n}", first, again) for n, (first, again) in enumerate(pairs)]


def test_everybody_then_each_annotator() -> None:
    labels = repeats("zoe", *["aa"] * 15, *["bb"] * 5, "ab") + repeats("ann", "aa", "bb", "ba", "ba")
    found = self_agreement_estimates(labels, "ab", group={}, seed=1, resamples=200)
    shares = [(e.group.get("annotator"), e.value, e.n) for e in found if e.statistic == "self_agreement"]
    assert shares == [(None, 22 / 25, 25), ("ann", 0.5, 4), ("zoe", 20 / 21, 21)]
    ann, zoe = (next(e for e in found if e.group.get("annotator") == name) for name in ("ann", "zoe"))
    assert (ann.details["few"], zoe.details["few"]) == (True, False)
    assert ann.details["changes"] == [{"first": "b", "again": "a", "n": 2}]
    assert "too short" in found[0].assumes and "too short" not in zoe.assumes
    json.dumps([estimate.as_json() for estimate in found])


def test_alpha_knows_what_chance_would_give() -> None:
    alpha = self_agreement_estimates(repeats("a", *["aa"] * 10, *["bb"] * 10), "ab", group={}, seed=1)[1]
    assert (alpha.statistic, alpha.value) == ("self_alpha", pytest.approx(1.0))
    one = self_agreement_estimates(repeats("a", *["aa"] * 12), "ab", group={}, seed=1)
    assert one[0].value == 1.0 and one[0].low is not None and one[0].low < 1
    assert one[1].undefined is not None and "one category" in one[1].undefined


def test_without_repeats_the_reason_is_given() -> None:
    found = self_agreement_estimates([], "ab", group={}, seed=1)
    assert [e.undefined for e in found] == ["no item was labelled twice by the same annotator"] * 2


def test_a_label_that_is_not_an_outcome_is_refused() -> None:
    with pytest.raises(ValueError, match="not an outcome"):
        self_agreement_estimates(repeats("a", "ac"), "ab", group={}, seed=1)
