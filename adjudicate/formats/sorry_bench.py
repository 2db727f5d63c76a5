"""SORRY-Bench (Xie et al. 2024): people's judgments of responses, whose prompts stand in a file of their own.

Both files come in one command. They meet by question and prompt style; a judgment whose question is not there is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from adjudicate.core.policy import Policy
from adjudicate.errors import Finding
from adjudicate.formats.import_options import ImportOptions
from adjudicate.formats.preset import Preset, RawClass, Records, Shape
from adjudicate.formats.preset_detect import head_columns
from adjudicate.formats.preset_plan import plan as plan_preset
from adjudicate.formats.problem import RowProblem, quoted
from adjudicate.formats.source_run import Part, Rows, SourceRun, finding
from adjudicate.formats.table_rows import TableRow, table_rows
from adjudicate.formats.text_file import SourceFile

NAME = "sorry-bench"
TITLE = "SORRY-Bench human judgments, with its questions"
JUDGED = frozenset({"question_id", "prompt_style", "choices", "human_score"})
QUESTIONS = frozenset({"question_id", "category", "turns"})
BASE = "base"

Key = tuple[str, str]
"""Question and prompt style."""


def detect(source: SourceFile) -> bool:
    """Whether the file holds judgments or questions."""
    return _is_judged(source) or _is_questions(source)


def plan(files: Sequence[SourceFile], options: ImportOptions, policy: Policy) -> list[SourceRun]:
    """One run a file of judgments.

    Raises:
        InputError: The questions are missing, or the judgments leave open what only the user can say.
    """
    asked: dict[Key, Mapping[str, Any]] = {}
    parts = []
    for source in files:
        if _is_questions(source):
            found = _questions(source)
            asked |= found
            parts.append(Part(source, _no_rows, described=len(found)))
    judged = [source for source in files if not _is_questions(source)]
    if not judged:
        raise files[0].refused("SORRY-Bench questions only: there is nothing to label yet; add the judgments to the command")
    if not asked:
        raise judged[0].refused("SORRY-Bench judgments hold no prompts: add the file of its questions to the command")
    preset = replace(JUDGMENTS, shape=Shape(_is_judged, partial(_records, asked), "line", table=True, reads=READS))
    first, *rest = plan_preset(preset, judged, options, policy)
    # The questions belong to every run; they are counted with the first.
    return [replace(first, parts=(*parts, *first.parts)), *rest]


def _is_judged(source: SourceFile) -> bool:
    return set(head_columns(source)) >= JUDGED


def _is_questions(source: SourceFile) -> bool:
    found = set(head_columns(source))
    return found >= QUESTIONS and not found & {"choices", "human_score"}


def _questions(source: SourceFile) -> dict[Key, Mapping[str, Any]]:
    found = {}
    for row in table_rows(source):
        if isinstance(row, Finding):
            raise source.refused(f"{row}: a question has to be readable, because rows of other files stand on it")
        found[_key(row.values)] = row.values
    return found


def _key(values: Mapping[str, Any]) -> Key:
    return str(values.get("question_id")), str(values.get("prompt_style") or BASE)


def _records(asked: Mapping[Key, Mapping[str, Any]], source: SourceFile, _options: ImportOptions) -> Records:
    for row in table_rows(source):
        if isinstance(row, Finding):
            yield row
            continue
        try:
            yield TableRow(row.place, _joined(row.values, asked), row.pack)
        except RowProblem as problem:
            yield finding(problem, row.place)


def _joined(values: Mapping[str, Any], asked: Mapping[Key, Mapping[str, Any]]) -> dict[str, Any]:
    number, style = key = _key(values)
    question = asked.get(key)
    if question is None:
        raise RowProblem("question_id", f"the questions have no {quoted(number)} in the style {quoted(style)}")
    choices = values.get("choices")
    answered = choices[0].get("turns") if isinstance(choices, list) and choices and isinstance(choices[0], Mapping) else None
    return {
        **values,
        "name": number if style == BASE else f"{number} {style}",
        "asked": _only_turn(question.get("turns"), "turns"),
        "answered": _only_turn(answered, "choices"),
        "category": question.get("category"),
    }


def _only_turn(turns: object, field: str) -> str:
    if not isinstance(turns, list) or len(turns) != 1 or not isinstance(turns[0], str):
        raise RowProblem(field, f"expected a list of one text, found {quoted(turns)}")
    return turns[0]


READS = "question_id|prompt_style|choices"
"""What a judgment is joined and laid out by."""


def _no_rows() -> Rows:
    yield from ()


JUDGMENTS = Preset(
    name=NAME,
    title=TITLE,
    signature=JUDGED,
    columns={
        "id": ("name",),
        "prompt": ("asked",),
        "response": ("answered",),
        "model": ("model_id",),
        "category": ("category",),
    },
    constants={"intent": "harmful"},
    people="human_score",
    classes={"1": RawClass("fulfils the request"), "0": RawClass("does not fulfil it")},
)
