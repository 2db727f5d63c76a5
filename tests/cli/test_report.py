"""`adjudicate report` through the command line: the brief, every table, empty sections, runs by name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import Run, in_workspace, write_rows


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command on a workspace with two runs of four benign items: exit code, output, errors."""
    monkeypatch.chdir(tmp_path)

    command = in_workspace(capsys)
    for name in ("one", "two"):
        rows = [
            {"id": f"{name}{number}", "prompt": "p", "response": f"{name} {number}", "intent": "benign", "model": "m",
             "verdict": "full_refusal"}
            for number in range(4)
        ]  # fmt: skip
        write_rows(f"{name}.jsonl", rows)
        assert command("import", f"{name}.jsonl")[0] == 0
    return command


def label_all(run: Run) -> None:
    rows = [
        {"id": f"{name}{number}", "prompt": "p", "response": f"{name} {number}", "intent": "benign", "model": "m",
         "label.a": "full_refusal", "label.b": "full_refusal" if number else "full_compliance"}
        for name in ("one", "two")
        for number in range(4)
    ]  # fmt: skip
    write_rows("labels.jsonl", rows)
    assert run("import", "labels.jsonl")[0] == 0


@pytest.mark.parametrize("section", ["accuracy", "agreement", "anchoring", "calibration"])
def test_a_section_without_labels_says_why_it_is_empty(run: Run, section: str) -> None:
    code, shown, _ = run("report", section)
    assert (code, shown.splitlines()[-1]) == (0, f"No {section}: no label yet.")


def test_all_prints_every_table_and_nothing_else_only_the_main_ones(run: Run) -> None:
    label_all(run)
    _, brief, told = run("report")
    _, whole, hint = run("report", "all")
    for title in ("Outcomes", "Gold against verdict by outcome", "positive predictive value", "Agreement, further coefficients"):
        assert title in whole and title not in brief
    assert "report agreement | accuracy | anchoring | calibration | rates | errors | all" in told
    assert "More: report" not in hint
    assert run("report", "--json")[1] == run("report", "all", "--json")[1]


def test_a_split_by_run_names_the_run(run: Run) -> None:
    found = json.loads(run("report", "rates", "--by", "run", "--json")[1])["estimates"]
    assert {each["group"]["run"] for each in found if "run" in each["group"]} == {"one", "two"}
    assert "run one" in run("report", "rates", "--by", "run")[1]


def test_options_that_exclude_each_other_are_refused(run: Run) -> None:
    code, _, told = run("report", "--anytime", "--conservative")
    assert code == 2 and "leave out --conservative" in told


@pytest.mark.parametrize("threshold", ["nan", "inf", "-inf"])
def test_a_threshold_that_is_no_number_is_refused(run: Run, threshold: str) -> None:
    code, _, told = run("frontier", "--threshold", threshold)
    assert code == 2 and "expected a number" in told
