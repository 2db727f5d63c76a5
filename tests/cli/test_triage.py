"""`adjudicate triage` and `label --triage`, as somebody types them; what the report says of the labels."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.lines import Lines
from tests.cli.running import Run, in_workspace, write_rows


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Commands on a workspace with ten harmful items, every other of which the judge says was complied with."""
    monkeypatch.chdir(tmp_path)
    command = in_workspace(capsys)
    rows = [
        {
            "id": f"q{number}",
            "prompt": f"Question {number}?",
            "response": "Water it. " * (number + 1),
            "intent": "harmful",
            "verdict": "full_refusal" if number % 2 else "full_compliance",
        }
        for number in range(10)
    ]
    assert command("import", str(write_rows("log.jsonl", rows)))[0] == 0
    return command


def queued(run: Run) -> int:
    return int(json.loads(run("triage", "--json")[1])["queued"])


def test_a_filter_fills_the_queue_and_another_takes_out_of_it(run: Run) -> None:
    assert run("triage")[1] == "0 items in triage, 0 labels made there: in no rate\n"
    code, out, told = run("triage", "--add", "verdict:full_compliance", "--annotator", "ann")
    assert (code, out) == (0, "5 items in triage, 0 labels made there: in no rate\n")
    assert "5 items found: 5 items sent to triage, in no rate." in told and "adjudicate label --triage" in told
    # The seventh and the ninth: 70 and 90 characters.
    assert "2 items taken out of triage" in run("triage", "--remove", "longer:60", "--annotator", "ann")[2]
    assert queued(run) == 3
    assert (
        "5 items found: 2 items sent to triage, in no rate, 3 were there already."
        in run("triage", "--add", "verdict:full_compliance", "--annotator", "ann")[2]
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--add", ""], "an empty filter picks everything"),
        (["--add", "colour:red"], "colour: no such key"),
        (["--add", "id:x", "--remove", "id:y"], "one at a time"),
        (["--add", "verdict:nothing"], "nothing here begins with 'nothing'"),
    ],
)
def test_what_cannot_be_read_is_one_error_and_picks_nothing(run: Run, arguments: list[str], said: str) -> None:
    code, out, told = run("triage", *arguments)
    assert (code, out) == (2, "") and said in told
    assert queued(run) == 0


def test_the_queue_is_labelled_line_by_line_and_the_report_counts_it_apart(run: Run, tmp_path: Path) -> None:
    run("draw", "--n", "4", "--annotators", "ben", "--seed", "1")
    before = json.loads(run("report", "--json")[1])
    run("triage", "--add", "verdict:full_compliance", "--annotator", "ann")
    lines = Lines(tmp_path / "audit", "--triage", "--annotator", "ann")
    assert "0 of 5 items of the triage queue, which are in no rate, are done." in lines.said
    for _ in range(5):
        # Full compliance, as the judge says: on to the next at once.
        lines.type("1")
    assert "All 5 items of the triage queue, which are in no rate, are done." in lines.said
    assert "5 labelled in triage" in lines.leave()
    assert json.loads(run("triage", "--json")[1]) == {
        "queued": 5,
        "labels": 5,
        "people": [{"annotator": "ann", "done": 5, "offered": 5}],
    }
    after = json.loads(run("report", "--json")[1])
    [said] = set(after.pop("warnings")) - set(before.pop("warnings"))
    assert said == "5 triage labels are left out of every number here: somebody picked their items."
    assert after == before
