"""Logs of Inspect: `.eval` archives, read member by member, and whole logs in JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from adjudicate.core.policy import Policy
from adjudicate.core.text import shortened, visible_line
from adjudicate.errors import Finding
from adjudicate.formats.fields import FieldMap
from adjudicate.formats.import_options import NAMED, ImportOptions, Outcomes
from adjudicate.formats.inspect_archive import RawSample
from adjudicate.formats.inspect_log import InspectLog, is_archive, open_log
from adjudicate.formats.inspect_sample import SampleReader, decoded, kept
from adjudicate.formats.json_document import first_keys
from adjudicate.formats.problem import RowProblem
from adjudicate.formats.source_run import Part, Rows, SourceRun
from adjudicate.formats.text_file import SourceFile

NAME = "inspect"
FURTHER_KEYS = frozenset({"version", "status", "plan", "results", "stats", "samples"})
"""Outermost keys of a log in JSON beside ``eval``. Old logs lack some of them."""
FEWEST_KEYS = 2
SHOWN_MEMBER = 120

WHERE = {"id": "id and epoch", "prompt": "input", "messages": "messages", "response": "output", "model": "eval.model"}
"""Where the fields of an item stand in a sample."""


def detect(source: SourceFile) -> bool:
    """Whether the file is an archive of Inspect's, or begins with the keys of its JSON."""
    if is_archive(source):
        return True
    if b'"eval"' not in source.head:
        return False
    found = set(first_keys(source))
    return "eval" in found and len(found & FURTHER_KEYS) >= FEWEST_KEYS


def plan(files: Sequence[SourceFile], options: ImportOptions, policy: Policy) -> list[SourceRun]:
    """One run a log.

    Raises:
        InputError: A log is damaged, is no log of Inspect, or holds no sample.
    """
    outcomes = Outcomes(policy, options.outcomes)
    runs = []
    for source in files:
        log = open_log(source)
        if not log.count:
            status = visible_line(log.status)
            raise source.without_items(f"the log holds no samples (status {status}): there is nothing to label in it")
        reading = _Reading(
            log, SampleReader(options, log.spec, log.several_epochs), FieldMap(options, outcomes, cells_are_text=False)
        )
        part = Part(
            source,
            partial(_rows, reading),
            reading.fields.check_seen,
            taken=partial(_taken, reading, options),
            unsaid=reading.fields.unsaid,
            remark="; ".join(log.remarks),
        )
        name = " ".join(filter(None, (log.task, log.model))) or source.stem
        runs.append(SourceRun(name, log.dataset or source.stem, (part,), labels_from="edited scores"))
    return runs


@dataclass(frozen=True, slots=True)
class _Reading:
    """What one log is read with."""

    log: InspectLog
    samples: SampleReader
    fields: FieldMap


def _rows(reading: _Reading) -> Rows:
    if not reading.log.finished:
        # Of the file as a whole: the remark says how far the run came.
        yield Finding(0, reading.log.header, "it does not say that the run ended: what was not logged yet is missing here")
    for place, raw in enumerate(reading.log.samples(), start=1):
        try:
            sample = decoded(raw.data)
            yield reading.fields.draft(reading.samples.row(sample), place, partial(_kept, kept(sample)))
        except RowProblem as problem:
            yield Finding(place, _field(raw, problem), problem.message, "sample")


def _kept(text: str, _prompt: str, _response: str) -> str:
    return text


def _field(raw: RawSample, problem: RowProblem) -> str:
    return ", ".join(filter(None, (shortened(raw.member, SHOWN_MEMBER), visible_line(problem.field))))


def _taken(reading: _Reading, options: ImportOptions) -> Mapping[str, str]:
    """Where each field was found, with what a person has to know of it."""
    samples = reading.samples
    found = {
        name: WHERE.get(name, where) if name not in options.columns and name not in options.constants else where
        for name, where in reading.fields.taken().items()
        if not NAMED.fullmatch(name) or name in options.columns
    }
    if found.pop("messages", None) == WHERE["messages"]:
        found["prompt"] = "messages before the answer"
    if "response" in found and (notes := list(_notes(samples))):
        found["response"] += f" ({'; '.join(notes)})"
    chosen = {column: name for name, column in options.columns.items()}
    for path in dict.fromkeys((*samples.judges, *samples.unscored)):
        name = chosen.get(path, f"verdict.{path.removeprefix('scores.').replace('.value', '', 1)}")
        unscored = samples.unscored[path]
        found[visible_line(name)] = visible_line(path) + (f" ({unscored:,} samples unscored)" if unscored else "")
    if samples.edited:
        found["label"] = "scores edited by people (history)"
    return found


def _notes(samples: SampleReader) -> Sequence[str]:
    return [
        *([f"{samples.without_output:,} samples without output"] if samples.without_output else []),
        *([f"{samples.ended_after_answer:,} samples ended with an error after it"] if samples.ended_after_answer else []),
    ]
