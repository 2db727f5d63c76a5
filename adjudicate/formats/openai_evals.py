"""OpenAI evals (`oaieval --record_path`): one event a line, joined by sample.

The first line names the run (`spec`), one may hold its `final_report`; events of samples that ran side by side stand mixed up.
Where a model graded the sample, its own sampling comes last: the answer is the one before it, and its words are the reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from adjudicate.core.policy import Policy
from adjudicate.errors import Finding
from adjudicate.formats.chat_values import answered, asked
from adjudicate.formats.found_rows import FoundRow
from adjudicate.formats.head_paths import head_paths
from adjudicate.formats.import_options import ImportOptions, Outcomes, Said
from adjudicate.formats.log_records import LogRecord, laid_out, line_records, numbered, part_of, place_json, row_of
from adjudicate.formats.problem import RowProblem, quoted
from adjudicate.formats.record_values import Record, list_at, name_at, number_of, object_at, text_at, value_at
from adjudicate.formats.source_run import SourceRun
from adjudicate.formats.text_file import DOCUMENT_LIMIT, MEGABYTE, SourceFile, limit

EVENT_KEYS = frozenset({"run_id", "event_id", "sample_id", "type", "data"})
SPEC_KEYS = frozenset({"spec", "spec.completion_fns", "spec.eval_name"})
INVALID = "__invalid__"
"""What the harness writes where it found no choice in the grader's reply."""
NOT_OF_JUDGE = frozenset({"metascore"})
"""Metrics that compare the judge with a label, and are no verdict."""
WHERE = {
    "id": "sample_id",
    "prompt": "sampling data.prompt",
    "messages": "sampling data.prompt",
    "response": "sampling data.sampled",
    "model": "spec.completion_fns",
    "verdict.*": "match and metrics events",
}


@dataclass(slots=True)
class _Sample:
    """All events of one sample."""

    line: int
    """The first of them."""
    name: str | None
    run: str | None
    events: dict[str, list[tuple[int, Record]]] = field(default_factory=dict)
    """Number and data of its events, by type."""

    def data(self, kind: str) -> list[Record]:
        """The data of the events of a type, in their order."""
        return [data for _, data in sorted(self.events.get(kind, []), key=lambda event: event[0])]


def detect(source: SourceFile) -> bool:
    """Whether the first line is a run's specification or an event."""
    paths = head_paths(source)
    return paths >= SPEC_KEYS or paths >= EVENT_KEYS


def plan(files: Sequence[SourceFile], options: ImportOptions, policy: Policy) -> list[SourceRun]:
    """One run a file."""
    outcomes = Outcomes(policy, options.outcomes)
    runs = []
    for source in files:
        if source.size > (most := limit(DOCUMENT_LIMIT)) * MEGABYTE:
            raise source.refused(
                f"more than {most:,} MB of events, which have to stand in memory to be joined: set {DOCUMENT_LIMIT}"
            )
        part = part_of(source, partial(_rows, source), options, outcomes, where=WHERE, unit="line")
        runs.append(SourceRun(source.stem, source.stem, (part,)))
    return runs


def _rows(source: SourceFile) -> Iterator[FoundRow | Finding]:
    models: dict[str | None, str] = {}
    samples: dict[tuple[str | None, str | None], _Sample] = {}
    yield from laid_out(line_records(source), partial(_note, models, samples), "line")
    joined = (LogRecord(sample.line, {"sample": sample}) for sample in samples.values())
    yield from laid_out(joined, partial(_laid_out, models), "line")


def _note(models: dict[str | None, str], samples: dict[Any, _Sample], record: LogRecord) -> Iterator[FoundRow]:
    """Remember an event; it makes no row by itself."""
    event = record.value
    if "spec" in event:
        functions = list_at(event, "spec.completion_fns")
        if functions and isinstance(functions[0], str):
            models[name_at(event, "spec.run_id")] = functions[0]
        return
    if "final_report" in event and "type" not in event:
        return
    kind = text_at(event, "type")
    if kind is None:
        raise RowProblem("type", "expected an event with type, sample_id and data, a spec or a final_report")
    name, run = name_at(event, "sample_id"), name_at(event, "run_id")
    if name is None:
        # Events of the run as a whole.
        return
    order = event.get("event_id")
    sample = samples.setdefault((run, name), _Sample(record.place, name, run))
    place = order if isinstance(order, int) else record.place
    sample.events.setdefault(kind, []).append((place, object_at(event, "data")))
    yield from ()


def _laid_out(models: Mapping[str | None, str], record: LogRecord) -> Iterator[FoundRow]:
    sample: _Sample = record.value["sample"]
    graded = any(data.get("choice") is not None for data in sample.data("metrics"))
    exchange = _exchange(sample, graded=graded)
    data = {kind: (found[0] if len(found) == 1 else found) for kind in sample.events if (found := sample.data(kind))}
    row = row_of(
        data,
        id=sample.name,
        asked=lambda: asked(exchange.get("prompt"), "data.prompt"),
        response=lambda: answered(exchange.get("sampled"), "data.sampled"),
        model=models.get(sample.run) or (next(iter(models.values())) if len(models) == 1 else None),
        verdicts=_verdicts(sample, graded=graded),
    )
    yield FoundRow(record.place, row, place_json(sample_id=sample.name, run_id=sample.run))


def _exchange(sample: _Sample, *, graded: bool) -> Record:
    """The sampling of the answer, with what it lacks from other events."""
    samplings = sample.data("sampling")
    answers = samplings[:-1] if graded and len(samplings) > 1 else samplings
    match = next(iter(sample.data("match")), {})
    if not answers and match.get("sampled") is None:
        error = next((text_at(data, "message") for data in sample.data("error")), None)
        raise RowProblem("sampling", f"no answer was sampled{f': {quoted(error)}' if error else ''}")
    last: Record = answers[-1] if answers else match
    prompt = last.get("prompt")
    if prompt is None:
        prompt = next((value_at(data, "input") for data in sample.data("raw_sample")), None)
    sampled = last.get("sampled", match.get("sampled"))
    return {"prompt": prompt, "sampled": sampled}


def _verdicts(sample: _Sample, *, graded: bool) -> dict[str, Said]:
    found: dict[str, Said] = {}
    for data in sample.data("match"):
        found[numbered(found, "match")] = Said(data.get("correct"))
    for data in sample.data("metrics"):
        choice = data.get("choice")
        if choice is not None:
            raw = None if choice == INVALID else choice
            found[numbered(found, "choice")] = Said(raw, _graders_words(sample), number_of(data.get("score")))
        elif not graded:
            for name, value in data.items():
                if isinstance(value, int | float) and name not in NOT_OF_JUDGE:
                    found[numbered(found, name)] = Said(value, score=number_of(value))
    return found


def _graders_words(sample: _Sample) -> str:
    samplings = sample.data("sampling")
    return answered(samplings[-1].get("sampled", ""), "data.sampled") if len(samplings) > 1 else ""
