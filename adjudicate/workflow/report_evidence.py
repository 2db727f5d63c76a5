"""From the store to evidence: the frame, gold labels, and what people did, read once for a whole report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from adjudicate.core.gold import contested_intents, settle
from adjudicate.core.labels import Event
from adjudicate.core.policy import Policy
from adjudicate.stats.evidence import CellCount, Elsewhere, Evidence, JudgePairCell, JudgeReadings, PromptAnswers
from adjudicate.storage.rows import Place
from adjudicate.storage.store import Frame, FrameCell, FrameItem, JudgePairCount, PromptCount, RepeatedVerdict, Store
from adjudicate.workflow.label_evidence import arm_decisions, labelled_item, repeated_labels, revealed_labels, who_was_shown
from adjudicate.workflow.pseudonyms import pseudonyms
from adjudicate.workflow.said_items import read_said

BOOTSTRAP_SEED = 20261
SPLITS = ("model", "category", "language", "run")


@dataclass(frozen=True, slots=True)
class Settings:
    """What of a report's options the statistics see."""

    judge: str | None = None
    conservative: bool = False
    anytime: bool = False
    target: Literal["finite", "process"] = "finite"
    confidence: float = 0.95
    elsewhere: Elsewhere | None = None


@dataclass(frozen=True, slots=True)
class Material:
    """Rows of the store that a report, or a part of it, is made from."""

    policy: Policy
    cells: tuple[FrameCell, ...]
    items: tuple[FrameItem, ...]
    prompts: tuple[PromptCount, ...]
    readings: tuple[RepeatedVerdict, ...]
    judge_pairs: tuple[JudgePairCount, ...]
    skipped: tuple[FrameCell, ...]
    """Drawn items that nobody labelled and everyone skipped."""
    events: Mapping[str, Sequence[Event]]
    """By item."""
    annotators: tuple[str, ...]
    """Ids in order of appearance: the ids are random, and the bootstrap of a pair depends on who is first."""
    names: Mapping[str, str]
    """Annotator id -> pseudonym."""
    ruled_intents: Mapping[str, str]
    """As in `Said`."""
    foreign_verdicts: int = 0
    """Verdicts set aside because they name an outcome that the policy in force does not have."""
    waiting: frozenset[str] = frozenset()
    """Items whose labels have to be made again: they rest on what the policy in force has changed."""

    def part(self, *, model: str | None = None, run: str | None = None, population: str | None = None) -> Material:
        """The rows that fit; None fits all."""

        def wanted(row: Place) -> bool:
            return model in (None, row.model) and run in (None, row.run_id) and population in (None, row.population)

        return replace(
            self,
            cells=tuple(cell for cell in self.cells if wanted(cell)),
            items=tuple(item for item in self.items if wanted(item)),
            prompts=tuple(prompt for prompt in self.prompts if wanted(prompt)),
            readings=tuple(reading for reading in self.readings if wanted(reading)),
            judge_pairs=tuple(pair for pair in self.judge_pairs if wanted(pair)),
            skipped=tuple(cell for cell in self.skipped if wanted(cell)),
        )

    def split(self, field: str) -> dict[str, Material]:
        """The rows by one of `SPLITS`, values sorted."""
        return {
            value: replace(
                self,
                cells=tuple(cell for cell in self.cells if _field(cell, field) == value),
                items=tuple(item for item in self.items if _field(item, field) == value),
                prompts=tuple(prompt for prompt in self.prompts if _field(prompt, field) == value),
                readings=tuple(reading for reading in self.readings if _field(reading, field) == value),
                judge_pairs=tuple(pair for pair in self.judge_pairs if _field(pair, field) == value),
                skipped=tuple(cell for cell in self.skipped if _field(cell, field) == value),
            )
            for value in sorted({_field(cell, field) for cell in self.cells})
        }


def gather(store: Store, *, prompts: bool, pairs: bool = False) -> Material:
    """Read everything.

    Args:
        store: An open store.
        prompts: Look for prompts with several answers too, which takes a pass over all verdicts.
        pairs: Hold every two judges against each other, which takes a pass for each pair.
    """
    return read_beside(store, store.frame_counts(prompts=prompts, pairs=pairs), store.repeated_verdicts())


