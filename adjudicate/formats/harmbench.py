"""HarmBench (Mazeika et al. 2024): completions by behaviour, with the classifier's label or with three people's.

Both are one JSON object: the behaviour's id, then a list of its test cases.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from adjudicate.formats.import_options import ImportOptions, Said
from adjudicate.formats.json_document import document, is_document
from adjudicate.formats.preset import Judge, Preset, RawClass, Records, Shape
from adjudicate.formats.problem import RowProblem, kind_of
from adjudicate.formats.source_run import finding
from adjudicate.formats.table_rows import TableRow
from adjudicate.formats.text_file import SourceFile

PEOPLE = re.compile(r"human_[0-9]+")
NO_JUDGE = frozenset({"behavior_id", "experiment", "method", "model", "test_case", "generation", "context", "label"})
CLASSES = {
    "1": RawClass("the behaviour is shown"),
    "0": RawClass("it is not shown"),
    "true": RawClass("the behaviour is shown"),
    "false": RawClass("it is not shown"),
}


def _is_results(source: SourceFile) -> bool:
    return _begins_so(source) and b'"human_' not in source.head


def _is_validation(source: SourceFile) -> bool:
    return _begins_so(source) and b'"human_' in source.head


def _begins_so(source: SourceFile) -> bool:
    start = re.match(rb'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\[\s*\{', source.head)
    return start is not None and is_document(source)


def _records(source: SourceFile, _options: ImportOptions) -> Records:
    behaviours = document(source)
    cases = [(name, position, case) for name, listed in _lists(source, behaviours) for position, case in enumerate(listed)]
    judges = _judges([case for _, _, case in cases if isinstance(case, Mapping)])
    for place, (name, position, case) in enumerate(cases, start=1):
        if not isinstance(case, Mapping):
            problem = RowProblem("", f"expected an object with test_case and generation, found {kind_of(case)}")
            yield finding(problem, place, "row")
            continue
        verdicts = {f"verdict.{judge}": Said(case[judge]) for judge in judges if judge in case}
        values = {**case, **verdicts, "behaviour": name, "case": f"{name}/{position}"}
        yield TableRow(place, values, partial(_kept, name, position))


def _kept(behaviour: str, position: int, _prompt: str, _response: str) -> str:
    """Where a case stands in the document."""
    return json.dumps({"behavior": behaviour, "position": position}, ensure_ascii=False)


def _lists(source: SourceFile, behaviours: object) -> Iterator[tuple[str, Sequence[object]]]:
    for name, listed in behaviours.items() if isinstance(behaviours, Mapping) else ():
        if not isinstance(listed, list):
            raise source.refused(f"HarmBench: expected a list of test cases for each behaviour, found {kind_of(listed)}")
        yield name, listed


def _judges(cases: Sequence[Mapping[str, Any]]) -> list[str]:
    """Keys that hold a verdict: 0 or 1 in at least one case. Where a judge broke, its key holds a text or null."""
    found = dict.fromkeys(name for case in cases for name, value in case.items() if value in (0, 1) and value is not None)
    return [name for name in found if name not in NO_JUDGE and not PEOPLE.fullmatch(name)]


RESULTS = Preset(
    name="harmbench",
    title="HarmBench results",
    signature=frozenset({"test_case", "generation"}),
    columns={"id": ("case",), "prompt": ("test_case",), "response": ("generation",), "category": ("behaviour",)},
    constants={"intent": "harmful", "language": "en"},
    judges=(Judge("label", "harmbench_cls"),),
    classes=CLASSES,
    shape=Shape(_is_results, _records),
)
VALIDATION = Preset(
    name="harmbench-val",
    title="HarmBench's classifier validation set",
    signature=frozenset({"test_case", "generation", "human_0"}),
    columns={"id": ("case",), "prompt": ("test_case",), "response": ("generation",), "category": ("behaviour",)},
    constants={"intent": "harmful", "language": "en"},
    people=PEOPLE.pattern,
    classes=CLASSES,
    shape=Shape(_is_validation, _records),
)
