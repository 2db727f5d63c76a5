"""OpenInference spans in every form of their attributes, and Phoenix's annotations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.formats.log_reading import lines, read, read_paths

SAID = {"good": "yes", "bad": "no"}
ATTRIBUTES = {
    "openinference.span.kind": "LLM",
    "llm.model_name": "small",
    "llm.input_messages.0.message.role": "user",
    "llm.input_messages.0.message.content": "Name a tree.",
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.content": "An oak.",
    "metadata": '{"x": 1}',
}
NESTED = {
    "openinference": {"span": {"kind": "LLM"}},
    "llm": {
        "model_name": "small",
        "input_messages": [{"message": {"role": "user", "content": "Name a tree."}}],
        "output_messages": [{"message": {"role": "assistant", "content": "An oak."}}],
    },
}
FRAME = {
    "context.span_id": "s1",
    "span_kind": "LLM",
    "parent_id": None,
    "attributes.llm.model_name": "small",
    "attributes.llm.input_messages": [{"message.role": "user", "message.content": "Name a tree."}],
    "attributes.llm.output_messages": [{"message.role": "assistant", "message.content": "An oak."}],
}
OTLP = {
    "resourceSpans": [
        {
            "scopeSpans": [
                {
                    "spans": [
                        {
                            "traceId": "t",
                            "spanId": "s1",
                            "attributes": [{"key": key, "value": {"stringValue": value}} for key, value in ATTRIBUTES.items()],
                        }
                    ]
                }
            ]
        }
    ]
}


def span(name: str = "s1", **more: Any) -> dict[str, Any]:
    return {"name": "ask", "context": {"span_id": name, "trace_id": "t"}, "parent_id": None, "attributes": ATTRIBUTES, **more}


def annotation(kind: str = "LLM", **more: Any) -> dict[str, Any]:
    said = {"label": "good", "score": 0.8, "explanation": "a tree"}
    return {"id": "a", "span_id": "s1", "name": "tree", "annotator_kind": kind, "result": said, **more}


EXAMPLE = {"spans": [span()], "annotations": [annotation(), annotation("HUMAN", result={"label": "bad"}, user_id="ann")]}


@pytest.mark.parametrize(
    "content",
    [[span()], {"data": [span()]}, [span(attributes=NESTED)], [FRAME], OTLP, lines(FRAME), lines(span())],
)
def test_attributes_are_found_in_every_form(tmp_path: Path, content: object) -> None:
    found = read(tmp_path, {"spans.jsonl" if isinstance(content, str) else "spans.json": content})
    (draft,) = found.drafts
    assert found.reader == "openinference"
    assert (draft.source_id, draft.prompt, draft.response, draft.model) == ("s1", "Name a tree.", "An oak.", "small")


@pytest.mark.parametrize(
    "files",
    [
        {"all.json": EXAMPLE},
        {"spans.json": EXAMPLE["spans"], "annotations.json": {"data": EXAMPLE["annotations"]}},
        {"spans.json": [span(annotations=EXAMPLE["annotations"])]},
        {
            "spans.json": EXAMPLE["spans"],
            "frame.jsonl": lines(
                {
                    "span_id": "s1",
                    "name": "tree",
                    "annotator_kind": "LLM",
                    "label": "good",
                    "score": 0.8,
                    "explanation": "a tree",
                },
                {"span_id": "s1", "name": "tree", "annotator_kind": "HUMAN", "label": "bad", "user_id": "ann"},
            ),
        },
    ],
)
def test_annotations_are_split_by_who_made_them(tmp_path: Path, files: dict[str, object]) -> None:
    found = read(tmp_path, files, outcome=SAID)
    (draft,) = found.drafts
    assert [(each.judge, each.outcome, each.score, each.reason) for each in draft.verdicts] == [("tree", "yes", 0.8, "a tree")]
    assert found.labels() == [{"ann": "no"}]


def test_a_chain_shows_what_went_in_and_out(tmp_path: Path) -> None:
    """Values in JSON are looked into; the calls inside are left out and counted."""
    values = {
        "input.value": '{"question": "Name a tree."}',
        "output.value": '{"answer": "An oak."}',
        "openinference.span.kind": "CHAIN",
    }
    found = read(tmp_path, {"s.json": [span("root", attributes=values), span("inner", parent_id="root")]})
    assert [(draft.source_id, draft.prompt, draft.response) for draft in found.drafts] == [("root", "Name a tree.", "An oak.")]
    assert "1 inner spans are left out" in found.remark


def test_a_trace_without_texts_has_those_of_its_models(tmp_path: Path) -> None:
    root = span("root", attributes={"openinference.span.kind": "CHAIN"})
    found = read(tmp_path, {"s.json": [root, span("inner", parent_id="root")]})
    assert [draft.source_id for draft in found.drafts] == ["inner"]


def test_a_span_without_output_is_named(tmp_path: Path) -> None:
    failed = {key: value for key, value in ATTRIBUTES.items() if "output" not in key}
    found = read(tmp_path, {"s.json": [span(attributes=failed, status={"message": "refused connection"}), span("s2")]})
    assert [(each.line, each.unit) for each in found.findings] == [(1, "span")]
    assert "'refused connection'" in found.findings[0].message


def test_pictures_and_calls_become_marks(tmp_path: Path) -> None:
    prefix = "llm.input_messages.0.message"
    attributes = {
        "openinference.span.kind": "LLM",
        f"{prefix}.role": "user",
        f"{prefix}.contents.0.message_content.type": "text",
        f"{prefix}.contents.0.message_content.text": "What is it? ",
        f"{prefix}.contents.1.message_content.type": "image",
        f"{prefix}.contents.1.message_content.image.image.url": "data:image/png;base64,AAAA",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "look",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": "{}",
    }
    (draft,) = read(tmp_path, {"s.json": [span(attributes=attributes)]}).drafts
    assert (draft.prompt, draft.response) == ("What is it? [image]", "[tool call look({})]")


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ({"gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": "Hi"}, {"gen_ai.completion.0.content": "Ho"}),
        (
            {"gen_ai.input.messages": json.dumps([{"role": "user", "parts": [{"type": "text", "content": "Hi"}]}])},
            {"gen_ai.output.messages": json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": "Ho"}]}])},
        ),
        ({"ai.prompt": '{"prompt": "Hi"}'}, {"ai.response.text": "Ho"}),
        ({"input.value": "Hi"}, {"output.value": "Ho"}),
    ],
)
def test_other_names_for_the_same_are_known(tmp_path: Path, asked: dict[str, str], answered: dict[str, str]) -> None:
    content = [span(attributes={"gen_ai.request.model": "small", **asked, **answered})]
    (draft,) = read(tmp_path, {"s.json": content}).drafts
    assert (draft.prompt, draft.response, draft.model) == ("Hi", "Ho", "small")


def test_real_spans_are_read(shared: Path) -> None:
    """One span of attributes only, with a call in its conversation; two spans of the AI SDK, one of them a conversation."""
    folder = shared / "data/logs/openinference"
    (alone,) = read_paths([folder / "openinference_client_span_tool_calls.json"]).drafts
    assert [turn.role for turn in alone.messages or ()] == ["user", "assistant", "tool"]
    assert "[tool call get_weather(" in (alone.messages or ())[1].content
    assert (alone.source_id, alone.model) == (None, "gpt-4-0613")
    found = read_paths([folder / "ai-generateText.json"])
    assert [(draft.source_id, len(draft.messages or ())) for draft in found.drafts] == [
        ("648be1dfd8e521b6", 0),
        ("d3661934fbcf93fd", 4),
    ]
    assert found.findings == []
