"""The demo workspace: invented items, a drawn sample, three earlier annotators with honest disagreements, some rulings."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from adjudicate.core import labels
from adjudicate.core.gold import settle
from adjudicate.core.policy import Policy
from adjudicate.formats.import_options import ImportOptions
from adjudicate.storage.rows import Annotator
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.storage.store import Store
from adjudicate.workflow.draw_sample import draw_sample
from adjudicate.workflow.draw_settings import DrawSettings
from adjudicate.workflow.import_items import import_files

SEED = 20261194
DRAWN = 45
ALREADY_LABELLED = 30
"""Items at the head of the sample that the earlier annotators were given; the rest is left for whoever tries the demo."""
OVERLAP = 3


def fill_demo(store: SqliteStore, policy: Policy, data: Path, *, now: Callable[[], str]) -> None:
    """Fill a new workspace with the demo.

    Args:
        store: An empty store.
        policy: The shipped `refusal-boundary`.
        data: The folder with items.jsonl, labels.jsonl and resolutions.jsonl.
        now: The wall clock.
    """
    store.put_policy(policy, now())
    import_files(store, policy, [data / "items.jsonl"], ImportOptions(), now())
    ids = store.item_ids()
    drawn = draw_sample(store, DrawSettings(n=DRAWN, seed=SEED, overlap=OVERLAP), at=now())
    said = _by_person(data / "labels.jsonl")
    for name in sorted(said):
        person = store.annotator(name, source="invented")
        store.claim(person.id, [drawn.draw.id], count=ALREADY_LABELLED, overlap=OVERLAP, at=now())
        _label(store, policy, person, {ids[row["item"]]: row for row in said[name]}, now)
    for row in _rows(data / "resolutions.jsonl"):
        _rule(store, policy, ids[row["item"]], row, now)


def _label(
    store: Store, policy: Policy, person: Annotator, rows: Mapping[str, Mapping[str, Any]], now: Callable[[], str]
) -> None:
    """The person's labels on the items of their list, in the order of the list."""
    for pick in store.pending(person.id, after=-1, limit=ALREADY_LABELLED):
        row = rows.get(pick.item_id)
        if row is None:
            continue
        said: dict[str, Any] = {"item_id": pick.item_id, "clause": row.get("clause"), "confidence": row.get("confidence")}
        acts = [labels.label(policy, outcome=row["outcome"], mode="blind", severity=row.get("severity"), **said)]
        if after := row.get("after_reveal"):
            acts.append(labels.label(policy, outcome=after, mode="revealed", severity=row.get("severity_after"), **said))
        if note := row.get("note"):
            acts.append(labels.Act("note", pick.item_id, note=note))
        for act in acts:
            store.append(person.id, act, policy=policy.fingerprint, at=now())


def _rule(store: Store, policy: Policy, item_id: str, row: Mapping[str, Any], now: Callable[[], str]) -> None:
    """A ruling on an item that people did disagree on; others never come up."""
    gold = settle(store.events_on([item_id]).get(item_id, []))
    if gold is None or not gold.is_open:
        return
    act = labels.resolution(
        policy,
        item_id=item_id,
        outcome=row["outcome"],
        rationale=row["rationale"],
        clause=row.get("clause"),
        severity=row.get("severity"),
        settles=[event.id for event in gold.labels],
    )
    adjudicator = store.annotator(row["adjudicator"], source="invented")
    store.append(adjudicator.id, act, policy=policy.fingerprint, at=now())


def _by_person(path: Path) -> dict[str, list[dict[str, Any]]]:
    people: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in _rows(path):
        people[row["annotator"]].append(row)
    return people


def _rows(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]
