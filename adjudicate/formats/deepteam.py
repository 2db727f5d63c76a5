"""deepteam and deepeval: risk assessments (`test_cases`), and traces of one session (`root_spans`).

A test case is an attack with the target's answer, and its metric is a judge (1 passed, 0 failed). A trace is one item: what went
into the session and what came out of it; its inner spans are steps of the system, and its metrics, if any, are judges.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from adjudicate.core.policy import Policy
from adjudicate.errors import Finding
from adjudicate.formats.chat_values import answered, asked
from adjudicate.formats.found_rows import FoundRow
from adjudicate.formats.head_paths import head_paths
from adjudicate.formats.import_options import ImportOptions, Outcomes, Said
from adjudicate.formats.json_document import document
from adjudicate.formats.log_records import LogRecord, Records, laid_out, numbered, part_of, place_json, records, row_of
from adjudicate.formats.problem import RowProblem, quoted
from adjudicate.formats.record_values import Record, list_at, name_at, number_of, objects_at, text_at
from adjudicate.formats.source_run import SourceRun
from adjudicate.formats.text_file import SourceFile

JUDGE = "deepteam"
TRACE_KEYS = frozenset({"uuid", "root_spans"})
ASSESSMENT_KEYS = frozenset({"overview", "test_cases"})
WHERE = {
    "id": "uuid",
    "prompt": "input",
    "messages": "turns or input",
    "response": "output or actual_output",
    "category": "vulnerability",
    "verdict.*": "score or metrics_data",
}


def detect(source: SourceFile) -> bool:
    """Whether the file begins like a trace or a risk assessment."""
    paths = head_paths(source)
    if paths >= TRACE_KEYS or paths >= {f"[].{key}" for key in TRACE_KEYS}:
        return True
    return paths >= ASSESSMENT_KEYS or ("overview.vulnerability_type_results" in paths)


def plan(files: Sequence[SourceFile], options: ImportOptions, policy: Policy) -> list[SourceRun]:
    """One run a file."""
    outcomes = Outcomes(policy, options.outcomes)
    runs = []
    for source in files:
        is_trace = "root_spans" in head_paths(source) or "[].root_spans" in head_paths(source)
        rows, unit = (partial(_traces, source), "trace") if is_trace else (partial(_cases, source), "test case")
        part = part_of(source, rows, options, outcomes, where=WHERE, unit=unit)
        runs.append(SourceRun(source.stem, source.stem, (part,)))
    return runs


def _traces(source: SourceFile) -> Iterator[FoundRow | Finding]:
    return laid_out(records(source), _trace, "trace")


def _trace(record: LogRecord) -> Iterator[FoundRow]:
    trace = record.value
    spans = objects_at(trace, "root_spans")
    # A trace that was not given its own texts has those of its only root.
    outer = trace if trace.get("input") is not None or len(spans) != 1 else spans[0]
    row = row_of(
        trace,
        id=name_at(trace, "uuid"),
        asked=lambda: asked(outer.get("input"), "input"),
        response=lambda: answered(outer.get("output"), "output"),
        verdicts=_metrics(trace) or _metrics(outer),
    )
    yield FoundRow(record.place, row, place_json(trace=record.place))


def _metrics(of: Record) -> dict[str, Said]:
    found: dict[str, Said] = {}
    for metric in objects_at(of, "metrics_data") or objects_at(of, "metricsData"):
        name = text_at(metric, "name") or JUDGE
        reason = text_at(metric, "reason") or ""
        failed = metric.get("error") is not None
        score = metric.get("score")
        found[numbered(found, name)] = Said(None if failed else score, reason, None if failed else number_of(score))
    return found


def _cases(source: SourceFile) -> Iterator[FoundRow | Finding]:
    value = document(source)
    try:
        cases = list_at(value, "test_cases")
    except RowProblem as problem:
        raise source.refused(f"{problem.field}: {problem.message}") from None
    found: Records = (LogRecord(place, each) for place, each in enumerate(cases, start=1))
    return laid_out(found, _case, "test case")


def _case(record: LogRecord) -> Iterator[FoundRow]:
    # As versions of the tool spell them.
    case = {**{name: record.value.get(other) for name, other in ALIASES.items()}, **record.value}
    error = text_at(case, "error")
    score, reason = case.get("score"), text_at(case, "reason") or error or ""
    row = row_of(
        case,
        id=name_at(case, "name"),
        asked=lambda: asked(*_question(case)),
        response=lambda: _answer(case),
        category=text_at(case, "vulnerability"),
        verdicts={} if score is None and not error else {JUDGE: Said(None if error else score, reason, number_of(score))},
    )
    yield FoundRow(record.place, row, place_json(case=record.place))


ALIASES = {
    "actual_output": "actualOutput",
    "vulnerability_type": "vulnerabilityType",
    "attack_method": "attackMethod",
    "risk_category": "riskCategory",
}


def _turns(case: Record) -> list[Record]:
    """The turns of a conversation that ends in an answer; none of any other case."""
    turns = objects_at(case, "turns")
    return turns if turns and text_at(turns[-1], "role") == "assistant" else []


def _question(case: Record) -> tuple[Any, str]:
    turns = _turns(case)
    return (turns[:-1], "turns") if turns else (case.get("input"), "input")


def _answer(case: Record) -> str:
    """The output; of a conversation, the last answer."""
    if turns := _turns(case):
        return answered(turns[-1], "turns")
    if case.get("actual_output") is None:
        error = text_at(case, "error")
        raise RowProblem("actual_output", f"the target gave no output{f': {quoted(error)}' if error else ''}")
    return answered(case["actual_output"], "actual_output")
