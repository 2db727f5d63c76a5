"""Rows of what leaves the workspace: rates, labels and gold, with what every column needs. `exports/README.md` explains them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adjudicate.core.gold import settle
from adjudicate.core.labels import live, origin
from adjudicate.core.sampling import Stratum
from adjudicate.formats.writers import Record
from adjudicate.storage.store import FrameItem, Store
from adjudicate.workflow.build_report import ReportOptions, build_report
from adjudicate.workflow.pseudonyms import pseudonyms


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What to write, beyond the format."""

    with_text: bool = False
    """Prompts, responses, notes and rationales too."""
    model: str | None = None
    run: str | None = None
    """Id of a run; None for all."""
    conservative: bool = False
    software: str = ""
    at: str = ""
    judge: str | None = None
    """The judge that is meant, where several are."""
    source: Path | None = None
    """The log to write back into; it stays as it is."""
    rate: str | None = None
    """A rate of the policy, or an outcome: what counts as the event, where an export asks yes or no."""
    prompt: Path | None = None
    """The instructions that the judge was given in place of ours, where they are to be published."""
    workspace: str = ""
    """Name of the workspace, for titles."""
    tell: Callable[[str], None] = lambda _: None
    """Told what a person has to know of what was written."""


RATES = ("raw_rate", "human_rate", "corrected_rate")
"""Rows of STATISTICS that are exported as rates."""
RATE_COLUMNS = (
    "statistic", "rate", "outcome", "population", "model", "judge", "value", "low", "high", "confidence", "n",
    "method", "assumes", "undefined", "unresolved", "policy",
)  # fmt: skip
ITEM_COLUMNS = ("item", "source_id", "model", "population", "intent", "category", "language")
LABEL_COLUMNS = (
    *ITEM_COLUMNS, "annotator", "round", "outcome", "severity", "clause", "confidence", "mode", "superseded", "outdated",
    "policy", "day", "event",
)  # fmt: skip
GOLD_COLUMNS = (
    *ITEM_COLUMNS, "outcome", "how", "severity", "clause", "labels", "stratum", "inclusion_probability", "weight", "verdicts",
    "policy",
)  # fmt: skip
LABEL_TEXT = ("prompt", "response", "note")
GOLD_TEXT = ("prompt", "response", "rationale")


def rate_records(store: Store, options: ExportOptions) -> list[Record]:
    """Every raw, human and corrected rate of the report, flat."""
    wanted = ReportOptions(section="rates", only=RATES, model=options.model, run=options.run, conservative=options.conservative)
    report = build_report(store, wanted)
    return [
        {
            **{key: estimate.group.get(key) for key in ("rate", "outcome", "population", "model", "judge")},
            "statistic": estimate.statistic,
            "value": estimate.value,
            "low": estimate.low,
            "high": estimate.high,
            "confidence": estimate.confidence,
            "n": estimate.n,
            "method": estimate.method,
            "assumes": estimate.assumes,
            "undefined": estimate.undefined,
            "unresolved": estimate.details.get("unresolved", 0),
            "policy": report.policy.fingerprint,
        }
        for estimate in report.estimates
    ]


def label_records(store: Store, options: ExportOptions) -> Iterator[Record]:
    """Every label that no undo took back; `superseded` marks those that the same person replaced."""
    names = pseudonyms(store)
    by_item = store.events_on(triage=True)
    for place in store.frame_items(triage=True):
        if not _wanted(place, options):
            continue
        events = live(by_item.get(place.item_id, ()))
        notes = store.notes([event.id for event in events if event.kind == "note"]) if options.with_text else {}
        texts = texts_of(store, place.item_id) if options.with_text else {}
        labels = [event for event in events if event.kind == "label"]
        for event in labels:
            later = any(
                other.annotator_id == event.annotator_id and other.round == event.round and other.seq > event.seq
                for other in labels
            )
            note = " / ".join(notes[each.id] for each in events if each.id in notes and each.annotator_id == event.annotator_id)
            yield {
                **_place(place),
                **texts,
                "note": note,
                "annotator": names[event.annotator_id],
                "round": event.round,
                "outcome": event.outcome,
                **{key: event.body.get(key) for key in ("severity", "clause", "confidence")},
                "mode": event.mode,
                "superseded": later,
                "outdated": event.outdated,
                "policy": event.policy,
                "day": event.at[:10],
                "event": origin(event),
            }


def gold_records(store: Store, options: ExportOptions) -> Iterator[Record]:
    """One row an item: what holds for it and how it came to hold, with its place in the design."""
    by_item = store.events_on()
    strata = _strata(store)
    for place in store.frame_items():
        gold = settle(by_item.get(place.item_id, []))
        if gold is None or not _wanted(place, options):
            continue
        basis = gold.settlement or (gold.labels[0] if len(gold.labels) else None)
        # Labels that somebody chose to make are not part of the random sample until it comes to their item.
        stratum = strata.get(place.stratum) if place.picked and place.turn != "waits" else None
        probability = stratum.inclusion_probability if stratum else None
        yield {
            **_place(place),
            **(texts_of(store, place.item_id) if options.with_text else {}),
            "outcome": gold.outcome,
            "how": gold.how,
            "severity": basis.body.get("severity") if basis and not gold.is_open else None,
            "clause": basis.body.get("clause") if basis and not gold.is_open else None,
            "rationale": basis.body.get("rationale") if basis else None,
            "labels": len(gold.labels),
            "stratum": stratum.name if stratum else None,
            "inclusion_probability": probability,
            "weight": 1 / probability if probability else None,
            "verdicts": dict(place.verdicts),
            "policy": basis.policy if basis else None,
        }


def _wanted(place: FrameItem, options: ExportOptions) -> bool:
    return options.model in (None, place.model) and options.run in (None, place.run_id)


def _place(place: FrameItem) -> dict[str, Any]:
    return {
        "item": place.item_id,
        **{name: getattr(place, name) for name in ("source_id", "model", "population", "intent", "category", "language")},
    }


def texts_of(store: Store, item_id: str) -> dict[str, str]:
    """Prompt and response of an item; a conversation as its turns one under the other."""
    item = store.item(item_id)
    turns = item.prompt.messages
    prompt = turns[0].content if len(turns) == 1 else "\n\n".join(f"{turn.role}: {turn.content}" for turn in turns)
    return {"prompt": prompt, "response": item.response}


def _strata(store: Store) -> dict[str, Stratum]:
    """Strata by the name that frame items carry, as last extended."""
    return {f"{draw.extends or draw.id} | {stratum.name}": stratum for draw in store.draws() for stratum in draw.strata}
