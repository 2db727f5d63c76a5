"""Tables that hold verdicts or labels only, for items that are here already: `import --join id` and `--join text`.

A row needs no response, prompt or intent, since its item has them; what it has to hold is the id or the text to find it by.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from adjudicate.core.items import RowDraft
from adjudicate.core.policy import INTENTS, Policy
from adjudicate.errors import Finding
from adjudicate.formats.fields import FieldMap
from adjudicate.formats.import_options import JUDGE_FIELDS, LONG_FIELDS, ImportOptions, Outcomes
from adjudicate.formats.jsonl import refuse_surrogates
from adjudicate.formats.problem import RowProblem
from adjudicate.formats.source_run import Part, Rows, SourceRun, finding
from adjudicate.formats.table_rows import TableRow, cells_are_text, columns, table_layout, table_rows
from adjudicate.formats.text_file import SourceFile

NAME = "joined"
USED = ("id", "prompt", "response", "model", *JUDGE_FIELDS, "gold", *LONG_FIELDS)
NOTHING_SAID = (
    "the row says nothing of its item: name the column of the verdict (--map verdict=COLUMN), of a person's label"
    " (--map label.NAME=COLUMN, or annotator and label in a table with one label a row) or of the gold label (--map gold=COLUMN)"
)


def plan(files: Sequence[SourceFile], options: ImportOptions, policy: Policy, *, by: str) -> list[SourceRun]:
    """One run a file.

    Args:
        files: Tables: CSV, JSON lines or a JSON list.
        options: As for any import.
        policy: The policy in force.
        by: ``id`` or ``text``.

    Raises:
        InputError: A file is no table.
    """
    outcomes = Outcomes(policy, options.outcomes)
    given = replace(options, constants={"intent": INTENTS[0], **options.constants})
    runs = []
    for source in files:
        fields = FieldMap(given, outcomes, cells_are_text=cells_are_text(source))
        names = {name: options.columns.get(name, name) for name in ("id", "prompt", "response", "messages")}
        part = Part(
            source,
            partial(_rows, source, fields, names, by),
            fields.check_seen,
            layout=table_layout(source),
            taken=partial(_taken, fields, source),
            unread=fields.unread,
            unsaid=fields.unsaid,
            remark=f"joined to items that are here already, by {by}",
        )
        runs.append(SourceRun(source.stem, source.stem, (part,)))
    return runs


def _taken(fields: FieldMap, source: SourceFile) -> dict[str, str]:
    """What was taken; the item says itself what is declared of it, and its texts where the file has none."""
    there = columns(source)
    found = {name: where for name, where in fields.taken().items() if name in USED or "." in name}
    return {name: where for name, where in found.items() if name not in ("prompt", "response") or where != name or name in there}


def _rows(source: SourceFile, fields: FieldMap, names: dict[str, str], by: str) -> Rows:
    for row in table_rows(source):
        if isinstance(row, Finding):
            yield row
            continue
        try:
            yield _draft(row, fields, names, by)
        except RowProblem as problem:
            yield finding(problem, row.place)


def _draft(row: TableRow, fields: FieldMap, names: dict[str, str], by: str) -> RowDraft:
    # A column that the file lacks is empty for all rows: the item has the text.
    missing = {names[name]: "" for name in ("prompt", "response") if "." not in names[name] and names[name] not in row.values}
    draft = fields.draft({**missing, **row.values}, row.place, lambda _prompt, _response: "")
    refuse_surrogates(draft)
    if by == "id" and draft.source_id is None:
        raise RowProblem("id", "there is no id to join by: name its column with --map id=COLUMN, or use --join text")
    if by == "text" and not (draft.prompt or draft.response):
        raise RowProblem("response", "there is no text to join by: name its column with --map response=COLUMN (or prompt)")
    if not (draft.verdicts or draft.labels or draft.gold):
        raise RowProblem("verdict", NOTHING_SAID)
    return draft
