"""The one table of entries that are not reproduced: it covers every file of the reference and holds nothing stale."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

from tests.reference_entries import (
    COMPARED_BY,
    INPUTS,
    NOT_REPRODUCED,
    PROOF,
    Within,
    cells,
    compare,
    leaves,
    read_json,
    read_rows,
    unaccounted,
)
from tests.stats.reference import CSV_KEYS


def paths(shared: Path, file: str) -> list[str]:
    if file.endswith(".json"):
        return [path for path, _ in leaves(read_json(shared, file))]
    return [path for path, _ in cells(read_rows(shared, file, CSV_KEYS[file]), CSV_KEYS[file])]


def test_every_file_of_the_reference_has_a_test_that_goes_through_all_of_it(shared: Path) -> None:
    files = {path.name for path in (shared / "reference").iterdir() if path.suffix in (".json", ".csv")}
    assert files == COMPARED_BY.keys() == INPUTS.keys()
    assert NOT_REPRODUCED.keys() <= files
    for module in set(COMPARED_BY.values()):
        assert hasattr(import_module(f"tests.stats.{module}"), PROOF), module


@pytest.mark.parametrize("file", COMPARED_BY)
def test_no_pattern_is_stale_and_every_reason_is_given(shared: Path, file: str) -> None:
    known = paths(shared, file)
    for pattern in (*INPUTS[file], *NOT_REPRODUCED.get(file, {})):
        assert any(re.fullmatch(pattern, path) for path in known), pattern
    assert all(len(reason) > 20 for reason in NOT_REPRODUCED.get(file, {}).values())


def test_most_entries_are_not_inputs_and_few_are_left_out() -> None:
    assert sum(len(reasons) for reasons in NOT_REPRODUCED.values()) < 30


ROW: dict[str, object] = {"n": 100, "wilson": 0.04, "rule_of_three": None, "allocation": []}


def compared(**changes: object) -> None:
    ours = {"wilson": Within(0.041, 0.01), "rule_of_three": None, "allocation": [], **changes}
    compare("planning.json", {"zero_events_upper": [ROW]}, {"zero_events_upper": [ours]}, tolerance=lambda _: 1e-6)


def test_an_entry_that_is_rebuilt_within_its_tolerance_passes() -> None:
    compared()


@pytest.mark.parametrize(("changes", "said"), [
    ({"wilson": 0.041}, "0.04 in the reference, 0.041 here"), ({"rule_of_three": 0.0}, "None in the reference, 0.0 here"),
    ({"allocation": [1]}, "neither reproduced nor named"), ({"n": 100}, "input and reproduced"),
    ({"new": 1}, "not in the reference"),
])  # fmt: skip
def test_an_entry_that_differs_or_is_not_accounted_for_once_fails(changes: dict[str, object], said: str) -> None:
    with pytest.raises(AssertionError, match=re.escape(said)):
        compared(**changes)


def test_an_entry_that_nobody_knows_fails() -> None:
    assert unaccounted("planning.json", iter(["zero_events_upper[0].n", "zero_events_upper[0].new"]), lambda _: False) == [
        "zero_events_upper[0].new: neither reproduced nor named"
    ]
