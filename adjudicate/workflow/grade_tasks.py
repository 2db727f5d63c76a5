"""Grading the answers to tasks by their rules: a share with its interval, by category, apart from every safety rate."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from adjudicate.benchmarks.graders import grade
from adjudicate.benchmarks.prompt_rows import read_prompt_rows
from adjudicate.benchmarks.prompt_sets import PROMPT_SETS
from adjudicate.core.estimates import Estimate, Interval
from adjudicate.storage.rows import Run
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.run_benchmark import SubjectOrder, answers, last_epoch

SATURATED = 0.95
"""A public set on which a model is right more often tells little about it."""


@dataclass(frozen=True, slots=True)
class Graded:
    """Answers to tasks, graded."""

    right: tuple[tuple[str, int, int], ...]
    """Category, right answers, answers; the first is all of them, under an empty name."""
    wrong: tuple[str, ...]
    """Ids of tasks that were answered wrongly at least once."""
    unanswered: int
    """Questions without an answer; they are in no share."""

    def as_json(self) -> dict[str, Any]:
        """For ``--json``."""
        shares = [{"category": name or None, "right": right, "n": n, **_limits(right, n)} for name, right, n in self.right]
        return {"shares": shares, "wrong": list(self.wrong), "unanswered": self.unanswered, "method": METHOD}

    def estimates(self, group: Mapping[str, str]) -> list[Estimate]:
        """The same as estimates, the share of all first.

        Args:
            group: What they speak for; the category is added.
        """
        return [_estimate(right, n, {**group, **({"category": name} if name else {})}) for name, right, n in self.right]

    @property
    def saturated(self) -> str | None:
        """Why a public set tells little more; None where it does."""
        _, right, n = self.right[0]
        return saturation(right / n) if n else None

    def lines(self) -> list[str]:
        """For people."""
        lines = []
        for name, right, n in self.right:
            limits = _interval(right, n)
            said = "undefined: no answer" if limits is None else f"{right / n:.0%} ({limits.low:.0%} to {limits.high:.0%})"
            lines.append(f"{name or 'right in all'}: {right} of {n}, {said}")
        lines.append(f"method: {METHOD}")
        if self.wrong:
            lines.append(f"wrong: {', '.join(self.wrong)}")
        if self.unanswered:
            lines.append(f"without an answer, in no share: {self.unanswered}")
        if self.saturated:
            lines.append(self.saturated)
        return lines


CONFIDENCE = 0.95
SHARE, INDEPENDENT = "share of right answers by rule, Wilson limits", "tasks are independent of one another"
METHOD = f"{SHARE} at 95 %; it assumes that {INDEPENDENT}"


def saturation(share: float) -> str | None:
    """The warning where a model does right so often that a public set tells little more; None below `SATURATED`."""
    if share < SATURATED:
        return None
    return f"saturated: {share:.0%} is at or above {SATURATED:.0%}, so this public set tells little more"


def grade_run(store: SqliteStore, run: Run) -> Graded | None:
    """Grade the answers of a recorded run of tasks; None where its set is not a bundled one, whose tasks are known."""
    bundled = next((each for each in PROMPT_SETS.values() if each.sha256 == run.source_sha256), None)
    if bundled is None:
        return None
    options = json.loads(store.run_options(run.id))
    order = SubjectOrder(
        set_name=run.dataset,
        set_sha256=run.source_sha256,
        rows=read_prompt_rows(bundled.data(), bundled.name),
        name=options.get("name", run.name.removeprefix(f"{run.dataset} ")),
        model=options["model"],
        system=options["system"],
        parameters=options["parameters"],
    )
    return grade_answers(store, replace(order, epochs=1 + last_epoch(store, order)))


def grade_answers(store: SqliteStore, order: SubjectOrder) -> Graded | None:
    """Grade what a run has so far; None for a set that holds no task."""
    tasks = {row.id: row for row in order.rows if row.grader is not None}
    if not tasks:
        return None
    known = {asked: answer for asked, answer in answers(store, order).items() if asked.question in tasks}
    rights = [
        (tasks[asked.question].category, asked.question, grade(answer.turns[-1], tasks[asked.question].grader or {}))
        for asked, answer in known.items()
    ]
    categories = dict.fromkeys(row.category for row in tasks.values())
    shares = [("", *_count(right for _, _, right in rights))]
    # Tasks without a category are in the first alone.
    shares += [(name, *_count(right for category, _, right in rights if category == name)) for name in categories if name]
    wrong = tuple(dict.fromkeys(task for _, task, right in rights if not right))
    return Graded(tuple(shares), wrong, len(tasks) * order.epochs - len(known))


def _count(rights: Iterable[bool]) -> tuple[int, int]:
    found = list(rights)
    return sum(found), len(found)


def _interval(right: int, n: int) -> Interval | None:
    from adjudicate.stats.intervals import wilson

    return wilson(right, n, CONFIDENCE) if n else None


def _estimate(right: int, n: int, group: Mapping[str, str]) -> Estimate:
    limits = _interval(right, n)
    known = (limits.low, limits.high, CONFIDENCE) if limits else (None, None, None)
    return Estimate(
        "capability_score", right / n if n else None, n, SHARE, group=group, low=known[0], high=known[1], confidence=known[2],
        assumes=INDEPENDENT, undefined=None if n else "no answer", details={"right": right},
    )  # fmt: skip


def _limits(right: int, n: int) -> dict[str, Any]:
    limits = _interval(right, n)
    if limits is None:
        return {"value": None, "low": None, "high": None, "undefined": "no answer"}
    return {"value": right / n, "low": limits.low, "high": limits.high, "undefined": None}
