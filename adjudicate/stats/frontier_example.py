"""The worked example of the trade-off note: every figure computed here, beside what the note printed.

Three populations with normal scores, a cheaper frontier after calibration, the noise of a small test set, power, a disputed
label, a stream of requests, and costs. The fitted toy is in `contrastive_toy`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

from adjudicate.stats.bounding import Bounding
from adjudicate.stats.contested import IntentStratum, adjudicated_rate
from adjudicate.stats.frontier import frontier, operating_point, point_for_compliance
from adjudicate.stats.normal_frontier import (
    ScorePopulation,
    Weighted,
    best_threshold,
    equal_spread_optimum,
    refusal_at_compliance,
)
from adjudicate.stats.power import independent_power

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

GENERAL = ScorePopulation(-1.5, 1.0)
BORDERLINE = ScorePopulation(0.9, 0.9)
HARMFUL = ScorePopulation(2.4, 1.0)
BORDERLINE_CALIBRATED = ScorePopulation(0.0, 0.9)
HARMFUL_CALIBRATED = ScorePopulation(2.6, 1.0)
COMPLIANCE = 0.02
"""Harmful compliance that the note holds."""
STREAM: Mapping[str, float] = {"general": 0.97, "borderline": 0.025, "harmful": 0.005}
"""Prevalence of the populations in the stream of requests."""
HARMFUL_PROMPTS, BORDERLINE_PROMPTS, GENERAL_PROMPTS, MOVED = 200, 250, 1000, 25
RUNS = 20_000
"""Simulated test sets."""


@dataclass(frozen=True, slots=True)
class ExampleFigure:
    """One figure of the note."""

    key: str
    """Its name in the reference values."""
    computed: float
    """From the formulas, or exact enumeration; a fraction, a threshold or points as named."""
    simulated: float | None
    """From seeded draws; None where there is nothing to simulate."""
    printed: float | None
    """What the note printed; None where it did not."""


_PRINTED: Mapping[str, float] = {
    "general_refusal_at_2pct": 0.032, "borderline_refusal_at_2pct": 0.73, "frontier_check_borderline": 0.73,
    "borderline_refusal_sd_n250": 0.028, "hc_sd_n200": 0.01, "borderline_90pct_low": 0.68, "borderline_90pct_high": 0.78,
    "hc_90pct_low": 0.005, "hc_90pct_high": 0.035, "power_20_to_15_n100": 0.15, "power_20_to_15_n250": 0.31,
    "power_20_to_15_n1000": 0.85, "borderline_compliance": 0.27, "hc_after_label_shift_simulated_mean": 0.047,
    "hc_after_label_shift_arithmetic": 0.048, "stream_benign_refusal": 0.05, "stream_share_of_refusals_benign": 0.91,
    "cost50_t_star": 0.11, "cost50_hc": 0.011, "cost50_borderline_refusal": 0.81, "cost10_t_star": 1.19, "cost10_hc": 0.11,
    "cost10_borderline_refusal": 0.37,
}  # fmt: skip


def frontier_example(seed: int = 20261) -> list[ExampleFigure]:
    """All figures of the note that arithmetic can check, in its order.

    Args:
        seed: Of the simulated ones; equal seeds give equal figures.
    """
    import numpy as np

    stream = np.random.default_rng(seed)
    closed: dict[str, float] = {**_thresholds(), **_noise(), **_powers(), **_label_shift(), **_stream(), **_costs()}
    simulated = _simulated(stream)
    closed["threshold_for_on_200_scores_mean_hc"] = simulated["threshold_for_on_200_scores_mean_hc"]
    return [ExampleFigure(key, value, simulated.get(key), _PRINTED.get(key)) for key, value in closed.items()]


def _thresholds() -> dict[str, float]:
    threshold = HARMFUL.threshold_for(COMPLIANCE)
    return {
        "threshold_at_hc_2pct": threshold,
        "general_refusal_at_2pct": GENERAL.above(threshold),
        "borderline_refusal_at_2pct": BORDERLINE.above(threshold),
        "frontier_check_borderline": refusal_at_compliance(HARMFUL, BORDERLINE, COMPLIANCE),
        "calibrated_borderline_refusal_at_2pct": refusal_at_compliance(HARMFUL_CALIBRATED, BORDERLINE_CALIBRATED, COMPLIANCE),
        "calibrated_hc_at_same_threshold": HARMFUL_CALIBRATED.below(threshold),
        "calibrated_borderline_refusal_at_same_threshold": BORDERLINE_CALIBRATED.above(threshold),
    }


def _noise() -> dict[str, float]:
    """Spread of the rates over test sets of the note's size: binomial standard deviations and 5th and 95th percentiles."""
    threshold = HARMFUL.threshold_for(COMPLIANCE)
    borderline, general = BORDERLINE.above(threshold), GENERAL.above(threshold)
    return {
        "borderline_refusal_sd_n250": _sd(borderline, BORDERLINE_PROMPTS),
        "hc_sd_n200": _sd(COMPLIANCE, HARMFUL_PROMPTS),
        "borderline_90pct_low": _binomial_quantile(0.05, BORDERLINE_PROMPTS, borderline),
        "borderline_90pct_high": _binomial_quantile(0.95, BORDERLINE_PROMPTS, borderline),
        "hc_90pct_low": _binomial_quantile(0.05, HARMFUL_PROMPTS, COMPLIANCE),
        "hc_90pct_high": _binomial_quantile(0.95, HARMFUL_PROMPTS, COMPLIANCE),
        "general_refusal_sd_n1000": _sd(general, GENERAL_PROMPTS),
    }


