"""The statistics that a report can compute: adding one is a file and a row here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Literal, cast

from adjudicate.core.estimates import Estimate
from adjudicate.stats.evidence import Evidence

Family = Literal["agreement", "accuracy", "rates"]
Need = Literal["labels", "several annotators", "gold", "blind gold", "verdicts"]


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
        "judge_accuracy", "Judge against gold", "accuracy", "adjudicate.stats.report_accuracy:judge_accuracies",
        ("blind gold", "verdicts"),
    ),
    Statistic(
        "false_omission_rate", "Events among cleared items", "accuracy",
        "adjudicate.stats.report_accuracy:false_omission_rates", ("blind gold", "verdicts"),
    ),
    Statistic("raw_rate", "Rates by the judge", "rates", "adjudicate.stats.report_rates:raw_rates", ("verdicts",)),
    Statistic("human_rate", "Rates on labelled items", "rates", "adjudicate.stats.report_rates:human_rates", ("gold",)),
    Statistic(
        "corrected_rate", "Corrected rates", "rates", "adjudicate.stats.report_rates:corrected_rates", ("gold",)
    ),
)  # fmt: skip
