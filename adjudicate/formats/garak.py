"""garak reports (`*.report.jsonl`): lines of several kinds, of which attempts hold what a probe sent and the target answered.

An attempt is written when it was sent and again when its detectors were done: the line of the highest status counts. Every
output of an attempt is an item, and every detector a judge whose raw score stays as it is (1.0 is a hit).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from typing import Any

from adjudicate.core.policy import Policy
from adjudicate.errors import Finding
from adjudicate.formats.chat_values import asked
from adjudicate.formats.found_rows import FoundRow
from adjudicate.formats.head_paths import head_paths
from adjudicate.formats.import_options import ImportOptions, Outcomes, Said
from adjudicate.formats.log_records import LogRecord, laid_out, line_records, part_of, place_json, row_of
from adjudicate.formats.problem import RowProblem, json_text, kind_of
from adjudicate.formats.record_values import Record, list_at, name_at, number_of, object_at, text_at, value_at
from adjudicate.formats.source_run import SourceRun, finding
from adjudicate.formats.text_file import SourceFile

ATTEMPT = "attempt"
TARGET = ("plugins.target_name", "plugins.model_name", "plugins.target_type", "plugins.model_type")
"""Keys of the setup line that name the target, as newer and older versions call it."""
WHERE = {
    "id": "uuid",
    "prompt": "prompt",
    "messages": "prompt.turns or conversations",
    "response": "outputs[]",
    "model": "plugins.target_name of the setup line",
    "category": "probe_classname",
    "verdict.*": "detector_results",
}


def detect(source: SourceFile) -> bool:
    """Whether the first line says what kind of entry it is, as garak does."""
    paths = head_paths(source)
    return "entry_type" in paths and (
        {"status", "probe_classname"} <= paths
        or "_config.version" in paths
        or "garak_version" in paths
        or {"probe", "detector"} <= paths
    )


def plan(files: Sequence[SourceFile], options: ImportOptions, policy: Policy) -> list[SourceRun]:
    """One run a file."""
    outcomes = Outcomes(policy, options.outcomes)
    runs = []
    for source in files:
        part = part_of(source, partial(_rows, source), options, outcomes, where=WHERE, unit="line")
        # The tool's own names begin with its name and a dot, so the name is cut at its end.
        name = source.name
        for suffix in (".gz", ".zst", ".jsonl", ".report"):
            name = name.removesuffix(suffix)
        runs.append(SourceRun(name, "garak", (part,)))
    return runs


def _rows(source: SourceFile) -> Iterator[FoundRow | Finding]:
    last, model = _look_through(source)
    for record in line_records(source):
        if isinstance(record, Finding):
            yield record
            continue
        kind = record.value.get("entry_type")
        if kind == ATTEMPT and last.get(_key(record.value)) == record.place:
            yield from laid_out(iter([record]), partial(_laid_out, model), "line")
        elif not isinstance(kind, str):
            yield finding(RowProblem("entry_type", f"expected the kind of entry, found {kind_of(kind)}"), record.place)


def _look_through(source: SourceFile) -> tuple[dict[bytes, int], str | None]:
    """Line of the last word on each attempt, and the target's name."""
    last: dict[bytes, tuple[float, int]] = {}
    model = None
    for record in line_records(source):
        if isinstance(record, Finding):
            continue
        if record.value.get("entry_type") == ATTEMPT:
            key, status = _key(record.value), record.value.get("status")
            # By status and not by place, since lines of a report may have been shuffled.
            said = (status if isinstance(status, int | float) else 0, record.place)
            last[key] = max(said, last.get(key, said))
        elif model is None:
            model = next((found for key in TARGET if isinstance(found := record.value.get(key), str) and found), None)
    return {key: place for key, (_, place) in last.items()}, model


def _key(attempt: Record) -> bytes:
    """An attempt's uuid; in reports without it, what it sent and got."""
    uuid = attempt.get("uuid")
    known = uuid if uuid is not None else [attempt.get(name) for name in ("probe_classname", "seq", "prompt", "outputs")]
    return sha256(json_text(known).encode("utf-8", "surrogatepass")).digest()


def _laid_out(model: str | None, record: LogRecord) -> Iterator[FoundRow]:
    attempt = record.value
    outputs = list_at(attempt, "outputs")
    if not outputs:
        raise RowProblem("outputs", "the target gave no output")
    uuid = name_at(attempt, "uuid")
    detectors = object_at(attempt, "detector_results")
    for number, output in enumerate(outputs):
        response = _text(output, f"outputs.{number}")
        row = row_of(
            attempt,
            id=uuid if uuid is None or len(outputs) == 1 else f"{uuid}#{number + 1}",
            asked=partial(_asked, attempt, number),
            response=response,
            model=model,
            category=text_at(attempt, "probe_classname"),
            verdicts={name: _said(scores, number, name) for name, scores in detectors.items()},
        )
        yield FoundRow(record.place, row, place_json(line=record.place, output=number))


def _text(output: Any, field: str) -> str:
    if isinstance(output, str):
        return output
    text = text_at(output, "text") if isinstance(output, Mapping) else None
    if text is not None:
        return text
    if isinstance(output, Mapping) and output.get("data_path") is not None:
        return f"[{text_at(output, 'data_type') or 'file'}]"
    raise RowProblem(field, f"the target gave no output: found {kind_of(output)}, expected text")


def _asked(attempt: Record, number: int) -> dict[str, Any]:
    """The conversation that led to an output, where it has more turns than were sent first; else what was sent."""
    prompt = attempt.get("prompt")
    if not isinstance(prompt, Mapping) or "turns" not in prompt:
        # A text, a message or a list of them, as versions before conversations wrote it.
        return asked(prompt, "prompt")
    turns = list_at(attempt, "prompt.turns")
    conversations = list_at(attempt, "conversations")
    if number < len(conversations):
        spoken = list_at(attempt, f"conversations.{number}.turns")
        if len(spoken) > len(turns) + 1 and text_at(spoken[-1], "role") == "assistant":
            turns = spoken[:-1]
    if not turns:
        raise RowProblem("prompt", f"expected text or turns, found {kind_of(prompt)}")
    return {
        "messages": [
            {"role": text_at(turn, "role"), "content": _text(value_at(turn, "content"), "prompt.turns")} for turn in turns
        ]
    }


def _said(scores: Any, number: int, detector: str) -> Said:
    """A detector's raw score; none is a judge that failed."""
    if not isinstance(scores, list):
        raise RowProblem(f"detector_results.{detector}", f"expected a list of scores, found {kind_of(scores)}")
    score = scores[number] if number < len(scores) else None
    if isinstance(score, list) and len(score) == 1:
        # Of the only answer of a conversation.
        score = score[0]
    return Said(score, score=number_of(score))
