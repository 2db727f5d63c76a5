"""A judge's errors item by item: false "safe" first, worst first. Ids and outcomes only, no text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from adjudicate.core.estimates import Estimate
from adjudicate.core.policy import Policy
from adjudicate.stats.errors_list import JudgeError
from adjudicate.stats.report_comparison import error_counts, listed_errors
from adjudicate.storage.store import FrameItem, Store
from adjudicate.workflow.build_report import ReportOptions, material_for, warnings
from adjudicate.workflow.report_evidence import evidence


@dataclass(frozen=True, slots=True)
class ListedError:
    """One error with what finds its item again."""

    error: JudgeError
    source_id: str
    """The id its log gave the item; empty without one."""
    clauses: tuple[str, ...]
    """Clauses cited for the gold label."""

    def as_json(self) -> dict[str, Any]:
        """A flat object."""
        error = self.error
        return {
            "item": error.item_id,
            "source_id": self.source_id or None,
            "judge": error.judge,
            "model": error.model,
            "population": error.population,
            "intent": error.intent,
            "direction": error.direction,
            "rate": error.rate,
            "verdict": error.verdict,
            "gold": error.gold,
            "severity": error.severity,
            "clause": ", ".join(self.clauses) or None,
            "blind": error.blind,
        }


@dataclass(frozen=True, slots=True)
class ErrorList:
    """All errors, with their counts by direction."""

    policy: Policy
    errors: tuple[ListedError, ...]
    """Judge by judge, in the order to read them."""
    counts: tuple[Estimate, ...]
    """``judge_errors`` by judge, model and direction."""
    labelled: int
    """Items with a settled gold label."""
    warnings: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """The object of ``report errors --json``."""
        return {
            "policy": {"id": self.policy.id, "version": self.policy.version, "fingerprint": self.policy.fingerprint},
            "labelled": self.labelled,
            "warnings": list(self.warnings),
            "errors": [each.as_json() for each in self.errors],
            "estimates": [each.as_json() for each in self.counts],
        }


def list_errors(store: Store, options: ReportOptions | None = None) -> ErrorList:
    """List the errors of all judges, or of the one asked for.

    Raises:
        UsageError: As for `build_report.build_report`.
    """
    options = options or ReportOptions(only=("judge_errors",))
    material = material_for(store, options)
    given = evidence(material, options.settings)
    places: dict[str, FrameItem] = {item.item_id: item for item in material.items}
    clauses = {item.item_id: item.clauses for item in given.items}
    return ErrorList(
        policy=material.policy,
        errors=tuple(
            ListedError(error, places[error.item_id].source_id, clauses[error.item_id]) for error in listed_errors(given)
        ),
        counts=tuple(error_counts(given)),
        labelled=sum(item.gold is not None for item in given.items),
        warnings=tuple(warnings(store, given, material, options)),
    )