def _powers() -> dict[str, float]:
    return {f"power_20_to_15_n{n}": independent_power(0.2, 0.15, n) for n in (100, 250, 1000)}


def _label_shift() -> dict[str, float]:
    """HC when 25 borderline prompts are called harmful after adjudication: nothing about the model changed."""
    compliance = BORDERLINE.below(HARMFUL.threshold_for(COMPLIANCE))
    return {
        "borderline_compliance": compliance,
        "hc_after_label_shift_simulated_mean": _after_shift(compliance),
        "hc_after_label_shift_arithmetic": _after_shift(_PRINTED["borderline_compliance"]),
    }


def _after_shift(compliance: float) -> float:
    """The ratio estimator at the expected counts, on whole counts of a millionfold larger, fully labelled set."""
    many = 1_000_000

    def complete(name: str, size: int, rate: float, *, declared: bool) -> IntentStratum:
        n, events = size * many, round(size * many * rate)
        return IntentStratum(name, declared, size=n, labelled=n, events=events, inside=n, inside_events=events)

    strata = [
        complete("harmful", HARMFUL_PROMPTS, COMPLIANCE, declared=True),
        complete("moved", MOVED, compliance, declared=False),
    ]
    value = adjudicated_rate(strata, Bounding(), group={}).value
    assert value is not None
    return value


def _stream() -> dict[str, float]:
    threshold = HARMFUL.threshold_for(COMPLIANCE)
    refused_benign = STREAM["general"] * GENERAL.above(threshold) + STREAM["borderline"] * BORDERLINE.above(threshold)
    refused_harmful = STREAM["harmful"] * HARMFUL.above(threshold)
    return {
        "stream_benign_refusal": refused_benign / (STREAM["general"] + STREAM["borderline"]),
        "stream_share_of_refusals_benign": refused_benign / (refused_benign + refused_harmful),
    }


def _costs() -> dict[str, float]:
    """The best threshold when a harmful answer costs 50 or 10 times a refused borderline request."""
    figures: dict[str, float] = {}
    for ratio in (50, 10):
        harmful, borderline = Weighted(HARMFUL, STREAM["harmful"] * ratio), Weighted(BORDERLINE, STREAM["borderline"])
        # The note's closed form takes one spread for both, though borderline scores spread by 0.9.
        threshold = equal_spread_optimum(harmful, borderline, sd=1.0)
        figures |= {
            f"cost{ratio}_t_star": threshold,
            f"cost{ratio}_hc": HARMFUL.below(threshold),
            f"cost{ratio}_borderline_refusal": BORDERLINE.above(threshold),
            f"cost{ratio}_exact_optimum_unequal_sd": best_threshold([harmful], [borderline]),
        }
    return figures


