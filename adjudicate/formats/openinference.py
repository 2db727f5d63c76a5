"""OpenInference spans (Phoenix and others) and Phoenix's annotations; also spans of the AI SDK and of OpenTelemetry's own names.

Exports nest their attributes, flatten them to dotted names, or list them as key and value; all are flattened here first.
Annotations of kind HUMAN are people's; those of LLM and CODE are judges', by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from adjudicate.core.policy import Policy
from adjudicate.formats.chat_values import answered, asked, json_in
from adjudicate.formats.head_paths import begins_with, head_paths
from adjudicate.formats.import_options import ImportOptions
from adjudicate.formats.problem import RowProblem, kind_of, quoted
from adjudicate.formats.record_values import Record, list_at, name_at, text_at
from adjudicate.formats.source_run import SourceRun
from adjudicate.formats.text_file import SourceFile
from adjudicate.formats.trace_files import HUMAN, Rating, Span, TraceFormat, plan_traces

MARKS = ("openinference.span.kind", "llm.input_messages", "llm.output_messages", "ai.operationId", "gen_ai.")
"""Beginnings of attributes by which a span tells that it is one of these."""
LISTS = ("data", "spans", "annotations", "span_annotations")
INNER_RATINGS = ("annotations", "span_annotations")
SPAN_ID = ("spanContext.spanId", "context.span_id", "spanId", "span_id")
TRACE_ID = ("spanContext.traceId", "context.trace_id", "traceId", "trace_id")
PARENT_ID = ("parentSpanId", "parent_id", "parentId", "parentSpanContext.spanId", "parent_span_id")
KIND = ("openinference.span.kind", "span_kind")
MODEL = ("llm.model_name", "ai.model.id", "ai.response.model", "gen_ai.response.model", "gen_ai.request.model")
ASKED = ("ai.prompt.messages", "ai.prompt", "gen_ai.input.messages", "input.value", "llm.prompts.0", "llm.prompts.0.prompt.text")
ANSWERED = ("ai.response.text", "ai.response.object", "ai.response.toolCalls", "gen_ai.output.messages", "output.value")
STATUS = ("status.message", "status_message", "exception.message")
_CONTENT = re.compile(r"contents\.([0-9]+)\.message_content\.(type|text)")
_CALL = re.compile(r"tool_calls\.([0-9]+)\.(?:tool_call\.)?function\.(name|arguments)")
DEEPEST = 12


def detect(source: SourceFile) -> bool:
    """Whether the file begins with spans that carry such attributes, or with annotations of spans."""
    paths = head_paths(source)
    if any(mark in path for path in paths for mark in MARKS) or "resourceSpans[].scopeSpans" in paths:
        return True
    return begins_with(paths, (("annotator_kind", span) for span in ("span_id", "context.span_id", "trace_id")), LISTS)


def plan(files: Sequence[SourceFile], options: ImportOptions, policy: Policy) -> list[SourceRun]:
    """One run for each file with spans in it."""
    return plan_traces(OPENINFERENCE, files, options, policy)


def _unpack(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping) and "resourceSpans" in value:
        yield from _otlp(value)
    elif isinstance(value, Mapping) and not _is_span(value) and not _is_rating(value):
        found = [name for name in LISTS if name in value]
        for name in found:
            yield from list_at(value, name)
        if not found:
            yield value
    else:
        yield value


def _otlp(value: Record) -> Iterator[Any]:
    """Spans of OpenTelemetry's own JSON, whose attributes are a list of keys with typed values."""
    for outer in list_at(value, "resourceSpans"):
        for scope in list_at(outer, "scopeSpans"):
            for span in list_at(scope, "spans"):
                if not isinstance(span, Mapping):
                    yield span
                    continue
                pairs = [each for each in list_at(span, "attributes") if isinstance(each, Mapping)]
                yield {**span, "attributes": {str(each.get("key")): _typed(each.get("value")) for each in pairs}}


def _typed(value: Any) -> Any:
    return next(iter(value.values())) if isinstance(value, Mapping) and len(value) == 1 else value


def _is_rating(record: Record) -> bool:
    return "annotator_kind" in record or "annotatorKind" in record


def _is_span(record: Record) -> bool:
    return not _is_rating(record) and (
        "attributes" in record or any(key.startswith((*MARKS, "attributes.", "input.value")) for key in record)
    )


def _flat(record: Record) -> dict[str, Any]:
    """The attributes of a span by dotted name, wherever they stand, and what stands beside them."""
    found: dict[str, Any] = {}
    _flatten({key: value for key, value in record.items() if key != "attributes" and key not in INNER_RATINGS}, "", found, 0)
    attributes = record.get("attributes")
    if attributes is not None and not isinstance(attributes, Mapping):
        raise RowProblem("attributes", f"expected an object, found {kind_of(attributes)}")
    _flatten(attributes or {}, "", found, 0)
    return {key.removeprefix("attributes."): value for key, value in found.items()}


def _flatten(value: Any, name: str, found: dict[str, Any], depth: int) -> None:
    inner: Iterator[tuple[str, Any]]
    if depth < DEEPEST and isinstance(value, Mapping) and value:
        inner = ((str(key), each) for key, each in value.items())
    elif depth < DEEPEST and isinstance(value, list) and value and isinstance(value[0], Mapping):
        inner = ((str(number), each) for number, each in enumerate(value))
    else:
        found[name] = value
        return
    for key, each in inner:
        _flatten(each, f"{name}.{key}" if name else key, found, depth + 1)


