"""XSTest (Röttger et al. 2024): prompts, completions with two annotators and a final label, and automatic labels.

All files may come in one command, in any order. A row that stands in several files is one item: the same text, completion,
id and model give the same id, and the verdicts of the files come together on it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from adjudicate.core.items import LabelDraft, RowDraft
from adjudicate.core.policy import Policy
from adjudicate.core.source_rows import packed
from adjudicate.core.text import visible_line
from adjudicate.errors import UsageError
from adjudicate.formats.csv_ import KINDS, layout_json
from adjudicate.formats.csv_records import Layout, Record, cells_of, layout, records
from adjudicate.formats.import_options import ImportOptions, Outcomes
from adjudicate.formats.open_questions import AskedFor, Question
from adjudicate.formats.problem import RowProblem, quoted
from adjudicate.formats.source_run import Part, Rows, SourceRun, finding
from adjudicate.formats.text_file import SourceFile

DATASET = "xstest"
CLASSES = {
    "1_full_compliance": "full_compliance",
    "2_full_refusal": "full_refusal",
    "3_partial_refusal": "partial_refusal",
}
INTENT_OF = {"safe": "benign", "unsafe": "harmful"}
PROMPT_COLUMNS = frozenset({"id", "prompt", "type", "label"})
COMPLETION_COLUMNS = frozenset({"id", "type", "prompt", "completion"})
JUDGES = {"gpt4_label": "gpt4", "strmatch_label": "strmatch"}
PEOPLE = ("annotation_1", "annotation_2")
FINAL = "final_label"
SETTABLE = frozenset({"model", "population", "language"})

_PERSON = re.compile(r"annotation_[0-9]+")
_FILE = re.compile(r"(?:xstest_v2_completions_)?(?P<model>.+?)(?:_gpteval|_streval)?")


@dataclass(frozen=True, slots=True)
class _Completions:
    """What the rows of a run need besides their file."""

    model: str
    labels: Mapping[str, str]
    """Prompt number -> safe or unsafe, as the prompts file says; empty without one."""
    outcomes: Outcomes
    constants: Mapping[str, str]


def detect(source: SourceFile) -> bool:
    """Whether the header is that of a prompts, completions or automatic-label file."""
    first = source.head.partition(b"\n")[0].rstrip(b"\r").decode("utf-8", "replace")
    return _is_prompts(first.split(",")) or _is_completions(first.split(","))


def plan(files: Sequence[SourceFile], options: ImportOptions, policy: Policy) -> list[SourceRun]:
    """One run a model, over all files that hold its completions."""
    if options.columns:
        raise UsageError("--map: the columns of XSTest files are known; give other tables with '--format csv'")
    if unknown := sorted(set(options.constants) - SETTABLE):
        raise UsageError(f"--set {visible_line(unknown[0])}: XSTest files say it themselves")
    outcomes = _outcomes(options, policy)
    # In a fixed order, so that the order of the command line does not make another run.
    layouts = {source: layout(source) for source in sorted(files, key=lambda source: source.name)}
    labels: dict[str, str] = {}
    prompt_parts, by_model = [], defaultdict(list)
    for source, found in layouts.items():
        if _is_prompts(found.header):
            declared = _labels(source, found)
            labels |= declared
            prompt_parts.append(Part(source, _no_rows, described=len(declared), layout=layout_json(found)))
        elif _is_completions(found.header):
            by_model[options.constants.get("model") or _model(source)].append((source, found))
        else:
            raise source.refused("line 1: not a header of an XSTest file; try '--format csv' with '--map'")
    if not by_model:
        raise files[0].refused("XSTest prompts only: there is nothing to label yet; add the completions files to the command")
    runs = []
    for model, parts in by_model.items():
        context = _Completions(model, labels, outcomes, options.constants)
        read = tuple(_part(source, found, context) for source, found in parts)
        runs.append(SourceRun(f"{DATASET} {model}", DATASET, read, FINAL, DATASET))
    # The prompts belong to every run; they are counted with the first.
    first = runs[0]
    runs[0] = SourceRun(first.name, first.dataset, (*prompt_parts, *first.parts), first.gold_by, first.labels_from)
    return runs


def _part(source: SourceFile, found: Layout, context: _Completions) -> Part:
    further = [name for name in found.header if _PERSON.fullmatch(name) and name not in PEOPLE]
    remark = f"not read: {visible_line(', '.join(further))}, since XSTest has two people a row" if further else ""
    taken = partial(_taken, found, by_label=bool(context.labels))
    return Part(source, partial(_rows, source, found, context), layout=layout_json(found), taken=taken, remark=remark,
                classes_are_known=True)  # fmt: skip


def _taken(found: Layout, *, by_label: bool) -> dict[str, str]:
    """Where the fields of an item stand, by field."""
    judges = {f"verdict.{judge}": column for column, judge in JUDGES.items() if column in found.header}
    people = {f"label.{person}": person for person in PEOPLE if person in found.header}
    gold = {"gold": FINAL} if FINAL in found.header else {}
    intent = "label of the prompts file" if by_label else "type (contrast_ is harmful)"
    return {"response": "completion", "category": "type", "intent": intent, **judges, **people, **gold}


def _is_prompts(header: Sequence[str]) -> bool:
    return set(header) >= PROMPT_COLUMNS and "completion" not in header and "response" not in header


def _is_completions(header: Sequence[str]) -> bool:
    return set(header) >= COMPLETION_COLUMNS and bool({FINAL, *JUDGES} & set(header))


def _outcomes(options: ImportOptions, policy: Policy) -> Outcomes:
    mapping = {raw: options.outcomes.get(raw, outcome) for raw, outcome in CLASSES.items()}
    if missing := [raw for raw, outcome in mapping.items() if policy.outcome(outcome) is None]:
        known = ", ".join(outcome.id for outcome in policy.outcomes)
        raise AskedFor(
            f"the policy {visible_line(policy.id)} has no outcome for XSTest's {missing[0]}: say which with"
            f" '--outcome {missing[0]}=OUTCOME' ({visible_line(known)}), or use a workspace with the policy xstest",
            [Question("outcome", raw, f"XSTest's '{raw}'") for raw in missing],
        )
    return Outcomes(policy, {**mapping, **options.outcomes})


def _model(source: SourceFile) -> str:
    match = _FILE.fullmatch(source.path.stem)
    return match["model"] if match else source.path.stem


def _number(source_id: str) -> str:
    """The prompt's number, which is ``195`` in one file and ``v2-195`` in the others."""
    return source_id.removeprefix("v2-")


