"""LangSmith runs and feedback: what the API and its client list, as a list, as JSON lines or in one object, and ingest batches.

Feedback of the app is a person's; all other is a judge's, named by its key. A correction is what a person put in place of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from adjudicate.core.policy import Policy
from adjudicate.formats.chat_values import answered, asked
from adjudicate.formats.head_paths import begins_with, head_paths
from adjudicate.formats.import_options import ImportOptions
from adjudicate.formats.problem import RowProblem, quoted
from adjudicate.formats.record_values import Record, list_at, name_at, object_at, text_at, value_at
from adjudicate.formats.source_run import SourceRun
from adjudicate.formats.text_file import SourceFile
from adjudicate.formats.trace_files import HUMAN, Rating, Span, TraceFormat, plan_traces
from adjudicate.formats.unkept import COMMENTS

BATCH = ("post", "patch")
LISTS = ("runs", "feedback", "feedbacks", "data")
PEOPLE = frozenset({"app"})
"""Values of ``feedback_source.type`` that stand for a person at the web page."""
BESIDE = "corrections stand beside a person's own score, which is their label: they are not read"
MODEL = ("extra.metadata.ls_model_name", "extra.invocation_params.model", "extra.invocation_params.model_name", "inputs.model")
RUN_KEYS = ({"run_type", "inputs"}, {"run_type", "trace_id"}, {"run_type", "dotted_order"})
FEEDBACK_KEYS = ({"run_id", "key", "feedback_source"}, {"run_id", "key", "correction"}, {"run_id", "key", "score", "comment"})


def detect(source: SourceFile) -> bool:
    """Whether the file begins with runs or feedback of LangSmith."""
    return begins_with(head_paths(source), (*RUN_KEYS, *FEEDBACK_KEYS), (*BATCH, *LISTS))


def plan(files: Sequence[SourceFile], options: ImportOptions, policy: Policy) -> list[SourceRun]:
    """One run for each file with runs in it."""
    return plan_traces(LANGSMITH, files, options, policy)


def _unpack(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping) and "run_type" not in value and "key" not in value:
        if any(name in value for name in BATCH):
            yield from _merged(value)
            return
        if found := [name for name in LISTS if name in value]:
            for name in found:
                yield from list_at(value, name)
            return
    yield value


def _merged(batch: Record) -> Iterator[Any]:
    """Runs of an ingest batch: what is posted at the start, and patched at the end."""
    runs: dict[str, dict[str, Any]] = {}
    for name in BATCH:
        for number, each in enumerate(list_at(batch, name)):
            run = name_at(each, "id") if isinstance(each, Mapping) else None
            if run is None:
                raise RowProblem(f"{name}.{number}.id", "expected a run with an id")
            said = {key: inner for key, inner in each.items() if inner not in (None, {}, [])}
            runs[run] = {**runs.get(run, {}), **said}
    yield from runs.values()


def _span_of(run: Record) -> Span | None:
    if "run_type" not in run:
        return None
    name = name_at(run, "id")
    if name is None:
        raise RowProblem("id", "the run has no id")
    whole = bool(run.get("inputs")) and bool(run.get("outputs"))
    return Span(name, name_at(run, "parent_run_id"), run["run_type"] in ("llm", "chat_model"), whole)


def _ratings_of(record: Record) -> list[Rating]:
    if "run_type" in record:
        return [rating for each in _feedback_in(record) for rating in _ratings_of(each)]
    run = name_at(record, "run_id")
    key = text_at(record, "key")
    if run is None or key is None:
        return []
    person = _person(record) if text_at(record, "feedback_source.type") in PEOPLE else None
    score, value = record.get("score"), record.get("value")
    reason = text_at(record, "comment") or ""
    found = []
    if score is not None or value is not None or person is None:
        found.append(Rating(run, key, score if value is None else value, score, reason, person))
    correction = _corrected(record.get("correction"))
    if correction is not None and (person is None or not found):
        found.append(Rating(run, key, correction, person=_person(record)))
    return found


def _feedback_in(run: Record) -> list[Record]:
    """The feedback that a run holds itself."""
    inner = run.get("feedback")
    found = [each for each in inner if isinstance(each, Mapping)] if isinstance(inner, list) else []
    return [{"run_id": run.get("id"), **each} for each in found]


def _unkept_of(record: Record) -> list[str]:
    if "run_type" in record:
        return [what for each in _feedback_in(record) for what in _unkept_of(each)]
    if value_at(record, "feedback_source") is None or text_at(record, "feedback_source.type") not in PEOPLE:
        return []
    rated = record.get("score") is not None or record.get("value") is not None
    corrected = _corrected(record.get("correction")) is not None
    beside = [BESIDE] if rated and corrected else []
    return beside if rated or corrected or not record.get("comment") else [COMMENTS]


def _person(feedback: Record) -> str:
    source = object_at(feedback, "feedback_source")
    return text_at(source, "user_name") or name_at(source, "user_id") or HUMAN


def _corrected(correction: object) -> object:
    """What a person put in place of a judge's word: alone, or as the score or value of an object."""
    if not isinstance(correction, Mapping):
        return correction
    if correction.get("value") is not None or correction.get("score") is not None:
        return correction["value"] if correction.get("value") is not None else correction["score"]
    return next(iter(correction.values())) if len(correction) == 1 else correction or None


def _fields_of(run: Record) -> dict[str, Any]:
    return {
        "id": name_at(run, "id"),
        "asked": lambda: asked(run.get("inputs"), "inputs"),
        "response": partial(_answer, run),
        "model": next((found for path in MODEL if isinstance(found := _quietly(run, path), str)), None),
    }


def _answer(run: Record) -> str:
    outputs = run.get("outputs")
    if not outputs:
        error = text_at(run, "error")
        raise RowProblem("outputs", f"the run has no output{f': {quoted(error)}' if error else ''}")
    return answered(outputs, "outputs")


def _quietly(run: Record, path: str) -> Any:
    """A value that is good to have, wherever a version keeps it."""
    try:
        return value_at(run, path)
    except RowProblem:
        return None


LANGSMITH = TraceFormat(
    name="langsmith",
    noun="run",
    unpack=_unpack,
    span_of=_span_of,
    ratings_of=_ratings_of,
    unkept_of=_unkept_of,
    fields_of=_fields_of,
    where={
        "id": "id of the run",
        "prompt": "inputs",
        "messages": "inputs",
        "response": "outputs",
        "model": "extra.metadata.ls_model_name",
        "verdict.*": "feedback by key",
        "label.*": "feedback of the app, or correction",
    },
)
