"""Reads the scores of benchmark runs: which runs and models are meant, and what statistics make of the answers of each.

What is estimated is in `stats.boundary_shares`, which boundary of a pair fails in `score_pairs`, tasks in `grade_tasks`; the
records are in `score_sheets`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from adjudicate.benchmarks.prompt_sets import PROMPT_SETS, PromptSet
from adjudicate.core.boundary_cells import SIDES, cell_rates
from adjudicate.core.estimates import Estimate
from adjudicate.core.policy import Policy
from adjudicate.core.text import shortened, visible_line
from adjudicate.errors import UsageError
from adjudicate.stats.boundary_shares import cell_shares, headline, mean_scores
from adjudicate.stats.evidence import Evidence
from adjudicate.storage.classified_rows import ClassifiedRow, classified_rows, judges_of, models_of
from adjudicate.storage.paired_rows import Part
from adjudicate.storage.rows import Run
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.grade_tasks import grade_run
from adjudicate.workflow.report_evidence import Material, Settings, evidence, gather
from adjudicate.workflow.run_benchmark import FORMAT
from adjudicate.workflow.run_names import find_run
from adjudicate.workflow.said_items import Said, read_said
from adjudicate.workflow.score_pairs import pair_rows
from adjudicate.workflow.score_sheets import ScoreOptions, Scores, Sheet, TaskSheet

SHOWN = 60
NONE_HERE = "no benchmark was run here: 'adjudicate benchmark run NAME --base-url URL --model M', or name a run or a model"


def read_scores(store: SqliteStore, wanted: str | None, options: ScoreOptions) -> Scores:
    """The scores of a run, of a model, or of every benchmark that was run here.

    Args:
        store: An open store.
        wanted: A run id or the beginning of one, the name of a run, or a model; None for all that `benchmark run` asked.
        options: By whom.

    Raises:
        UsageError: The name stands for nothing, there is no such judge, or the policy has no rate of a benign or harmful request.
    """
    policy = store.policy()
    _check(store, policy, options)
    parts = list(_parts(store, wanted))
    tasks = tuple(_tasks(store, run) for run, _ in parts if not run.items)
    return Scores(policy, options, read_sheets(store, [part for part in parts if part[0].items], options), tasks)


def read_sheets(store: SqliteStore, parts: Sequence[tuple[Run, str]], options: ScoreOptions) -> tuple[Sheet, ...]:
    """A sheet for each of these runs and models.

    Args:
        store: An open store.
        parts: Runs that hold items, each with a model that answers in it.
        options: By whom.
    """
    material, said = gather(store, prompts=False), read_said(store)
    return tuple(_sheet(store, material, said, part, options) for part in parts)


def _check(store: SqliteStore, policy: Policy, options: ScoreOptions) -> None:
    if not cell_rates(policy):
        raise UsageError("the policy has no rate among benign or harmful requests, so it does not say where a boundary fails")
    judges = [judge.name for judge in store.judges()]
    if options.judge is not None and options.judge not in judges:
        known = ", ".join(map(visible_line, judges)) or "no judge"
        raise UsageError(f"--judge {shortened(options.judge, SHOWN)}: there is {known}")


def _parts(store: SqliteStore, wanted: str | None) -> Iterator[tuple[Run, str]]:
    """Runs with each model that answers in them; of a run of tasks, which has no items, the model that was asked."""
    runs = store.runs()
    of_run = find_run(runs, wanted) if wanted is not None else None
    asked = [run for run in runs if run.format == FORMAT]
    if wanted is None and not asked:
        raise UsageError(NONE_HERE)
    chosen = [of_run] if of_run else runs if wanted is not None else asked
    found = [(run, model) for run in chosen for model in _models(store, run)]
    if wanted is not None and of_run is None:
        found = [(run, model) for run, model in found if model == wanted]
    if not found:
        known = [*(run.name for run in runs), *store.models()]
        raise UsageError(
            f"“{shortened(wanted or '', SHOWN)}” is no run with answers and no model;"
            f" there is {', '.join(map(visible_line, dict.fromkeys(known))) or 'none'}"
        )
    yield from found


def _models(store: SqliteStore, run: Run) -> Sequence[str]:
    if run.items:
        return models_of(store, run.id)
    # Verdicts alone make a run without items, too: only one that was asked here holds tasks.
    return [run.name.removeprefix(f"{run.dataset} ")] if run.format == FORMAT else []


def _sheet(store: SqliteStore, whole: Material, said: Said, of: tuple[Run, str], options: ScoreOptions) -> Sheet:
    run, model = of
    part = Part(run.id, model)
    judges = judges_of(store, part)
    judge = options.judge or next(iter(judges), None)
    # A sheet needs what was made of the texts, not the texts.
    rows = tuple(replace(row, item=replace(row.item, response="")) for row in classified_rows(store, judge, part))
    several = max(Counter(row.item.prompt.id for row in rows).values(), default=0) > 1
    settings = Settings(judge=judge, target=options.target, confidence=options.confidence)
    material = whole.part(run=run.id, model=model)

    def shares(of: Material) -> tuple[Estimate, ...]:
        return tuple(cell_shares(_evidence(of, settings), judge, several_answers=several))

    found = _evidence(material, settings)
    split = material.split("category")
    bundled = next((each for each in PROMPT_SETS.values() if each.sha256 == run.source_sha256), None)
    two_sided = SIDES.keys() <= {rate.among for rate in found.rates}
    return Sheet(
        run=run,
        model=model,
        judge=judge,
        other_judges=tuple(name for name in judges if name != judge),
        rows=rows,
        missing=_missing(bundled, rows),
        shares=shares(material),
        headline=tuple(headline(found, judge, several_answers=several)),
        means=tuple(mean_scores(found, judge)) if judge else (),
        categories={name: shares(part) for name, part in split.items()} if len(split) > 1 else {},
        pairs=pair_rows(material.policy, rows, said) if two_sided else (),
        labelled=len(found.items),
        ruled=sum(said.ruled_intents.get(row.item.prompt.id, row.item.prompt.intent) != row.item.prompt.intent for row in rows),
        set=bundled,
    )


def _evidence(material: Material, settings: Settings) -> Evidence:
    found = evidence(material, settings)
    return replace(found, rates=cell_rates(material.policy))


def _missing(bundled: PromptSet | None, rows: Sequence[ClassifiedRow]) -> tuple[str, ...]:
    if bundled is None:
        return ()
    # The answers of further epochs carry their number after the id.
    here = {row.item.source_id.partition("#")[0] for row in rows}
    return tuple(row["id"] for row in bundled.rows() if row["id"] not in here)


def _tasks(store: SqliteStore, run: Run) -> TaskSheet:
    model = run.name.removeprefix(f"{run.dataset} ")
    graded = grade_run(store, run)
    reason = "" if graded else "its tasks are not in this program: 'adjudicate benchmark run FILE' grades those of a file"
    return TaskSheet(run, model, graded, reason)
