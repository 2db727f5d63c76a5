"""What a calibration set says of a judge: which part of it, with which counts, and when it says nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from adjudicate.stats.calibration_set import NO_LABELS, SAMPLE_ONLY, judge_errors, scope_there
from adjudicate.stats.designs import Scope
from adjudicate.stats.evidence import CellCount, Elsewhere, Evidence, LabelledItem


def item(number: int, verdict: str | None, gold: str | None, stratum: str = "", population: str = "p") -> LabelledItem:
    return LabelledItem(
        f"i{number}", stratum, population, "harmful", "m", gold, gold, {"j": verdict}, {"a": gold or ""}, sampled=bool(stratum)
    )


def cells(sizes: dict[str, int], verdicts: dict[str, str | None], population: str = "p") -> list[CellCount]:
    """The frame, and the judge's verdict on all of each stratum."""
    return [
        CellCount(stratum, population, "harmful", "m", judge, verdicts[stratum] if judge else None, size)
        for stratum, size in sizes.items()
        for judge in ("", "j")
    ]


def elsewhere(frame: Sequence[CellCount], items: Sequence[LabelledItem]) -> Elsewhere:
    return Elsewhere("there", "f" * 64, Evidence(("fine", "bad"), (), tuple(frame), tuple(items), ("a",), ("j",)))


PAIRS = (("bad", "bad"), ("bad", "fine"), ("fine", "fine"), ("fine", "fine"), ("fine", "bad"))
BY_VERDICT: dict[str, str | None] = {"flagged": "bad", "clear": "fine"}


def test_a_census_counts_every_item_once() -> None:
    given = elsewhere(cells({"": 5}, {"": "fine"}), [item(n, *pair) for n, pair in enumerate(PAIRS)])
    found = judge_errors(given, Scope("p"), "j")
    assert found.reason is None
    assert dict(found.counts) == {("bad", "bad"): 1, ("bad", "fine"): 1, ("fine", "fine"): 2, ("fine", "bad"): 1}
    assert found.equal
    assert (found.details["design"], found.details["n"], found.details["effective_n"]) == ("census", 5, 5)


def test_unequal_probabilities_count_by_their_inverse_at_no_more_than_their_effective_number() -> None:
    """2 of 4 flagged and 3 of 30 cleared items: weights 2 and 10, so flagged labels count 0.2 of a cleared one."""
    sampled = [item(n, *pair, stratum="flagged" if pair[0] == "bad" else "clear") for n, pair in enumerate(PAIRS)]
    found = judge_errors(elsewhere(cells({"flagged": 4, "clear": 30}, BY_VERDICT), sampled), Scope("p"), "j")
    assert dict(found.counts) == pytest.approx(
        {("bad", "bad"): 0.2, ("bad", "fine"): 0.2, ("fine", "fine"): 2, ("fine", "bad"): 1}
    )
    assert not found.equal
    assert found.details["effective_n"] == pytest.approx((2 * 2 + 3 * 10) / 10)


def test_effective_counts_never_promise_less_variance_than_the_weights_leave() -> None:
    """``sum w^2 (x - p)^2 / (sum w)^2 <= p (1 - p) max w / sum w``, here for weights 1, 3 and 10."""
    weights, events = [1, 1, 1, 3, 3, 10, 10], [1, 1, 0, 1, 0, 1, 0]
    total = sum(weights)
    share = sum(w * x for w, x in zip(weights, events, strict=True)) / total
    linearised = sum(w * w * (x - share) ** 2 for w, x in zip(weights, events, strict=True)) / total**2
    assert linearised <= share * (1 - share) / (total / max(weights))


def test_failed_verdicts_and_open_items_are_left_out_and_counted() -> None:
    items = [*(item(n, *pair) for n, pair in enumerate(PAIRS)), item(8, None, "bad"), item(9, "fine", None)]
    found = judge_errors(elsewhere(cells({"": 7}, {"": "fine"}), items), Scope("p"), "j")
    assert found.reason is None
    assert (found.details["n"], found.details["judge_failed"], found.details["without_blind_gold"]) == (5, 1, 1)


def test_labels_without_a_draw_are_not_used() -> None:
    given = elsewhere(cells({"": 50}, {"": "fine"}), [item(n, *pair) for n, pair in enumerate(PAIRS)])
    found = judge_errors(given, Scope("p"), "j")
    assert (found.reason, dict(found.counts)) == (SAMPLE_ONLY, {})


def test_a_stratum_that_nobody_labelled_is_no_stratum_without_errors() -> None:
    sampled = [item(n, *pair, stratum="flagged") for n, pair in enumerate(PAIRS) if pair[0] == "bad"]
    frame = cells({"flagged": 4, "clear": 30}, BY_VERDICT)
    assert "1 strata" in str(judge_errors(elsewhere(frame, sampled), Scope("p"), "j").reason)
    # Where the judge failed on all of it, the stratum has no part in its verdicts.
    failed = [replace(cell, verdict=None) if cell.stratum == "clear" else cell for cell in frame]
    assert judge_errors(elsewhere(failed, sampled), Scope("p"), "j").reason is None


def test_a_judge_without_a_labelled_verdict_says_nothing() -> None:
    given = elsewhere(cells({"": 1}, {"": "fine"}), [item(0, None, "bad")])
    assert judge_errors(given, Scope("p"), "j").reason == NO_LABELS
    assert judge_errors(given, Scope("p"), "other").reason == NO_LABELS


def test_the_population_of_the_same_name_comes_first_then_all_of_the_intent() -> None:
    there = elsewhere(cells({"": 1}, {"": "fine"}), [item(0, "fine", "bad")]).evidence
    assert scope_there(there, "p", ("harmful",)) == Scope("p", intent="harmful")
    assert scope_there(there, "q", ("harmful",)) == Scope(intent="harmful")
    assert scope_there(there, "p", ("benign",)) == Scope(intent="benign")
    assert scope_there(there, "q", ("benign", "harmful")) == Scope()
