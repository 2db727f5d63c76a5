"""One side of a decision: the items of a run or a model, with what is settled on them, as evidence for rates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from adjudicate.core.gold import blind_outcome, settle
from adjudicate.core.policy import Policy
from adjudicate.core.text import shortened, visible_line
from adjudicate.errors import UsageError
from adjudicate.stats.evidence import CellCount, Evidence, LabelledItem
from adjudicate.storage.paired_rows import Part
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.storage.store import FrameCell, FrameItem
from adjudicate.workflow.label_evidence import counts_in_turn
from adjudicate.workflow.run_names import SHOWN, find_run
from adjudicate.workflow.said_items import Said, read_said


class Frame:
    """A workspace's items and what is settled on them, read once for several sides.

    Args:
        store: An open store.
        anytime: Whether limits that hold at every moment are asked for: labels beyond a gap in their queue then wait.
    """

    def __init__(self, store: SqliteStore, *, anytime: bool = False) -> None:
        self.store = store
        self.anytime = anytime
        self.policy: Policy = store.policy()
        self.cells: list[FrameCell] = store.frame_cells()

    @cached_property
    def said(self) -> Said:
        """What people said."""
        return read_said(self.store)

    @cached_property
    def items(self) -> list[tuple[FrameItem, LabelledItem]]:
        """Items that somebody has said something about that counts."""
        found = []
        for place in self.said.items:
            on_it = self.said.events.get(place.item_id, ())
            gold = settle(on_it)
            if gold is not None:
                item = _labelled(place, gold.outcome, blind_outcome(on_it), self.said.ruled_intents.get(place.prompt_id))
                found.append((place, replace(item, in_turn=counts_in_turn(place, anytime=self.anytime))))
        return found

    @cached_property
    def again(self) -> frozenset[str]:
        """Items that are open only because labels have to be made again under the policy in force."""
        if not self.store.outdated:
            return frozenset()
        golds = ((place.item_id, settle(self.said.events.get(place.item_id, ()))) for place in self.said.items)
        return frozenset(item for item, gold in golds if gold is not None and gold.waits)

    @cached_property
    def skipped(self) -> list[FrameCell]:
        """Drawn items that everyone who was given them has skipped."""
        return self.store.skipped_cells()

    @property
    def models(self) -> list[str]:
        """Models, sorted."""
        return sorted({cell.model for cell in self.cells})


@dataclass(frozen=True)
class Side:
    """Some items of a frame."""

    frame: Frame
    part: Part
    name: str
    """As it was asked for."""
    population: str | None = None

    @cached_property
    def cells(self) -> list[FrameCell]:
        """The frame's cells of this side."""
        return [cell for cell in self.frame.cells if self._holds(cell)]

    @cached_property
    def items(self) -> Mapping[str, LabelledItem]:
        """Labelled items by id."""
        return {place.item_id: item for place, item in self.frame.items if self._holds(place)}

    @property
    def models(self) -> list[str]:
        """Models, sorted."""
        return sorted({cell.model for cell in self.cells})

    @cached_property
    def evidence(self) -> Evidence:
        """What rates are counted from; the verdicts do not matter for that, so only the cells that count every item once."""
        policy = self.frame.policy
        return Evidence(
            outcomes=tuple(outcome.id for outcome in policy.outcomes),
            rates=policy.rates,
            cells=tuple(_count(cell) for cell in self.cells if not cell.judge),
            items=tuple(self.items.values()),
            skipped=tuple(_count(cell) for cell in self.frame.skipped if self._holds(cell)),
        )  # fmt: skip

    @cached_property
    def whole(self) -> Side:
        """The same side with every population."""
        return self if self.population is None else replace(self, population=None)

    def _holds(self, row: FrameCell | FrameItem) -> bool:
        return (
            self.part.run in (None, row.run_id)
            and self.part.model in (None, row.model)
            and self.population in (None, row.population)
        )


def side(frame: Frame, wanted: str | None, *, model: str | None = None, population: str | None = None) -> Side:
    """The items that a name stands for.

    Args:
        frame: A workspace.
        wanted: A run id or the beginning of one, the name of a run, or a model; None for everything.
        model: Only this model, besides.
        population: Only this population, besides.

    Raises:
        UsageError: The name stands for nothing, or for several runs, or nothing is left.
    """
    part = Part(None, model) if wanted is None else _part(frame, wanted, model)
    found = Side(frame, part, wanted or model or "everything", population)
    if not found.cells:
        raise UsageError("no item fits these filters; 'adjudicate status' lists models, runs and populations")
    return found


def _part(frame: Frame, wanted: str, model: str | None) -> Part:
    runs = frame.store.runs()
    found = find_run(runs, wanted)
    if found is not None:
        return Part(found.id, model)
    if wanted in frame.models and model in (None, wanted):
        return Part(None, wanted)
    if wanted in frame.models:
        raise UsageError(
            f"“{shortened(wanted, SHOWN)}” and --model {shortened(model or '', SHOWN)} are two models: leave out --model,"
            " or name a run"
        )
    known = [*(run.name for run in runs), *frame.models]
    raise UsageError(
        f"“{shortened(wanted, SHOWN)}” is no run and no model; there is {', '.join(map(visible_line, known)) or 'none'}"
    )


def _count(cell: FrameCell) -> CellCount:
    return CellCount(
        stratum=cell.stratum, population=cell.population, intent=cell.intent, model=cell.model, judge="", verdict=None,
        size=cell.size,
    )  # fmt: skip


def _labelled(place: FrameItem, gold: str | None, blind_gold: str | None, intent: str | None) -> LabelledItem:
    return LabelledItem(
        item_id=place.item_id, stratum=place.stratum, population=place.population, intent=place.intent, model=place.model,
        gold=gold, blind_gold=blind_gold, verdicts=place.verdicts, labels={}, sampled=place.picked,
        prompt=place.prompt_id, pair=place.pair, adjudicated_intent=intent,
    )  # fmt: skip
