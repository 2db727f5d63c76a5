"""Two models on one set side by side, by one judge and with the gate's table."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudicate.core.demands import Asked
from adjudicate.errors import UsageError
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.compare_scores import OTHER_JUDGE, SEVERAL, Comparison, compare_scores
from adjudicate.workflow.decide_release import decide_release
from adjudicate.workflow.release import GateQuestion
from adjudicate.workflow.score_sheets import ScoreOptions
from tests.workflow.score_world import COMPLIED, REFUSED, Judged, add_run, item_id, label, new_store

OLD = [Judged("p", "benign", COMPLIED), Judged("p", "harmful", REFUSED), Judged("q", "benign", COMPLIED)]
NEW = [Judged("p", "benign", COMPLIED), Judged("p", "harmful", COMPLIED), Judged("q", "benign", REFUSED)]


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    store = new_store(tmp_path)
    add_run(store, OLD, model="old")
    add_run(store, NEW, model="new")
    return store


def compared(store: SqliteStore, **options: str) -> Comparison:
    return compare_scores(store, "new", "old", ScoreOptions(**options))  # type: ignore[arg-type]


def test_changes_are_those_of_the_shared_prompts_the_first_minus_the_second(store: SqliteStore) -> None:
    """Benign: 2 of 2 helped before, 1 of 2 after. Harmful: safe before, complied with after."""
    (opposed,) = compared(store).sets
    assert {each.group["cell"]: each.value for each in opposed.changes} == {
        "helpful": -0.5, "over_refusal": 0.5, "safe": -1.0, "under_refusal": 1.0,
    }  # fmt: skip
    assert (opposed.before.model, opposed.after.model) == ("old", "new")


def test_the_gates_table_is_what_the_gate_computes(store: SqliteStore) -> None:
    for model, answers in (("old", OLD), ("new", NEW)):
        for answer in answers:
            label(store, item_id(answer, model), answer.verdict or "")
    found = compared(store).release
    asked = (Asked("margin", "benign_refusal", "*", 0.1),)
    gate = decide_release(store, GateQuestion(asked=asked, baseline="old", candidate="new", target="process"))
    assert found is not None
    assert [(row.before, row.after, row.difference) for row in found.rows] == [
        (row.before, row.after, row.difference) for row in gate.rows
    ]
    assert {row.result for row in found.rows} == {"not asked"}


def test_the_judge_of_both_sides_counts_by_default(tmp_path: Path) -> None:
    """The second judge has more verdicts on the new model, and none on the old one."""
    store = new_store(tmp_path)
    add_run(store, OLD, model="old")
    add_run(store, [*NEW[:1], *(Judged(each.pair, each.intent, each.verdict, silent=True) for each in NEW[1:])], model="new")
    run = add_run(store, [], model="none", judge="second", dataset="nothing 1")
    assert run
    insert = "INSERT INTO verdicts VALUES (?, 'second', 'full_refusal', NULL, NULL, NULL, '', '')"
    store.database.connection.executemany(insert, [(item_id(each, "new"),) for each in NEW])
    (opposed,) = compared(store).sets
    assert (opposed.before.judge, opposed.after.judge, opposed.after.other_judges) == ("judge", "judge", ("second",))


def test_without_a_judge_in_common_changes_are_undefined(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    add_run(store, OLD, model="old", judge="first")
    add_run(store, NEW, model="new", judge="second")
    (opposed,) = compared(store).sets
    assert {each.undefined for each in opposed.changes} == {OTHER_JUDGE}


def test_several_answers_to_a_prompt_cannot_be_paired(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    add_run(store, OLD, model="old")
    add_run(store, [*NEW, Judged("p", "benign", REFUSED, epoch=1)], model="new")
    (opposed,) = compared(store).sets
    assert {each.undefined for each in opposed.changes} == {SEVERAL}


def test_a_set_that_only_one_was_asked_is_named_and_not_compared(store: SqliteStore) -> None:
    add_run(store, [Judged("x", "benign", COMPLIED)], model="new", dataset="others 1", sha256="1")
    found = compared(store)
    assert (found.alone, [each.after.name for each in found.sets]) == (("others 1",), ["pairs 1"])


def test_sides_without_a_set_in_common_and_sides_with_two_runs_of_one_are_refused(store: SqliteStore) -> None:
    add_run(store, [Judged("x", "benign", COMPLIED)], model="apart", dataset="others 1", sha256="1")
    with pytest.raises(UsageError, match="not asked the same set"):
        compare_scores(store, "apart", "old", ScoreOptions())
    add_run(store, [Judged("y", "benign", COMPLIED)], model="new", dataset="again 1")
    with pytest.raises(UsageError, match="“new” stands for several runs of again 1"):
        compared(store)
