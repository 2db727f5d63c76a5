"""What must hold of every number of a report, whatever the evidence: hypothesis through all rows of STATISTICS.

Properties of one function alone (paired tables, planned widths, anytime sets) are in its own test.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from adjudicate.core.estimates import Estimate
from adjudicate.core.present import DIFFERENCES
from adjudicate.stats import STATISTICS
from adjudicate.stats.corrected import StratumCount
from adjudicate.stats.evidence import Evidence
from adjudicate.stats.more_labels import more_labels
from adjudicate.stats.planning import labels_for_half_width
from tests.stats.random_evidence import CODES, OPTIONS, evidences, recoded, shuffled

Key = tuple[str, ...]
options = st.sampled_from(OPTIONS)
# Evidence is made from a seed, so that a smaller failing example would take minutes and say no more.
quick = settings(
    max_examples=20, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)  # fmt: skip


def computed(given_evidence: Evidence) -> dict[Key, Estimate]:
    """Every estimate by statistic and group; each stands once."""
    found: dict[Key, Estimate] = {}
    for row in STATISTICS:
        for estimate in row.compute(given_evidence):
            key = (row.name, estimate.statistic, *(f"{name}={text}" for name, text in sorted(estimate.group.items())))
            assert key not in found, key
            found[key] = estimate
    return found


def numbers(estimate: Estimate) -> list[float | None]:
    return [estimate.value, estimate.low, estimate.high, estimate.n]


def same(before: dict[Key, Estimate], after: dict[Key, Estimate]) -> None:
    assert before.keys() ^ after.keys() == set()
    for key, estimate in before.items():
        assert numbers(after[key]) == pytest.approx(numbers(estimate), abs=1e-9), (key, estimate, after[key])


@given(evidences(resamples=40), options)
@quick
def test_every_interval_contains_its_estimate(evidence: Evidence, option: dict[str, Any]) -> None:
    for key, estimate in computed(replace(evidence, **option)).items():
        assert (estimate.low is None) is (estimate.high is None), key
        if estimate.low is not None and estimate.high is not None and key[0] not in BOOTSTRAPPED:
            assert estimate.value is not None, key
            assert estimate.low - 1e-12 <= estimate.value <= estimate.high + 1e-12, (key, estimate)


BOOTSTRAPPED = ("agreement", "further_agreement", "rare_event_agreement", "borderline_agreement")
"""Percentiles of resamples are not built around the value; with 40 resamples they may miss it."""


@given(evidences(resamples=40), options, st.randoms(use_true_random=False))
@quick
def test_the_order_of_items_people_and_strata_does_not_matter(evidence: Evidence, option: dict[str, Any], random: Random) -> None:
    given_evidence = replace(evidence, **option)
    same(computed(given_evidence), computed(shuffled(given_evidence, random)))


@given(evidences(resamples=40), options)
@quick
def test_the_coding_of_labels_and_strata_does_not_matter(evidence: Evidence, option: dict[str, Any]) -> None:
    given_evidence = replace(evidence, **option)
    codes = {f"outcome={name}": f"outcome={code}" for name, code in CODES.items()}
    before = {tuple(codes.get(part, part) for part in key): each for key, each in computed(given_evidence).items()}
    same(before, computed(recoded(given_evidence)))


@given(evidences(), options)
@quick
def test_the_rates_of_all_outcomes_sum_to_one(evidence: Evidence, option: dict[str, Any]) -> None:
    shares: dict[Key, list[float]] = defaultdict(list)
    for key, estimate in computed(replace(evidence, **option)).items():
        if estimate.statistic in ("raw_rate", "human_rate", "corrected_rate") and "outcome" in estimate.group:
            shares[tuple(part for part in key if not part.startswith("outcome="))].append(
                float("nan") if estimate.value is None else estimate.value
            )
    for key, values in shares.items():
        assert len(values) == len(evidence.outcomes), key
        # An undefined population is undefined for every outcome.
        assert all(value != value for value in values) or sum(values) == pytest.approx(1), (key, values)


@given(evidences(), options)
@quick
def test_no_event_never_gives_zero_width_unless_all_is_reviewed(evidence: Evidence, option: dict[str, Any]) -> None:
    for key, estimate in computed(replace(evidence, **option)).items():
        if estimate.low is None or estimate.high is None or estimate.high - estimate.low > 1e-12:
            continue
        assert "every item" in estimate.method or "census" in estimate.method or complete(estimate.details), (key, estimate)
        assert option.get("target") != "process" or estimate.statistic not in OF_THE_PROCESS, (key, estimate)


OF_THE_PROCESS = ("corrected_rate", "clustered_rate", "guarded_rate", "rate_by_intents", "attempts_rate", "transported_rate")
"""Rates that have a width with ``--target process`` whatever was reviewed."""


def complete(details: Mapping[str, Any]) -> bool:
    """Whether every item of every stratum is settled, or (a score) both sides have no width themselves."""
    if details.get("design") == "census" or details.get("labelled", -1) == details.get("N"):
        return True
    if "strata" in details:
        return all(stratum["n"] == stratum["N"] for stratum in details["strata"])
    sides = [details[name] for name in ("benign", "harmful") if name in details]
    return len(sides) == 2 and all(side["high"] - side["low"] < 1e-12 for side in sides)


@given(evidences(resamples=40), options)
@settings(parent=quick, max_examples=10)
def test_the_same_seed_gives_the_same_numbers(evidence: Evidence, option: dict[str, Any]) -> None:
    first, second = (computed(replace(evidence, **option)) for _ in range(2))
    assert [json.dumps(each.as_json()) for each in first.values()] == [json.dumps(each.as_json()) for each in second.values()]


UNITS = {"fraction": (0.0, 1.0), "points": (0.0, 100.0), "coefficient": (-float("inf"), 1.0), "count": (0.0, float("inf"))}


@given(evidences(resamples=40), options)
@quick
def test_every_number_is_on_the_scale_of_its_unit(evidence: Evidence, option: dict[str, Any]) -> None:
    """A fraction is never a percentage: 0 to 1, differences -1 to 1; only points go up to 100."""
    for key, estimate in computed(replace(evidence, **option)).items():
        low, high = UNITS[estimate.unit]
        if estimate.statistic in DIFFERENCES:
            low = -high
        for value in (estimate.value, estimate.low, estimate.high):
            assert value is None or low - 1e-12 <= value <= high + 1e-12, (key, estimate)
        if estimate.confidence is not None:
            assert 0 < estimate.confidence < 1, key
        if estimate.unit == "count" and estimate.value is not None:
            assert estimate.value == int(estimate.value), key


strata_at_hand = st.lists(
    st.integers(1, 300).flatmap(
        lambda size: st.integers(0, size).flatmap(
            lambda n: st.integers(0, n).map(lambda events: StratumCount("", size, n, events))
        )
    ), min_size=1, max_size=3,
)  # fmt: skip


@given(strata_at_hand, st.floats(0.01, 0.2), st.floats(1.05, 3))
@settings(max_examples=60, deadline=None)
def test_a_narrower_plan_never_needs_fewer_labels(strata: list[StratumCount], half_width: float, factor: float) -> None:
    named = [replace(stratum, stratum=f"s{number}") for number, stratum in enumerate(strata)]
    guesses = {stratum.stratum: 0.1 for stratum in named}
    narrow, wide = (more_labels(named, guesses, each) for each in (half_width, half_width * factor))
    assert narrow.labels >= wide.labels
    assert narrow.then.width <= narrow.now.width + 1e-9
    sizes = [stratum.size for stratum in named]
    plans = [labels_for_half_width(sizes, [0.1] * len(sizes), each) for each in (half_width, half_width * factor)]
    assert plans[0].labels >= plans[1].labels
    assert plans[0].interval.width <= plans[1].interval.width + 1e-9
