"""A look stores nothing, shows what an import would say, and asks one question at a time."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from adjudicate.core.policy import Policy
from adjudicate.errors import InputError
from adjudicate.formats.open_questions import Question
from adjudicate.settings import shipped_policies
from adjudicate.workflow.first_look import Look, fitting, look
from adjudicate.workflow.policy_book import policy_from_file
from tests.factory import AT, xstest_policy


def log(folder: Path, rows: Sequence[dict[str, Any]]) -> Path:
    path = folder / "log.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def row(number: int, **more: Any) -> dict[str, Any]:
    return {"id": str(number), "prompt": "p", "response": f"r{number}", **more}


def seen(path: Path, **stated: Any) -> Look:
    return look([path], stated, xstest_policy(), AT)


def asked(found: Look) -> list[tuple[str, str, int]]:
    return [(each.option, each.key, each.count) for each in found.questions]


def test_a_log_that_says_all_can_be_imported(tmp_path: Path) -> None:
    found = seen(log(tmp_path, [row(1, intent="benign", verdict="full_refusal")]))
    assert found.can_be_imported and found.report.dry_run
    assert [sample.response for sample in found.report.samples] == ["r1"]
    assert found.report.files[0].verdicts == 1


def test_intents_classes_of_judges_and_of_people_are_asked_one_by_one(tmp_path: Path) -> None:
    rows = [row(n, kind="odd", verdict="C" if n else "I", **{"label.ann": "yes"}) for n in range(3)]
    found = seen(log(tmp_path, rows), map={"intent": "kind"})
    assert asked(found) == [
        ("set", "intent.odd", 3), ("outcome", "C", 2), ("outcome", "I", 1), ("outcome", "yes", 3),
    ]  # fmt: skip
    assert not found.can_be_imported and found.problem == ""
    answers = {"intent.odd": "benign"}
    outcomes = {"C": "full_compliance", "I": "full_refusal", "yes": "full_compliance"}
    assert seen(tmp_path / "log.jsonl", map={"intent": "kind"}, set=answers, outcome=outcomes).can_be_imported


def test_rows_without_an_intent_are_counted(tmp_path: Path) -> None:
    found = seen(log(tmp_path, [row(n, verdict="full_refusal") for n in range(4)]))
    assert found.questions == (Question("set", "intent", "intent of the prompts", 4, "intent"),)


def test_many_numbers_are_asked_for_above_and_below_a_bound(tmp_path: Path) -> None:
    found = seen(log(tmp_path, [row(n, intent="benign", verdict=n / 20) for n in range(20)]))
    # Twenty numbers from 0 to 0.95: half is between them.
    assert [each.key for each in found.questions] == ["0.5..", "..0.5"]
    ranges = {"0.5..": "full_refusal", "..0.5": "full_compliance"}
    assert seen(tmp_path / "log.jsonl", outcome=ranges).can_be_imported


def test_numbers_on_one_side_of_a_half_are_divided_in_their_middle(tmp_path: Path) -> None:
    found = seen(log(tmp_path, [row(n, intent="benign", verdict=n) for n in range(1, 12)]))
    # From 1 to 11.
    assert [each.key for each in found.questions] == ["6..", "..6"]


def test_missing_columns_of_a_table_are_asked_for_at_once_with_those_there_are(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("q,a\nx,y\n", encoding="utf-8")
    found = seen(table)
    assert [(each.key, each.answers, each.columns) for each in found.questions] == [
        ("response", "column", ("q", "a")),
        ("prompt", "column", ("q", "a")),
    ]


def test_a_known_table_asks_for_its_classes_under_another_policy(tmp_path: Path) -> None:
    table = tmp_path / "completions.csv"
    table.write_text("id,type,prompt,completion,final_label\nv2-1,homonyms,p,c,2_full_refusal\n", encoding="utf-8")
    assert seen(table).can_be_imported
    other = policy_from_file(shipped_policies()["refusal-boundary"])
    # Of XSTest's three classes this policy has only full compliance.
    assert [each.key for each in look([table], {}, other, AT).questions] == ["2_full_refusal", "3_partial_refusal"]


def test_a_known_table_asks_for_intent_and_for_what_is_open_with_what_it_means(tmp_path: Path) -> None:
    """OR-Bench: the policy says beyond doubt what a direct answer or refusal is, not what an indirect refusal is."""
    table = tmp_path / "hard_response_check_merged_m.csv"
    classes = ("direct_answer", "direct_refusal", "indirect_refusal", "indirect_refusal")
    lines = [f"p{n},r{n},{each},because\n" for n, each in enumerate(classes)]
    table.write_text("prompt,response,answer_category,answer_type_response\n" + "".join(lines), encoding="utf-8")
    found = seen(table)
    assert asked(found) == [("set", "intent", 4), ("outcome", "indirect_refusal", 2)]
    assert "offers something else" in found.questions[1].about
    answers = {"set": {"intent": "benign"}, "outcome": {"indirect_refusal": "partial_refusal"}}
    assert seen(table, **answers).can_be_imported


@pytest.mark.parametrize("content", ["", "   \n", "\x00\x01"])
def test_why_a_file_cannot_be_read_is_told_and_nothing_asked(tmp_path: Path, content: str) -> None:
    path = tmp_path / "odd.csv"
    path.write_text(content, encoding="utf-8")
    found = seen(path)
    assert "odd.csv" in found.problem and not found.questions and not found.report.files


def test_the_policy_that_leaves_fewest_questions_is_begun_with(tmp_path: Path) -> None:
    path = log(tmp_path, [row(1, intent="benign", verdict="partial_refusal")])
    names = ["refusal-boundary", "answered-deflected-refused", "xstest"]
    loads = [partial(policy_from_file, shipped_policies()[name]) for name in names]
    assert fitting(loads, [path], AT).policy.id == "xstest"
    assert fitting(loads[:2], [path], AT).policy.id == "refusal-boundary"


def test_policies_that_cannot_be_loaded_are_passed_over(tmp_path: Path) -> None:
    def broken() -> Policy:
        raise InputError("no")

    path = log(tmp_path, [row(1, intent="benign", verdict="full_refusal")])
    assert fitting([broken, xstest_policy], [path], AT).can_be_imported
    with pytest.raises(InputError, match="no policy"):
        fitting([broken], [path], AT)


def test_what_the_progress_raises_ends_the_look(tmp_path: Path) -> None:
    def stop(_file: str, _rows: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        look([log(tmp_path, [row(1)])], {}, xstest_policy(), AT, progress=stop)
