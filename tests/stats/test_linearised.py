"""Linearised intervals of kappa, MCC and balanced accuracy: published variances, and coverage by simulation."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from adjudicate.core.estimates import Estimate
from adjudicate.stats.judge_accuracy import NO_ERROR_SEEN, ONE_SIDE_UNSEEN, JudgedItems, judge_accuracy_estimates
from adjudicate.stats.judge_rates import judge_rate_estimates
from tests.stats.product_draw import by_verdict, draw


def table(tn: int, fp: int, fn: int, tp: int) -> JudgedItems:
    """Items of a simple random sample; ``b`` is the event."""
    gold = "a" * (tn + fp) + "b" * (fn + tp)
    judged = "a" * tn + "b" * fp + "a" * fn + "b" * tp
    return JudgedItems(list(gold), list(judged), [1.0] * len(gold), [""] * len(gold), {}, "reviewed")


def of_event(items: JudgedItems) -> dict[str, Estimate]:
    found = judge_rate_estimates(items, ("a", "b"), rate="r", counts=("b",), group={})
    return {each.statistic.removeprefix("judge_"): each for each in found if "judge_failed" not in each.group}


def error(estimate: Estimate) -> float:
    """Standard error of a sample of 100, with the divisor n of the published formulas."""
    return float(estimate.details["standard_error"]) * sqrt(99 / 100)


def test_the_error_of_kappa_is_that_of_fleiss_cohen_and_everitt() -> None:
    """Fleiss, Cohen and Everitt (1969), eq. 13, on 60 / 10 / 5 / 25 of 100."""
    p = np.array([[0.60, 0.10], [0.05, 0.25]])
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    po, pe = np.trace(p), rows @ columns
    on = sum(p[k, k] * ((1 - pe) - (columns[k] + rows[k]) * (1 - po)) ** 2 for k in (0, 1))
    off = (1 - po) ** 2 * sum(p[i, j] * (columns[i] + rows[j]) ** 2 for i, j in ((0, 1), (1, 0)))
    variance = (on + off - (po * pe - 2 * pe + po) ** 2) / (100 * (1 - pe) ** 4)
    assert error(of_event(table(60, 10, 5, 25))["kappa"]) == pytest.approx(sqrt(variance), rel=1e-9)


def test_the_error_of_mcc_is_that_of_phi() -> None:
    """Bishop, Fienberg and Holland (1975), section 11.3.1: variance of Pearson's phi, on the same table."""
    r0, c0 = 0.70, 0.65
    phi = (0.60 * 0.25 - 0.10 * 0.05) / sqrt(r0 * 0.30 * c0 * 0.35)
    rows, columns = (r0 - 0.30) / sqrt(r0 * 0.30), (c0 - 0.35) / sqrt(c0 * 0.35)
    variance = (1 - phi**2 + phi * (1 + phi**2 / 2) * rows * columns - 3 / 4 * phi**2 * (rows**2 + columns**2)) / 100
    found = of_event(table(60, 10, 5, 25))["mcc"]
    assert found.value == pytest.approx(phi)
    assert error(found) == pytest.approx(sqrt(variance), rel=1e-9)


def test_the_error_of_balanced_accuracy_is_that_of_two_independent_shares() -> None:
    """Sensitivity 25/30 and specificity 60/70 rest on different items: ``sqrt(se (1-se)/30 + sp (1-sp)/70) / 2``."""
    found = of_event(table(60, 10, 5, 25))["balanced_accuracy"]
    assert found.value == pytest.approx((25 / 30 + 60 / 70) / 2)
    assert error(found) == pytest.approx(sqrt(25 / 30 * 5 / 30 / 30 + 60 / 70 * 10 / 70 / 70) / 2, rel=1e-9)
    assert (found.low, found.high) == pytest.approx(
        [found.value + sign * 1.959964 * found.details["standard_error"] for sign in (-1, 1)], abs=1e-6
    )


def test_over_all_outcomes_two_classes_have_the_same_errors() -> None:
    items = table(60, 10, 5, 25)
    overall = {each.statistic.removeprefix("judge_"): each for each in judge_accuracy_estimates(items, ("a", "b"), group={})}
    for name in ("kappa", "mcc"):
        assert overall[name].details["standard_error"] == pytest.approx(of_event(items)[name].details["standard_error"])


@pytest.mark.parametrize(("counts", "reason"), [((60, 0, 0, 25), NO_ERROR_SEEN), ((60, 10, 0, 25), ONE_SIDE_UNSEEN)])
def test_there_is_no_interval_where_errors_of_a_kind_were_not_seen(counts: tuple[int, int, int, int], reason: str) -> None:
    for name in ("kappa", "mcc", "balanced_accuracy"):
        found = of_event(table(*counts))[name]
        assert (found.low, found.high, found.details["no_interval"]) == (None, None, reason)


def test_a_census_has_zero_width() -> None:
    gold, judged = list("aabb"), list("abab")
    found = of_event(JudgedItems(gold, judged, [1.0] * 4, ["s"] * 4, {"s": 4}, "census"))
    assert all(found[name].low == found[name].value == found[name].high for name in ("kappa", "mcc", "balanced_accuracy"))


def test_they_cover_what_a_full_review_would_give() -> None:
    """The product's own draw of 300 from 2,000 with 20 % events; judge 0.85 / 0.9. 300 replicates: one in 80 is 1.25 points."""
    covered = dict.fromkeys(("kappa", "mcc", "balanced_accuracy"), 0)
    for replicate in range(300):
        rng = np.random.default_rng([20285, replicate])
        truth = rng.permutation(2000) < 400
        verdict = np.where(truth, rng.random(2000) < 0.85, rng.random(2000) >= 0.9)
        members = by_verdict(verdict)
        sample = draw(members, 300, replicate)
        drawn = [(int(item), name) for name, queue in sample.queues.items() for item in queue[: sample.drawn[name]]]
        letters = np.array(["a", "b"])
        items = JudgedItems(
            list(letters[[int(truth[item]) for item, _ in drawn]]), list(letters[[int(verdict[item]) for item, _ in drawn]]),
            [len(members[name]) / sample.drawn[name] for _, name in drawn], [name for _, name in drawn],
            {name: len(inside) for name, inside in members.items()}, "sample",
        )  # fmt: skip
        every = [""] * 2000
        whole = of_event(
            JudgedItems(list(letters[truth.astype(int)]), list(letters[verdict.astype(int)]), [1.0] * 2000, every, {"": 2000},
                        "census")
        )  # fmt: skip
        found = of_event(items)
        for name in covered:
            low, high, true = found[name].low, found[name].high, whole[name].value
            assert low is not None
            assert high is not None
            assert true is not None
            covered[name] += low <= true <= high
    assert all(100 * hits / 300 >= 91 for hits in covered.values()), covered
