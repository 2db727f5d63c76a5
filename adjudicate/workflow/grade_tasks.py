"""Grading the answers to tasks by their rules: a share with its interval, by category, apart from every safety rate."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from adjudicate.benchmarks.graders import grade
from adjudicate.core.estimates import Interval
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.run_benchmark import SubjectOrder, answers

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
        _, right, n = self.right[0]
        if n and right / n >= SATURATED:
            lines.append(f"saturated: {right / n:.0%} is at or above {SATURATED:.0%}, so this public set tells little more")
        return lines


METHOD = "share of right answers by rule, Wilson limits at 95 %; it assumes that tasks are independent of one another"


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
    shares += [(name, *_count(right for category, _, right in rights if category == name)) for name in categories]
    wrong = tuple(dict.fromkeys(task for _, task, right in rights if not right))
    return Graded(tuple(shares), wrong, len(tasks) * order.epochs - len(known))


def _count(rights: Iterable[bool]) -> tuple[int, int]:
    found = list(rights)
    return sum(found), len(found)


def _interval(right: int, n: int) -> Interval | None:
    from adjudicate.stats.intervals import wilson

    return wilson(right, n) if n else None


def _limits(right: int, n: int) -> dict[str, Any]:
    limits = _interval(right, n)
    if limits is None:
        return {"value": None, "low": None, "high": None, "undefined": "no answer"}
    return {"value": right / n, "low": limits.low, "high": limits.high, "undefined": None}
