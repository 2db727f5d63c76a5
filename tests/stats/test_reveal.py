"""Labels changed after the verdict was shown."""

from __future__ import annotations

import json

import pytest

from adjudicate.core.estimates import Estimate
from adjudicate.stats.reveal import NOT_SHOWN, Reveal, reveal_estimates


def run(*words: str) -> dict[str, Estimate]:
    """Three letters per label: before, after, verdict."""
    reveals = [Reveal(str(n), "ann", *word) for n, word in enumerate(words)]
    return {estimate.statistic: estimate for estimate in reveal_estimates(reveals, group={"judge": "j"})}


def test_changes_are_counted_by_direction() -> None:
    # 4 agreed and stayed, 1 agreed and left; 3 differed and stayed, 2 came over, 1 went to a third outcome.
    found = run(*["aaa"] * 4, "aba", *["abb"] * 2, *["aab"] * 3, "acb")
    changed = found["changed_after_reveal"]
    assert (changed.value, changed.n) == (pytest.approx(4 / 11), 11)
    assert [changed.details[key] for key in ("toward_verdict", "away_from_verdict", "between_others")] == [2, 1, 1]
    assert changed.details["changes"] == [{"before": "a", "after": "b", "n": 3}, {"before": "a", "after": "c", "n": 1}]
    assert (found["moved_to_verdict"].value, found["moved_to_verdict"].n) == (pytest.approx(2 / 6), 6)
    assert (found["moved_from_verdict"].value, found["moved_from_verdict"].n) == (pytest.approx(1 / 5), 5)
    assert "cannot tell" in changed.assumes
    json.dumps([estimate.as_json() for estimate in found.values()])


def test_no_change_is_bounded_and_small_numbers_are_marked() -> None:
    found = run(*["aaa"] * 10)["changed_after_reveal"]
    assert (found.value, found.low, found.details["few"]) == (0.0, 0.0, True)
    assert found.high is not None and 0.1 < found.high < 0.3


def test_undefined_states_are_named() -> None:
    assert {estimate.undefined for estimate in run().values()} == {
        "no blind label was followed by a reveal", "no label that differed from the verdict was followed by a reveal", NOT_SHOWN,
    }  # fmt: skip
    assert run("aaa")["moved_to_verdict"].undefined == "no label that differed from the verdict was followed by a reveal"


def test_labels_that_agreed_are_not_said_to_be_missing_where_only_their_reveal_is() -> None:
    undefined = run("aab")["moved_from_verdict"].undefined
    assert undefined == NOT_SHOWN and "shown where the label differs" in NOT_SHOWN
