"""The keys that a file begins with."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudicate.formats.head_paths import head_paths
from adjudicate.formats.text_file import HEAD_BYTES, open_source


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ('{"a": {"b": [{"c": 1}, {"d": 2}]}, "e": 3}', {"a", "a.b", "a.b[].c", "a.b[].d", "e"}),
        ('[{"a": [1, "b"]}, {"c": {}}]', {"[].a", "[].c"}),
        ('{"a": 1}\n{"b": 2}\n', {"a"}),
        (r'{"a\"b": "c\": d", "e": "{\"f\": 1}"}', {r"a\"b", "e"}),
        ('{"a": [["x"], {"b": 1}], "c" : 2}', {"a", "a[].b", "c"}),
        ("a,b\n1,2\n", set()),
        ('"a": 1', set()),
        ("}{][", set()),
    ],
)
def test_paths_of_the_first_value(tmp_path: Path, text: str, paths: set[str]) -> None:
    path = tmp_path / "x.json"
    path.write_text(text, encoding="utf-8")
    assert head_paths(open_source(path)) == paths


def test_a_file_of_one_long_text_is_looked_at_quickly(tmp_path: Path) -> None:
    """The first bytes end inside a text that is full of what could begin another."""
    path = tmp_path / "x.json"
    path.write_text('{"a": 1, "b": "' + '\\"{[' * HEAD_BYTES + '"}', encoding="utf-8")
    assert {"a", "b"} <= head_paths(open_source(path))
