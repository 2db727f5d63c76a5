"""OpenAI evals: events are joined by sample, and a grader's own sampling is not the answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.formats.log_reading import lines, read, read_paths

SPEC = {"spec": {"completion_fns": ["small"], "eval_name": "trees.dev.v0", "run_config": {}, "run_id": "r1"}}
REPORT = {"final_report": {"accuracy": 0.5}}


def event(number: int, sample: str, kind: str, **data: Any) -> dict[str, Any]:
    return {
        "run_id": "r1",
        "event_id": number,
        "sample_id": sample,
        "type": kind,
        "data": data,
        "created_by": "",
        "created_at": "",
    }


EXAMPLE = lines(
    SPEC,
    REPORT,
    event(1, "s.2", "match", correct=False, expected="elm", picked=None, sampled="An oak."),
    event(0, "s.2", "sampling", prompt="Name an elm.", sampled="An oak."),
    event(2, "s.1", "sampling", prompt=[{"role": "user", "content": "Name an oak."}], sampled=["A cork oak."]),
    event(3, "s.1", "match", correct=True, expected="oak", picked="oak"),
)


def test_events_are_joined_in_whatever_order_they_stand(tmp_path: Path) -> None:
    found = read(tmp_path, {"log.jsonl": EXAMPLE + "\n\n"}, outcome={"true": "yes", "false": "no"})
    assert found.reader == "openai_evals"
    assert [(draft.source_id, draft.prompt, draft.response, draft.model) for draft in found.drafts] == [
        ("s.2", "Name an elm.", "An oak.", "small"),
        ("s.1", "Name an oak.", "A cork oak.", "small"),
    ]
    assert found.verdicts() == [{"match": "no"}, {"match": "yes"}]
    assert found.findings == []


def test_a_graded_sample_keeps_subject_and_grader_apart(tmp_path: Path) -> None:
    """The events of two samples are mixed; the grader's words become the reason, and its comparison with a label no verdict."""
    content = lines(
        SPEC,
        event(0, "s.0", "sampling", prompt="Name a tree.", sampled="An oak."),
        event(1, "s.1", "sampling", prompt="Name a bush.", sampled="A hazel."),
        event(2, "s.0", "sampling", prompt="Is it a tree?", sampled="It is. Y"),
        event(4, "s.0", "metrics", choice="Y", score=1.0, metascore=1.0),
        event(3, "s.1", "sampling", prompt="Is it a bush?", sampled="Cannot say"),
        event(5, "s.1", "metrics", choice="__invalid__", score=0.0),
    )
    found = read(tmp_path, {"log.jsonl": content}, outcome={"Y": "yes"})
    assert [(draft.prompt, draft.response) for draft in found.drafts] == [
        ("Name a tree.", "An oak."),
        ("Name a bush.", "A hazel."),
    ]
    assert found.verdicts() == [{"choice": "yes"}, {"choice": None}]
    assert [(each.reason, each.score) for draft in found.drafts for each in draft.verdicts] == [
        ("It is. Y", 1.0),
        ("Cannot say", 0.0),
    ]


def test_numbers_without_a_choice_are_judges_by_name(tmp_path: Path) -> None:
    content = lines(event(0, "s", "sampling", prompt="p", sampled="r"), event(1, "s", "metrics", f1=0.75, metascore=1))
    assert read(tmp_path, {"log.jsonl": content}, outcome={"0.5..": "yes"}).verdicts() == [{"f1": "yes"}]


def test_a_sample_that_was_never_answered_is_named(tmp_path: Path) -> None:
    content = lines(
        event(0, "a", "error", type="Timeout", message="took too long"), event(1, "b", "sampling", prompt="p", sampled="r")
    )
    found = read(tmp_path, {"log.jsonl": content})
    assert len(found.drafts) == 1
    assert [(each.line, each.field) for each in found.findings] == [(1, "sampling")]
    assert "took too long" in found.findings[0].message


def test_the_prompt_may_stand_in_the_raw_sample_only(tmp_path: Path) -> None:
    content = lines(
        event(0, "a", "raw_sample", input="Name a tree.", ideal="oak"), event(1, "a", "match", correct=True, sampled="Oak.")
    )
    found = read(tmp_path, {"log.jsonl": content}, outcome={"true": "yes"}, map={"category": "raw_sample.ideal"})
    (draft,) = found.drafts
    assert (draft.prompt, draft.response, draft.category) == ("Name a tree.", "Oak.", "oak")


def test_a_real_log_is_read_whole(shared: Path) -> None:
    """Three samples, each with a sampling and a match event; one of three is correct, as the final report says."""
    found = read_paths([shared / "data/logs/openai_evals/auto_gpt_test-match.jsonl"], outcome={"true": "yes", "false": "no"})
    assert [draft.source_id for draft in found.drafts] == ["test-match.s1.2", "test-match.s1.1", "test-match.s1.0"]
    assert [each["match"] for each in found.verdicts()] == ["no", "yes", "no"]
    assert {draft.model for draft in found.drafts} == {"auto_gpt_completion_fn"}
