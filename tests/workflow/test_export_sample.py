"""The drawn items as a list: in their order, blind, and without texts unless asked for."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from adjudicate.errors import UsageError
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.draw_sample import draw_sample
from adjudicate.workflow.draw_settings import DrawSettings
from adjudicate.workflow.export_records import ExportOptions
from adjudicate.workflow.export_results import export
from tests.factory import AT, Answer, make_store


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    answers = [Answer("full_refusal" if number % 4 else "full_compliance", response=f"answer {number}") for number in range(40)]
    return make_store(tmp_path, answers)


def rows(store: SqliteStore, folder: Path, *, with_text: bool = False) -> list[dict[str, str]]:
    (path,) = export(store, "sample.csv", folder, ExportOptions(at=AT, with_text=with_text))
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_it_lists_the_drawn_items_in_the_order_of_presentation(store: SqliteStore, tmp_path: Path) -> None:
    draw_sample(store, DrawSettings(n=12, seed=3, annotators=("ann", "bo"), overlap=1), at=AT)
    found = rows(store, tmp_path)
    assert len(found) == 12
    assert [int(row["position"]) for row in found] == sorted(int(row["position"]) for row in found)
    assert {len(row["people"].split()) for row in found} == {1}
    assert not {"ann", "bo"} & {name for row in found for name in row["people"].split()}


def test_it_tells_nothing_of_the_verdicts(store: SqliteStore, tmp_path: Path) -> None:
    """Strata are named after how the verdict counts, and the chance to be drawn differs between them."""
    draw_sample(store, DrawSettings(n=12, seed=3), at=AT)
    assert not {"stratum", "inclusion_probability", "verdict", "judge", "reason"} & rows(store, tmp_path)[0].keys()


def test_texts_come_along_only_where_asked_for(store: SqliteStore, tmp_path: Path) -> None:
    draw_sample(store, DrawSettings(n=12, seed=3), at=AT)
    assert "response" not in rows(store, tmp_path)[0]
    assert rows(store, tmp_path, with_text=True)[0]["response"].startswith("answer ")


def test_without_a_draw_it_says_how_to_make_one(store: SqliteStore, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="adjudicate draw"):
        rows(store, tmp_path)
