"""Where fields stand: a path that leads nowhere is answered with what stands beside its last step that exists."""

from __future__ import annotations

from typing import Any

import pytest

from adjudicate.errors import InputError
from adjudicate.formats.columns import Columns
from adjudicate.formats.import_options import ImportOptions

ROWS: list[dict[str, Any]] = [
    {"prompt": "p", "metadata": {"kind": "hours", "by": {"team": "a"}}, "outputs": [{"text": "r"}]},
    {"prompt": "q", "metadata": {"kind": "days", "since": 2026}, "outputs": []},
]


def met(path: str, rows: list[dict[str, Any]] = ROWS) -> Columns:
    """Columns of a file in which the intent was said to stand at a path."""
    columns = Columns(ImportOptions.of({"map": {"intent": path}}))
    for line, row in enumerate(rows, start=1):
        columns.meet(row, line)
    return columns


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("metadata.label", "under 'metadata' there are: kind, by, since"),
        ("metadata.by.person", "under 'metadata.by' there are: team"),
        ("metadata.by.person.name", "under 'metadata.by' there are: team"),
        ("outputs.1.text", "under 'outputs' there are: 0"),
        ("outputs.0.label", "under 'outputs.0' there are: text"),
        ("meta.label", "the columns found are: prompt, metadata, outputs"),
        ("label", "the columns found are: prompt, metadata, outputs"),
        ("prompt.label", "the columns found are: prompt, metadata, outputs"),
    ],
)
def test_the_keys_under_the_deepest_part_that_exists_are_listed(path: str, told: str) -> None:
    with pytest.raises(InputError) as refused:
        met(path).check_seen()
    assert str(refused.value) == f"intent: no row has a column '{path}'; {told}"


def test_a_path_that_one_row_has_is_no_mistake() -> None:
    met("metadata.since").check_seen()
    met("outputs.0.text").check_seen()


def test_keys_of_a_file_act_on_no_terminal() -> None:
    with pytest.raises(InputError) as refused:
        met("a.c", [{"a": {"\x1b[2J": 1}}]).check_seen()
    assert "\x1b" not in str(refused.value)
