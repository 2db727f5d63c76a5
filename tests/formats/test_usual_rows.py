"""The short way to a draft gives what reading with care gives, or steps aside."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudicate.core.items import RowDraft
from adjudicate.core.policy import Outcome, Policy
from adjudicate.formats.fields import FieldMap
from adjudicate.formats.import_options import ImportOptions, Outcomes
from adjudicate.formats.problem import RowProblem

POLICY = Policy(
    "p", "P", "1", (Outcome("yes", "1", "Yes", "answered", ""), Outcome("no", "2", "No", "refused", "")), (), (), "0" * 64, "t\n"
)
odd: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, False, 0, 1, 1.0, -0.5, 101, "", " ", "yes", "no", "benign", "harmful", "x", [], {}, ["x"]]
)
FIELDS = ("id", "prompt", "messages", "response", "model", "intent", "category", "pair", "verdict", "judge", "reason", "gold")
NUMBERS = ("score", "helpfulness", "safety")


def fields(**stated: Any) -> FieldMap:
    options = ImportOptions.of(stated)
    return FieldMap(options, Outcomes(POLICY, options.outcomes), cells_are_text=False)


def said(fields: FieldMap, row: dict[str, Any]) -> RowDraft | tuple[str, str]:
    try:
        return fields.draft(row, 1, lambda prompt, response: f"{prompt}/{response}")
    except RowProblem as problem:
        return problem.field, problem.message


def exact(value: object) -> str:
    """Equal only where the types are, too."""
    return repr(value)


@given(
    names=st.sets(st.sampled_from([*FIELDS, *NUMBERS])),
    rows=st.lists(st.fixed_dictionaries(dict.fromkeys((*FIELDS, *NUMBERS), odd)), max_size=4),
    judge=st.booleans(),
)
def test_what_was_learned_changes_no_row(names: set[str], rows: list[dict[str, Any]], *, judge: bool) -> None:
    """Each row read after others is what it is when it is read first."""
    stated = {"set": {"judge": "j"}} if judge else {}
    usual = {"prompt": "p", "response": "r", "intent": "benign", "verdict": "yes"}
    shapes = [{name: {**usual, "x": None}.get(name, row[name]) for name in sorted(names)} for row in rows]
    columns = [name for name in ("id", "prompt", "response", "intent", *sorted(names)) if name != "messages"]
    mixed = [{name: (usual | row)[name] for name in columns} for row in rows] + [
        {name: (row | usual)[name] for name in columns} for row in rows
    ]
    together = fields(**stated)
    for row in [*shapes, *mixed, *shapes, *mixed, *rows, *rows]:
        assert exact(said(together, row)) == exact(said(fields(**stated), row))


def test_true_is_not_taken_for_one() -> None:
    """They are equal in Python, and one of them is no category."""
    one = fields(set={"intent": "benign"})
    row = {"prompt": "p", "response": "r", "category": 1}
    assert one.draft(row, 1, lambda *_: "").category == "1"
    with pytest.raises(RowProblem, match="boolean"):
        one.draft({**row, "category": True}, 2, lambda *_: "")
