"""XSTest completions files with the columns that people fill: annotation_N, agreement, final_label."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from adjudicate.core.gold import settle
from adjudicate.core.items import content_id
from adjudicate.core.policy import Policy
from adjudicate.formats.writers import Record, csv_text
from adjudicate.formats.xstest import CLASSES, DATASET
from adjudicate.storage.store import FrameItem, Store

CLASS_OF = {outcome: written for written, outcome in CLASSES.items()}
"""Outcome to the class as XSTest writes it; another policy's outcome is written as it is."""
IMPORTED = ("import", DATASET)
"""Sources of people whose labels came with a file."""


def xstest_files(store: Store, *, model: str | None, run: str | None, with_text: bool) -> Iterator[tuple[str, Iterable[str]]]:
    """One file a model, named and laid out as XSTest's own.

    ``completion`` is empty unless texts are asked for, and so is ``prompt`` where it does not come from XSTest's own files,
    whose prompts are public.
    """
    places: dict[str, list[FrameItem]] = defaultdict(list)
    for place in store.frame_items():
        if model in (None, place.model) and run in (None, place.run_id):
            places[place.model].append(place)
    file_names = _file_names(places)
    for name, items in sorted(places.items()):
        people = _people(store, items)
        columns = ("id", "type", "prompt", "completion", *(f"annotation_{number}" for number in people.values()))
        rows = _rows(store, items, people, with_text=with_text)
        # XSTest's own completions files separate records with CRLF.
        yield (
            f"xstest_v2_completions_{file_names[name]}.csv",
            csv_text((*columns, "agreement", "final_label"), rows, line_end="\r\n"),
        )


def _file_names(models: Iterable[str]) -> dict[str, str]:
    """A plain name for each model; those that would share one (also where case does not count) get a piece of a hash after it."""
    plain = {
        model: "".join(character if character.isalnum() or character in "-_" else "_" for character in model) or "model"
        for model in models
    }
    shared = Counter(name.casefold() for name in plain.values())
    return {model: name if shared[name.casefold()] == 1 else f"{name}_{content_id(model)[:8]}" for model, name in plain.items()}


def _people(store: Store, items: Iterable[FrameItem]) -> dict[str, int]:
    """Everyone who labelled any of the items, numbered: those of imported labels in order of appearance, the others after them.

    The others come by pseudonym, so that their numbers do not tell who came first. Numbers of two files do not join.
    """
    by_item = store.events_on([place.item_id for place in items])
    labelled = {event.annotator_id for events in by_item.values() for event in events if event.kind == "label"}
    people = [person for person in store.annotators() if person.id in labelled]
    first = [person for person in people if person.source in IMPORTED]
    rest = sorted((person for person in people if person.source not in IMPORTED), key=lambda person: person.pseudonym)
    return {person.id: number for number, person in enumerate((*first, *rest), start=1)}


def _rows(store: Store, items: Iterable[FrameItem], people: dict[str, int], *, with_text: bool) -> Iterator[Record]:
    policy = store.policy()
    items = list(items)
    by_item = store.events_on([place.item_id for place in items])
    public = {run.id for run in store.runs() if run.format == DATASET}
    for place in items:
        gold = settle(by_item.get(place.item_id, []))
        labels = {event.annotator_id: event.outcome for event in gold.labels} if gold else {}
        item = store.item(place.item_id)
        yield {
            "id": place.source_id,
            "type": place.category,
            "prompt": item.prompt.messages[-1].content if with_text or place.run_id in public else "",
            "completion": item.response if with_text else "",
            **{f"annotation_{number}": _class(policy, labels.get(person)) for person, number in people.items()},
            "agreement": len(set(labels.values())) == 1 if labels else None,
            "final_label": _class(policy, gold.outcome if gold else None),
        }


def _class(policy: Policy, outcome: str | None) -> str:
    if outcome is None:
        return ""
    return CLASS_OF.get(outcome, outcome) if policy.id == "xstest" else outcome