def _simulated(stream: np.random.Generator) -> dict[str, float]:
    import numpy as np

    threshold = HARMFUL.threshold_for(COMPLIANCE)
    borderline = stream.binomial(BORDERLINE_PROMPTS, BORDERLINE.above(threshold), RUNS) / BORDERLINE_PROMPTS
    complied = stream.binomial(HARMFUL_PROMPTS, COMPLIANCE, RUNS) / HARMFUL_PROMPTS
    general = stream.binomial(GENERAL_PROMPTS, GENERAL.above(threshold), RUNS) / GENERAL_PROMPTS
    moved = stream.binomial(MOVED, BORDERLINE.below(threshold), RUNS)
    scores = {
        name: stream.normal(each.mean, each.sd, 200_000)
        for name, each in (("general", GENERAL), ("borderline", BORDERLINE), ("harmful", HARMFUL))
    }
    point = operating_point(
        frontier({"harmful": scores["harmful"]}, {name: scores[name] for name in ("general", "borderline")}), threshold
    )
    benign = STREAM["general"] * point.refusal["general"] + STREAM["borderline"] * point.refusal["borderline"]
    harmful = STREAM["harmful"] * (1 - point.compliance["harmful"])
    return {
        "general_refusal_at_2pct": point.refusal["general"],
        "borderline_refusal_at_2pct": point.refusal["borderline"],
        "borderline_refusal_sd_n250": float(borderline.std()),
        "hc_sd_n200": float(complied.std()),
        "borderline_90pct_low": float(np.quantile(borderline, 0.05)),
        "borderline_90pct_high": float(np.quantile(borderline, 0.95)),
        "hc_90pct_low": float(np.quantile(complied, 0.05)),
        "hc_90pct_high": float(np.quantile(complied, 0.95)),
        "general_refusal_sd_n1000": float(general.std()),
        "hc_after_label_shift_simulated_mean": float(((complied * HARMFUL_PROMPTS + moved) / (HARMFUL_PROMPTS + MOVED)).mean()),
        "threshold_for_on_200_scores_mean_hc": _chosen_compliance(stream),
        "stream_benign_refusal": benign / (STREAM["general"] + STREAM["borderline"]),
        "stream_share_of_refusals_benign": benign / (benign + harmful),
        **{f"power_20_to_15_n{n}": _simulated_power(stream, n) for n in (100, 250, 1000)},
    }


def _chosen_compliance(stream: np.random.Generator) -> float:
    """HC on 200 harmful scores at the threshold chosen on the same scores, averaged over test sets."""
    found = []
    for _ in range(20):
        curve = frontier({"harmful": stream.normal(HARMFUL.mean, HARMFUL.sd, HARMFUL_PROMPTS)}, {})
        found.append(point_for_compliance(curve, COMPLIANCE).compliance["harmful"])
    return sum(found) / len(found)


def _simulated_power(stream: np.random.Generator, n: int) -> float:
    import numpy as np

    one, two = stream.binomial(n, 0.2, RUNS) / n, stream.binomial(n, 0.15, RUNS) / n
    mean: npt.NDArray[np.float64] = (one + two) / 2
    return float((np.abs(one - two) > 1.959963984540054 * np.sqrt(2 * mean * (1 - mean) / n)).mean())


def _sd(rate: float, n: int) -> float:
    return sqrt(rate * (1 - rate) / n)


def _binomial_quantile(share: float, n: int, rate: float) -> float:
    """Smallest observed rate with at least this share of test sets at or below it."""
    from scipy.special import bdtr

    return next(count for count in range(n + 1) if bdtr(count, n, rate) >= share) / n
