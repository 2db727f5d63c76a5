"""`adjudicate import` as a person sees it: what is said of many bad rows, and what is kept of a mapping."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cli.running import Run, in_workspace, write_rows

GOOD = {"id": "good", "prompt": "p", "response": "r", "intent": "benign"}


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command on an empty workspace."""
    monkeypatch.chdir(tmp_path)
    return in_workspace(capsys)


def bad(count: int) -> list[dict[str, object]]:
    """Rows that each have a fault of their own, so that none can be said with another."""
    return [{**GOOD, "id": f"b{number}", "score": number + 2} for number in range(count)]


def write(*rows: Mapping[str, object]) -> None:
    write_rows("log.jsonl", rows)


@pytest.mark.parametrize(("count", "rest"), [(20, 0), (21, 1), (250, 230)])
def test_twenty_problems_of_a_file_are_told_and_the_others_counted(count: int, rest: int, run: Run) -> None:
    write(GOOD, *bad(count))
    code, out, errors = run("import", "log.jsonl")
    told = errors.splitlines()
    assert (code, f"{count} skipped" in out) == (0, True)
    # The good row is line 1.
    assert [line.split(", ")[0] for line in told[:20]] == [f"log.jsonl: line {number + 2}" for number in range(20)]
    assert len(told) == 20 + bool(rest) + 1
    if rest:
        listed = "--json lists the first 200" if count > 200 else "--json lists them"
        assert told[20] == f"log.jsonl: and {rest} more problems ({listed})"
    assert told[-1] == f"{count} rows were SKIPPED; they are listed above."


def test_json_lists_two_hundred_problems_and_counts_all(run: Run) -> None:
    write(GOOD, *bad(250))
    (file,) = json.loads(run("import", "log.jsonl", "--json")[1])["files"]
    assert (len(file["problems"]), file["problem_count"], file["skipped"]) == (200, 250, 250)


def test_what_is_wrong_with_many_rows_is_said_once(run: Run) -> None:
    write(GOOD, *({**GOOD, "id": f"b{number}", "score": 2} for number in range(250)))
    errors = run("import", "log.jsonl")[2].splitlines()
    assert errors[0].endswith("found '2' (the same in line 3, 4, 5, 6, 7 and 194 more)")
    assert errors[1] == "log.jsonl: and 50 more problems (--json lists the first 200)"


def test_a_rejected_file_tells_five_problems(run: Run) -> None:
    write(*bad(12))
    code, out, errors = run("import", "log.jsonl")
    assert (code, out) == (2, "")
    assert errors.count("expected a number from 0 to 1") == 5
    assert "and 7 more problems" in errors and errors.endswith("Nothing was stored.\n")
