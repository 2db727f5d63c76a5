"""Exports, runs by a short name, status and check, through the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import Run, in_workspace, write_rows


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command on a small workspace with two runs: exit code, output, errors."""
    monkeypatch.chdir(tmp_path)

    command = in_workspace(capsys)
    for name in ("one", "two"):
        rows = [
            {"id": f"{name}{number}", "prompt": "p", "response": f"{name} {number}", "intent": "benign", "model": f"m-{name}",
             "verdict": "full_refusal", "gold": "full_refusal"}
            for number in range(3)
        ]  # fmt: skip
        write_rows(f"{name}.jsonl", rows)
        assert command("import", f"{name}.jsonl")[0] == 0
    return command


def test_a_run_may_be_named_as_status_shows_it(run: Run) -> None:
    whole = json.loads(run("status", "--json")[1])
    assert whole["models"] == {"m-one": 3, "m-two": 3}
    assert whole["populations"] == {"benign": 6}
    shown = run("status")[1]
    full = whole["runs"][1]["run"]
    assert full[:10] in shown and "Models" in shown and "m-two" in shown and "Populations" in shown
    reports = [run("report", "rates", "--json", "--run", name)[1] for name in (full, full[:10], full[:4], "two")]
    assert json.loads(reports[0])["items"] == 3
    assert len(set(reports)) == 1
    assert run("export", "gold.jsonl", "--run", full[:10], "--out", "two.out.jsonl")[0] == 0
    written = Path("two.out.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["source_id"] for line in written] == ["two0", "two1", "two2"]
    assert run("gate", "--candidate", full[:10], "--max", "benign_refusal=1")[0] in (0, 3)


@pytest.mark.parametrize("arguments", [("report", "rates"), ("report", "errors"), ("export", "gold.csv")])
def test_an_unknown_run_is_refused_with_those_that_there_are(run: Run, arguments: tuple[str, ...]) -> None:
    code, _, errors = run(*arguments, "--run", "nope")
    assert code == 2
    assert "there is no such run; there is one (" in errors


def test_an_export_over_the_database_exits_with_2_and_leaves_it(run: Run) -> None:
    before = Path("audit/db/adjudicate.db").read_bytes()
    for command in (
        ("export", "gold.csv", "--force", "--out", "audit/db/adjudicate.db"),
        ("gate", "--max", "benign_refusal=1", "--receipt", "audit/db/adjudicate.db"),
        ("gate", "--max", "benign_refusal=1", "--markdown", "audit/adjudicate.toml"),
    ):
        code, _, errors = run(*command)
        assert code == 2 and "inside the workspace" in errors
    assert Path("audit/db/adjudicate.db").read_bytes() == before
    assert run("check")[0] == 0


def test_an_unrelated_file_is_replaced_with_force_only(run: Run) -> None:
    Path("theirs.csv").write_text("thesis", encoding="utf-8")
    code, _, errors = run("export", "gold.csv", "--out", "theirs.csv")
    assert code == 2 and "--force" in errors
    assert Path("theirs.csv").read_text(encoding="utf-8") == "thesis"
    assert run("export", "gold.csv", "--out", "theirs.csv", "--force")[0] == 0


def test_check_compares_with_a_receipt(run: Run) -> None:
    assert run("export", "receipt", "--out", "receipt.json")[0] == 0
    code, shown, _ = run("check", "--receipt", "receipt.json")
    assert code == 0 and "names is here, unchanged" in shown
    receipt = json.loads(Path("receipt.json").read_text(encoding="utf-8"))
    receipt["event_heads"][0]["events"] += 1
    Path("receipt.json").write_text(json.dumps(receipt), encoding="utf-8")
    code, shown, _ = run("check", "--receipt", "receipt.json", "--json")
    assert code == 1
    assert "the end of the chain is missing" in json.loads(shown)["problems"][0]
    assert run("check", "--receipt", "one.jsonl")[0] == 2
