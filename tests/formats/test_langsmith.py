"""LangSmith: runs are items, feedback of the app is a person's, all other a judge's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from adjudicate.errors import InputError
from tests.formats.log_reading import lines, read, read_paths

SAID = {"good": "yes", "bad": "no", "1": "yes", "0": "no"}


def run(run_id: str = "r1", **more: Any) -> dict[str, Any]:
    return {
        "id": run_id,
        "run_type": "chain",
        "trace_id": "t",
        "parent_run_id": None,
        "inputs": {"question": "Name a tree."},
        "outputs": {"answer": "An oak."},
        "error": None,
        "extra": {"metadata": {"ls_model_name": "small", "intent": "harmful"}},
        **more,
    }


def feedback(of: str = "r1", key: str = "tree", source: str = "model", **more: Any) -> dict[str, Any]:
    return {"id": "f", "run_id": of, "key": key, "feedback_source": {"type": source}, "comment": "as asked", **more}


EXAMPLE = {"runs": [run()], "feedback": [feedback(score=1), feedback(source="app", value="bad")]}


@pytest.mark.parametrize(
    "files",
    [
        {"all.json": EXAMPLE},
        {"runs.jsonl": lines(*EXAMPLE["runs"]), "feedback.jsonl": lines(*EXAMPLE["feedback"])},
        {"feedback.json": EXAMPLE["feedback"], "runs.json": EXAMPLE["runs"]},
        {"runs.json": [run(feedback=EXAMPLE["feedback"])]},
    ],
)
def test_feedback_finds_its_run_wherever_it_stands(tmp_path: Path, files: dict[str, object]) -> None:
    found = read(tmp_path, files, outcome=SAID)
    (draft,) = found.drafts
    assert found.reader == "langsmith"
    assert (draft.source_id, draft.prompt, draft.response, draft.model) == ("r1", "Name a tree.", "An oak.", "small")
    assert [(each.judge, each.outcome, each.score, each.reason) for each in draft.verdicts] == [("tree", "yes", 1.0, "as asked")]
    assert found.labels() == [{"human": "no"}]
    assert found.findings == []


def test_feedback_without_its_runs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the file of the runs"):
        read(tmp_path, {"f.jsonl": lines(feedback(score=1))})


def test_a_correction_is_a_label_beside_the_score(tmp_path: Path) -> None:
    corrected = feedback(score=1, correction={"score": 0}, feedback_source={"type": "model", "user_name": "ann"})
    found = read(tmp_path, {"all.json": {"runs": [run()], "feedback": [corrected]}}, outcome=SAID)
    assert (found.verdicts(), found.labels()) == ([{"tree": "yes"}], [{"ann": "no"}])


def test_a_file_of_feedback_has_as_many_rows_as_it_has_records(tmp_path: Path) -> None:
    """One that is corrected says two things."""
    corrected = feedback(score=1, correction={"score": 0})
    found = read(tmp_path, {"runs.json": [run()], "f.jsonl": lines(feedback(key="tone", score=1), corrected)}, outcome=SAID)
    assert found.described == {"f.jsonl": 2}
    assert (found.verdicts(), found.labels()) == ([{"tree": "yes", "tone": "yes"}], [{"human": "no"}])


def test_a_person_may_correct_without_a_score_and_what_stands_beside_one_is_counted(tmp_path: Path) -> None:
    alone = feedback(source="app", correction="bad", comment=None)
    found = read(tmp_path, {"all.json": {"runs": [run()], "feedback": [alone]}}, outcome=SAID)
    assert (found.labels(), found.remark) == ([{"human": "no"}], "")
    both = feedback(source="app", value="good", correction="bad", comment=None)
    found = read(tmp_path, {"all.json": {"runs": [run(feedback=[both])]}}, outcome=SAID)
    assert found.labels() == [{"human": "yes"}]
    assert found.remark == "1 corrections stand beside a person's own score, which is their label: they are not read"
    comment = feedback(source="app")
    found = read(tmp_path, {"all.json": {"runs": [run()], "feedback": [comment]}})
    assert (found.labels(), found.findings, found.remark) == ([{}], [], "1 comments of people are not read")


def test_people_who_rated_several_things_have_a_label_for_each(tmp_path: Path) -> None:
    rated = [feedback(key=key, source="app", value=value) for key, value in (("tree", "good"), ("tone", "bad"))]
    found = read(tmp_path, {"all.json": {"runs": [run()], "feedback": rated}}, outcome=SAID)
    assert found.labels() == [{"human/tree": "yes", "human/tone": "no"}]
    chosen = read(tmp_path, {"all.json": {"runs": [run()], "feedback": rated}}, outcome=SAID, map={"label.a": "label.human/tree"})
    assert chosen.labels() == [{"a": "yes"}]


def test_a_trace_is_its_outermost_run_or_what_was_rated_in_it(tmp_path: Path) -> None:
    inner = run("r2", parent_run_id="r1", run_type="llm", outputs={"generations": [[{"text": "A cork oak."}]]})
    plain = read(tmp_path, {"runs.json": [run(), inner]})
    assert [draft.source_id for draft in plain.drafts] == ["r1"]
    assert "1 inner runs are left out" in plain.remark
    rated = read(tmp_path, {"all.json": {"runs": [run(), inner], "feedback": [feedback("r2", score=1)]}}, outcome=SAID)
    assert [(draft.source_id, draft.response) for draft in rated.drafts] == [("r2", "A cork oak.")]


def test_a_run_that_failed_is_named_and_feedback_astray_is_counted(tmp_path: Path) -> None:
    files = {"all.json": {"runs": [run(outputs=None, error="no network"), run("r3")], "feedback": [feedback("gone", score=1)]}}
    found = read(tmp_path, files)
    assert [(each.line, each.unit, each.field) for each in found.findings] == [(1, "run", "outputs")]
    assert "'no network'" in found.findings[0].message
    assert "1 ratings are of runs that are not in these files" in found.remark


def test_an_intent_can_be_mapped_from_the_metadata(tmp_path: Path) -> None:
    found = read(tmp_path, {"runs.json": [run()]}, set={}, map={"intent": "extra.metadata.intent"})
    assert found.drafts[0].intent == "harmful"


def test_texts_can_be_mapped_where_the_reader_finds_none(tmp_path: Path) -> None:
    """What an option says comes before what the reader would look for."""
    odd = run(inputs={}, outputs={"choices": [{"text": "An oak."}, {"text": "An elm."}]}, extra={"metadata": {"q": "Which?"}})
    plain = read(tmp_path, {"runs.json": [odd]})
    assert [each.field for each in plain.findings] == ["inputs"]
    (draft,) = read(
        tmp_path, {"runs.json": [odd]}, map={"prompt": "extra.metadata.q", "response": "outputs.choices.1.text"}
    ).drafts
    assert (draft.prompt, draft.response) == ("Which?", "An elm.")
    chat = run(inputs={"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}]}, name="Which?")
    (mapped,) = read(tmp_path, {"runs.json": [chat]}, map={"prompt": "name"}).drafts
    assert (mapped.prompt, mapped.messages) == ("Which?", None)


def test_broken_feedback_refuses_the_file_since_a_label_would_be_lost(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="rating 2, comment: expected text, found a number"):
        read(tmp_path, {"all.json": {"runs": [run()], "feedback": [feedback(score=1, comment=5)]}})


def test_messages_of_chains_are_understood(tmp_path: Path) -> None:
    kinds = [
        {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "SystemMessage"], "kwargs": {"content": "Be brief."}},
        {"type": "human", "content": "Name a tree."},
    ]
    answer = {
        "id": ["x", "AIMessage"],
        "kwargs": {"content": "", "tool_calls": [{"name": "look", "args": {}, "arguments": "{}"}]},
    }
    found = read(tmp_path, {"runs.json": [run(inputs={"messages": [kinds]}, outputs={"generations": [[{"message": answer}]]})]})
    (draft,) = found.drafts
    assert [tuple(turn) for turn in draft.messages or ()] == [("system", "Be brief."), ("user", "Name a tree.")]
    assert draft.response == "\n[tool call look({})]"


def test_a_real_batch_is_one_run(shared: Path) -> None:
    """What was posted at the start and patched at the end is one run."""
    found = read_paths([shared / "data/logs/langsmith/langsmith_py_wrap_openai_reasoning.json"])
    (draft,) = found.drafts
    assert (draft.source_id, draft.model) == ("a8b34ded-ccd2-4fb7-bccb-9cd625066a14", "o1-mini")
    assert draft.prompt.startswith("Write a bash script") and draft.response.startswith("Certainly!")
