"""From the store to estimates: gold labels and the frame become evidence, every row of STATISTICS computes from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from adjudicate.core.estimates import Estimate
from adjudicate.core.gold import blind_outcome, current_labels, settle
from adjudicate.core.labels import Event
from adjudicate.core.policy import Policy
from adjudicate.core.text import visible_line
from adjudicate.errors import UsageError
from adjudicate.stats.evidence import CellCount, Evidence, LabelledItem
from adjudicate.stats.registry import STATISTICS
from adjudicate.storage.store import FrameCell, FrameItem, Store

Section = Literal["agreement", "accuracy", "rates", "all"]
SECTIONS: tuple[Section, ...] = ("agreement", "accuracy", "rates", "all")
SPLITS = ("model", "category", "language", "run")
BOOTSTRAP_SEED = 20261


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """What to report, and on which part of the workspace."""

    section: Section = "all"
    by: tuple[str, ...] = ()
    """Fields to split by besides population; models are always split where there are several."""
    model: str | None = None
    run: str | None = None
    judge: str | None = None
    population: str | None = None
    conservative: bool = False
    target: Literal["finite", "process"] = "finite"
    confidence: float = 0.95


@dataclass(frozen=True, slots=True)
class Report:
    """Estimates with what a reader must know before using them."""

    policy: Policy
    estimates: tuple[Estimate, ...]
    warnings: tuple[str, ...]
    items: int
    labelled: int
    """Items with a label, settled or not."""
    open_items: int

    def as_json(self) -> dict[str, Any]:
        """The object of ``report --json``."""
        return {
            "policy": {"id": self.policy.id, "version": self.policy.version, "fingerprint": self.policy.fingerprint},
            "items": self.items,
            "labelled": self.labelled,
            "open_disagreements": self.open_items,
            "warnings": list(self.warnings),
            "estimates": [estimate.as_json() for estimate in self.estimates],
        }


def build_report(store: Store, options: ReportOptions | None = None) -> Report:
    """Compute a report.

    Raises:
        UsageError: A filter names what the workspace does not have, or a split is unknown.
    """
    options = options or ReportOptions()
    policy = store.policy()
    cells = [cell for cell in store.frame_cells() if _wanted(cell, options)]
    items = [item for item in store.frame_items() if _wanted(item, options)]
    _check(store, options, cells)
    events = store.events_on([item.item_id for item in items])
    # In order of appearance: the ids are random, and the bootstrap of a pair depends on who is first.
    annotators = [person.id for person in store.annotators()]
    evidence = _evidence(policy, options, cells, items, events, annotators=annotators)
    estimates = _compute(evidence, options)
    for field in (field for field in options.by if field != "model"):
        for value in sorted({str(_field(cell, field)) for cell in cells}):
            part = [cell for cell in cells if _field(cell, field) == value]
            labelled = [item for item in items if _field(item, field) == value]
            estimates += _within(
                _compute(_evidence(policy, options, part, labelled, events, annotators=annotators), options), field, value
            )
    open_items = sum(item.gold is None for item in evidence.items)
    return Report(
        policy=policy,
        estimates=tuple(estimates),
        warnings=tuple(_warnings(store, evidence, options)),
        items=sum(cell.size for cell in cells if not cell.judge),
        labelled=len(evidence.items),
        open_items=open_items,
    )


def interval_widths(store: Store) -> dict[str, float | None]:
    """Width of the corrected rate's interval per population, as a fraction: what a blind labeller may see of the rates.

    None where the rate is undefined yet. Where a policy has several rates for a population, the widest counts.
    """
    report = build_report(store, ReportOptions(section="rates"))
    widths: dict[str, float | None] = {}
    for estimate in report.estimates:
        if estimate.statistic != "corrected_rate" or "rate" not in estimate.group:
            continue
        population = estimate.group["population"]
        width = None if estimate.low is None or estimate.high is None else estimate.high - estimate.low
        known = widths.get(population)
        widths[population] = width if known is None else max(known, width or 0.0)
    return widths


def _compute(evidence: Evidence, options: ReportOptions) -> list[Estimate]:
    rows = [row for row in STATISTICS if options.section in ("all", row.family)]
    return [estimate for row in rows for estimate in row.compute(evidence)]


def _within(estimates: Iterable[Estimate], field: str, value: str) -> list[Estimate]:
    return [replace(estimate, group={**estimate.group, field: value}) for estimate in estimates]


def _evidence(
    policy: Policy,
    options: ReportOptions,
    cells: Sequence[FrameCell],
    items: Sequence[FrameItem],
    events: Mapping[str, Sequence[Event]],
    *,
    annotators: Sequence[str],
) -> Evidence:
    labelled = [one for item in items if (one := _labelled(item, events.get(item.item_id, ()))) is not None]
    labelling = {person for item in labelled for person in item.labels}
    judges = sorted({cell.judge for cell in cells if cell.judge and options.judge in (None, cell.judge)})
    return Evidence(
        outcomes=tuple(outcome.id for outcome in policy.outcomes),
        rates=policy.rates,
        cells=tuple(
            CellCount(cell.stratum, cell.population, cell.intent, cell.model, cell.judge, cell.verdict, cell.size)
            for cell in cells
        ),
        items=tuple(labelled),
        annotators=tuple(person for person in annotators if person in labelling),
        judges=tuple(judges),
        confidence=options.confidence,
        seed=BOOTSTRAP_SEED,
        conservative=options.conservative,
        target=options.target,
    )


def _labelled(item: FrameItem, events: Sequence[Event]) -> LabelledItem | None:
    """The item with what holds for it: rates use current labels, accuracy and agreement blind ones."""
    gold = settle(events)
    if gold is None:
        return None
    return LabelledItem(
        item_id=item.item_id,
        stratum=item.stratum,
        population=item.population,
        intent=item.intent,
        model=item.model,
        gold=gold.outcome,
        blind_gold=blind_outcome(events),
        verdicts=item.verdicts,
        labels={event.annotator_id: event.outcome for event in current_labels(events, blind_only=True) if event.outcome},
        sampled=item.picked,
    )


def _wanted(row: FrameCell | FrameItem, options: ReportOptions) -> bool:
    return (
        options.model in (None, row.model) and options.run in (None, row.run_id) and options.population in (None, row.population)
    )


def _field(row: FrameCell | FrameItem, field: str) -> str:
    return {"model": row.model, "category": row.category, "language": row.language, "run": row.run_id}[field]


def _check(store: Store, options: ReportOptions, cells: Sequence[FrameCell]) -> None:
    for field in options.by:
        if field not in SPLITS:
            raise UsageError(f"--by {visible_line(field)}: a report splits by {', '.join(SPLITS)}")
    judges = [judge.name for judge in store.judges()]
    if options.judge is not None and options.judge not in judges:
        raise UsageError(f"--judge {visible_line(options.judge)}: there is {', '.join(map(visible_line, judges)) or 'no judge'}")
    if not cells and (options.model or options.run or options.population):
        raise UsageError("no item fits these filters; 'adjudicate status' lists models, runs and populations")


def _warnings(store: Store, evidence: Evidence, options: ReportOptions) -> list[str]:
    """What a reader must know before using the numbers."""
    warnings = []
    if not store.draws() and evidence.items:
        warnings.append("No sample was drawn: corrected rates exist only where every item of a population is labelled.")
    open_items = sum(item.gold is None for item in evidence.items)
    if open_items:
        warnings.append(f"{open_items} items wait for a ruling: rates leave them out and give bounds for them.")
    drawn = [(stratum, labelled) for stratum, labelled in store.strata_progress() if labelled < stratum.drawn]
    if drawn and options.run is None and options.model is None:
        missing = sum(stratum.drawn - labelled for stratum, labelled in drawn)
        warnings.append(
            f"{missing} drawn items have no label yet: the estimates rest on the others as a random part of the draw."
        )
    failed = {judge.name: judge.failed for judge in store.judges() if judge.failed}
    warnings += [
        f"Judge {visible_line(name)} failed on {count} items: counted apart, never as a class." for name, count in failed.items()
    ]
    outside = sum(cell.size for cell in evidence.cells if not cell.judge and not cell.stratum)
    if store.draws() and outside:
        warnings.append(f"{outside} items are outside every draw: corrected rates of a sample do not speak for them.")
    versions = len(store.label_policies())
    if versions > 1:
        warnings.append(f"Labels were made under {versions} versions of the policy; all are used.")
    return warnings
