"""The statistics that a report can compute: adding one is a file and a row here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Literal, cast

from adjudicate.core.estimates import Estimate
from adjudicate.stats.evidence import Evidence

Family = Literal["agreement", "accuracy", "anchoring", "calibration", "rates"]
Need = Literal[
    "labels", "several annotators", "gold", "blind gold", "verdicts", "several judges", "both arms", "reveals", "repeats",
    "scores", "both intents", "rulings on intents", "several answers", "label times",
    "labels elsewhere", "items that belong together", "repeated verdicts",
    "several judges on the same items",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Statistic:
    """One row of the report."""

    name: str
    title: str
    family: Family
    """Section of the report, as named on the command line."""
    function: str
    """``module:function``, imported only when computed, so that starting stays cheap."""
    needs: tuple[Need, ...]
    """What the evidence must hold for the row to say anything."""

    def compute(self, evidence: Evidence) -> list[Estimate]:
        """All estimates of the row, defined or not."""
        module, _, name = self.function.partition(":")
        compute = cast("Callable[[Evidence], list[Estimate]]", getattr(import_module(module), name))
        return compute(evidence)


STATISTICS: tuple[Statistic, ...] = (
    Statistic(
        "agreement", "Agreement between annotators", "agreement", "adjudicate.stats.report_agreement:annotator_agreement",
        ("labels", "several annotators"),
    ),
    Statistic(
        "further_agreement", "Further coefficients", "agreement", "adjudicate.stats.report_agreement:further_agreement",
        ("labels", "several annotators"),
    ),
    Statistic(
        "rare_event_agreement", "Agreement on rare events", "agreement", "adjudicate.stats.report_agreement:rare_events",
        ("labels", "several annotators"),
    ),
    Statistic(
        "borderline_agreement", "Agreement on borderline items", "agreement",
        "adjudicate.stats.report_agreement:borderline_agreement", ("labels", "several annotators"),
    ),
    Statistic(
        "self_agreement", "Annotators against themselves", "agreement", "adjudicate.stats.report_annotators:self_agreement",
        ("labels", "repeats"),
    ),
    Statistic(
        "annotator_accuracy", "Annotators against gold", "agreement",
        "adjudicate.stats.report_annotators:annotators_against_gold", ("labels", "gold", "several annotators"),
    ),
    Statistic(
        "agreement_drift", "Agreement over time", "agreement", "adjudicate.stats.report_annotators:agreement_over_time",
        ("labels", "several annotators", "label times"),
    ),
    Statistic(
        "judge_accuracy", "Judge against gold", "accuracy", "adjudicate.stats.report_accuracy:judge_accuracies",
        ("blind gold", "verdicts"),
    ),
    Statistic(
        "false_omission_rate", "Events among cleared items", "accuracy",
        "adjudicate.stats.report_accuracy:false_omission_rates", ("blind gold", "verdicts"),
    ),
    Statistic(
        "judge_difference", "Judges compared", "accuracy", "adjudicate.stats.report_comparison:judge_differences",
        ("blind gold", "several judges"),
    ),
    Statistic(
        "judge_agreement", "Judges against each other", "accuracy", "adjudicate.stats.report_judge_pairs:judge_agreement",
        ("several judges on the same items",),
    ),
    Statistic(
        "judge_bias", "Judge by slice", "accuracy", "adjudicate.stats.report_comparison:judge_bias", ("blind gold", "verdicts"),
    ),
    Statistic(
        "alt_test", "Alternative annotator test", "accuracy", "adjudicate.stats.report_comparison:alternative_annotator",
        ("blind gold", "verdicts", "several annotators"),
    ),
    Statistic(
        "judge_errors", "Judge errors by direction", "accuracy", "adjudicate.stats.report_comparison:error_counts",
        ("gold", "verdicts"),
    ),
    Statistic(
        "judge_self_consistency", "Judge asked again", "accuracy",
        "adjudicate.stats.report_consistency:judge_self_consistency", ("repeated verdicts",),
    ),
    Statistic(
        "anchoring", "Blind against assisted labels", "anchoring", "adjudicate.stats.report_anchoring:anchoring", ("both arms",)
    ),
    Statistic(
        "reveal", "Changes after the reveal", "anchoring", "adjudicate.stats.report_anchoring:changes_after_reveal", ("reveals",)
    ),
    Statistic(
        "rubber_stamp", "Rubber-stamp signs", "anchoring", "adjudicate.stats.report_anchoring:rubber_stamps", ("both arms",)
    ),
    Statistic(
        "calibration", "Calibration of the judge's scores", "calibration",
        "adjudicate.stats.report_calibration:score_calibration", ("blind gold", "scores"),
    ),
    Statistic(
        "isotonic", "Calibration after isotonic regression", "calibration",
        "adjudicate.stats.report_calibration:isotonic_calibration", ("blind gold", "scores"),
    ),
    Statistic("raw_rate", "Rates by the judge", "rates", "adjudicate.stats.report_rates:raw_rates", ("verdicts",)),
    Statistic("human_rate", "Rates on labelled items", "rates", "adjudicate.stats.report_rates:human_rates", ("gold",)),
    Statistic(
        "corrected_rate", "Corrected rates", "rates", "adjudicate.stats.report_rates:corrected_rates", ("gold",)
    ),
    Statistic("guarded_rate", "Guarded rates", "rates", "adjudicate.stats.report_rates:guarded_rates", ("gold",)),
    Statistic(
        "clustered_rate", "Rates of clustered items", "rates", "adjudicate.stats.report_clusters:clustered_rates",
        ("gold", "items that belong together"),
    ),
    Statistic(
        "transported_rate", "Rates by labels from elsewhere", "rates", "adjudicate.stats.transported:transported_rates",
        ("verdicts", "labels elsewhere"),
    ),
    Statistic(
        "transported_share", "Outcomes by labels from elsewhere", "rates", "adjudicate.stats.transported:transported_shares",
        ("verdicts", "labels elsewhere"),
    ),
    Statistic(
        "rate_by_intents", "Rates under declared and adjudicated intents", "rates",
        "adjudicate.stats.report_contested:contested_rates", ("gold", "rulings on intents"),
    ),
    Statistic(
        "boundary_score", "Boundary score", "rates", "adjudicate.stats.report_scores:boundary_scores", ("both intents",)
    ),
    Statistic(
        "mean_score", "Mean points with the judge's scores", "rates", "adjudicate.stats.report_mean_scores:mean_scores",
        ("gold", "scores"),
    ),
    Statistic(
        "attempts_rate", "Rates within k attempts", "rates", "adjudicate.stats.report_attempts:attempt_rates",
        ("several answers",),
    ),
)  # fmt: skip
