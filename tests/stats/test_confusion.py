"""The table, kappa and MCC are scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score, confusion_matrix, matthews_corrcoef

from adjudicate.stats.confusion import JUDGE_FAILED, confusion, kappa, mcc


@pytest.mark.parametrize("seed", range(5))
def test_a_table_and_its_coefficients_are_scikit_learns_to_the_last_bit(seed: int) -> None:
    random = np.random.default_rng(seed)
    gold, verdicts, weights = random.choice(list("abc"), 80), random.choice(list("abc"), 80), random.random(80) + 0.1
    table = confusion(gold.tolist(), verdicts.tolist(), weights.tolist(), "abc").without(JUDGE_FAILED)
    assert table.matrix.tolist() == confusion_matrix(gold, verdicts, sample_weight=weights).tolist()
    assert kappa(table) == cohen_kappa_score(gold, verdicts, sample_weight=weights)
    assert mcc(table) == matthews_corrcoef(gold, verdicts, sample_weight=weights)


@pytest.mark.parametrize("name", ["d", JUDGE_FAILED])
def test_a_class_that_the_policy_does_not_name_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"not an outcome of the policy: {name}"):
        confusion(["a", name], ["a", "b"], [1, 1], "abc")


def test_a_table_collapses_to_event_and_other() -> None:
    table = confusion(list("aabc"), ["a", "b", None, "c"], [1, 2, 3, 4], "abc")
    assert table.labels == ("a", "b", "c", JUDGE_FAILED)
    # Events a and b: gold a judged a (1) and judged b (2); gold c judged c (4); the failure is left out.
    assert table.without(JUDGE_FAILED).collapsed("ab").matrix.tolist() == [[4, 0], [0, 3]]


def test_one_class_only_has_no_coefficient() -> None:
    table = confusion(["a", "a"], ["a", "a"], [1, 1], "ab")
    assert (kappa(table), mcc(table)) == (None, None)
