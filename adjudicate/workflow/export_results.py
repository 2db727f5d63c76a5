"""Exports: rates, labels, gold, the release receipt, and XSTest files with their labels. `EXPORTS` is the table of them.

People appear as A17, A803, ...; times as days; responses, prompts and free text only where asked for.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adjudicate.core.gold import settle
from adjudicate.core.labels import live
from adjudicate.core.sampling import Stratum
from adjudicate.core.text import visible_line
from adjudicate.errors import InputError, UsageError
from adjudicate.formats.writers import Lines, Record, csv_text, json_text, jsonl_text, markdown_text, write_whole
from adjudicate.storage.store import FrameItem, Store
from adjudicate.workflow.build_report import ReportOptions, build_report
from adjudicate.workflow.export_place import refuse_overwrite, refuse_place
from adjudicate.workflow.export_xstest import xstest_files
from adjudicate.workflow.pseudonyms import pseudonyms
from adjudicate.workflow.receipt import receipt


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


@dataclass(frozen=True, slots=True)
class Export:
    """One kind of export."""

    name: str
    title: str
    files: Callable[[Store, ExportOptions], Iterator[tuple[str, Iterable[str]]]]
    """File names with their text."""
    whole: bool = False
    """Whether it speaks for the workspace as a whole and cannot be narrowed."""


RATES = ("raw_rate", "human_rate", "corrected_rate")
"""Rows of STATISTICS that are exported as rates."""
RATE_COLUMNS = (
    "statistic", "rate", "outcome", "population", "model", "judge", "value", "low", "high", "confidence", "n",
    "method", "assumes", "undefined", "unresolved", "policy",
)  # fmt: skip
ITEM_COLUMNS = ("item", "source_id", "model", "population", "intent", "category", "language")
LABEL_COLUMNS = (
    *ITEM_COLUMNS, "annotator", "round", "outcome", "severity", "clause", "confidence", "mode", "superseded", "policy", "day",
)  # fmt: skip
GOLD_COLUMNS = (
    *ITEM_COLUMNS, "outcome", "how", "severity", "clause", "labels", "stratum", "inclusion_probability", "weight", "verdicts",
    "policy",
)  # fmt: skip
LABEL_TEXT = ("prompt", "response", "note")
GOLD_TEXT = ("prompt", "response", "rationale")


def export(
    store: Store, name: str, folder: Path, options: ExportOptions, *, out: Path | None = None, force: bool = False
) -> list[Path]:
    """Write one export; the files written.

    Args:
        store: An open store.
        name: A name of `EXPORTS`.
        folder: The workspace's exports, where files go under their own names.
        options: What to include.
        out: A file (for a single one) or a folder to write to instead.
        force: Replace files outside the exports, too; never the workspace's own.

    Raises:
        UsageError: The name or model is unknown, several files were asked into one, or a file would be lost.
        InputError: The place cannot be written.
    """
    kind = next((each for each in EXPORTS if each.name == name), None)
    if kind is None:
        raise UsageError(f"there is no export {name!r}; there is {', '.join(each.name for each in EXPORTS)}")
    _check(store, kind, options)
    files = list(kind.files(store, options))
    if not files:
        raise UsageError(f"{name}: the workspace has nothing of this kind to export")
    if out is not None and out.suffix and not out.is_dir():
        if len(files) > 1:
            raise UsageError(f"{name} is {len(files)} files, one a model: give a folder with --out, or choose one with --model")
        paths = [out]
    else:
        paths = [(out or folder) / file_name for file_name, _ in files]
    for path in paths:
        refuse_place(path, folder)
        if out is not None:
            refuse_overwrite(path, folder, force=force)
    if out is None or paths != [out]:
        _make(out or folder)
    for path, (_, text) in zip(paths, files, strict=True):
        write_whole(path, text)
    return paths


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise InputError(f"--out: the folder cannot be made ({error.strerror})") from error


def _check(store: Store, kind: Export, options: ExportOptions) -> None:
    """Refuse to narrow what speaks for everything, or to a model that is not there."""
    if kind.whole and (options.model is not None or options.run is not None):
        raise UsageError(f"{kind.name} speaks for the whole workspace: leave out --model and --run")
    models = list(store.models())
    if options.model is not None and options.model not in models:
        known = ", ".join(map(visible_line, models)) or "none"
        raise UsageError(f"--model {visible_line(options.model)}: there is no such model; there is {known}")


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
    by_item = store.events_on()
    for place in store.frame_items():
        if not _wanted(place, options):
            continue
        events = live(by_item.get(place.item_id, ()))
        notes = store.notes([event.id for event in events if event.kind == "note"]) if options.with_text else {}
        texts = _texts(store, place.item_id) if options.with_text else {}
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
                "policy": event.policy,
                "day": event.at[:10],
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
        stratum = strata.get(place.stratum) if place.picked else None
        probability = stratum.inclusion_probability if stratum else None
        yield {
            **_place(place),
            **(_texts(store, place.item_id) if options.with_text else {}),
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


def _rates(write: Callable[..., Lines], suffix: str) -> Callable[[Store, ExportOptions], Iterator[tuple[str, Iterable[str]]]]:
    def files(store: Store, options: ExportOptions) -> Iterator[tuple[str, Iterable[str]]]:
        yield f"rates{suffix}", write(RATE_COLUMNS, rate_records(store, options))

    return files


def _labels(write: Callable[..., Lines], suffix: str) -> Callable[[Store, ExportOptions], Iterator[tuple[str, Iterable[str]]]]:
    def files(store: Store, options: ExportOptions) -> Iterator[tuple[str, Iterable[str]]]:
        columns = LABEL_COLUMNS + (LABEL_TEXT if options.with_text else ())
        yield f"labels{suffix}", write(columns, label_records(store, options))

    return files


def _gold(write: Callable[..., Lines], suffix: str) -> Callable[[Store, ExportOptions], Iterator[tuple[str, Iterable[str]]]]:
    def files(store: Store, options: ExportOptions) -> Iterator[tuple[str, Iterable[str]]]:
        columns = GOLD_COLUMNS + (GOLD_TEXT if options.with_text else ())
        yield f"gold{suffix}", write(columns, gold_records(store, options))

    return files


def _receipt(store: Store, options: ExportOptions) -> Iterator[tuple[str, Iterable[str]]]:
    made = receipt(store, software=options.software, at=options.at, conservative=options.conservative)
    yield "receipt.json", [json.dumps(made, ensure_ascii=False, allow_nan=False, indent=2) + "\n"]


def _xstest(store: Store, options: ExportOptions) -> Iterator[tuple[str, Iterable[str]]]:
    return xstest_files(store, model=options.model, run=options.run, with_text=options.with_text)


EXPORTS: tuple[Export, ...] = (
    Export("rates.json", "Raw, human and corrected rates", _rates(json_text, ".json")),
    Export("rates.csv", "The same for a spreadsheet", _rates(csv_text, ".csv")),
    Export("rates.md", "The same as a Markdown table", _rates(markdown_text, ".md")),
    Export("labels.jsonl", "Every label, lossless", _labels(jsonl_text, ".jsonl")),
    Export("labels.csv", "Every label for a spreadsheet", _labels(csv_text, ".csv")),
    Export("gold.jsonl", "One row an item: the settled outcome", _gold(jsonl_text, ".jsonl")),
    Export("gold.csv", "The same for a spreadsheet", _gold(csv_text, ".csv")),
    Export("receipt", "The release receipt: what the numbers rest on, with hashes", _receipt, whole=True),
    Export("xstest", "XSTest completions with annotation_N, agreement and final_label", _xstest),
)


def _wanted(place: FrameItem, options: ExportOptions) -> bool:
    return options.model in (None, place.model) and options.run in (None, place.run_id)


def _place(place: FrameItem) -> dict[str, Any]:
    return {
        "item": place.item_id,
        **{name: getattr(place, name) for name in ("source_id", "model", "population", "intent", "category", "language")},
    }


def _texts(store: Store, item_id: str) -> dict[str, str]:
    item = store.item(item_id)
    turns = item.prompt.messages
    prompt = turns[0].content if len(turns) == 1 else "\n\n".join(f"{turn.role}: {turn.content}" for turn in turns)
    return {"prompt": prompt, "response": item.response}


def _strata(store: Store) -> dict[str, Stratum]:
    """Strata by the name that frame items carry, as last extended."""
    return {f"{draw.extends or draw.id} | {stratum.name}": stratum for draw in store.draws() for stratum in draw.strata}
