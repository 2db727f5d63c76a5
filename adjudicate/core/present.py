"""How an estimate is written for people: always with its unit, its interval or the reason why there is none."""

from __future__ import annotations

from collections.abc import Iterable

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
    "rate_by_intents": "corrected",
    "attempts_rate": "within k attempts",
    "boundary_score": "boundary score",
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


def value(estimate: Estimate) -> str:
    """The point estimate, or *undefined*."""
    return "undefined" if estimate.value is None else number(estimate.value, estimate.unit)


def interval(estimate: Estimate) -> str:
    """The interval as ``low to high``, the reason why the value is undefined, or nothing where none applies."""
    if estimate.undefined is not None:
        return estimate.undefined
    if estimate.low is None or estimate.high is None:
        return "no interval: no spread in the sample" if "no_interval" in estimate.details else ""
    return f"{number(estimate.low, estimate.unit)} to {number(estimate.high, estimate.unit)}"


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
    """Bounds over what is unresolved, where there is any."""
    found = estimate.details.get("unresolved_bounds")
    if not found or not estimate.details.get("unresolved"):
        return ""
    low, high = found
    return f"{number(low, estimate.unit)} to {number(high, estimate.unit)}"


def speaks_for(estimate: Estimate, *leave_out: str) -> str:
    """The group in words, without the keys that stand elsewhere: ``harmful/direct, model m``."""
    group = {key: text for key, text in estimate.group.items() if key not in (*leave_out, "level")}
    population = group.pop("population", "")
    rest = [WORDS.get((key, text), f"{key} {text}") for key, text in group.items()]
    return ", ".join([population, *rest] if population else rest) or "all"
