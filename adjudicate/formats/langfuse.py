"""Langfuse traces, observations and scores: what the API lists and what the page exports, as a list, lines or one object.

Scores of source ANNOTATION are people's; those of EVAL and API are judges', named as the score is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from adjudicate.core.policy import Policy
from adjudicate.formats.chat_values import answered, asked, json_in
from adjudicate.formats.head_paths import begins_with, head_paths
from adjudicate.formats.import_options import ImportOptions
from adjudicate.formats.problem import RowProblem, quoted
from adjudicate.formats.record_values import Record, list_at, name_at, text_at
from adjudicate.formats.source_run import SourceRun
from adjudicate.formats.text_file import SourceFile
from adjudicate.formats.trace_files import HUMAN, Rating, Span, TraceFormat, plan_traces

LISTS = ("traces", "observations", "scores", "data")
PEOPLE = "ANNOTATION"
GENERATION = "GENERATION"
CORRECTION = "CORRECTION"
"""A score that holds another answer in place of the model's, and no class."""
CORRECTIONS = "corrected answers are texts in place of the model's, and no class: they are not read"
TRACE_KEYS = (
    {"input", "userId", "sessionId", "timestamp"}, {"input", "bookmarked", "tags", "timestamp"}, {"input", "htmlPath"},
    {"input", "output", "observations", "scores"},
)  # fmt: skip
OBSERVATION_KEYS = ({"traceId", "type", "input"}, {"traceId", "parentObservationId"})
CAMEL = {
    "trace_id": "traceId", "observation_id": "observationId", "parent_observation_id": "parentObservationId",
    "session_id": "sessionId", "user_id": "userId", "author_user_id": "authorUserId", "string_value": "stringValue",
    "data_type": "dataType", "status_message": "statusMessage", "provided_model_name": "model",
}  # fmt: skip
"""How exports to a bucket spell what the API spells otherwise."""
SCORE_KEYS = ({"traceId", "name", "value", "source"}, {"traceId", "name", "value", "dataType"}, {"name", "stringValue", "source"})


def detect(source: SourceFile) -> bool:
    """Whether the file begins with traces, observations or scores of Langfuse."""
    return begins_with(map(_camel, head_paths(source)), (*TRACE_KEYS, *OBSERVATION_KEYS, *SCORE_KEYS), LISTS)


def _camel(path: str) -> str:
    start, dot, key = path.rpartition(".")
    return f"{start}{dot}{CAMEL.get(key, key)}"


def plan(files: Sequence[SourceFile], options: ImportOptions, policy: Policy) -> list[SourceRun]:
    """One run for each file with traces in it."""
    return plan_traces(LANGFUSE, files, options, policy)


def _unpack(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping) and "input" not in value and (found := [name for name in LISTS if name in value]):
        for name in found:
            for each in list_at(value, name):
                yield from _with_inner(each)
        return
    yield from _with_inner(value)


def _with_inner(value: Any) -> Iterator[Any]:
    """A trace and the observations inside it; the list endpoint gives their ids only."""
    if not isinstance(value, Mapping):
        yield value
    else:
        yield _in_camel(value)
        observations = value.get("observations")
        for each in observations if isinstance(observations, list) else []:
            if isinstance(each, Mapping):
                yield {"traceId": value.get("id"), **_in_camel(each)}


def _in_camel(record: Record) -> Record:
    return {**{CAMEL[key]: inner for key, inner in record.items() if key in CAMEL}, **record}


def _is_score(record: Record) -> bool:
    return "name" in record and ("value" in record or "stringValue" in record) and ("dataType" in record or "source" in record)


def _span_of(record: Record) -> Span | None:
    if _is_score(record) or not ("input" in record or "output" in record or "traceId" in record):
        return None
    name = name_at(record, "id")
    if name is None:
        raise RowProblem("id", "it has no id")
    parent = name_at(record, "parentObservationId") or name_at(record, "traceId")
    whole = record.get("input") is not None and record.get("output") is not None
    return Span(name, parent, record.get("type") == GENERATION, whole)


def _scores_in(trace: Record) -> list[Record]:
    inner = trace.get("scores")
    return [each for each in inner if isinstance(each, Mapping)] if isinstance(inner, list) else []


def _ratings_of(record: Record) -> list[Rating]:
    if not _is_score(record):
        return [rating for each in _scores_in(record) for rating in _ratings_of({"traceId": record.get("id"), **each})]
    of = name_at(record, "observationId") or name_at(record, "traceId") or name_at(record, "subject.id")
    name = text_at(record, "name")
    if of is None or name is None or record.get("dataType") == CORRECTION:
        return []
    word, value = record.get("stringValue"), record.get("value")
    raw = word if word is not None and (record.get("dataType") == "CATEGORICAL" or value is None) else value
    person = (name_at(record, "authorUserId") or HUMAN) if record.get("source") == PEOPLE else None
    return [Rating(of, name, raw, value, text_at(record, "comment") or "", person)]


def _unkept_of(record: Record) -> list[str]:
    if not _is_score(record):
        return [what for each in _scores_in(record) for what in _unkept_of(each)]
    return [CORRECTIONS] if record.get("dataType") == CORRECTION else []


def _fields_of(record: Record) -> dict[str, Any]:
    return {
        "id": name_at(record, "id"),
        "asked": lambda: asked(record.get("input"), "input"),
        "response": partial(_answer, record),
        "model": text_at(record, "model"),
    }


def _answer(record: Record) -> str:
    output = record.get("output")
    if output is None:
        said = text_at(record, "statusMessage")
        raise RowProblem("output", f"there is no output{f': {quoted(said)}' if said else ''}")
    return answered(_message_in(output), "output")


def _message_in(output: Any) -> Any:
    """An answer that was exported as the JSON text of a message."""
    value = json_in(output) if isinstance(output, str) else None
    return value if isinstance(value, Mapping) and value.keys() >= {"role", "content"} else output


LANGFUSE = TraceFormat(
    name="langfuse",
    noun="trace",
    unpack=_unpack,
    span_of=_span_of,
    ratings_of=_ratings_of,
    unkept_of=_unkept_of,
    fields_of=_fields_of,
    where={
        "id": "id of the trace or observation",
        "prompt": "input",
        "messages": "input",
        "response": "output",
        "model": "model of the observation",
        "verdict.*": "scores of source EVAL and API",
        "label.*": "scores of source ANNOTATION",
    },
)
