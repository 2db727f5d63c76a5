"""A corrected rate has one way to it: what a report shows of a population is what a gate decides by."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adjudicate.stats.bounding import Bounding, designed_rate
from adjudicate.stats.corrected import StratumCount
from adjudicate.stats.design_effect import TOO_FEW, DesignEffect
from adjudicate.stats.evidence import Evidence
from adjudicate.stats.rate_counts import bounded_rate, rate_counts
from adjudicate.stats.report_rates import corrected_rates
from tests.stats.random_evidence import OPTIONS, evidences

STRATA = [StratumCount("flagged", 40, 20, 10), StratumCount("clear", 160, 40, 2)]
EFFECT = DesignEffect(2.0, 12, 60, estimated=True)


@given(evidences(resamples=0), st.sampled_from(OPTIONS))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_a_report_and_a_gate_give_one_rate(evidence: Evidence, option: dict[str, Any]) -> None:
    given = replace(evidence, **option)
    shown = {tuple(sorted(each.group.items())): each for each in corrected_rates(given) if "rate" in each.group}
    decided = [bounded_rate(counts, given.bounding, whole=False) for counts in rate_counts(given)]
    assert len(decided) == len(shown)
    for each in decided:
        report = shown[tuple(sorted(each.group.items()))]
        assert (report.value, report.low, report.high, report.n) == (each.value, each.low, each.high, each.n)
        assert report.details.get("unresolved_bounds") == each.details.get("unresolved_bounds")


def test_an_effect_widens_what_is_said_of_the_process_and_nothing_else() -> None:
    for how in (Bounding(), Bounding("jeffreys"), Bounding(anytime=True)):
        assert designed_rate(STRATA, how, effect=EFFECT, group={}) == designed_rate(STRATA, how, group={})
    for limits in ("clopper_pearson", "jeffreys"):
        how = Bounding(limits, target="process")
        wide, plain = designed_rate(STRATA, how, effect=EFFECT, group={}), designed_rate(STRATA, how, group={})
        assert wide.value == plain.value == pytest.approx(0.14)
        assert None not in (wide.low, wide.high, plain.low, plain.high)
        assert float(wide.low or 0) < float(plain.low or 0) and float(plain.high or 0) < float(wide.high or 0)
        # The standard error of the mean grows with the root of the effect.
        assert wide.details["standard_error"] == pytest.approx(2**0.5 * plain.details["standard_error"])


def test_one_cluster_bounds_nothing() -> None:
    found = designed_rate(STRATA, Bounding(target="process"), effect=DesignEffect(60.0, 1, 60, estimated=False), group={})
    assert (found.value, found.undefined) == (None, TOO_FEW)
    assert found.details["unclustered_value"] == pytest.approx(0.14)
