"""Cells and keys that are added change nothing that was there."""

from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudicate.formats.added_columns import free_names, with_cells, with_keys
from adjudicate.formats.spreadsheet import unguarded

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


@given(st.lists(TEXT, min_size=2, max_size=4), st.lists(TEXT | st.none(), min_size=2, max_size=4), st.sampled_from(",;\t|"))
def test_a_row_is_read_with_its_own_cells_and_then_the_new_ones(old: list[str], new: list[str | None], delimiter: str) -> None:
    row = with_cells("", old, delimiter)[1:]
    [cells] = csv.reader(io.StringIO(with_cells(row, new, delimiter), newline=""), delimiter=delimiter)
    assert [unguarded(cell) for cell in cells] == [*old, *(cell or "" for cell in new)]


def test_a_cell_that_a_spreadsheet_would_run_is_guarded() -> None:
    assert with_cells("a,b", ["=1", "-2", None, [1, "x"]], ",") == """a,b,'=1,'-2,,"[1, ""x""]\""""


@given(
    st.dictionaries(TEXT, VALUES, max_size=4), st.dictionaries(TEXT, VALUES, min_size=1, max_size=3), st.sampled_from([None, 1])
)
def test_an_object_is_read_with_its_own_keys_and_then_the_new_ones(
    old: dict[str, object], new: dict[str, object], indent: int | None
) -> None:
    new = {key: value for key, value in new.items() if key not in old} or {"one that is free": 1}
    row = json.dumps(old, indent=indent)
    added = with_keys(row, new)
    assert json.loads(added) == {**old, **new}
    assert list(json.loads(added)) == [*old, *new]
    assert added.startswith(row[:-1].rstrip())


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ('{"a":1}\r', '{"a":1,"k":"v"}\r'),
        ('{ "a" : 1 } ', '{ "a" : 1,"k":"v" } '),
        ("{}", '{"k": "v"}'),
        ('{\n  "a": {"b": "}"}\n}', '{\n  "a": {"b": "}"}, "k": "v"\n}'),
    ],
)
def test_blanks_stay_where_they_are(row: str, expected: str) -> None:
    assert with_keys(row, {"k": "v"}) == expected


def test_a_name_that_is_taken_gets_a_number_and_ours_never_meet() -> None:
    assert free_names(["gold", "gold_2"], ["gold"]) == {"gold": "gold_2", "gold_2": "gold_2_2"}
