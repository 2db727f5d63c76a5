"""The workspace at a glance: what is in it, how far the work is, and the one next step."""

from __future__ import annotations

from dataclasses import dataclass

from adjudicate.core.policy import Policy
from adjudicate.core.sampling import Stratum
from adjudicate.storage.dispute_rows import rulings
from adjudicate.storage.rows import Annotator, Draw, Judge, Run
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.dispute_queue import read_queue, ruled_by_prompt
from adjudicate.workflow.own_list import OpenSamples, Progress
from adjudicate.workflow.triage import TriageState
from adjudicate.workflow.triage import state as triage_state


@dataclass(frozen=True, slots=True)
class NextStep:
    """What to do now."""

    words: str
    command: str
    """The command that does it."""
    key: str
    """The key on the home screen that does it; empty where it needs the shell."""


@dataclass(frozen=True, slots=True)
class PersonProgress:
    """One person's list."""

    annotator: Annotator
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Overview:
    """All that Home and `status` show, numbers that need statistics left out."""

    policy: Policy
    runs: tuple[Run, ...]
    judges: tuple[Judge, ...]
    draws: tuple[Draw, ...]
    strata: tuple[tuple[Stratum, int], ...]
    """Every stratum with the number of its drawn items that have a label."""
    people: tuple[PersonProgress, ...]
    open_items: int
    """Items whose outcome waits for an adjudicator."""
    contested: int
    """Items of which nothing but the declared intent of their prompt is in dispute."""
    triage: TriageState
    """Items that somebody picked; what is said of them is in no rate."""
    next_step: NextStep
    steering: int = 0
    """Responses that were seen to speak to a judge; all of them are drawn, whatever its verdict."""
    steering_undrawn: int = 0
    """Those of them that no sample holds so far."""

    @property
    def items(self) -> int:
        """Items imported."""
        return sum(run.items for run in self.runs)

    @property
    def drawn(self) -> int:
        """Items drawn for labelling."""
        return sum(stratum.drawn for stratum, _ in self.strata)

    @property
    def labelled(self) -> int:
        """Drawn items with at least one label or ruling."""
        return sum(labelled for _, labelled in self.strata)


def look_at(store: SqliteStore, *, annotator: Annotator | None = None) -> Overview:
    """Read the overview.

    Args:
        store: An open store.
        annotator: Whose next step is meant; None for anyone's.
    """
    runs, draws = store.runs(), store.draws()
    strata = store.strata_progress()
    people = [PersonProgress(person, *store.progress(person.id)) for person in store.annotators()]
    queue = read_queue(store, ruled_by_prompt(rulings(store)))
    open_items = sum(entry.labels_differ for entry in queue)
    contested = len(queue) - open_items
    mine = OpenSamples.of(draws).progress(store, annotator.id) if annotator is not None else None
    return Overview(
        policy=store.policy(),
        runs=tuple(runs),
        judges=tuple(store.judges()),
        draws=tuple(draws),
        strata=tuple(strata),
        people=tuple(each for each in people if each.total),
        open_items=open_items,
        contested=contested,
        triage=triage_state(store),
        steering=store.steering_count(),
        steering_undrawn=store.steering_undrawn(),
        next_step=_next_step(
            has_items=any(run.items for run in runs),
            draws=draws,
            strata=strata,
            mine=mine,
            people=people,
            open_items=open_items,
            contested=contested,
        ),
    )


def _next_step(
    *,
    has_items: bool,
    draws: list[Draw],
    strata: list[tuple[Stratum, int]],
    mine: Progress | None,
    people: list[PersonProgress],
    open_items: int,
    contested: int,
) -> NextStep:
    if not has_items:
        return NextStep("Import a log with a judge's verdicts.", "adjudicate import FILE...", "a")
    if not draws:
        return NextStep("Draw the sample that people will label.", "adjudicate draw --n 200", "d")
    if mine is not None and mine.left:
        return NextStep(f"Go on labelling: {mine.left} items are left on your list.", "adjudicate label", "enter")
    waiting = sum(stratum.drawn - labelled for stratum, labelled in strata)
    anyone = any(not draw.settings.get("annotators") for draw in draws)
    if waiting and anyone:
        return NextStep(f"Label: {waiting} drawn items have no label yet.", "adjudicate label", "enter")
    if open_items:
        return NextStep(f"Settle {open_items} disagreements: they hold back the rates.", "adjudicate resolve", "r")
    if contested:
        return NextStep(f"Rule on {contested} items of which only the intent is contested.", "adjudicate resolve", "r")
    left = sum(person.total - person.done for person in people)
    if left:
        return NextStep(f"{left} items are left on people's lists.", "adjudicate label", "")
    return NextStep("All drawn items are settled. Read the report.", "adjudicate report", "t")
