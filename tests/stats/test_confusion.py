"""Kappa and MCC from a table are scikit-learn's from the items."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score, matthews_corrcoef

from adjudicate.stats.confusion import JUDGE_FAILED, confusion, kappa, mcc


def test_coefficients_of_the_table_are_those_of_the_weighted_items() -> None:
    random = np.random.default_rng(3)
    gold, verdicts, weights = random.choice(list("abc"), 80), random.choice(list("abc"), 80), random.random(80) + 0.1
    table = confusion(gold.tolist(), verdicts.tolist(), weights.tolist(), "abc")
    assert kappa(table) == pytest.approx(cohen_kappa_score(gold, verdicts, sample_weight=weights))
    assert mcc(table) == pytest.approx(matthews_corrcoef(gold, verdicts, sample_weight=weights))


def test_a_table_collapses_to_event_and_other() -> None:
    table = confusion(list("aabc"), ["a", "b", None, "c"], [1, 2, 3, 4], "abc")
    assert table.labels == ("a", "b", "c", JUDGE_FAILED)
    # Events a and b: gold a judged a (1) and judged b (2); gold c judged c (4); the failure is left out.
    assert table.without(JUDGE_FAILED).collapsed("ab").matrix.tolist() == [[4, 0], [0, 3]]


def test_one_class_only_has_no_coefficient() -> None:
    table = confusion(["a", "a"], ["a", "a"], [1, 1], "ab")
    assert (kappa(table), mcc(table)) == (None, None)
