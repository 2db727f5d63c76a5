"""The draw of the coverage studies is the one that the product records, first and extended."""

from __future__ import annotations

from pathlib import Path

from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.draw_sample import draw_sample
from adjudicate.workflow.draw_settings import DrawSettings
from tests.factory import AT, Answer, make_store
from tests.stats.product_draw import draw

ANSWERS = [Answer("full_compliance", "harmful")] * 12 + [Answer("full_refusal", "harmful")] * 140


def picked(store: SqliteStore) -> list[str]:
    return [row[0] for row in store.database.connection.execute("SELECT item_id FROM picks ORDER BY position")]


def test_the_same_items_are_drawn_in_the_same_order_and_extended_alike(tmp_path: Path) -> None:
    store = make_store(tmp_path, ANSWERS)
    ids = [f"i{number:04d}" for number in range(len(ANSWERS))]
    ours = draw({"harmful | flagged": ids[:12], "harmful | clear": ids[12:]}, 40, seed=7)
    first = draw_sample(store, DrawSettings(n=40, seed=7), at=AT)
    assert {stratum.name: stratum.drawn for stratum in first.draw.strata} == ours.drawn
    assert picked(store) == ours.order
    longer = draw_sample(store, DrawSettings(n=60), at=AT)
    assert {stratum.name: stratum.drawn for stratum in longer.draw.strata} == ours.longer(60).drawn
    assert set(picked(store)) == set(ours.longer(60).order)
