"""What has come since numbers were computed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from adjudicate.workflow.freshness import heads_of, since, state_of, writes
from tests.tui.factory import Row, make_workspace
from tests.tui.labelled_store import label_items


def test_labels_of_everybody_are_counted_and_nothing_is_said_of_nothing(tmp_path: Path) -> None:
    made = make_workspace(tmp_path, [Row() for _ in range(4)], annotators=("ann", "bob"), overlap=2)
    store = made.store()
    label_items(made, "ann", 1)
    then = state_of(store)
    assert since(store, then, state_of(store)) == ""
    label_items(made, "ann", 2)
    label_items(made, "bob", 1)
    assert since(store, then, state_of(store)) == "3 labels"
    store.close()


def test_verdicts_and_another_policy_are_told_too(tmp_path: Path) -> None:
    made = make_workspace(tmp_path, [Row(judged=False), Row()])
    store = made.store()
    then = state_of(store)
    now = replace(then, verdicts=then.verdicts + 1, policy="e" * 64)
    assert since(store, then, now) == "1 verdict, another policy"
    assert since(store, then, replace(then, verdicts=then.verdicts - 1)) == "1 verdict fewer"
    store.close()


def test_what_another_program_writes_shows_at_once(tmp_path: Path) -> None:
    made = make_workspace(tmp_path, [Row(), Row()])
    store = made.store()
    before, heads = writes(store.database), heads_of(store)
    assert writes(store.database) == before
    label_items(made, "ann", 1)
    assert writes(store.database) != before and heads_of(store) != heads
    store.close()