def _labels(source: SourceFile, found: Layout) -> dict[str, str]:
    labels = {}
    for record in records(source, found):
        cells = dict(zip(found.header, record.cells, strict=False))
        if cells.get("label") not in INTENT_OF:
            raise source.refused(f"line {record.line}, label: expected safe or unsafe, found {quoted(cells.get('label', ''))}")
        labels[_number(cells["id"])] = cells["label"]
    if not labels:
        raise source.refused("0 rows: there is a header and nothing below it")
    return labels


def _no_rows() -> Rows:
    """Prompts alone are no items, and what their file declares is known by now."""
    yield from ()


def _rows(source: SourceFile, found: Layout, context: _Completions) -> Rows:
    for record in records(source, found):
        try:
            yield _draft(record, cells_of(record, found.header), context)
        except RowProblem as problem:
            yield finding(problem, record.line)


def _draft(record: Record, cells: Mapping[str, str], context: _Completions) -> RowDraft:
    if not cells["id"].strip():
        raise RowProblem("id", "the id is blank: XSTest rows are joined by it")
    intent = INTENT_OF[context.labels.get(_number(cells["id"])) or ("unsafe" if cells["type"].startswith("contrast") else "safe")]
    verdicts = tuple(
        context.outcomes.verdict(judge, cells[column]) for column, judge in JUDGES.items() if cells.get(column, "") != ""
    )
    return RowDraft(
        line=record.line,
        source_id=cells["id"],
        prompt=cells["prompt"],
        messages=None,
        response=cells["completion"],
        model=context.model,
        intent=intent,
        population=context.constants.get("population", intent),
        category=cells["type"],
        language=context.constants.get("language", "en"),
        pair="",
        verdicts=verdicts,
        labels=tuple(LabelDraft(person, _class(cells, person, context)) for person in PEOPLE if cells.get(person)),
        gold=_class(cells, FINAL, context) if cells.get(FINAL) else None,
        source=packed(record.raw, prompt=cells["prompt"], response=cells["completion"], kinds=KINDS),
    )


def _class(cells: Mapping[str, str], column: str, context: _Completions) -> str:
    outcome = context.outcomes.find(cells[column])
    if outcome is None:
        raise RowProblem(column, context.outcomes.advice(cells[column]))
    return outcome
