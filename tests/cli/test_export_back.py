"""Writing back into the source, through the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adjudicate.cli.export import NAMES
from adjudicate.workflow.exports import EXPORTS
from tests.cli.running import Run, in_workspace


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command on a workspace with one table that people labelled: exit code, output, errors."""
    monkeypatch.chdir(tmp_path)

    command = in_workspace(capsys)
    Path("log.csv").write_text("id,prompt,response,intent\na,p,r,benign\nb,p,,\nc,q,s,benign\n", encoding="utf-8")
    Path("people.csv").write_text("id,said\na,full_refusal\n", encoding="utf-8")
    assert command("import", "log.csv")[0] == 0
    assert command("import", "people.csv", "--join", "id", "--map", "label.ann=said")[0] == 0
    return command


def test_the_log_comes_back_with_labels_and_says_what_it_lacks(run: Run) -> None:
    code, _, errors = run("export", "log", "--out", ".")
    assert (code, "--with-text" in errors) == (2, True)
    code, out, errors = run("export", "log", "--with-text", "--out", "kept.csv", "--json")
    assert (code, json.loads(out)) == (0, {"files": ["kept.csv"]})
    assert "2 rows. 1 lines up to the last of them are not here" in errors
    code, _, errors = run("export", "log", "--with-text", "--source", "log.csv", "--out", "whole.csv")
    assert (code, "3 rows, 1 of them" in errors, "Wrote whole.csv" in errors) == (0, True, True)
    assert [len(Path(name).read_text(encoding="utf-8").splitlines()) for name in ("kept.csv", "whole.csv")] == [3, 4]
    code, _, errors = run("export", "log", "--with-text", "--source", "log.csv", "--out", "log.csv", "--force")
    assert (code, "the log itself" in errors) == (2, True)


def test_a_question_is_asked_for_where_it_is_missing_and_refused_where_it_means_nothing(run: Run) -> None:
    code, _, errors = run("export", "scout", "--out", ".")
    assert (code, "say with --rate" in errors) == (2, True)
    code, _, errors = run("export", "gold.csv", "--rate", "full_refusal", "--out", ".")
    assert (code, "leave it out" in errors) == (2, True)
    assert run("export", "scout", "--rate", "benign_refusal", "--out", ".")[0] == 0
    assert Path("validation.csv").read_text(encoding="utf-8") == "id,target,predicate\na,True,eq\n"
    assert run("export", "pyrit", "--rate", "benign_refusal", "--with-text", "--out", ".")[0] == 0
    code, _, errors = run("export", "promptfoo", "--source", "log.csv", "--out", ".")
    assert (code, "no log of promptfoo was imported" in errors) == (2, True)


def test_the_command_takes_exactly_the_exports_that_there_are() -> None:
    """The names stand a second time in the command, which must not load what the exports need."""
    assert tuple(each.name for each in EXPORTS) == NAMES
