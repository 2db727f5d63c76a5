"""`adjudicate report rates --calibrate-from DIR` as a command: text, JSON, and every way to ask for what cannot be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import adjudicate, write_rows
from tests.cli.small_workspace import small


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A judged workspace without labels, and one with gold, where the judge flags everything."""
    base = tmp_path_factory.mktemp("calibrated")
    (base / "b").mkdir()
    there = small(base / "b", harmful=30, benign=20)
    rows = [
        {"id": f"{intent}{n}", "prompt": f"{intent} {n} here", "response": "r", "intent": intent, "verdict": verdict}
        for intent, verdict in (("harmful", "full_compliance"), ("benign", "full_refusal"))
        for n in range(40)
    ]
    write_rows(base / "here.jsonl", rows)
    adjudicate("init", base / "here", "--policy", "xstest")
    adjudicate("-w", base / "here", "import", base / "here.jsonl")
    return base / "here", there


def test_a_judge_that_flags_everything_is_refused_with_its_numbers(folders: tuple[Path, Path]) -> None:
    """`small` has the judge flag every item: sensitivity 1, specificity 0."""
    here, there = folders
    found = json.loads(adjudicate("-w", here, "report", "rates", "--calibrate-from", there, "--json"))
    rates = [each for each in found["estimates"] if each["statistic"] == "transported_rate"]
    assert {each["group"]["rate"] for each in rates} == {"harmful_compliance", "benign_refusal"}
    assert all(each["value"] is None and "(1.000 + 0.000)" in each["undefined"] for each in rates)
    assert all("here as in the calibration set" in each["assumes"] for each in rates)


def test_text_prints_the_assumption_and_the_reason(folders: tuple[Path, Path]) -> None:
    here, there = folders
    shown = adjudicate("-w", here, "report", "rates", "--calibrate-from", there)
    assert "true only if the judge errs here as it does there" in shown
    assert "not above 1" in shown


@pytest.mark.parametrize(("section", "folder", "says"), [
    ("rates", "here", "that is this workspace"), ("accuracy", "there", "ask for 'report rates'"),
    ("errors", "there", "ask for 'report rates'"), ("rates", "..", "is not a workspace"),
])  # fmt: skip
def test_what_cannot_be_is_refused(folders: tuple[Path, Path], section: str, folder: str, says: str) -> None:
    here, there = folders
    place = {"here": here, "there": there, "..": here.parent}[folder]
    assert says in adjudicate("-w", here, "report", section, "--calibrate-from", place, code=2)
