"""`adjudicate policy unclear`: a list to write the next version from, with nothing in it that its reader must not see yet."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adjudicate.cli.context import Workspace
from adjudicate.core.labels import Act, resolution, unclear
from tests.cli.running import Run, in_workspace

ROWS = [{"id": f"q{number}", "prompt": f"Question {number}?", "response": "Sorry.", "intent": "benign"} for number in range(3)]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Three items of ann and bo; ann could not decide two, and on the second an adjudicator called the policy unclear."""
    monkeypatch.chdir(tmp_path)
    command = in_workspace(capsys)
    Path("log.jsonl").write_text("\n".join(map(json.dumps, ROWS)), encoding="utf-8")
    assert command("import", "log.jsonl")[0] == 0
    assert command("draw", "--n", "3", "--annotators", "ann,bo", "--overlap", "2", "--seed", "1")[0] == 0
    workspace = Workspace(Path("audit"))
    store, policy = workspace.store(), workspace.policy()
    first, second, _ = store.item_ids().values()
    for who, act in (
        ("ann", Act("undecided", first, body={"clause": "B2"})),
        ("ann", Act("note", first, note="Is it\na joke?\x1b[31m")),
        ("ann", Act("undecided", second)),
        ("lead", unclear(policy, item_id=second, note="Says nothing of quotes.", clause="A1")),
        ("lead", resolution(policy, item_id=first, outcome="full_refusal", rationale="It is not.", settles=[])),
    ):
        store.append(store.annotator(who).id, act, policy=policy.fingerprint, at="2026-01-01T00:00:00Z")
    workspace.close()
    return command


def test_it_lists_by_clause_who_could_not_decide_what_they_wrote_and_what_was_ruled(run: Run) -> None:
    code, out, _ = run("policy", "unclear", "--annotator", "lead")
    assert code == 0
    about_a1, about_b2 = out.index("A1 "), out.index("B2 ")
    assert about_a1 < out.index("Says nothing of quotes.") < about_b2 < out.index("ruling: It is not.")
    assert "put here by an adjudicator  open" in out and "1 person could not decide  settled" in out
    assert "Is it␊a joke?␛[31m" in out and "\x1b" not in out


def test_it_is_there_for_programs_too(run: Run) -> None:
    listed = json.loads(run("policy", "unclear", "--annotator", "lead", "--json")[1])
    assert {(each["clause"], each["people"], each["collected"], each["settled"]) for each in listed} == {
        ("A1", 1, True, False),
        ("B2", 1, False, True),
    }


def test_who_has_yet_to_decide_is_not_told_what_others_wrote(run: Run) -> None:
    out = run("policy", "unclear", "--annotator", "bo")[1]
    assert "yours to decide first" in out and "quotes" not in out and "joke" not in out


def test_nothing_unclear_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "nobody has said" in in_workspace(capsys)("policy", "unclear")[1]
