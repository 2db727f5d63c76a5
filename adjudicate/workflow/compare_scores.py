"""Two models on the same sets side by side: the cells of both by one judge, and the gate's table of what people labelled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from adjudicate.core.boundary_cells import CELLS, cell_rates
from adjudicate.core.estimates import Estimate
from adjudicate.core.text import shortened
from adjudicate.errors import UsageError
from adjudicate.stats.raw_change import raw_change
from adjudicate.storage.rows import Run
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.decide_release import compared_rows
from adjudicate.workflow.read_scores import SHOWN, read_scores
from adjudicate.workflow.read_side import Frame, side
from adjudicate.workflow.release import GateQuestion, Release
from adjudicate.workflow.score_sheets import ScoreOptions, Scores, Sheet, TaskSheet

AnySheet = TypeVar("AnySheet", Sheet, TaskSheet)
OTHER_JUDGE = "the two were judged by different judges: --judge names one that judged both"
SEVERAL = "a prompt has several answers on one side"


@dataclass(frozen=True, slots=True)
class Opposed:
    """One set with both models' sheets on it."""

    before: Sheet
    after: Sheet
    changes: tuple[Estimate, ...]
    """One a cell: share by the judge after minus before."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two sides; a difference is always the first minus the one that it is held against."""

    before: Scores
    after: Scores
    names: tuple[str, str]
    """Before and after, as they were asked for."""
    sets: tuple[Opposed, ...]
    tasks: tuple[tuple[TaskSheet, TaskSheet], ...]
    alone: tuple[str, ...]
    """Sets that only one of the two was asked."""
    release: Release | None
    """The gate's table without a demand; None where the two have no set of requests in common."""

    def as_json(self) -> dict[str, Any]:
        """The object of ``benchmark scores RUN --against RUN --json``: RUN as alone, and the comparison beside it."""
        alone = self.after.as_json()
        changes = [each.as_json() for opposed in self.sets for each in opposed.changes]
        return alone | {
            "estimates": [*alone["estimates"], *changes],
            "against": self.before.as_json(),
            "only_one_side": list(self.alone),
            "gate": {key: value for key, value in self.release.as_json().items() if key != "decision"} if self.release else None,
        }


def compare_scores(store: SqliteStore, wanted: str, against: str, options: ScoreOptions) -> Comparison:
    """Set the scores of a run or model beside those of another.

    Args:
        store: An open store.
        wanted: What is compared.
        against: What it is held against, such as the model before a change.
        options: By whom; without a judge the one with the most verdicts that both sides have.

    Raises:
        UsageError: A name stands for nothing, for the same as the other, or for several runs of one set.
    """
    after, before = read_scores(store, wanted, options), read_scores(store, against, options)
    common = _common_judge(before, after)
    if options.judge is None and common is not None:
        by_one = replace(options, judge=common)
        after, before = read_scores(store, wanted, by_one), read_scores(store, against, by_one)
    olds, news = _by_set(before.sheets, against), _by_set(after.sheets, wanted)
    old_tasks, new_tasks = _by_set(before.tasks, against), _by_set(after.tasks, wanted)
    shared = [name for name in news if name in olds]
    alone = (olds.keys() ^ news.keys()) | (old_tasks.keys() ^ new_tasks.keys())
    if not shared and not (old_tasks.keys() & new_tasks.keys()):
        raise UsageError("the two were not asked the same set: only answers to the same prompts can be set side by side")
    return Comparison(
        before, after, (against, wanted),
        tuple(Opposed(olds[name], news[name], tuple(_changes(after, olds[name], news[name]))) for name in shared),
        tuple((old_tasks[name], new_tasks[name]) for name in new_tasks if name in old_tasks),
        tuple(sorted({run.dataset for run in _runs(before, after) if run.source_sha256 in alone})),
        _release(store, wanted, against, options) if shared else None,
    )  # fmt: skip


def _runs(*sides: Scores) -> list[Run]:
    return [each.run for part in sides for each in part.sheets] + [each.run for part in sides for each in part.tasks]


def _common_judge(before: Scores, after: Scores) -> str | None:
    """The judge of both sides, by the order of the side that is compared."""
    sides = [
        [name for sheet in each.sheets for name in (sheet.judge, *sheet.other_judges) if name is not None]
        for each in (after, before)
    ]
    return next((name for name in sides[0] if name in sides[1]), None)


def _by_set(sheets: Sequence[AnySheet], wanted: str) -> Mapping[str, AnySheet]:
    found: dict[str, AnySheet] = {}
    for each in sheets:
        if each.run.source_sha256 in found:
            raise UsageError(
                f"“{shortened(wanted, SHOWN)}” stands for several runs of {shortened(each.run.dataset, SHOWN)}: name one of"
                f" them, such as {each.run.id[:12]}"
            )
        found[each.run.source_sha256] = each
    return found


def _changes(after: Scores, old: Sheet, new: Sheet) -> Iterator[Estimate]:
    verdicts = [_verdicts(sheet) for sheet in (old, new)]
    for rate in cell_rates(after.policy):
        if not any(each.group["cell"] == rate.id for each in new.shares):
            continue
        group = {"set": new.name, "cell": rate.id, "before": old.model, "after": new.model}
        if old.judge != new.judge or None in verdicts:
            reason = OTHER_JUDGE if old.judge != new.judge else SEVERAL
            yield Estimate("raw_difference", None, 0, "paired difference", group=group, undefined=reason)
            continue
        before, now = (found or {} for found in verdicts)
        pairs = [
            (before[prompt][1], outcome)
            for prompt, (intent, outcome) in now.items()
            if prompt in before and intent == CELLS[rate.id].intent
        ]
        named = {**group, "judge": new.judge} if new.judge else group
        yield raw_change(pairs, rate.counts, group=named, confidence=after.options.confidence)


def _verdicts(sheet: Sheet) -> dict[str, tuple[str, str | None]] | None:
    """Prompt -> intent and the judge's outcome, of prompts that it was asked about; None where one has several answers."""
    if max(Counter(row.item.prompt.id for row in sheet.rows).values(), default=0) > 1:
        return None
    return {row.item.prompt.id: (row.item.prompt.intent, row.verdict.outcome) for row in sheet.rows if row.verdict is not None}


def _release(store: SqliteStore, wanted: str, against: str, options: ScoreOptions) -> Release:
    """What the gate computes of the two, with nothing asked of any rate."""
    question = GateQuestion(baseline=against, candidate=wanted, target=options.target, confidence=options.confidence)
    frame = Frame(store)
    before, after = side(frame, against), side(frame, wanted)
    rows = tuple(compared_rows(store, before, after, question))
    return Release(frame.policy, before.name, after.name, question, rows, ())
