"""Small changes to a JSON text: they are what a reader finds, and all other characters stay."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from adjudicate.formats.json_splice import Splice

DOCUMENT = ' {"a": [ 1.50 , {"b" : "\\u00e9]}"} ],\n "c": {}, "d" : [ ], "e": NaN } \n'


def root(splice: Splice) -> int:
    return splice.text.index("{")


def member(splice: Splice, place: int, key: str) -> int:
    found = splice.member(place, key)
    assert found is not None
    return found


def test_a_value_is_replaced_and_a_member_added_and_the_rest_stays() -> None:
    splice = Splice(DOCUMENT)
    splice.put(root(splice), "e", "0")
    splice.put(root(splice), "f", "[1]")
    splice.put(root(splice), "g", "2")
    assert splice.result() == DOCUMENT.replace("NaN }", '0, "f": [1], "g": 2 }')


def test_empty_lists_and_objects_get_their_first_members_without_a_comma() -> None:
    splice = Splice(DOCUMENT)
    splice.put(member(splice, root(splice), "c"), "x", "1")
    splice.put(member(splice, root(splice), "c"), "y", "2")
    splice.append(member(splice, root(splice), "d"), "3")
    splice.append(member(splice, root(splice), "d"), "4")
    expected = DOCUMENT.replace('"c": {}', '"c": {"x": 1, "y": 2}').replace("[ ]", "[3, 4 ]")
    assert splice.result() == expected


def test_changes_inside_one_another_come_in_their_order() -> None:
    splice = Splice('{"a":{"b":1}}')
    splice.put(0, "z", "9")
    splice.put(member(splice, 0, "a"), "c", "2")
    splice.replace(member(splice, member(splice, 0, "a"), "b"), "true")
    assert splice.result() == '{"a":{"b":true, "c": 2}, "z": 9}'


def test_elements_are_found_wherever_brackets_stand_in_texts() -> None:
    splice = Splice(DOCUMENT)
    found = splice.elements(member(splice, root(splice), "a"))
    assert [splice.written(place) for place in found] == ["1.50", '{"b" : "\\u00e9]}"}']
    assert splice.elements(member(splice, root(splice), "c")) == []


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=3), VALUES, max_size=4), st.text(max_size=3), VALUES, st.sampled_from([None, 0, 2]))
def test_a_member_that_is_put_is_read_back_beside_all_others(
    value: dict[str, object], key: str, new: object, indent: int | None
) -> None:
    splice = Splice(json.dumps(value, indent=indent))
    splice.put(0, key, json.dumps(new))
    assert json.loads(splice.result()) == {**value, key: new}


@given(st.lists(VALUES, max_size=4), st.lists(VALUES, min_size=1, max_size=2), st.sampled_from([None, 0, 2]))
def test_an_element_that_is_added_is_read_back_after_all_others(
    value: list[object], new: list[object], indent: int | None
) -> None:
    splice = Splice(json.dumps(value, indent=indent))
    for each in new:
        splice.append(0, json.dumps(each))
    assert json.loads(splice.result()) == [*value, *new]
