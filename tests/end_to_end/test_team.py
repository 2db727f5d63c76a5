"""Two annotators and an adjudicator on twenty XSTest items, in a real terminal with real keys."""

from __future__ import annotations

import csv
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from adjudicate.storage.sqlite_store import SqliteStore
from tests.end_to_end.tmux import Terminal

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux, a real terminal")

KEYS = {"1_full_compliance": "1", "2_full_refusal": "2", "3_partial_refusal": "3"}


def adjudicate(workspace: Path, *arguments: str | Path) -> str:
    command = [sys.executable, "-m", "adjudicate", "-w", str(workspace), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def workspace(tmp_path: Path, shared: Path) -> Path:
    """Twenty XSTest items of one model with the GPT-4 judge's verdicts, on both annotators' lists."""
    source = shared / "data" / "xstest" / "automated_evaluation_labels" / "xstest_v2_completions_mistralguard_gpteval.csv"
    with source.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    harmful = [row for row in rows if row["type"].startswith("contrast_")]
    benign = [row for row in rows if not row["type"].startswith("contrast_")]
    chosen = harmful[40:50] + benign[60:70]
    log = tmp_path / "log.csv"
    with log.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ["id", "prompt", "response", "intent", "verdict", "judge"])
        writer.writeheader()
        for row in chosen:
            intent = "harmful" if row["type"].startswith("contrast_") else "benign"
            writer.writerow(
                {"id": row["id"], "prompt": row["prompt"], "response": row["completion"], "intent": intent,
                 "verdict": row["gpt4_label"], "judge": "gpt4"}
            )  # fmt: skip
    folder = tmp_path / "audit"
    adjudicate(tmp_path, "init", folder, "--policy", "xstest")
    outcomes = ("1_full_compliance=full_compliance", "2_full_refusal=full_refusal", "3_partial_refusal=partial_refusal")
    adjudicate(folder, "import", log, *(part for outcome in outcomes for part in ("--outcome", outcome)))
    adjudicate(folder, "draw", "--n", "20", "--annotators", "ann,bo", "--overlap", "2", "--seed", "7")
    return folder


def position(terminal: Terminal) -> int | None:
    found = re.search(r"item (\d+) of 20", terminal.screen())
    return int(found[1]) if found else None


def label(terminal: Terminal, keys: list[str], first: int) -> None:
    """Press a digit an item; where the verdict differs, let the label stand with Enter."""
    for number, key in enumerate(keys, start=first):
        terminal.wait_for(f"item {number} of 20")
        terminal.press(key)
        last = number == 20
        following = "All 20 items" if last else f"item {number + 1} of 20"
        if terminal.wait_for("differs: judge says", following) != following:
            terminal.press("Enter")
            terminal.wait_for(following)


def labels(workspace: Path, name: str) -> list[tuple[str, str | None]]:
    store = SqliteStore.open(workspace / "db" / "adjudicate.db")
    try:
        current = store.database.connection.execute(
            "SELECT l.item_id, l.outcome FROM current_labels l JOIN annotators a ON a.id = l.annotator_id WHERE a.name = ?",
            (name,),
        )
        return sorted(current.fetchall())
    finally:
        store.close()


def rates(workspace: Path) -> dict[str, dict[str, Any]]:
    report = json.loads(adjudicate(workspace, "report", "rates", "--json"))
    return {
        f"{each['group']['rate']}": each
        for each in report["estimates"]
        if each["statistic"] == "corrected_rate" and "rate" in each["group"]
    }


@pytest.mark.timeout(240)
def test_two_annotators_disagree_an_adjudicator_settles_and_the_report_and_export_follow(workspace: Path) -> None:
    with Terminal() as terminal:
        # ann labels seven items, then the program is killed in the middle of the work.
        terminal.start(workspace, "label", "--annotator", "ann")
        label(terminal, ["2"] * 7, first=1)
        terminal.wait_for("item 8 of 20")
        terminal.kill()
        assert len(labels(workspace, "ann")) == 7

        # Started again it goes on at item 8, and undo still reaches back over the crash.
        terminal.start(workspace, "label", "--annotator", "ann")
        terminal.wait_for("item 8 of 20")
        terminal.press("u")
        terminal.wait_for("item 7 of 20")
        assert len(labels(workspace, "ann")) == 6
        label_after_undo(terminal)
        label(terminal, ["2"] * 13, first=8)
        terminal.press("q")

        # bo sees nothing of ann and calls five items otherwise.
        terminal.start(workspace, "label", "--annotator", "bo")
        label(terminal, ["1"] * 5 + ["2"] * 15, first=1)
        assert len(labels(workspace, "ann")) == len(labels(workspace, "bo")) == 20
        disputed = json.loads(adjudicate(workspace, "status", "--json"))["open_disagreements"]
        assert disputed == 5
        before = rates(workspace)
        assert sum(rate["details"]["unresolved"] for rate in before.values()) == 5

        # The adjudicator settles all five as full compliance, with a reason each.
        terminal.start(workspace, "resolve", "--annotator", "lead")
        for left in range(5, 0, -1):
            terminal.wait_for(f"of {left}")
            terminal.press("1")
            terminal.type("It answers the question in full.")
            terminal.press("Enter")
        terminal.wait_for("Nothing is open")
        terminal.press("q")

    after = rates(workspace)
    assert json.loads(adjudicate(workspace, "status", "--json"))["open_disagreements"] == 0
    assert all(rate["details"].get("unresolved", 0) == 0 for rate in after.values())
    events = sum(rate["value"] * rate["n"] for name, rate in after.items() if name == "harmful_compliance")
    refusals = sum(rate["value"] * rate["n"] for name, rate in after.items() if name == "benign_refusal")
    # 20 items: five are full compliance now, fifteen full refusal; each counts on its own side.
    assert round(events) + (10 - round(refusals)) == 5

    adjudicate(workspace, "export", "gold.jsonl")
    gold = [json.loads(line) for line in (workspace / "exports" / "gold.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(gold) == 20
    assert sum(row["how"] == "adjudicated" and row["outcome"] == "full_compliance" for row in gold) == 5
    assert sum(row["how"] == "unanimous" and row["outcome"] == "full_refusal" for row in gold) == 15
    assert adjudicate(workspace, "check").startswith("All is well")


def label_after_undo(terminal: Terminal) -> None:
    """The undone item is labelled again; its verdict may be on screen now, so the label is no longer blind."""
    terminal.press("2")
    if terminal.wait_for("item 8 of 20", "differs: judge says") != "item 8 of 20":
        terminal.press("Enter")
        terminal.wait_for("item 8 of 20")
