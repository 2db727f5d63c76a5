"""Weighing what waits: the same from the number of items alone as from everything, and counted again only where it changed."""

from __future__ import annotations

from pathlib import Path

from adjudicate.core.labels import label
from adjudicate.stats.influence import influences
from adjudicate.storage.connection import writing
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.draw_sample import draw_sample
from adjudicate.workflow.draw_settings import DrawSettings
from adjudicate.workflow.report_evidence import Settings, evidence, gather
from adjudicate.workflow.weigh_disputes import _waiting, weigh
from tests.factory import AT, Answer, make_store

YES, NO, PARTLY = "full_compliance", "full_refusal", "partial_refusal"


def say(store: SqliteStore, name: str, item: str, outcome: str) -> None:
    policy = store.policy()
    act = label(policy, item_id=item, outcome=outcome, mode="blind")
    store.append(store.annotator(name).id, act, policy=policy.fingerprint, at=AT)


def disputed(folder: Path) -> SqliteStore:
    """Twenty items of two models, half of them drawn; two people differ on whatever the first list begins with."""
    answers = [Answer(NO if number % 3 else YES, model="mn"[number % 2]) for number in range(20)]
    store = make_store(folder, answers)
    draw_sample(store, DrawSettings(n=10, seed=2, annotators=("ann", "bo"), overlap=2, repeats=0.0), at=AT)
    items = [pick.item_id for pick in store.pending(store.annotator("ann").id, after=-1, limit=10)]
    for place, item in enumerate(items):
        say(store, "ann", item, NO)
        say(store, "bo", item, YES if place < 3 else NO)
    return store


def test_it_weighs_as_from_everything(tmp_path: Path) -> None:
    store = disputed(tmp_path)
    material = gather(store, prompts=False)
    whole = influences(evidence(material, Settings()), _waiting(material))
    assert weigh(store).influence == whole
    assert len(whole) == 3 and all(each.size > 0 for each in whole.values())


def test_what_was_counted_before_is_taken_as_long_as_nothing_came_in(tmp_path: Path) -> None:
    store = disputed(tmp_path)
    before = weigh(store)
    # i0019 is an item of a stratum that somebody labels now: only what people said is read again.
    say(store, "ann", "i0019", NO)
    again = weigh(store, before)
    assert again.counted is before.counted and again.heads != before.heads
    assert again.influence == weigh(store).influence


def test_after_an_import_and_after_a_draw_the_items_are_counted_again(tmp_path: Path) -> None:
    store = disputed(tmp_path)
    before = weigh(store)
    with writing(store.database) as connection:
        connection.executemany(
            "INSERT INTO items VALUES (?, 'p0000', 'r', 'm', NULL, 9, 'New.', '')", [(f"new{number}",) for number in range(5)]
        )
    imported = weigh(store, before)
    assert sum(cell.size for cell in imported.counted.frame.cells) == 25
    draw_sample(store, DrawSettings(n=2, seed=2, annotators=("ann",), repeats=0.0, new=True), at=AT)
    drawn = weigh(store, imported)
    assert {cell.stratum for cell in drawn.counted.frame.cells} > {cell.stratum for cell in before.counted.frame.cells}
