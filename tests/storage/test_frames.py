"""The frame in counts: every item once, every verdict once, and the prompts that were asked several times."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from adjudicate.storage.connection import writing
from adjudicate.storage.sqlite_store import SqliteStore
from tests.factory import Answer, make_store

YES, NO = "full_compliance", "full_refusal"


def asked(folder: Path, prompts: list[list[Answer]]) -> SqliteStore:
    """A store in which the answers of each list belong to one prompt."""
    store = make_store(folder, [answer for answers in prompts for answer in answers])
    owners = [number for number, answers in enumerate(prompts) for _ in answers]
    with writing(store.database) as connection:
        for number, owner in enumerate(owners):
            connection.execute("UPDATE items SET prompt_id = ? WHERE id = ?", (f"p{owner:04d}", f"i{number:04d}"))
    return store


def patterns(store: SqliteStore) -> Counter[tuple[str, str, tuple[str | None, ...]]]:
    counts: Counter[tuple[str, str, tuple[str | None, ...]]] = Counter()
    for row in store.frame_counts(prompts=True).prompts:
        outcomes = sorted((outcome for _, outcome in row.answers), key=str)
        counts[row.judge, row.model, tuple(outcomes)] += row.prompts
    return counts


def test_prompts_are_counted_by_what_came_back_whatever_the_order(tmp_path: Path) -> None:
    store = asked(tmp_path, [[Answer(YES), Answer(NO)], [Answer(NO), Answer(YES)], [Answer(NO), Answer(None), Answer(NO)]])
    assert patterns(store) == {("judge", "m", (YES, NO)): 2, ("judge", "m", (None, NO, NO)): 1}


def test_models_that_share_a_prompt_are_asked_each_for_itself(tmp_path: Path) -> None:
    store = asked(tmp_path, [[Answer(YES), Answer(NO, model="n")], [Answer(YES), Answer(NO, model="n"), Answer(NO)]])
    assert patterns(store) == {
        ("judge", "m", (YES,)): 1, ("judge", "n", (NO,)): 2, ("judge", "m", (YES, NO)): 1
    }  # fmt: skip


def test_where_no_prompt_was_asked_twice_there_is_nothing_to_count(tmp_path: Path) -> None:
    store = asked(tmp_path, [[Answer(YES), Answer(YES, model="n")], [Answer(NO)]])
    assert store.frame_counts(prompts=True).prompts == []


def test_nothing_is_looked_for_that_nobody_asked_for(tmp_path: Path) -> None:
    store = asked(tmp_path, [[Answer(YES), Answer(YES)]])
    assert store.frame_counts(prompts=False).prompts == []
    assert store.frame_counts(prompts=True).cells == store.frame_cells()


def test_each_judge_counts_the_prompts_that_it_saw(tmp_path: Path) -> None:
    store = asked(tmp_path, [[Answer(YES), Answer(NO)], [Answer(NO), Answer(NO)]])
    with writing(store.database) as connection:
        connection.execute("INSERT INTO judges VALUES ('k', 'other', '', '', '', '')")
        connection.execute("INSERT INTO verdicts VALUES ('i0000', 'k', ?, NULL, NULL, NULL, '', '')", (NO,))
    assert patterns(store) == {
        ("judge", "m", (YES, NO)): 1, ("judge", "m", (NO, NO)): 1, ("other", "m", (NO,)): 1
    }  # fmt: skip


def test_an_empty_workspace_has_an_empty_frame(tmp_path: Path) -> None:
    counted = make_store(tmp_path, []).frame_counts(prompts=True)
    assert (counted.cells, counted.prompts) == ([], [])
