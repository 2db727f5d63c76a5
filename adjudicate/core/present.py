"""How an estimate is written for people: always with its unit, its interval or the reason why there is none."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from adjudicate.core.estimates import Estimate

TITLES = {
    "percent_agreement": "percent agreement",
    "krippendorff_alpha": "Krippendorff's alpha",
    "cohen_kappa": "Cohen's kappa",
    "fleiss_kappa": "Fleiss' kappa",
    "gwet_ac1": "Gwet's AC1",
    "judge_accuracy": "accuracy",
    "judge_kappa": "Cohen's kappa",
    "judge_mcc": "Matthews correlation (MCC)",
    "judge_sensitivity": "sensitivity",
    "judge_specificity": "specificity",
    "judge_ppv": "positive predictive value",
    "judge_npv": "negative predictive value",
    "judge_balanced_accuracy": "balanced accuracy",
    "false_omission_rate": "events among cleared items",
    "raw_rate": "raw",
    "human_rate": "human",
    "corrected_rate": "corrected",
    "guarded_rate": "corrected, guarded",
    "clustered_rate": "corrected, clustered",
    "transported_rate": "by labels from elsewhere",
    "transported_share": "by labels from elsewhere",
    "mean_score": "mean points",
    "rate_by_intents": "corrected",
    "attempts_rate": "within k attempts",
    "boundary_score": "boundary score",
    "raw_difference": "raw difference",
    "capability_score": "capability score",
    "benign_helpfulness": "helpfulness, benign",
    "harmful_safety": "safety, harmful",
    "weighted_kappa": "weighted kappa",
    "scott_pi": "Scott's pi",
    "conger_kappa": "Conger's kappa",
    "brennan_prediger": "Brennan-Prediger",
    "fleiss_kappa_generalised": "Fleiss' kappa, unequal numbers",
    "gwet_ac2": "Gwet's AC2",
    "specific_agreement": "specific agreement",
    "positive_agreement": "positive agreement",
    "negative_agreement": "negative agreement",
    "pabak": "PABAK",
    "prevalence_index": "prevalence index",
    "bias_index": "bias index",
    "self_agreement": "self-agreement",
    "self_alpha": "Krippendorff's alpha against oneself",
    "annotator_accuracy": "accuracy",
    "annotator_sensitivity": "sensitivity",
    "annotator_specificity": "specificity",
    "agreement_drift": "change from first to last window",
    "judge_accuracy_difference": "accuracy, first minus second",
    "judge_self_consistency": "agreement with itself",
    "judges_percent_agreement": "percent agreement",
    "judges_cohen_kappa": "Cohen's kappa",
    "judges_alpha": "Krippendorff's alpha",
    "judge_self_alpha": "Krippendorff's alpha against itself",
    "judge_unstable_items": "items with differing verdicts",
    "judge_bias": "judge minus people",
    "alt_test_winning_rate": "alternative annotator test, winning rate",
    "alt_test_advantage": "alternative annotator test, advantage probability",
    "judge_errors": "errors",
    "judge_ece": "expected calibration error",
    "judge_brier": "Brier score",
    "overrule_rate": "overrule rate",
    "measured_judge_accuracy": "measured accuracy",
    "anchoring_gap": "anchoring gap, assisted minus blind",
    "changed_after_reveal": "changed after the reveal",
    "moved_to_verdict": "moved to the verdict",
    "moved_from_verdict": "moved away from the verdict",
    "faster_than_reading": "faster than reading",
    "time_follows_length": "time follows length",
    "longest_agreement_run": "longest run of agreement",
}
"""Statistic to words; a statistic without a row shows under its own name."""


WORDS = {
    ("judge_failed", "excluded"): "failed verdicts left out",
    ("judge_failed", "counted as not right"): "failed verdicts counted as not right",
    ("items", "all"): "all items",
    ("items", "disputed"): "disputed items only",
    ("items", "borderline"): "borderline items only",
    ("weights", "linear"): "linear weights",
    ("weights", "quadratic"): "quadratic weights",
    ("of", "overrule_rate"): "overrule rate",
    ("of", "measured_judge_accuracy"): "measured accuracy",
    ("arm", "blind"): "blind arm",
    ("arm", "assisted"): "assisted arm",
    ("score", "score"): "score",
    ("score", "100 - helpfulness"): "100 - helpfulness",
    ("score", "100 - safety"): "100 - safety",
    ("calibration", "isotonic, cross-fitted"): "isotonic, cross-fitted",
}
"""Parts of a group that read better otherwise."""

DIFFERENCES = frozenset({
    "judge_bias", "judge_accuracy_difference", "anchoring_gap", "agreement_drift", "paired_difference", "rate_difference",
    "raw_difference",
})  # fmt: skip
"""Statistics that say how far two shares are apart: in points, since "2 % more" could mean two things."""
FEW_ITEMS = 20
"""Below this many items a value is marked ``few``: shown, greyed out, and nothing to build on."""
FEW = "few"
"""The mark in a table."""
FEW_NOTE = f"few: fewer than {FEW_ITEMS} items; build nothing on it."


def is_few(n: int) -> bool:
    """Whether so few items are nothing to build on."""
    return n < FEW_ITEMS


def with_few(estimate: Estimate) -> Estimate:
    """The estimate with ``details["few"]``, true below `FEW_ITEMS`; counts are what they are and stay as they were."""
    if estimate.unit == "count":
        return estimate
    return replace(estimate, details={**estimate.details, "few": is_few(estimate.n)})


def few(estimate: Estimate) -> str:
    """The mark where a value rests on few items; an undefined one says more by its reason."""
    return FEW if estimate.undefined is None and estimate.unit != "count" and is_few(estimate.n) else ""


def title(estimate: Estimate) -> str:
    """What the statistic is called, with its level where it has one."""
    level = estimate.group.get("level")
    name = TITLES.get(estimate.statistic, estimate.statistic.replace("_", " "))
    return f"{name}, {level}" if level else name


def number(value: float, unit: str) -> str:
    """A number with its unit: fractions in percent, coefficients with three decimals."""
    if unit == "fraction":
        return f"{value * 100:.1f} %"
    if unit == "points":
        return f"{value:.1f} points"
    if unit == "count":
        return f"{value:.0f}"
    return f"{value:.3f}"


def points(*differences: float) -> str:
    """Differences of fractions with their signs: ``-17.9 points``, ``-30.0 to -5.8 points``."""
    # Zero, and what rounds to it, has no sign of its own.
    return f"{' to '.join(f'{round(100 * each, 1) + 0.0:+.1f}' for each in differences)} points"


def level_of(confidence: float) -> str:
    """A confidence with all the digits it has: ``95%``, ``99.99%``."""
    return f"{100 * confidence:.10g}%"


def value(estimate: Estimate) -> str:
    """The point estimate, or *undefined*."""
    if estimate.value is None:
        return "undefined"
    return points(estimate.value) if _is_difference(estimate) else number(estimate.value, estimate.unit)


def _is_difference(estimate: Estimate) -> bool:
    return estimate.statistic in DIFFERENCES and estimate.unit == "fraction"


def _between(estimate: Estimate, low: float, high: float) -> str:
    if _is_difference(estimate):
        return points(low, high)
    return f"{number(low, estimate.unit)} to {number(high, estimate.unit)}"


def interval(estimate: Estimate) -> str:
    """The interval as ``low to high``, the reason why the value is undefined, or nothing where none applies."""
    if estimate.undefined is not None:
        return estimate.undefined
    if estimate.low is None or estimate.high is None:
        # The first clause: what follows it explains, and would widen the column.
        why = re.split("[,;:]", str(estimate.details.get("no_interval", "")))[0]
        return f"no interval: {why}" if why else ""
    return _between(estimate, estimate.low, estimate.high)


def footnotes(estimates: Iterable[Estimate]) -> tuple[str, ...]:
    """How the values of a table were made, each way once with the statistics it is for, and all that they assume."""
    made: dict[str, dict[str, None]] = {}
    assumed: dict[str, None] = {}
    for estimate in estimates:
        if estimate.undefined is None:
            made.setdefault(estimate.method, {}).setdefault(title(estimate))
            assumed |= dict.fromkeys(clause for clause in estimate.assumes.split("; ") if clause)
    ways = [f"{', '.join(names)}: {method}." for method, names in made.items()]
    return (*ways, *([f"Assumed, where it applies: {'; '.join(assumed)}."] if assumed else ()))


def bounds(estimate: Estimate) -> str:
    """Bounds over what is unresolved or was never answered, where there is any."""
    found = estimate.details.get("unresolved_bounds")
    if not found or not (estimate.details.get("unresolved") or estimate.details.get("non_response")):
        return ""
    low, high = found
    return _between(estimate, low, high)


def speaks_for(estimate: Estimate, *leave_out: str) -> str:
    """The group in words, without the keys that stand elsewhere: ``harmful/direct, model m``."""
    group = {key: text for key, text in estimate.group.items() if key not in (*leave_out, "level")}
    population = group.pop("population", "")
    rest = [WORDS.get((key, text), f"{key} {text}") for key, text in group.items()]
    return ", ".join([population, *rest] if population else rest) or "all"
