"""lm-evaluation-harness: `samples_<task>_<date>.jsonl`, with the `results_<date>.json` of the same run, which names the model.

The harness writes a line for each filter of a document; lines of one document with the same prompt and responses are one item.
What a filter's metric gave is a verdict, called as the harness calls it: ``exact_match,strict-match``.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from typing import Any

from adjudicate.core.policy import Policy
from adjudicate.errors import Finding
from adjudicate.formats.chat_values import asked
from adjudicate.formats.found_rows import FoundRow
from adjudicate.formats.head_paths import head_paths
from adjudicate.formats.import_options import ImportOptions, Outcomes, Said
from adjudicate.formats.json_document import document
from adjudicate.formats.jsonl import line_end
from adjudicate.formats.log_records import LogRecord, laid_out, line_records, part_of, row_of
from adjudicate.formats.problem import RowProblem, json_text, kind_of
from adjudicate.formats.record_values import Record, list_at, name_at, number_of, text_at, value_at
from adjudicate.formats.source_run import Part, Rows, SourceRun
from adjudicate.formats.text_file import SourceFile
from adjudicate.formats.unkept import Unkept

SAMPLE_KEYS = frozenset({"doc_id", "doc", "arguments", "resps"})
BEFORE_PROMPT = frozenset({"doc_id", "doc"})
RESULTS_KEYS = frozenset({"results", "configs", "versions", "n-shot"})
OWN_KEYS = frozenset({
    "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", "doc_hash", "prompt_hash",
    "target_hash", "task_name", "schema",
})  # fmt: skip
"""Keys of a line that hold no metric, for versions that do not list the metrics."""
NO_FILTER = (None, "", "none")
LOGLIKELIHOOD = (
    "a multiple-choice document: resps holds log-probabilities of given answers, and no text of the model that could be labelled"
)
ONLY_RESULTS = (
    "lm-evaluation-harness results of a whole run, without the documents: give the samples_*.jsonl beside it"
    " (written with --log_samples)"
)
OF_ALL = "values of metrics stand for several responses together and for none of them alone: they are not read as verdicts"
WHERE = {
    "id": "doc_id",
    "prompt": "arguments.gen_args_0.arg_0",
    "messages": "arguments.gen_args_0.arg_0",
    "response": "resps",
    "model": "model_name of results_*.json",
    "verdict.*": "metrics and filter",
}
_NAMED = re.compile(r"(?:samples_(?P<task>.+)|results)_(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9.-]+)")


@dataclass(slots=True)
class _Document:
    """What all lines of one document say together."""

    line: int
    """Its first."""
    attempt: int = 1
    """Which of several answers to the same prompt it is; a harness that repeats a task writes its documents again."""
    verdicts: dict[str, Any] = field(default_factory=dict)


def detect(source: SourceFile) -> bool:
    """Whether the file begins like samples or results of the harness."""
    paths = head_paths(source)
    # A long document or prompt may push the responses out of sight.
    cut = paths >= BEFORE_PROMPT and "resps" not in paths and source.name.startswith("samples_")
    return paths >= SAMPLE_KEYS or cut or _is_results(paths)


def plan(files: Sequence[SourceFile], options: ImportOptions, policy: Policy) -> list[SourceRun]:
    """One run for each samples file; results files name their models."""
    outcomes = Outcomes(policy, options.outcomes)
    results = [source for source in files if _is_results(head_paths(source))]
    samples = [source for source in files if source not in results]
    if not samples:
        raise results[0].refused(ONLY_RESULTS)
    # Results without samples of their time stand with the first run, so that they are seen.
    by_run = {_date(source): source for source in reversed(samples) if _date(source)}
    beside: dict[SourceFile, list[SourceFile]] = defaultdict(list)
    for source in results:
        beside[by_run.get(_date(source), samples[0])].append(source)
    models = {date: _model(source) for source in results if (date := _date(source)) is not None}
    runs = []
    for source in samples:
        unkept = Unkept()
        rows = partial(_rows, source, models.get(_date(source) or ("", "")), unkept)
        layout = {"line_end": line_end(source)}
        part = part_of(source, rows, options, outcomes, where=WHERE, unit="line", layout=layout, unkept=unkept)
        task = _named(source, "task") or source.stem
        described = tuple(Part(each, _no_rows, described=1) for each in beside[source])
        runs.append(SourceRun(_base(source), task, (*described, part)))
    return runs


def _is_results(paths: frozenset[str]) -> bool:
    return paths >= RESULTS_KEYS or {"results", "config", "config.model", "config.model_args"} <= paths


def _base(source: SourceFile) -> str:
    return source.name.removesuffix(".gz").removesuffix(".zst").removesuffix(".jsonl").removesuffix(".json")


def _named(source: SourceFile, part: str) -> str | None:
    match = _NAMED.fullmatch(_base(source))
    return match[part] if match else None


def _date(source: SourceFile) -> tuple[str, str] | None:
    """Folder and time of a run, which its files share."""
    date = _named(source, "date")
    return None if date is None else (str(source.path.parent), date)


def _model(source: SourceFile) -> str | None:
    value = document(source)
    try:
        named = text_at(value, "model_name") or text_at(value, "config.model_args.pretrained")
        return named or text_at(value, "config.model")
    except RowProblem as problem:
        raise source.refused(f"{problem.field}: {problem.message}") from None


def _no_rows() -> Rows:
    """Results hold no documents."""
    yield from ()


def _rows(source: SourceFile, model: str | None, unkept: Unkept) -> Iterator[FoundRow | Finding]:
    documents: dict[bytes, _Document] = {}
    attempts: Counter[bytes] = Counter()
    for record in line_records(source):
        if isinstance(record, LogRecord):
            _note(record, documents, attempts)
    return laid_out(line_records(source), partial(_laid_out, documents, model, unkept), "line")


def _key(record: LogRecord, *names: str) -> bytes:
    """Tells documents apart: lines that give one id to different prompts are not joined, and the import says so."""
    value = record.value
    shown = json_text([value.get(name) for name in names or ("doc_id", "arguments", "resps")])
    return sha256(shown.encode("utf-8", "surrogatepass")).digest()


def _note(record: LogRecord, documents: dict[bytes, _Document], attempts: Counter[bytes]) -> None:
    key = _key(record)
    if key not in documents:
        asked_before = _key(record, "doc_id", "arguments")
        attempts[asked_before] += 1
        documents[key] = _Document(record.place, attempts[asked_before])
    found = documents[key]
    try:
        for name, value in _metrics(record.value).items():
            # The same filter again is the same line again.
            found.verdicts.setdefault(name, value)
    except RowProblem:
        # Told when the line itself is read.
        return


def _metrics(line: Record) -> dict[str, Any]:
    listed = line.get("metrics")
    names = list(line.keys() - OWN_KEYS) if listed is None else list_at(line, "metrics")
    filtered = text_at(line, "filter")
    suffix = "" if filtered in NO_FILTER else f",{filtered}"
    found = {}
    for name in sorted(map(str, names)):
        value = line.get(name)
        if listed is not None or isinstance(value, int | float):
            found[f"{name}{suffix}"] = value
    return found


def _laid_out(documents: Mapping[bytes, _Document], model: str | None, unkept: Unkept, record: LogRecord) -> Iterator[FoundRow]:
    line = record.value
    _metrics(line)
    joined = documents[_key(record)]
    if joined.line != record.place:
        return
    responses = _responses(line)
    name = name_at(line, "doc_id")
    if name is not None and joined.attempt > 1:
        name = f"{name}#{joined.attempt}"
    several = len(responses) > 1
    for value in joined.verdicts.values():
        if several and value is not None and not _is_of_each(value, len(responses)):
            unkept.note(OF_ALL)
    for place, response in enumerate(responses):
        row = row_of(
            line,
            id=f"{name}#{place + 1}" if several and name is not None else name,
            asked=partial(_asked, line),
            response=response,
            model=model,
            verdicts=dict(_verdicts(joined.verdicts, place, len(responses))),
        )
        yield FoundRow(record.place, row, record.text)


def _verdicts(values: Mapping[str, Any], place: int, of: int) -> Iterator[tuple[str, Said]]:
    """What the metrics said of one of several responses."""
    for judge, value in values.items():
        if of == 1 or _is_of_each(value, of):
            own = value if of == 1 else value[place]
            yield judge, Said(own, score=number_of(own))


def _is_of_each(value: Any, of: int) -> bool:
    """Whether a metric has a value for each of several responses; one for all of them says nothing of any."""
    return isinstance(value, list) and len(value) == of


def _asked(line: Record) -> dict[str, Any]:
    arguments = line.get("arguments")
    path = "arguments.gen_args_0.arg_0" if isinstance(arguments, Mapping) else "arguments.0.0"
    found = value_at(line, path)
    if found is None:
        raise RowProblem(path, "there is no prompt: name its place with '--map prompt=PATH', such as doc.question")
    return asked(found, path)


def _responses(line: Record) -> list[str]:
    """One text for each attempt."""
    groups = list_at(line, "resps")
    if not groups:
        raise RowProblem("resps", "there is no response")
    first = groups[0]
    if len(groups) > 1 or not isinstance(first, list | str):
        # Each group is one request; several are the choices of a question, whose likelihoods were asked for.
        raise RowProblem("resps", LOGLIKELIHOOD)
    attempts = [first] if isinstance(first, str) else first
    for number, attempt in enumerate(attempts):
        if isinstance(attempt, list | float | int) and not isinstance(attempt, bool):
            raise RowProblem("resps", LOGLIKELIHOOD)
        if not isinstance(attempt, str):
            raise RowProblem(f"resps.0.{number}", f"expected text, found {kind_of(attempt)}")
    if not attempts:
        raise RowProblem("resps", "there is no response")
    return attempts