def read_beside(store: Store, frame: Frame, repeated: Sequence[RepeatedVerdict] = ()) -> Material:
    """Read what people said, beside a frame that is counted already.

    Args:
        store: An open store.
        frame: Everything imported, counted.
        repeated: Items that judges were asked about again.
    """
    policy = store.policy()
    known = frozenset(outcome.id for outcome in policy.outcomes)
    said = read_said(store)
    events = said.events

    def speaks(outcome: str | None) -> bool:
        return outcome is None or outcome in known

    return Material(
        policy=policy,
        cells=tuple(cell for cell in frame.cells if speaks(cell.verdict)),
        items=tuple(replace(item, verdicts=_known_verdicts(item.verdicts, known)) for item in said.items),
        prompts=tuple(frame.prompts),
        readings=tuple(replace(row, outcomes=tuple(filter(speaks, row.outcomes))) for row in repeated),
        skipped=tuple(store.skipped_cells()),
        judge_pairs=tuple(pair for pair in frame.pairs if all(map(speaks, pair.outcomes))),
        events=events,
        ruled_intents=said.ruled_intents,
        waiting=frozenset(item.item_id for item in said.items if _waits(events.get(item.item_id, ()))),
        foreign_verdicts=sum(cell.size for cell in frame.cells if not speaks(cell.verdict))
        + sum(not speaks(outcome) for row in repeated for outcome in row.outcomes[row.counted :]),
        annotators=tuple(person.id for person in store.annotators()),
        names=pseudonyms(store),
    )


def _waits(events: Sequence[Event]) -> bool:
    gold = settle(events) if any(event.outdated for event in events) else None
    return gold is not None and gold.waits


def _known_verdicts(verdicts: Mapping[str, str | None], known: frozenset[str]) -> dict[str, str | None]:
    return {judge: outcome for judge, outcome in verdicts.items() if outcome is None or outcome in known}


def evidence(material: Material, settings: Settings) -> Evidence:
    """The evidence that the rows amount to."""
    policy, names = material.policy, material.names
    on = [(item, material.events.get(item.item_id, ())) for item in material.items]
    ruled = material.ruled_intents
    labelled = [
        replace(each, adjudicated_intent=ruled[item.prompt_id]) if item.prompt_id in ruled else each
        for item, said in on
        if (each := labelled_item(item, said, policy=policy, names=names, anytime=settings.anytime)) is not None
    ]
    decisions = sorted(
        (each for item, said in on for each in arm_decisions(item, said, names=names)),
        key=lambda each: (each[1].annotator, each[0]),
    )
    shown = who_was_shown(said for _, said in on)
    labelling = {person for item in labelled for person in item.labels}
    judges = sorted({cell.judge for cell in material.cells if cell.judge and settings.judge in (None, cell.judge)})
    return Evidence(
        outcomes=tuple(outcome.id for outcome in policy.outcomes),
        rates=policy.rates,
        cells=tuple(_count(cell) for cell in material.cells),
        items=tuple(labelled),
        annotators=tuple(names[person] for person in material.annotators if names[person] in labelling),
        judges=tuple(judges),
        confidence=settings.confidence,
        seed=BOOTSTRAP_SEED,
        conservative=settings.conservative,
        target=settings.target,
        anytime=settings.anytime,
        refusals=frozenset(outcome.id for outcome in policy.outcomes if outcome.behaviour in ("refused", "deflected")),
        severities=tuple(grade.id for grade in policy.severities),
        points=policy.points,
        decisions=tuple(decision for _, decision in decisions),
        reveals=tuple(each for item, said in on for each in revealed_labels(item, said, names=names, on_screen=shown)),
        repeats=tuple(each for item, said in on for each in repeated_labels(item.item_id, said, names=names)),
        answers=tuple(
            PromptAnswers(row.population, row.intent, row.model, row.judge, row.answers, row.prompts) for row in material.prompts
        ),
        readings=tuple(_readings(row) for row in material.readings if settings.judge in (None, row.judge)),
        judge_pairs=tuple(_pair(row) for row in material.judge_pairs if settings.judge in (None, row.first, row.second)),
        skipped=tuple(_count(cell) for cell in material.skipped),
        contests=sum(bool(contested_intents(said)) and item.prompt_id not in ruled for item, said in on),
        elsewhere=settings.elsewhere,
    )


def _count(cell: FrameCell) -> CellCount:
    return CellCount(
        cell.stratum, cell.population, cell.intent, cell.model, cell.judge, cell.verdict, cell.size, cell.helpfulness_n,
        cell.helpfulness, cell.safety_n, cell.safety,
    )  # fmt: skip


def _readings(row: RepeatedVerdict) -> JudgeReadings:
    return JudgeReadings(row.item_id, row.judge, row.population, row.intent, row.model, row.outcomes)


def _pair(row: JudgePairCount) -> JudgePairCell:
    return JudgePairCell(row.population, row.intent, row.model, row.first, row.second, row.outcomes, row.items)


def _field(row: Place, field: str) -> str:
    return {"model": row.model, "category": row.category, "language": row.language, "run": row.run_id}[field]
