"""Logs of every tool with something odd in them: a value of another kind anywhere, or an end that is missing. Nothing crashes."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from adjudicate.core.items import RowDraft
from adjudicate.errors import Finding, InputError
from adjudicate.formats.import_options import ImportOptions
from adjudicate.formats.readers import reader_named
from adjudicate.formats.text_file import open_source
from tests.formats import (
    test_deepteam,
    test_garak,
    test_helm,
    test_langfuse,
    test_langsmith,
    test_lm_eval,
    test_openai_evals,
    test_openinference,
    test_promptfoo,
)
from tests.formats.log_reading import POLICY

LOGS: dict[str, tuple[str, Any]] = {
    "promptfoo": ("promptfoo", test_promptfoo.EXAMPLE),
    "lm_eval": ("lm_eval", test_lm_eval.EXAMPLE),
    "openai_evals": ("openai_evals", test_openai_evals.EXAMPLE),
    "garak": ("garak", test_garak.EXAMPLE),
    "helm": ("helm", test_helm.EXAMPLE),
    "deepteam case": ("deepteam", test_deepteam.EXAMPLE),
    "deepteam trace": ("deepteam", test_deepteam.trace()),
    "langsmith": ("langsmith", test_langsmith.EXAMPLE),
    "langsmith batch": (
        "langsmith",
        {"post": [test_langsmith.run(outputs=None)], "patch": [{"id": "r1", "outputs": {"a": "b"}}]},
    ),
    "langfuse": ("langfuse", test_langfuse.EXAMPLE),
    "openinference": ("openinference", test_openinference.EXAMPLE),
    "openinference frame": ("openinference", [test_openinference.FRAME]),
    "otlp": ("openinference", test_openinference.OTLP),
}
NAN = "NaN, which no JSON value is"
ODD: tuple[Any, ...] = (
    None,
    True,
    7,
    -0.5,
    "",
    "text",
    [],
    [[]],
    {},
    {"x": 1},
    [{"role": 3}],
    ["a", None],
    "[{",
    '{"messages": 3}',
    NAN,
)


def values(content: Any) -> list[Any]:
    """The JSON values of a log: one, or one a line."""
    return [json.loads(line) for line in content.splitlines()] if isinstance(content, str) else [content]


def text_of(found: list[Any], content: Any) -> str:
    written = "\n".join(json.dumps(value) for value in found) if isinstance(content, str) else json.dumps(found[0])
    return written.replace(f'"{NAN}"', "NaN")


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Paths of all values inside a value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield (*path, key)
        yield from places(each, (*path, key))


def changed(value: Any, path: tuple[Any, ...], odd: Any) -> Any:
    """A copy of a value with something else at one place."""
    found = copy.deepcopy(value)
    at = found
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = odd
    return found


def rows_of(reader: str, path: Path) -> list[RowDraft | Finding]:
    """What the reader makes of a file, as far as it comes."""
    source = open_source(path)
    chosen = reader_named(reader)
    chosen.detect(source)
    found = []
    try:
        for run in chosen.plan([source], ImportOptions.of({"set": {"intent": "benign"}}), POLICY):
            for part in run.parts:
                found += list(part.rows())
                part.taken()
    except InputError as error:
        assert "\n" not in str(error)  # noqa: PT017  # the message itself is what is tested
    return found


@pytest.mark.parametrize("many", [3, pytest.param(len(ODD), marks=pytest.mark.slow)])
@pytest.mark.parametrize("log", LOGS)
def test_a_value_of_another_kind_is_never_a_crash(log: str, many: int, tmp_path: Path) -> None:
    """Every value of a log in turn becomes some of the odd ones; what is left can be read, or is named with its field."""
    reader, content = LOGS[log]
    path = tmp_path / "log.json"
    found, chance = values(content), random.Random(7)
    for place in list(places(found)):
        for odd in chance.sample(ODD, many):
            path.write_text(text_of(changed(found, place, odd), content), encoding="utf-8")
            for row in rows_of(reader, path):
                if isinstance(row, RowDraft):
                    assert all(type(value) is str for value in (row.prompt, row.response, row.model, row.category))
                    assert all(type(said.judge) is type(said.reason) is type(said.raw) is str for said in row.verdicts)
                else:
                    assert row.message and row.line >= 0


@pytest.mark.parametrize("log", LOGS)
def test_a_log_that_is_cut_off_is_never_a_crash(log: str, tmp_path: Path) -> None:
    reader, content = LOGS[log]
    path = tmp_path / "log.json"
    text = text_of(values(content), content)
    for end in random.Random(4).sample(range(1, len(text)), min(60, len(text) - 1)):
        path.write_text(text[:end], encoding="utf-8")
        rows_of(reader, path)


@pytest.mark.parametrize("log", LOGS)
def test_half_a_character_is_a_problem_of_its_row(log: str, tmp_path: Path) -> None:
    """A lone surrogate is legal JSON, and cannot be stored."""
    reader, content = LOGS[log]
    path = tmp_path / "log.json"
    found = values(content)
    for place in list(places(found)):
        path.write_text(text_of(changed(found, place, "half \ud83d"), content), encoding="utf-8")
        for row in rows_of(reader, path):
            if isinstance(row, RowDraft):
                json.dumps(row, ensure_ascii=False).encode()
