"""The scores of benchmark runs as records: for each run and model the cells, the headline, categories and pairs.

Task scores stand apart. `read_scores` makes them, `present_scores` shows them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from adjudicate.benchmarks.prompt_sets import PromptSet
from adjudicate.core.boundary_cells import HELPFUL, SIDES, cell_rule
from adjudicate.core.estimates import Estimate
from adjudicate.core.policy import Policy
from adjudicate.core.present import with_few
from adjudicate.stats.boundary_shares import CELLS
from adjudicate.storage.classified_rows import ClassifiedRow
from adjudicate.storage.rows import Run
from adjudicate.workflow.grade_tasks import Graded, saturation
from adjudicate.workflow.score_pairs import PairRow, fail_counts

Target = Literal["finite", "process"]


@dataclass(frozen=True, slots=True)
class ScoreOptions:
    """Which scores, by whom, and what they speak for."""

    judge: str | None = None
    """None for the judge with the most verdicts on each run."""
    target: Target = "process"
    """Prompts like these, as a benchmark is read, or these responses."""
    confidence: float = 0.95


@dataclass(frozen=True, slots=True)
class Sheet:
    """What one model made of one set."""

    run: Run
    model: str
    judge: str | None
    """Whose verdicts count; None where no judge has given any."""
    other_judges: tuple[str, ...]
    rows: tuple[ClassifiedRow, ...]
    """Every item, its response left out."""
    missing: tuple[str, ...]
    """Prompts of a bundled set without an item here."""
    shares: tuple[Estimate, ...]
    headline: tuple[Estimate, ...]
    """The boundary score in all its readings, the one over the cells first; empty without both sides."""
    means: tuple[Estimate, ...]
    """Means of the judge's own scores."""
    categories: Mapping[str, tuple[Estimate, ...]]
    pairs: tuple[PairRow, ...]
    labelled: int
    ruled: int
    """Items whose prompt was ruled to be of another intent than declared."""
    set: PromptSet | None
    """The bundled set that was asked; None for any other."""

    @property
    def name(self) -> str:
        """The set, as people read it."""
        return self.run.dataset or self.run.name

    @property
    def group(self) -> dict[str, str]:
        """What every estimate of the sheet speaks for."""
        return {"set": self.name, "model": self.model, "run": self.run.id}

    @property
    def failed(self) -> int:
        """Items on which the judge failed."""
        return sum(row.verdict is not None and row.verdict.outcome is None for row in self.rows)

    @property
    def unjudged(self) -> int:
        """Items without any verdict of the judge."""
        return sum(row.verdict is None for row in self.rows)

    @property
    def beside(self) -> int:
        """Items of prompts that are neither benign nor harmful: in no cell."""
        return sum(row.item.prompt.intent not in SIDES for row in self.rows)

    @property
    def saturated(self) -> str | None:
        """Why a public set tells little more of this model; None where it does, or is not known to be public."""
        if self.set is None:
            return None
        headlines = [each for each in self.headline if each.group["of"] == CELLS]
        found = headlines or [each for each in self.shares if each.group["cell"] == HELPFUL.id]
        values = [each.value for each in reversed(found) if each.value is not None]
        return saturation(values[0]) if values else None

    def estimates(self) -> Iterator[Estimate]:
        """All numbers, each with the set, model and run that it speaks for."""
        inside = [*self.shares, *self.headline, *self.means]
        inside += [
            replace(each, group={**each.group, "category": name}) for name, found in self.categories.items() for each in found
        ]
        for each in inside:
            yield with_few(replace(each, group={**self.group, **each.group}))

    def as_json(self) -> dict[str, Any]:
        """All but the estimates, which stand together."""
        return {
            **self.group,
            "sha256": self.run.source_sha256,
            "judge": self.judge,
            "other_judges": list(self.other_judges),
            "items": len(self.rows),
            "missing_prompts": list(self.missing),
            "judge_failed": self.failed,
            "without_verdict": self.unjudged,
            "labelled": self.labelled,
            "in_no_cell": self.beside,
            "ruled_to_another_intent": self.ruled,
            "saturated": self.saturated,
            "fails": dict(fail_counts(self.pairs)),
            "pairs": [each.as_json() for each in self.pairs],
        }


@dataclass(frozen=True, slots=True)
class TaskSheet:
    """What one model made of a set of tasks: a score of its own, in no other."""

    run: Run
    model: str
    graded: Graded | None
    reason: str = ""
    """Why it is not graded."""

    def estimates(self) -> list[Estimate]:
        """The share of right answers, in all and by category."""
        group = {"set": self.run.dataset, "model": self.model, "run": self.run.id}
        if self.graded is None:
            return [Estimate("capability_score", None, 0, "share of right answers by rule", group=group, undefined=self.reason)]
        return [with_few(each) for each in self.graded.estimates(group)]

    def as_json(self) -> dict[str, Any]:
        """All but the estimates."""
        graded = self.graded
        return {
            "set": self.run.dataset,
            "model": self.model,
            "run": self.run.id,
            "sha256": self.run.source_sha256,
            "wrong": list(graded.wrong) if graded else [],
            "unanswered": graded.unanswered if graded else None,
            "undefined": self.reason or None,
            "saturated": graded.saturated if graded else None,
        }


@dataclass(frozen=True, slots=True)
class Scores:
    """Everything that was asked for."""

    policy: Policy
    options: ScoreOptions
    sheets: tuple[Sheet, ...]
    tasks: tuple[TaskSheet, ...]

    def as_json(self) -> dict[str, Any]:
        """The object of ``benchmark scores --json``."""
        policy = self.policy
        return {
            "policy": {"id": policy.id, "version": policy.version, "fingerprint": policy.fingerprint},
            "target": self.options.target,
            "confidence": self.options.confidence,
            "cells": cell_rule(policy),
            "scores": [each.as_json() for each in self.sheets],
            "tasks": [each.as_json() for each in self.tasks],
            "estimates": [each.as_json() for each in self.estimates()],
        }

    def estimates(self) -> Iterator[Estimate]:
        """All numbers of all sheets."""
        for sheet in self.sheets:
            yield from sheet.estimates()
        for tasks in self.tasks:
            yield from tasks.estimates()
