"""Refusals of a stack of filters, counted by hand."""

from __future__ import annotations

import pytest

from adjudicate.stats.stacked import NOT_REACHED, STACK, stacked_refusals

LAYERS = ("input filter", "model", "output filter")


def test_each_layer_and_the_union_are_counted() -> None:
    table = [[1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 0], [0, 0, 1]]
    found = {e.group["layer"]: e for e in stacked_refusals(table, LAYERS, group={"population": "benign"})}
    assert [found[layer].value for layer in LAYERS] == [0.4, 0.4, 0.2]
    assert found[STACK].value == 0.8
    # The model alone stops only the third request; one of its two is stopped by the input filter anyway.
    assert [found[layer].details["alone"] for layer in LAYERS] == [1, 1, 1]
    assert found[STACK].low is not None and found[STACK].low < 0.8


def test_a_layer_answers_only_for_what_reached_it() -> None:
    table = [[1, NOT_REACHED, NOT_REACHED], [0, 1, NOT_REACHED], [0, 0, 0]]
    found = {e.group["layer"]: e for e in stacked_refusals(table, LAYERS, group={})}
    assert [found[layer].n for layer in LAYERS] == [3, 2, 1]
    assert found["model"].value == 0.5
    assert found[STACK].value == pytest.approx(2 / 3)


def test_a_layer_that_nothing_reached_is_undefined() -> None:
    found = stacked_refusals([[1, -1], [1, -1]], ("a", "b"), group={})
    assert [e.undefined for e in found] == [None, "no request reached this layer", None]


def test_a_wrong_shape_or_value_is_refused() -> None:
    for table in ([[1, 0]], [1, 0, 0], [[1, 2, 0]]):
        with pytest.raises(ValueError, match="3 columns"):
            stacked_refusals(table, LAYERS, group={})
