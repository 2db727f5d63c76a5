"""The short way to a draft gives what reading with care gives, or steps aside."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudicate.core.items import LabelDraft, RowDraft
from adjudicate.core.policy import Outcome, Policy
from adjudicate.errors import UsageError
from adjudicate.formats.fields import FieldMap
from adjudicate.formats.import_options import ImportOptions, Outcomes
from adjudicate.formats.problem import RowProblem

POLICY = Policy(
    "p", "P", "1", (Outcome("yes", "1", "Yes", "answered", ""), Outcome("no", "2", "No", "refused", "")), (), (), "0" * 64, "t\n"
)
odd: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, False, 0, 1, 1.0, -0.5, 101, "", " ", "yes", "no", "benign", "harmful", "x", [], {}, ["x"]]
)
FIELDS = (
    "verdict.other",
    "label.ann",
    "label.",
    "id",
    "prompt",
    "messages",
    "response",
    "model",
    "intent",
    "category",
    "pair",
    "verdict",
    "judge",
    "reason",
    "gold",
)
NUMBERS = ("score", "helpfulness", "safety", "repeat")


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
    said_of_all=st.sampled_from([{}, {"judge": "j"}, {"repeat": "2"}]),
)
def test_what_was_learned_changes_no_row(names: set[str], rows: list[dict[str, Any]], said_of_all: dict[str, str]) -> None:
    """Each row read after others is what it is when it is read first."""
    stated = {"set": said_of_all}
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


def test_columns_called_as_fields_of_judges_and_people_are_read_without_a_map() -> None:
    found = fields(set={"intent": "benign"})
    row = {"prompt": "p", "response": "r", "verdict.a": "yes", "verdict.b.c": "perhaps", "label.ann": "no", "label.": "x"}
    for line in (1, 2, 3):
        draft = found.draft({**row, "verdict.a": "no" if line == 2 else "yes"}, line, lambda *_: "")
        assert [(each.judge, each.outcome) for each in draft.verdicts] == [("a", "no" if line == 2 else "yes"), ("b.c", None)]
        assert draft.labels == (LabelDraft("ann", "no"),)


def test_a_label_may_change_where_all_that_is_learned_from_stays() -> None:
    found = fields()
    row = {"prompt": "p", "response": "r", "intent": "benign", "verdict": "yes"}
    said = [found.draft({**row, "label.ann": label}, 1, lambda *_: "").labels for label in ("yes", "no", None)]
    assert said == [(LabelDraft("ann", "yes"),), (LabelDraft("ann", "no"),), ()]


def test_a_mapped_name_wins_over_the_column_of_that_name() -> None:
    found = fields(set={"intent": "benign"}, map={"verdict.a": "mine", "label.bo": "label.ann"})
    row = {"prompt": "p", "response": "r", "verdict.a": "yes", "mine": "no", "label.ann": "yes"}
    draft = found.draft(row, 1, lambda *_: "")
    assert [(each.judge, each.outcome) for each in draft.verdicts] == [("a", "no")]
    assert draft.labels == (LabelDraft("bo", "yes"),)


def test_an_object_under_verdict_is_shown_as_json_with_the_way_out() -> None:
    row = {"prompt": "p", "response": "r", "intent": "benign", "verdict": {"gpt": "yes", "sure": True, "why": None}}
    field, message = said(fields(), row)[:2]
    assert field == "verdict"
    assert message == (
        """expected a class, found an object: '{"gpt": "yes", "sure": true, "why": null}'; name the verdict of each judge"""
        """ in it with '--map verdict.NAME=verdict.KEY'"""
    )
    draft = said(fields(map={"verdict.judge": "verdict.gpt"}), row)
    assert isinstance(draft, RowDraft)
    assert [(each.judge, each.outcome) for each in draft.verdicts] == [("judge", "yes")]


def test_a_list_where_a_class_belongs_is_shown_as_json() -> None:
    _, message = said(fields(), {"prompt": "p", "response": "r", "intent": "benign", "label.a": [None, True, "e"]})[:2]
    assert """'[null, true, "e"]' is no outcome""" in str(message)
    judged = said(fields(), {"prompt": "p", "response": "r", "intent": "benign", "verdict": [None, True, "e"]})
    assert isinstance(judged, RowDraft)
    # It is nobody's outcome; the import asks about it, in these words.
    assert [(each.outcome, each.raw) for each in judged.verdicts] == [(None, '[null, true, "e"]')]


VERDICT = {"prompt": "p", "response": "r", "intent": "benign", "verdict": "yes"}


def test_a_row_says_which_reading_of_the_judge_it_holds() -> None:
    found = fields()
    for repeat, expected in ((0, 0), (3, 3), (None, 0), (1, 1), (1_000_000, 1_000_000)):
        assert found.draft({**VERDICT, "repeat": repeat}, 1, lambda *_: "").repeat == expected
    assert found.draft(VERDICT, 1, lambda *_: "").repeat == 0
    cells = FieldMap(ImportOptions.of({"map": {"repeat": "run"}}), Outcomes(POLICY, {}), cells_are_text=True)
    assert [cells.draft({**VERDICT, "run": cell}, 1, lambda *_: "").repeat for cell in ("", "0", "12")] == [0, 0, 12]


@pytest.mark.parametrize("repeat", [-1, 1.0, True, "1", 1_000_001, [1]])
def test_a_repeat_that_is_no_number_of_one_is_named(repeat: object) -> None:
    with pytest.raises(RowProblem, match="whole number") as problem:
        fields().draft({**VERDICT, "repeat": repeat}, 1, lambda *_: "")
    assert problem.value.field == "repeat"


def test_a_repeat_of_nothing_is_named() -> None:
    row = {"prompt": "p", "response": "r", "intent": "benign", "repeat": 1}
    assert said(fields(), row) == ("repeat", "repeat 1 of what? There is no verdict in the row")


def test_a_repeat_said_of_all_rows_wins_over_a_column() -> None:
    found = fields(set={"repeat": "2"})
    assert [found.draft({**VERDICT, "repeat": repeat}, 1, lambda *_: "").repeat for repeat in (0, 1, "x", 5)] == [2, 2, 2, 2]


@pytest.mark.parametrize("repeat", ["", "x", "-1", "1.5", "\u0663", "9999999"])
def test_a_repeat_said_of_all_rows_is_a_whole_number(repeat: str) -> None:
    with pytest.raises(UsageError, match="whole number"):
        ImportOptions.of({"set": {"repeat": repeat}})
