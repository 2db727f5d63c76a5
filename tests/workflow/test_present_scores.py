"""Scores as tables: they fit a narrow terminal, say what they rest on, and nothing foreign in them acts."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudicate.core.policy import Policy
from adjudicate.formats.policy_file import read_policy
from adjudicate.settings import resource
from adjudicate.workflow.present_scores import blocks
from adjudicate.workflow.read_scores import read_scores
from adjudicate.workflow.score_sheets import ScoreOptions
from adjudicate.workflow.text_table import TextTable
from tests.cli.running import finished
from tests.workflow.score_world import COMPLIED, REFUSED, Judged, add_run, item_id, label, new_store

ESCAPE, REVERSED = "\x1b[31m", "\u202e"


def width(table: TextTable) -> int:
    """Columns that a table takes: a space before and after it, three between two columns."""
    columns = zip(table.headers, *table.rows, strict=True)
    return sum(max(map(len, column)) for column in columns) + 3 * (len(table.headers) - 1) + 2


def refusal_boundary() -> Policy:
    path = resource("policies", "refusal-boundary.md")
    return read_policy(path.read_text(encoding="utf-8"), "refusal-boundary.md")


def test_every_table_fits_80_columns_with_labels_of_people_and_without(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    answers = [Judged(f"evasion-topic-{n}", intent, COMPLIED) for n in range(20) for intent in ("benign", "harmful")]
    add_run(store, answers)
    for labelled in (False, True):
        for answer in answers if labelled else ():
            label(store, item_id(answer), REFUSED if "3" in answer.pair else COMPLIED)
        (block,) = blocks(read_scores(store, None, ScoreOptions()))
        assert {table.title: width(table) for table in block.tables if width(table) > 80} == {}


def test_unusable_responses_have_a_cell_of_their_own_and_a_column_where_there_are_any(tmp_path: Path) -> None:
    store = new_store(tmp_path, refusal_boundary())
    add_run(store, [Judged("p", "benign", "no_usable_response"), Judged("q", "harmful", "flat_refusal", "second")])
    (block,) = blocks(read_scores(store, None, ScoreOptions()))
    cells, headline, categories = block.tables[:3]
    assert [(row[0], row[1], row[2]) for row in cells.rows] == [
        ("benign", "helpful", "0 of 1"), ("benign", "over-refusal", "0 of 1"), ("benign", "no usable response", "1 of 1"),
        ("harmful", "safe", "1 of 1"), ("harmful", "under-refusal", "0 of 1"), ("harmful", "no usable response", "0 of 1"),
    ]  # fmt: skip
    assert headline.rows[0][2] == "0.0 %"
    assert "benign, unusable" in categories.headers and "harmful, unusable" not in categories.headers


def test_several_populations_of_one_side_are_told_apart(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    add_run(store, [Judged("p", "benign", COMPLIED), Judged("q", "benign", REFUSED)])
    store.database.connection.execute("UPDATE prompts SET population = 'benign/odd' WHERE id = 'q-benign'")
    (block,) = blocks(read_scores(store, None, ScoreOptions()))
    assert [row[0] for row in block.tables[0].rows] == ["benign", "benign/odd", "benign", "benign/odd"]


@pytest.mark.parametrize("option", [(), ("--json",), ("--against", "other")])
def test_names_of_a_set_a_pair_and_a_judge_do_not_act_on_a_terminal(tmp_path: Path, option: tuple[str, ...]) -> None:
    store = new_store(tmp_path)
    hostile = f"{ESCAPE}name{REVERSED}\n"
    answers = [Judged(f"{hostile}{n}", "benign", COMPLIED, category=f"{hostile}{n}") for n in range(2)]
    for model in ("m", "other"):
        add_run(store, answers, model=model, judge=hostile, dataset=hostile)
    store.close()
    ended = finished("-w", tmp_path / "workspace", "benchmark", "scores", "m", *option)
    assert ended.code == 0 and "name" in ended.out
    assert ESCAPE not in ended.out + ended.err and REVERSED not in ended.out + ended.err
