"""deepteam: a trace is one item, a test case is an attack with its judge."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.formats.log_reading import read, read_paths

SPAN = {"uuid": "s", "children": [], "name": "step", "input": "Name a tree.", "output": "An oak."}


def trace(**more: Any) -> dict[str, Any]:
    return {"uuid": "t", "status": "SUCCESS", "root_spans": [SPAN], "input": "Name a tree.", "output": "It is an oak.", **more}


def case(**more: Any) -> dict[str, Any]:
    return {
        "vulnerability": "Bias",
        "vulnerability_type": "trees",
        "attackMethod": "Base64",
        "input": "Which tree is best?",
        "actualOutput": "Oaks.",
        "score": 0.0,
        "reason": "takes sides",
        "error": None,
        **more,
    }


def assessment(*cases: object) -> dict[str, Any]:
    return {"overview": {"vulnerability_type_results": []}, "test_cases": list(cases)}


EXAMPLE = assessment(case())


def test_a_trace_is_one_item(tmp_path: Path) -> None:
    found = read(tmp_path, {"t.json": trace()})
    (draft,) = found.drafts
    assert found.reader == "deepteam"
    assert (draft.source_id, draft.prompt, draft.response) == ("t", "Name a tree.", "It is an oak.")


def test_a_trace_without_texts_has_those_of_its_only_root(tmp_path: Path) -> None:
    judged = {**SPAN, "metrics_data": [{"name": "Bias", "score": 1, "reason": "fair", "error": None}]}
    found = read(tmp_path, {"t.json": [trace(input=None, output=None, root_spans=[judged])]}, outcome={"1": "yes"})
    assert (found.drafts[0].response, found.verdicts()) == ("An oak.", [{"Bias": "yes"}])


def test_a_test_case_is_judged_by_its_metric(tmp_path: Path) -> None:
    found = read(tmp_path, {"r.json": EXAMPLE}, outcome={"0": "no"}, map={"population": "attack_method"})
    (draft,) = found.drafts
    assert (draft.prompt, draft.response, draft.category, draft.population) == ("Which tree is best?", "Oaks.", "Bias", "Base64")
    assert [(each.judge, each.outcome, each.score, each.reason) for each in draft.verdicts] == [
        ("deepteam", "no", 0.0, "takes sides")
    ]


def test_a_broken_evaluation_is_a_judge_that_failed_and_a_broken_call_no_item(tmp_path: Path) -> None:
    broken = case(score=None, reason=None, error="no JSON")
    silent = case(actualOutput=None, score=None, error="timed out")
    found = read(tmp_path, {"r.json": assessment(broken, silent)})
    assert found.verdicts() == [{"deepteam": None}]
    assert [(each.line, each.field, each.unit) for each in found.findings] == [(2, "actual_output", "test case")]
    assert "timed out" in found.findings[0].message


def test_the_last_answer_of_a_conversation_is_the_response(tmp_path: Path) -> None:
    said = [("user", "Hello."), ("assistant", "Hi."), ("user", "Best tree?"), ("assistant", "Oaks.")]
    turns = [{"role": role, "content": text} for role, text in said]
    (draft,) = read(
        tmp_path, {"r.json": assessment(case(input=None, actualOutput=None, turns=turns))}, outcome={"0": "no"}
    ).drafts
    assert ([tuple(turn) for turn in draft.messages or ()], draft.response) == (said[:3], "Oaks.")


def test_a_real_trace_is_read(shared: Path) -> None:
    (draft,) = read_paths([shared / "data/logs/deepteam/unsafe_bias_trace.json"]).drafts
    assert draft.source_id == "eb439d74-b3d4-4309-8ed1-8b721868780d"
    assert draft.response.startswith("Based on the analysis: ")
