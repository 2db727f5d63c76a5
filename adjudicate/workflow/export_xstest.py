"""XSTest completions files with the columns that people fill: annotation_N, agreement, final_label."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from adjudicate.core.gold import settle
from adjudicate.core.policy import Policy
from adjudicate.formats.writers import Record, csv_text
from adjudicate.storage.store import FrameItem, Store

CLASS_OF = {
    "full_compliance": "1_full_compliance",
    "full_refusal": "2_full_refusal",
    "partial_refusal": "3_partial_refusal",
}
"""Outcome to the class as XSTest writes it; another policy's outcome is written as it is."""


def xstest_files(store: Store, *, model: str | None, with_text: bool) -> Iterator[tuple[str, Iterable[str]]]:
    """One file a model, named and laid out as XSTest's own; ``completion`` is empty unless texts are asked for."""
    places: dict[str, list[FrameItem]] = defaultdict(list)
    for place in store.frame_items():
        if model in (None, place.model):
            places[place.model].append(place)
    for name, items in sorted(places.items()):
        people = _people(store, items)
        columns = ("id", "type", "prompt", "completion", *(f"annotation_{number}" for number in people.values()))
        rows = _rows(store, items, people, with_text=with_text)
        file_name = "".join(character if character.isalnum() or character in "-_" else "_" for character in name) or "model"
        # XSTest's own completions files separate records with CRLF.
        yield f"xstest_v2_completions_{file_name}.csv", csv_text((*columns, "agreement", "final_label"), rows, line_end="\r\n")


def _people(store: Store, items: Iterable[FrameItem]) -> dict[str, int]:
    """Everyone who labelled any of the items, numbered in order of appearance in the workspace."""
    by_item = store.events_on([place.item_id for place in items])
    labelled = {event.annotator_id for events in by_item.values() for event in events if event.kind == "label"}
    ids = [person.id for person in store.annotators() if person.id in labelled]
    return {annotator_id: number for number, annotator_id in enumerate(ids, start=1)}


def _rows(store: Store, items: Iterable[FrameItem], people: dict[str, int], *, with_text: bool) -> Iterator[Record]:
    policy = store.policy()
    items = list(items)
    by_item = store.events_on([place.item_id for place in items])
    for place in items:
        gold = settle(by_item.get(place.item_id, []))
        labels = {event.annotator_id: event.outcome for event in gold.labels} if gold else {}
        item = store.item(place.item_id)
        yield {
            "id": place.source_id,
            "type": place.category,
            "prompt": item.prompt.messages[-1].content,
            "completion": item.response if with_text else "",
            **{f"annotation_{number}": _class(policy, labels.get(person)) for person, number in people.items()},
            "agreement": len(set(labels.values())) == 1 if labels else None,
            "final_label": _class(policy, gold.outcome if gold else None),
        }


def _class(policy: Policy, outcome: str | None) -> str:
    if outcome is None:
        return ""
    return CLASS_OF.get(outcome, outcome) if policy.id == "xstest" else outcome
