"""Rates where items share a prompt or a pair: when they are shown, what they allow for, and that they cover the process."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
import pytest

from adjudicate.core.policy import Rate
from adjudicate.stats.bounding import Bounding
from adjudicate.stats.corrected import StratumCount, stratified_rate
from adjudicate.stats.evidence import CellCount, Evidence, LabelledItem
from adjudicate.stats.rate_counts import bounded_rate, rate_counts
from adjudicate.stats.report_clusters import clustered_rates
from adjudicate.stats.report_rates import corrected_rates
from adjudicate.stats.report_scores import boundary_scores

RATES = (Rate("hc", "HC", "harmful", ("bad",), "lower"),)


def item(number: int, gold: str | None, *, prompt: str = "", stratum: str = "s") -> LabelledItem:
    return LabelledItem(f"i{number}", stratum, "h", "harmful", "m", gold, gold, {}, {}, sampled=bool(stratum), prompt=prompt)


def evidence(items: list[LabelledItem], size: int, *, stratum: str = "s") -> Evidence:
    return Evidence(("fine", "bad"), RATES, (CellCount(stratum, "h", "harmful", "m", "", None, size),), tuple(items))


def pairs(*, prompt: str = "p{}") -> list[LabelledItem]:
    """Ten pairs of like answers, four of them events."""
    return [item(n, "bad" if n < 8 else "fine", prompt=prompt.format(n // 2)) for n in range(20)]


def test_it_is_shown_only_where_settled_items_share_something() -> None:
    assert clustered_rates(evidence([item(n, "fine", prompt=f"p{n}") for n in range(5)], 20)) == []
    assert len(clustered_rates(evidence(pairs(), 40))) == 1
    # Without a draw nothing can be corrected, and a full review leaves no error for these items.
    assert clustered_rates(evidence([replace(each, sampled=False, stratum="") for each in pairs()], 40, stratum="")) == []
    assert clustered_rates(evidence(pairs(), 20)) == []
    # An open item is no member of a cluster.
    assert clustered_rates(evidence([item(0, "fine", prompt="p"), item(1, None, prompt="p")], 20)) == []


def test_the_value_is_that_of_the_corrected_rate_and_the_interval_wider() -> None:
    given = evidence(pairs(), 200)
    [found], [plain] = clustered_rates(given), [each for each in corrected_rates(given) if "rate" in each.group]
    assert (found.statistic, found.value, found.n) == ("clustered_rate", plain.value, plain.n)
    # Members of a pair are alike: 2 (10/9) / (20/19), as in test_clusters.
    assert found.details["design_effect"] == plain.details["design_effect"] == pytest.approx(2 * (10 / 9) / (20 / 19))
    assert found.low is not None and found.high is not None and plain.low is not None and plain.high is not None
    assert found.low < plain.low < plain.high < found.high


def test_labels_that_stand_for_more_items_weigh_more_in_the_effect() -> None:
    """A stratum of pairs, a stratum of single items: the effect is that of the pairs where they stand for nearly everything."""
    singles = [item(100 + n, "bad" if n < 8 else "fine", prompt=f"q{n}", stratum="t") for n in range(20)]
    frame = [CellCount(name, "h", "harmful", "m", "", None, size) for name, size in (("s", 10_000), ("t", 20))]
    given = Evidence(("fine", "bad"), RATES, tuple(frame), (*pairs(), *singles))
    [found], [plain] = clustered_rates(given), [each for each in corrected_rates(given) if "rate" in each.group]
    # 30 clusters and 40 items now, and hardly any residual but that of the pairs.
    assert found.details["design_effect"] == pytest.approx(2 * (30 / 29) / (40 / 39), rel=1e-3)
    assert plain.details["design_effect"] == found.details["design_effect"]


def test_the_process_target_has_an_interval_in_a_census_too() -> None:
    [found] = clustered_rates(replace(evidence(pairs(), 20), target="process"))
    assert found.low is not None and found.high is not None
    assert found.low < 0.4 < found.high
    assert found.method.endswith("process target")


def test_a_single_cluster_is_undefined() -> None:
    [found] = clustered_rates(evidence([item(0, "bad", prompt="p"), item(1, "fine", prompt="p")], 10))
    assert found.undefined == "fewer than two clusters are labelled"


def test_the_corrected_rate_of_the_process_is_the_clustered_one() -> None:
    """Also for an outcome, and not for these items, nor where items stand alone."""
    given = replace(evidence(pairs(), 200), target="process")
    [found], both = clustered_rates(given), [each for each in corrected_rates(given) if each.group.get("outcome") != "fine"]
    for plain in both:
        assert (plain.statistic, plain.value, plain.low, plain.high) == ("corrected_rate", found.value, found.low, found.high)
        assert plain.details["design_effect"] == found.details["design_effect"]
    finite = corrected_rates(evidence(pairs(), 200))[0]
    assert "MOVER with finite-population Jeffreys limits" in finite.method
    alone = replace(evidence([item(n, "bad" if n < 8 else "fine", prompt=f"p{n}") for n in range(20)], 200), target="process")
    assert "design" not in corrected_rates(alone)[0].method
    single = replace(evidence([item(0, "bad", prompt="p"), item(1, "fine", prompt="p")], 10), target="process")
    assert corrected_rates(single)[0].undefined == "fewer than two clusters are labelled"


def test_a_gate_on_the_process_allows_for_clusters_with_limits_that_are_never_shorter() -> None:
    [counts] = rate_counts(evidence(pairs(), 200))
    report = corrected_rates(replace(evidence(pairs(), 200), target="process"))[0]
    conservative = corrected_rates(replace(evidence(pairs(), 200), target="process", conservative=True))[0]
    asked = bounded_rate(counts, Bounding(target="process"))
    assert None not in (asked.low, asked.high, report.low, report.high)
    assert (asked.low, asked.high) == (conservative.low, conservative.high)
    assert float(asked.low or 0) <= float(report.low or 0)
    assert float(asked.high or 0) >= float(report.high or 0)
    assert asked.details["design_effect"] == report.details["design_effect"]
    assert "design effect" not in bounded_rate(counts, Bounding()).method


def clustered_study(target: Literal["finite", "process"], replicates: int) -> tuple[float, float, float]:
    """Coverage of a rate of 15 % in percent: five answers to each of 60 prompts, 40 drawn whole.

    Of the clustered rate, of the corrected rate, and of stratified limits that know of no clusters.
    """
    covered = corrected = ignored = 0
    for replicate in range(replicates):
        rng = np.random.default_rng([20282, replicate])
        # Beta-binomial prompts with an intra-cluster correlation of 0.4.
        chance = rng.beta(0.15 * 1.5, 0.85 * 1.5, 60)
        events = rng.random((60, 5)) < chance[:, None]
        true = 0.15 if target == "process" else float(events.mean())
        drawn = rng.permutation(60)[:40]
        items = [
            item(5 * int(c) + k, "bad" if events[c, k] else "fine", prompt=f"p{c}") for c in drawn for k in range(5)
        ]  # fmt: skip
        given = replace(evidence(items, 300), target=target)
        [found], [plain] = clustered_rates(given), [each for each in corrected_rates(given) if "rate" in each.group]
        assert None not in (found.low, found.high, plain.low, plain.high)
        covered += float(found.low or 0) <= true <= float(found.high or 0)
        corrected += float(plain.low or 0) <= true <= float(plain.high or 0)
        counts = [StratumCount("s", 300, 200, int(events[drawn].sum()))]
        blind = stratified_rate(counts, statistic="corrected_rate", group={}, target=target)
        ignored += float(blind.low or 0) <= true <= float(blind.high or 0)
    return 100 * covered / replicates, 100 * corrected / replicates, 100 * ignored / replicates


@pytest.mark.parametrize("target", ["finite", "process"])
def test_clusters_drawn_whole_are_covered_and_would_not_be_without_the_effect(target: Literal["finite", "process"]) -> None:
    covered, corrected, ignored = clustered_study(target, 300)
    assert covered >= 92
    assert ignored < 85
    # These items were drawn in whole clusters here, of which the corrected rate of the finite target knows nothing.
    assert corrected == (covered if target == "process" else ignored)


def test_counts_of_items_are_those_of_the_design() -> None:
    [found] = clustered_rates(evidence(pairs(), 200))
    assert found.details["strata"] == [{"stratum": "s", "N": 200, "n": 20, "events": 8, "unresolved": 0}]
    assert StratumCount("s", 200, 20, 8).rate == found.value


@pytest.mark.parametrize("target", ["finite", "process"])
def test_points_that_are_all_or_nothing_make_the_score_of_the_rates(target: Literal["finite", "process"]) -> None:
    """For prompts like these they allow for pairs and for the spread between strata, just as the rates do."""
    harmful = [*pairs(), *(item(100 + n, "bad" if n < 8 else "fine", prompt=f"q{n}", stratum="t") for n in range(20))]
    benign = [replace(each, item_id=f"b{each.item_id}", population="b", intent="benign") for each in harmful]
    frame = [
        CellCount(name, population, intent, "m", "", None, size)
        for population, intent in (("h", "harmful"), ("b", "benign"))
        for name, size in (("s", 200), ("t", 50))
    ]
    given = Evidence(
        ("fine", "bad"), (*RATES, Rate("br", "BR", "benign", ("bad",), "lower")), tuple(frame), (*harmful, *benign),
        target=target, points={intent: {"fine": 100.0, "bad": 0.0} for intent in ("benign", "harmful")},
    )  # fmt: skip
    rates, points = boundary_scores(given)
    assert (rates.group["of"], points.group["of"], points.value) == (
        "rates",
        "points",
        pytest.approx(100 * float(rates.value or 0)),
    )
    assert rates.low is not None and rates.high is not None
    assert (points.low, points.high) == pytest.approx((100 * rates.low, 100 * rates.high))
