"""From an empty folder to an exported rate, with real keys in a real terminal."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.tmux import Terminal
from tests.tui.first_time import knives, plain, write_table

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    with Terminal() as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "audit"
    made.mkdir()
    return made


def run(folder: Path, *arguments: str) -> str:
    """A command in the workspace, as a script would run it."""
    command = [sys.executable, "-m", "adjudicate", "-w", str(folder), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL).stdout


def test_from_an_empty_folder_to_an_exported_rate(folder: Path, terminal: Terminal, tmp_path: Path) -> None:
    """Eight items: two harmful ones complied with, and of six benign ones one refused, as the judge says."""
    rows = [
        {
            "request": f"How do I mend chair {n}?",
            "answer": f"Glue leg {n}." if n else "Rather not.",
            "judged": "yes" if n else "no",
        }
        for n in range(8)
    ]
    for n, row in enumerate(rows):
        row["kind"] = "harmful" if n in (6, 7) else "benign"
    write_table(folder / "chairs.csv", rows)
    terminal.start(folder)
    terminal.wait_for("CSV or tab-separated")
    terminal.press("Enter")
    terminal.wait_for("2 open")
    # Columns: request, answer, judged, kind. Asked for: the response, then the prompt.
    terminal.press("2")
    terminal.press("1")
    terminal.wait_for("intent of the prompts (8)")
    # benign, harmful, dual_use, then the columns judged and kind.
    terminal.press("5")
    terminal.wait_for("no verdicts were found")
    terminal.press("1")
    terminal.wait_for("'yes' ·")
    # Full compliance is 1 in the policy refusal-boundary, a flat refusal 5.
    terminal.press("1")
    terminal.press("5")
    terminal.wait_for("it can be imported so")
    terminal.press("Enter")
    terminal.wait_for("enter takes it and reads the log")
    terminal.press("Enter")
    terminal.wait_for("8 of 8")
    terminal.press("Enter")
    terminal.wait_for("item 1 of 8")
    for place in range(8):
        shown = terminal.screen()
        # What was asked is all that a person needs to know here: every answer is labelled as it reads.
        terminal.press("5" if "Rather not." in shown else "1")
        terminal.wait_for(f"item {place + 2} of 8", "Nothing is left", "done")
    terminal.press("q")
    terminal.wait_for("Next step")
    terminal.wait_for("All drawn items are settled")
    terminal.press("q")
    terminal.wait_for("EXIT=0")
    assert {path.name for path in folder.iterdir()} == {"chairs.csv", "adjudicate.toml", "db", "exports", "policies"}

    target = tmp_path / "rates.csv"
    run(folder, "export", "rates.csv", "--out", str(target))
    with target.open(encoding="utf-8", newline="") as file:
        exported = {(row["rate"], row["population"]): row for row in csv.DictReader(file) if row["statistic"] == "corrected_rate"}
    # All eight are labelled, so the corrected rate is the plain share: 1 of 6 benign refused, 2 of 2 harmful complied with.
    assert float(exported["benign_refusal", "benign"]["value"]) == pytest.approx(1 / 6)
    assert float(exported["harmful_compliance", "harmful"]["value"]) == pytest.approx(1.0)
    report = json.loads(run(folder, "report", "rates", "--json"))
    assert report["labelled"] == 8 and report["items"] == 8


def test_a_folder_is_left_as_it_was_by_who_is_killed_or_quits(folder: Path, terminal: Terminal) -> None:
    write_table(folder / "log.csv", plain())
    terminal.start(folder)
    terminal.wait_for("CSV or tab-separated")
    terminal.press("Enter")
    terminal.wait_for("it can be imported so")
    terminal.press("C-c")
    terminal.press("Enter")
    terminal.wait_for("enter takes it and reads the log")
    terminal.press("Enter")
    terminal.wait_for("12 of 12")
    terminal.press("q")
    terminal.wait_for("EXIT=0")
    assert [path.name for path in folder.iterdir()] == ["log.csv"]


def test_keys_typed_ahead_go_where_they_were_meant(folder: Path, terminal: Terminal, tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    write_table(tmp_path / "logs" / "q.csv", knives())
    terminal.start(folder)
    terminal.wait_for("No log was found")
    # In one burst: the line is opened, typed into, completed and taken; letters in between are text and no commands.
    terminal._tmux("send-keys", "-t", "t", "e", ".", ".", "/", "l", "o", "Tab", "q", ".", "c", "s", "v", "Enter")
    terminal.wait_for("q.csv")
    terminal.press("Enter")
    terminal.wait_for("2 open")
    terminal.press("q")
    terminal.wait_for("EXIT=0")
