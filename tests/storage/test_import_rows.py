"""Bulk import: one transaction, nothing doubled, nothing contradicted, every chain whole."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudicate.core.items import LabelDraft, RowDraft, VerdictDraft
from adjudicate.core.source_rows import TOKENS, packed, source_text
from adjudicate.storage.import_batches import BATCH
from adjudicate.storage.import_rows import Added, RunDraft, importing
from adjudicate.storage.sqlite_store import SqliteStore
from tests.factory import AT, make_store, xstest_policy

RUN = RunDraft("run", "set", "jsonl", "set.jsonl", "0" * 64, "{}")


def row(number: int = 1, **changes: Any) -> RowDraft:
    """A row that differs from others by its number."""
    draft = RowDraft(
        line=number,
        source_id=f"s{number}",
        prompt=f"prompt {number}",
        messages=None,
        response="response",
        model="m",
        intent="benign",
        population="benign",
        category="",
        language="",
        pair="",
        verdicts=(VerdictDraft("judge", "full_refusal"),),
        labels=(),
        gold=None,
        source="{}",
    )
    return draft._replace(**changes)


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    return make_store(tmp_path, [])


def add(store: SqliteStore, rows: list[RowDraft], run: RunDraft = RUN) -> Added:
    with importing(store.database, xstest_policy().fingerprint, AT, "test") as transaction:
        transaction.run(run)
        return transaction.add(rows)


def count(store: SqliteStore, table: str) -> int:
    found: int = store.database.connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    return found


def test_full_and_part_batches_are_stored(store: SqliteStore) -> None:
    added = add(store, [row(number) for number in range(2 * BATCH + 7)])
    assert (added.items, added.verdicts, added.duplicates) == (2 * BATCH + 7, 2 * BATCH + 7, 0)
    assert (count(store, "items"), count(store, "prompts"), count(store, "verdicts")) == (2 * BATCH + 7,) * 3
    assert store.problems() == []


def test_importing_again_changes_nothing(store: SqliteStore) -> None:
    rows = [row(number, labels=(LabelDraft("ann", "full_refusal"),), gold="full_refusal") for number in range(BATCH + 3)]
    add(store, rows)
    before = list(store.database.connection.iterdump())
    again = add(store, rows)
    assert (again.items, again.verdicts, again.labels, again.duplicates) == (0, 0, 0, BATCH + 3)
    assert list(store.database.connection.iterdump()) == before


@pytest.mark.parametrize("between", [0, BATCH])
@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        ({"labels": (LabelDraft("ann", "full_refusal"),)}, {"labels": (LabelDraft("ann", "full_compliance"),)}, "a label of ann"),
        ({"gold": "full_refusal"}, {"gold": "full_compliance"}, "a recorded gold label"),
    ],
)
def test_of_two_labels_of_one_person_for_one_item_the_first_stays(
    store: SqliteStore, first: dict[str, Any], second: dict[str, Any], told: str, between: int
) -> None:
    """However often the rows are imported: nobody can say which holds, and taking turns would be no answer."""
    rows = [row(1, **first), *(row(number) for number in range(2, 2 + between)), row(1, line=9000, **second)]
    added = add(store, rows)
    assert [(each.line, told in each.message) for each in added.findings] == [(9000, True)]
    assert added.labels == 1
    before = list(store.database.connection.iterdump())
    again = add(store, rows)
    assert (again.labels, len(again.findings)) == (0, 1)
    assert list(store.database.connection.iterdump()) == before


def test_another_import_may_change_a_label(store: SqliteStore) -> None:
    """What was held before stays in the chain."""
    add(store, [row(labels=(LabelDraft("ann", "full_refusal"),))])
    added = add(store, [row(labels=(LabelDraft("ann", "full_compliance"),))])
    assert (added.labels, added.findings) == (1, [])
    assert count(store, "events") == 2


def test_a_run_that_brought_nothing_is_not_kept(store: SqliteStore) -> None:
    add(store, [row()])
    add(store, [row()], RunDraft("other", "set", "jsonl", "other.jsonl", "1" * 64, "{}"))
    assert [run.name for run in store.runs() if run.name == "other"] == []


def test_an_error_leaves_no_trace(store: SqliteStore) -> None:
    def broken() -> Iterator[RowDraft]:
        yield from (row(number) for number in range(BATCH + 5))
        raise KeyboardInterrupt

    before = list(store.database.connection.iterdump())
    with pytest.raises(KeyboardInterrupt), importing(store.database, "p", AT, "test") as transaction:  # noqa: PT012
        transaction.run(RUN)
        transaction.add(broken())
    assert list(store.database.connection.iterdump()) == before
    assert store.database.connection.execute("PRAGMA foreign_keys").fetchone() == (1,)


def test_a_later_file_adds_its_judge(store: SqliteStore) -> None:
    add(store, [row()])
    added = add(store, [row(verdicts=(VerdictDraft("second", None, raw="Sorry"),))])
    assert (added.items, added.verdicts, added.duplicates) == (0, 1, 1)
    assert added.judge_failed == {"second": 1}


@pytest.mark.parametrize("apart", [True, False])
def test_a_judge_that_contradicts_itself_is_told(store: SqliteStore, *, apart: bool) -> None:
    """The first verdict stays, in one batch as over two imports."""
    first, second = row(), row(verdicts=(VerdictDraft("judge", "full_compliance"),), line=2)
    if apart:
        add(store, [first])
    added = add(store, [second] if apart else [first, second])
    assert [(finding.line, finding.field) for finding in added.findings] == [(2, "verdict")]
    assert store.database.connection.execute("SELECT outcome FROM verdicts").fetchall() == [("full_refusal",)]


def test_another_declared_intent_is_told(store: SqliteStore) -> None:
    """An item does not change its declaration, and no stray prompt is left behind."""
    add(store, [row()])
    added = add(store, [row(intent="harmful", population="harmful")])
    assert [finding.field for finding in added.findings] == ["intent"]
    assert "'benign'" in added.findings[0].message
    assert count(store, "prompts") == 1


def test_one_id_with_two_texts_is_a_clash(store: SqliteStore) -> None:
    with importing(store.database, "p", AT, "test") as transaction:
        transaction.run(RUN)
        transaction.add([row(1), row(2), row(9, source_id="s1", response="other"), row(10, source_id="s1", model="other")])
        assert transaction.clashes() == [("s1", 1, 9)]


def test_an_id_that_holds_a_nul_clashes_like_any_other(store: SqliteStore) -> None:
    with importing(store.database, "p", AT, "test") as transaction:
        transaction.run(RUN)
        transaction.add([row(1, source_id="s\x001"), row(9, source_id="s\x001", response="other"), row(10, source_id="s")])
        assert transaction.clashes() == [("s\x001", 1, 9)]


def test_equal_rows_without_id_are_items_of_their_own(store: SqliteStore) -> None:
    rows = [row(1, source_id=None), row(1, source_id=None, line=2)]
    assert add(store, rows).items == 2
    assert add(store, rows).items == 0


def test_labels_continue_the_chain_and_are_not_doubled(store: SqliteStore) -> None:
    add(store, [row(1, labels=(LabelDraft("ann", "full_refusal"),))])
    added = add(
        store,
        [row(1, labels=(LabelDraft("ann", "full_refusal"),)), row(2, labels=(LabelDraft("ann", "full_compliance"),))],
    )
    assert added.labels == 1
    assert [event.seq for event in store.chain(store.annotator("ann").id)] == [1, 2]
    assert store.problems() == []


def test_gold_settles_the_labels_of_its_row(store: SqliteStore) -> None:
    labels = (LabelDraft("ann", "full_refusal"), LabelDraft("bob", "full_compliance"))
    add(store, [row(labels=labels, gold="full_refusal")])
    (events,) = store.events_on().values()
    assert [event.kind for event in events] == ["label", "label", "gold"]
    assert events[2].body["settles"] == sorted(event.id for event in events[:2])
    assert store.open_items() == []


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


@given(prompt=texts, response=texts, kind=st.sampled_from(sorted(TOKENS)), gap=texts)
def test_source_rows_come_back_to_the_last_character(prompt: str, response: str, kind: str, gap: str) -> None:
    """Whatever the texts are and however they were written."""
    line = f"{gap}{TOKENS[kind](prompt)}{gap}{TOKENS[kind](response)}{gap}"
    kept = packed(line, prompt=prompt, response=response, kinds="uaqc")
    assert source_text(kept, prompt=prompt, response=response) == line


def stored_repeats(store: SqliteStore) -> list[tuple[str, tuple[str | None, ...], bool]]:
    return [(each.judge, each.outcomes, each.counted) for each in store.repeated_verdicts()]


YES, NO = "full_compliance", "full_refusal"


def judged(number: int, repeat: int, outcome: str | None, **changes: Any) -> RowDraft:
    return row(number, verdicts=(VerdictDraft("judge", outcome),), repeat=repeat, **changes)


def test_verdicts_made_again_stand_beside_the_one_that_counts(store: SqliteStore) -> None:
    """In any order of the rows, and over the border of a batch. The verdict that came second met its item, which counts."""
    rows = [judged(1, 1, NO), judged(1, 0, YES), *[judged(number, 0, NO) for number in range(2, BATCH + 2)], judged(1, 2, None)]
    added = add(store, rows)
    assert (added.items, added.verdicts, added.repeats, added.duplicates, added.findings) == (BATCH + 1, BATCH + 3, 2, 1, [])
    assert stored_repeats(store) == [("judge", (YES, NO, None), True)]
    assert (count(store, "verdicts"), store.judges()[0].verdicts, store.judges()[0].failed) == (BATCH + 1, BATCH + 1, 0)
    assert store.problems() == []


def test_repeats_imported_again_change_nothing(store: SqliteStore) -> None:
    rows = [judged(1, repeat, outcome) for repeat, outcome in enumerate((YES, NO, NO))]
    add(store, rows)
    before = list(store.database.connection.iterdump())
    again = add(store, rows)
    assert (again.items, again.verdicts, again.repeats, again.duplicates) == (0, 0, 0, 3)
    assert list(store.database.connection.iterdump()) == before


def test_a_repeat_that_contradicts_the_same_repeat_is_left_out_and_named(store: SqliteStore) -> None:
    add(store, [judged(1, 0, YES), judged(1, 1, NO)])
    added = add(store, [judged(1, 1, YES), judged(1, 2, YES), judged(1, 2, None)])
    assert [(finding.line, finding.field) for finding in added.findings] == [(1, "verdict"), (1, "verdict")]
    assert "repeat 1 of the verdict of judge" in added.findings[0].message
    assert "--set repeat=2" in added.findings[0].message
    assert stored_repeats(store) == [("judge", (YES, NO, YES), True)]
    # The item of the one row that came in was here, as it has to be; the row itself was not.
    assert added.duplicates == 0


def test_repeats_of_rows_without_an_id_find_their_items_by_their_order(store: SqliteStore) -> None:
    """Two equal answers without ids are two items; the first repeat of each text speaks of the first, and so on."""
    same = {"source_id": None, "prompt": "p", "response": "r"}
    outcomes = ((0, YES), (0, NO), (1, YES), (1, YES), (2, NO), (2, NO))
    added = add(store, [judged(number, repeat, outcome, **same) for number, (repeat, outcome) in enumerate(outcomes)])
    assert (added.items, added.verdicts, added.repeats) == (2, 6, 4)
    assert stored_repeats(store) == [("judge", (YES, YES, NO), True), ("judge", (NO, YES, NO), True)]


def test_a_repeat_without_the_verdict_itself_is_kept_and_told_apart(store: SqliteStore) -> None:
    add(store, [judged(1, 1, NO)])
    assert (stored_repeats(store), count(store, "items"), count(store, "verdicts")) == ([("judge", (NO,), False)], 1, 0)
    assert add(store, [judged(1, 0, YES)]).verdicts == 1
    assert stored_repeats(store) == [("judge", (YES, NO), True)]


def test_repeats_join_items_that_are_here(store: SqliteStore) -> None:
    add(store, [judged(number, 0, YES) for number in range(3)])
    with importing(store.database, xstest_policy().fingerprint, AT, "test") as transaction:
        transaction.run(RUN)
        added = transaction.join([judged(number, 1, NO) for number in range(4)], "id")
    assert (added.verdicts, added.repeats, len(added.findings)) == (3, 3, 1)
    assert stored_repeats(store) == [("judge", (YES, NO), True)] * 3
