"""Values by path and kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from adjudicate.formats.problem import RowProblem
from adjudicate.formats.record_values import list_at, name_at, number_of, object_at, objects_at, text_at, value_at

RECORD = {"a": {"b": [{"c": "text"}, {"c": None}]}, "n": 7, "t": True}


def test_a_path_leads_through_objects_and_lists() -> None:
    assert text_at(RECORD, "a.b.0.c") == "text"
    assert name_at(RECORD, "n") == "7"
    assert [value_at(RECORD, path) for path in ("a.b.1.c", "a.b.9.c", "x.y.z")] == [None, None, None]


def test_what_is_not_there_is_empty() -> None:
    assert (object_at(RECORD, "x"), list_at(RECORD, "x"), objects_at(RECORD, "a.b.1.c")) == ({}, [], [])


@pytest.mark.parametrize(
    ("ask", "path", "field", "expected"),
    [
        (text_at, "n", "n", "text, found a number '7'"),
        (name_at, "t", "t", "text or a whole number, found a boolean 'true'"),
        (object_at, "a.b", "a.b", "an object, found a list"),
        (list_at, "a", "a", "a list, found an object"),
        (value_at, "n.x.y", "n", "an object, found a number"),
        (value_at, "a.b.x", "a.b", "an object, found a list"),
    ],
)
def test_another_kind_is_a_problem_with_its_place(ask: Callable[[Any, str], Any], path: str, field: str, expected: str) -> None:
    with pytest.raises(RowProblem, match=f"expected {expected}") as error:
        ask(RECORD, path)
    assert error.value.field == field


def test_truth_and_text_are_no_numbers_and_what_is_too_large_is_infinite() -> None:
    found = [number_of(value) for value in (0, 0.25, -1, True, "1", None, 10**400, -(10**400))]
    assert found == [0.0, 0.25, -1.0, None, None, None, float("inf"), float("-inf")]
