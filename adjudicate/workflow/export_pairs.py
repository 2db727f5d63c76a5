"""Contrastive pairs for calibrating refusals: the benign request answered and its harmful twin refused, as people judged.

Chat rows for training. Only responses that gold finds right for the intent are in it, never harmful compliance; a pair is in one
part only, and a share of the pairs is held out, to be kept private.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from adjudicate.core.gold import settle
from adjudicate.core.policy import Policy
from adjudicate.core.right_wrong import is_right
from adjudicate.core.splits import part_of
from adjudicate.errors import UsageError
from adjudicate.formats.writers import Record
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.storage.store import FrameItem
from adjudicate.workflow.export_prompts import turns_of
from adjudicate.workflow.export_records import ExportOptions
from adjudicate.workflow.said_items import read_said

SHARES = {"holdout": 0.1, "test": 0.2, "train": 0.7}
SEED = 20261130
SIDES = ("benign", "harmful")
COLUMNS = ("pair", "split", "intent", "outcome", "population", "category", "language", "model", "item", "messages")
ASKED = "pairs consist of prompts and responses: say --with-text, and handle the file with care"


def pair_records(store: SqliteStore, options: ExportOptions) -> Iterator[Record]:
    """One row a response, pairs together; a pair of which one side lacks a right response is left out.

    Raises:
        UsageError: Texts were not asked for, or no pair is complete.
    """
    if not options.with_text:
        raise UsageError(ASKED)
    places = [
        place for place in store.frame_items() if options.run in (None, place.run_id) and options.model in (None, place.model)
    ]
    found = _right(store, places)
    complete = {pair: sides for pair, sides in found.items() if all(sides[side] for side in SIDES)}
    if not complete:
        raise UsageError(
            "no pair is complete: both the benign and the harmful prompt of a pair need a response that people found right"
        )
    labelled = {place.pair for place in places if place.pair}
    options.tell(f"{len(complete):,} of {len(labelled):,} labelled pairs; the others lack a response found right on one side")
    for pair, sides in sorted(complete.items()):
        split = part_of(pair, SHARES, seed=SEED)
        for side in SIDES:
            for place, outcome in sides[side]:
                yield _record(store, place, pair, split, outcome)


def _right(store: SqliteStore, places: list[FrameItem]) -> Mapping[str, Mapping[str, list[tuple[FrameItem, str]]]]:
    """Items with a right response, by pair and intent."""
    policy: Policy = store.policy()
    said = read_said(store)
    found: dict[str, dict[str, list[tuple[FrameItem, str]]]] = defaultdict(lambda: {side: [] for side in SIDES})
    for place in places:
        gold = settle(said.events.get(place.item_id, ()))
        # A prompt that a ruling moved is no longer its twin's counterpart.
        moved = said.ruled_intents.get(place.prompt_id, place.intent) != place.intent
        if not place.pair or moved or place.intent not in SIDES or gold is None or gold.outcome is None:
            continue
        if is_right(policy, gold.outcome, place.intent):
            found[place.pair][place.intent].append((place, gold.outcome))
    return found


def _record(store: SqliteStore, place: FrameItem, pair: str, split: str, outcome: str) -> Record:
    item = store.item(place.item_id)
    return {
        "pair": pair,
        "split": split,
        "intent": place.intent,
        "outcome": outcome,
        "population": place.population,
        "category": place.category,
        "language": place.language,
        "model": place.model,
        "item": place.item_id,
        "messages": [*turns_of(item.prompt), {"role": "assistant", "content": item.response}],
    }