def _first(flat: Record, names: Sequence[str]) -> str | None:
    for name in names:
        if flat.get(name) not in (None, ""):
            return name_at({"found": flat[name]}, "found")
    return None


def _span_of(record: Record) -> Span | None:
    if not _is_span(record):
        return None
    flat = _flat(record)
    kind = (_first(flat, KIND) or "").upper()
    whole = _has(flat, ASKED, "llm.input_messages") and _has(flat, ANSWERED, "llm.output_messages")
    # A span that was written as attributes only has no id.
    return Span(_first(flat, SPAN_ID) or "", _first(flat, PARENT_ID), kind == "LLM", whole)


def _has(flat: Record, names: Sequence[str], messages: str) -> bool:
    return any(flat.get(name) is not None for name in names) or any(key.startswith(f"{messages}.") for key in flat)


def _ratings_of(record: Record) -> list[Rating]:
    if not _is_rating(record):
        flat = _flat(record) if _is_span(record) else {}
        span = _first(flat, SPAN_ID)
        inner = [each for name in INNER_RATINGS for each in _mappings(record.get(name))]
        return [rating for each in inner for rating in _ratings_of({"annotator_kind": "LLM", "span_id": span, **each})]
    flat = {}
    _flatten(record, "", flat, 0)
    of = _first(flat, (*SPAN_ID, *TRACE_ID))
    name = _first(flat, ("name", "annotation_name"))
    if of is None or name is None:
        return []
    label, score = (flat.get(f"result.{key}", flat.get(key)) for key in ("label", "score"))
    reason = flat.get("result.explanation", flat.get("explanation"))
    kind = (_first(flat, ("annotator_kind", "annotatorKind")) or "").upper()
    person = (
        (_first(flat, ("user.username", "username", "user_id", "userId", "identifier")) or HUMAN) if kind == "HUMAN" else None
    )
    return [Rating(of, name, score if label in (None, "") else label, score, reason if isinstance(reason, str) else "", person)]


def _mappings(value: Any) -> list[Record]:
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def _fields_of(record: Record) -> dict[str, Any]:
    flat = _flat(record)
    return {
        "id": _first(flat, SPAN_ID),
        "asked": partial(_asked, flat),
        "response": partial(_answered, flat),
        "model": _first(flat, MODEL),
    }


def _asked(flat: Record) -> dict[str, Any]:
    if messages := _messages(flat, "llm.input_messages"):
        return {"messages": messages}
    if messages := _messages(flat, "gen_ai.prompt"):
        return {"messages": messages}
    name = next((name for name in ASKED if flat.get(name) is not None), "input.value")
    value = flat.get(name)
    inner = json_in(value) if isinstance(value, str) else None
    return asked(value if inner is None else inner, name)


def _answered(flat: Record) -> str:
    for prefix in ("llm.output_messages", "gen_ai.completion"):
        if messages := _messages(flat, prefix):
            return answered(messages[-1], prefix)
    name = next((name for name in ANSWERED if flat.get(name) is not None), None)
    if name is None:
        said = _first(flat, STATUS)
        raise RowProblem("output.value", f"the span has no output{f': {quoted(said)}' if said else ''}")
    value = flat[name]
    # The text of an answer may be JSON itself; a logged response object is not the model's own words.
    inner = json_in(value) if isinstance(value, str) and name != "ai.response.text" else None
    return answered(value if inner is None else inner, name)


def _messages(flat: Record, prefix: str) -> list[dict[str, Any]]:
    """Messages out of flattened attributes: role, content or contents, and calls of tools."""
    by_number: dict[int, dict[str, Any]] = {}
    for key, value in flat.items():
        if key.startswith(f"{prefix}."):
            number, _, rest = key[len(prefix) + 1 :].partition(".")
            if number.isdecimal():
                by_number.setdefault(int(number), {})[rest.removeprefix("message.")] = value
    return [_message(by_number[number], f"{prefix}.{number}") for number in sorted(by_number)]


def _message(said: Record, field: str) -> dict[str, Any]:
    role = text_at({"role": said.get("role")}, "role") or "assistant"
    parts: dict[int, dict[str, Any]] = {}
    calls: dict[int, dict[str, Any]] = {}
    for key, value in said.items():
        if match := _CONTENT.fullmatch(key):
            parts.setdefault(int(match[1]), {})[match[2]] = value
        elif match := _CALL.fullmatch(key):
            calls.setdefault(int(match[1]), {})[match[2]] = value
    content = said.get("content")
    if content is None and parts:
        content = [{"type": "text" if "text" in part else "image", **part} for _, part in sorted(parts.items())]
    if content is None and not calls:
        raise RowProblem(field, "the message has no content")
    return {"role": role, "content": content, **({"tool_calls": [calls[number] for number in sorted(calls)]} if calls else {})}


OPENINFERENCE = TraceFormat(
    name="openinference",
    noun="span",
    unpack=_unpack,
    span_of=_span_of,
    ratings_of=_ratings_of,
    fields_of=_fields_of,
    where={
        "id": "span id",
        "prompt": "input messages or input.value",
        "messages": "input messages or input.value",
        "response": "output messages or output.value",
        "model": "llm.model_name",
        "verdict.*": "annotations of kind LLM and CODE",
        "label.*": "annotations of kind HUMAN",
    },
)
