"""What a sample can be drawn from, and how its frame is noted: the same whether it is large or small."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudicate.storage import draw_frame
from adjudicate.storage.connection import writing
from adjudicate.storage.draw_frame import FreeItems
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.draw_sample import draw_sample
from adjudicate.workflow.draw_settings import DrawSettings
from tests.factory import AT, Answer, make_store

YES, NO = "full_compliance", "full_refusal"


def alike(store: SqliteStore, judge: str | None) -> set[tuple[str, bool, str | None, bool, tuple[str, ...]]]:
    return {(each.intent, each.judged, each.verdict, each.steering, tuple(each.item_ids)) for each in store.free_items(judge)}


def test_items_are_together_that_are_alike_in_what_strata_are_made_of(tmp_path: Path) -> None:
    store = make_store(tmp_path, [Answer(NO), Answer(YES), Answer(NO), Answer(None), Answer(NO, intent="harmful"), Answer(NO)])
    with writing(store.database) as connection:
        connection.execute("DELETE FROM verdicts WHERE item_id = 'i0005'")
        connection.execute("INSERT INTO steering_signs VALUES ('i0002', '[]')")
    assert store.free_items("judge")[0] == FreeItems(
        "benign", "benign", "m", "r", "", "en", judged=True, verdict=NO, steering=False, item_ids=["i0000"]
    )
    assert alike(store, "judge") == {
        ("benign", False, None, False, ("i0005",)),
        ("benign", True, None, False, ("i0003",)),
        ("benign", True, YES, False, ("i0001",)),
        ("benign", True, NO, False, ("i0000",)),
        ("benign", True, NO, True, ("i0002",)),
        ("harmful", True, NO, False, ("i0004",)),
    }  # fmt: skip
    assert sum(len(each.item_ids) for each in store.free_items(None) if not each.judged) == 6, "no judge, no verdict"


def test_what_a_draw_has_in_its_frame_is_free_no_more(tmp_path: Path) -> None:
    store = make_store(tmp_path, [Answer(NO), Answer(YES)])
    assert store.free_count() == 2
    draw_sample(store, DrawSettings(n=1, seed=3), at=AT)
    assert store.free_items("judge") == [] and store.free_count() == 0
    with writing(store.database) as connection:
        connection.execute("INSERT INTO items VALUES ('new', 'p0000', 'r', 'm', NULL, 9, 'New.', '')")
    assert [each.item_ids for each in store.free_items("judge")] == [["new"]] and store.free_count() == 1


def drawn(folder: Path) -> tuple[list[tuple[str, ...]], list[tuple[str]]]:
    """Units and schema after two draws, the second of items that came later."""
    store = make_store(folder, [Answer(NO if number % 3 else YES) for number in range(40)])
    draw_sample(store, DrawSettings(n=10, seed=5), at=AT)
    with writing(store.database) as connection:
        connection.executemany(
            "INSERT INTO items VALUES (?, 'p0000', 'r', 'm', NULL, 9, 'New.', '')", [(f"new{number}",) for number in range(9)]
        )
    draw_sample(store, DrawSettings(n=4, seed=6, new=True), at=AT)
    connection = store.database.connection
    units = connection.execute("SELECT item_id, stratum, place FROM draw_units ORDER BY 1").fetchall()
    for draw in store.draws():
        for stratum in draw.strata:
            places = [
                row[2] for row in sorted(units, key=lambda row: row[2]) if row[0] in set(store.queue(draw.id, stratum.name))
            ]
            assert places == list(range(stratum.size))
    assert store.problems() == []
    return units, sorted(connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall())


def test_an_index_that_is_made_anew_is_the_one_that_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    added_to = drawn(tmp_path / "small")
    monkeypatch.setattr(draw_frame, "MANY", 1)
    assert drawn(tmp_path / "large") == added_to
