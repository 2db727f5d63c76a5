"""Langfuse: traces are items, annotations are people's scores, evaluations and the API's are judges'."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from adjudicate.errors import InputError
from tests.formats.log_reading import lines, read

SAID = {"good": "yes", "bad": "no", "0.5..": "yes", "..0.5": "no"}


def trace(**more: Any) -> dict[str, Any]:
    return {
        "id": "t1",
        "name": "ask",
        "timestamp": "2026-01-01T00:00:00Z",
        "userId": None,
        "sessionId": None,
        "input": {"messages": [{"role": "user", "content": "Name a tree."}]},
        "output": {"role": "assistant", "content": "An oak."},
        "metadata": {"intent": "harmful"},
        **more,
    }


def score(source: str = "EVAL", **more: Any) -> dict[str, Any]:
    base = {"id": "s", "traceId": "t1", "observationId": None, "name": "tree", "dataType": "NUMERIC", "comment": "why"}
    return {**base, "source": source, "value": 1, **more}


PERSON = score("ANNOTATION", dataType="CATEGORICAL", value=0, stringValue="bad", authorUserId="ann")
EXAMPLE = {"traces": [trace()], "scores": [score(value=0.9), PERSON]}


@pytest.mark.parametrize(
    "files",
    [
        {"all.json": EXAMPLE},
        {"traces.json": {"data": EXAMPLE["traces"], "meta": {}}, "scores.json": {"data": EXAMPLE["scores"], "meta": {}}},
        {"traces.jsonl": lines(*EXAMPLE["traces"]), "scores.jsonl": lines(*EXAMPLE["scores"])},
        {"traces.json": [trace(scores=EXAMPLE["scores"], observations=[])]},
    ],
)
def test_scores_find_their_trace_wherever_they_stand(tmp_path: Path, files: dict[str, object]) -> None:
    found = read(tmp_path, files, outcome=SAID)
    (draft,) = found.drafts
    assert found.reader == "langfuse"
    assert (draft.source_id, draft.prompt, draft.response) == ("t1", "Name a tree.", "An oak.")
    assert [(each.judge, each.outcome, each.score, each.reason) for each in draft.verdicts] == [("tree", "yes", 0.9, "why")]
    assert (found.labels(), found.findings) == ([{"ann": "no"}], [])


def test_exports_to_a_bucket_spell_their_keys_otherwise(tmp_path: Path) -> None:
    spelled = {
        "trace_id": "t1",
        "string_value": "bad",
        "data_type": "CATEGORICAL",
        "author_user_id": "ann",
        "source": "ANNOTATION",
    }
    exported = {"id": "t1", "timestamp": "t", "user_id": None, "session_id": None, "input": "Name a tree.", "output": "An oak."}
    files = {"traces.jsonl": lines(exported), "scores.jsonl": lines({"id": "s", "name": "tree", "value": None, **spelled})}
    found = read(tmp_path, files, outcome=SAID)
    assert ([draft.response for draft in found.drafts], found.labels()) == (["An oak."], [{"ann": "no"}])


def test_a_generation_that_was_scored_is_the_item_of_its_trace(tmp_path: Path) -> None:
    inner = {"id": "o1", "type": "GENERATION", "input": "Name a tree.", "output": "An elm.", "model": "small"}
    content = [trace(observations=[inner], scores=[score(observationId="o1")])]
    found = read(tmp_path, {"t.json": content}, outcome=SAID)
    assert [(draft.source_id, draft.response, draft.model) for draft in found.drafts] == [("o1", "An elm.", "small")]


def test_a_trace_without_texts_has_those_of_its_generations(tmp_path: Path) -> None:
    inner = [{"id": f"o{n}", "type": "GENERATION", "input": "Name a tree.", "output": f"Tree {n}."} for n in (1, 2)]
    found = read(tmp_path, {"t.json": [trace(input=None, output=None, observations=inner)]})
    assert [draft.source_id for draft in found.drafts] == ["o1", "o2"]


def test_a_corrected_answer_is_no_class(tmp_path: Path) -> None:
    corrected = score("ANNOTATION", dataType="CORRECTION", value=0, stringValue="A cork oak.")
    for content in ({"traces": [trace()], "scores": [corrected]}, [trace(scores=[corrected])]):
        found = read(tmp_path, {"t.json": content})
        assert (found.labels(), found.findings) == ([{}], [])
        assert found.remark == "1 corrected answers are texts in place of the model's, and no class: they are not read"


def test_what_is_not_kept_of_scores_is_counted(tmp_path: Path) -> None:
    """A number outside 0 to 1 and a person's comment; the judge's comment is its reason."""
    found = read(tmp_path, {"t.json": {"traces": [trace()], "scores": [score(value=7), PERSON]}}, outcome={"7": "yes", **SAID})
    assert (found.verdicts(), found.labels()) == ([{"tree": "yes"}], [{"ann": "no"}])
    assert "1 scores are outside 0 to 1" in found.remark
    assert "1 comments of people are not read" in found.remark


def test_messages_exported_as_text_are_read(tmp_path: Path) -> None:
    texts = {"input": '{"messages": [{"role": "user", "content": "Hi"}]}', "output": '{"role": "assistant", "content": "Ho"}'}
    (draft,) = read(tmp_path, {"t.json": [trace(**texts)]}).drafts
    assert (draft.prompt, draft.response) == ("Hi", "Ho")


def test_a_call_without_output_is_named_and_metadata_can_be_mapped(tmp_path: Path) -> None:
    files = {"t.json": [trace(), trace(id="t2", output=None, statusMessage="rate limit")]}
    found = read(tmp_path, files, set={}, map={"intent": "metadata.intent"})
    assert [draft.intent for draft in found.drafts] == ["harmful"]
    assert [(each.line, each.field) for each in found.findings] == [(2, "output")]
    assert "'rate limit'" in found.findings[0].message


def test_scores_of_something_else_than_a_trace_are_counted(tmp_path: Path) -> None:
    session = score(traceId=None, sessionId="s")
    alone = read(tmp_path, {"traces.json": [trace()], "scores.json": [score(), session]}, outcome=SAID)
    assert "1 records among the ratings are of no trace" in alone.remark
    together = read(tmp_path, {"all.json": {"traces": [trace()], "scores": [session]}})
    assert "neither a trace nor a rating of one" in together.findings[0].message


def test_a_broken_line_among_the_scores_refuses_the_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"scores\.jsonl: line 2: .*cut off"):
        read(tmp_path, {"traces.json": [trace()], "scores.jsonl": lines(score()) + '{"id": "s2", "name'})


def test_two_labels_of_one_person_are_not_chosen_between(tmp_path: Path) -> None:
    found = read(tmp_path, {"t.json": {"traces": [trace()], "scores": [PERSON, PERSON]}}, outcome=SAID)
    assert (found.drafts, [each.field for each in found.findings]) == ([], ["label.ann"])
