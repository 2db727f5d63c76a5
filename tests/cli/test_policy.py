"""`adjudicate policy`: versions listed, compared and adopted; end to end, only what rests on a changed clause comes back."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from adjudicate.cli import main
from adjudicate.cli.context import Workspace
from adjudicate.core.labels import label
from adjudicate.settings import resource
from tests.cli.running import Run, in_workspace

SHIPPED = resource("policies", "xstest.md").read_text(encoding="utf-8")
CHANGED = SHIPPED.replace('version: "1"', 'version: "2"').replace("Any wording counts:", "Any wording counts, also a polite one:")
ROWS = [{"id": f"q{number}", "prompt": f"Question {number}?", "response": "Sorry.", "intent": "benign"} for number in range(6)]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Commands in a workspace of six items, all drawn for ann, labelled full_refusal: two cite B2, two A1, two nothing."""
    monkeypatch.chdir(tmp_path)

    command = in_workspace(capsys)
    Path("log.jsonl").write_text("\n".join(map(json.dumps, ROWS)), encoding="utf-8")
    Path("v2.md").write_text(CHANGED, encoding="utf-8")
    assert command("import", "log.jsonl")[0] == 0
    assert command("draw", "--n", "6", "--annotators", "ann", "--seed", "1")[0] == 0
    workspace = Workspace(Path("audit"))
    store, policy = workspace.store(), workspace.policy()
    person = store.annotator("ann").id
    for place, pick in enumerate(store.pending(person, after=-1, limit=9)):
        clause = ("B2", "B2", "A1", "A1", None, None)[place]
        act = label(policy, item_id=pick.item_id, outcome="full_refusal", mode="blind", clause=clause)
        store.append(person, act, policy=policy.fingerprint, at="2026-01-01T00:00:00Z")
    workspace.close()
    return command


def test_adopted_with_one_changed_clause_only_the_labels_that_cite_it_come_back(run: Run, tmp_path: Path) -> None:
    code, out, err = run("policy", "adopt", "v2.md", "--dry-run")
    assert code == 0 and "clause B2" in out and "2 labels on 2 items come back" in out and "Nothing was changed" in err
    assert [each["version"] for each in json.loads(run("policy", "list", "--json")[1])] == ["1"]

    code, out, err = run("policy", "adopt", "v2.md")
    assert code == 2 and "--yes" in err, "without a terminal nobody can be asked"
    assert json.loads(run("status", "--json")[1])["policy"]["version"] == "1"

    code, out, _ = run("policy", "adopt", "v2.md", "--yes", "--json")
    adopted = json.loads(out)
    assert code == 0 and adopted["adopted"] and adopted["labels_again"] == 2 and adopted["labels_standing"] == 4

    status = json.loads(run("status", "--json")[1])
    assert status["policy"]["version"] == "2"
    assert [(each["done"], each["total"]) for each in status["annotators"]] == [(4, 6)]

    report = json.loads(run("report", "rates", "--json")[1])
    assert report["to_label_again"] == 2 and report["open_disagreements"] == 0
    human = next(each for each in report["estimates"] if each["statistic"] == "corrected_rate")
    assert human["n"] == 4 and human["details"]["unresolved"] == 2

    assert run("export", "labels.csv")[0] == 0
    exported = list(csv.DictReader((tmp_path / "audit" / "exports" / "labels.csv").read_text(encoding="utf-8").splitlines()))
    old = json.loads(run("policy", "list", "--json")[1])[1]["fingerprint"]
    assert {row["policy"] for row in exported} == {old}
    assert [row["clause"] for row in exported if row["outdated"] == "TRUE"] == ["B2", "B2"]
    assert run("export", "receipt")[0] == 0
    receipt = json.loads((tmp_path / "audit" / "exports" / "receipt.json").read_text(encoding="utf-8"))
    assert [(each["version"], each["labels"]) for each in receipt["policy_versions"]] == [("2", 0), ("1", 6)]
    assert run("check")[0] == 0


def test_a_policy_that_calls_nothing_back_needs_no_yes(run: Run) -> None:
    Path("v3.md").write_text(SHIPPED.replace('version: "1"', 'version: "3"') + "\n## D9 Later\nMore words.\n", encoding="utf-8")
    code, out, err = run("policy", "adopt", "v3.md")
    assert code == 0 and "No label comes back" in out and "In force: xstest 3" in err


def test_a_diff_says_what_follows_and_marks_the_words(run: Run) -> None:
    code, out, _ = run("policy", "diff", "v2.md", "--words")
    assert code == 0 and "From xstest 1" in out and "≠" in out and "clause B2" in out
    assert "Any wording [-counts:-] {+counts, also a polite one:+}" in out
    found = json.loads(run("policy", "diff", "v2.md", "--json")[1])["changes"]
    assert [(each["part"], each["id"], each["change"], each["labels_again"]) for each in found] == [
        ("clause", "B2", "changed", True)
    ]


def test_a_diff_between_stored_versions_needs_no_file(run: Run) -> None:
    code, _, err = run("policy", "diff")
    assert code == 2 and "only one version" in err
    run("policy", "adopt", "v2.md", "--yes")
    Path("v2.md").unlink()
    first = json.loads(run("policy", "list", "--json")[1])[1]["fingerprint"][:8]
    for arguments in ((), (first,), ("1",), (first, "2")):
        found = json.loads(run("policy", "diff", *arguments, "--json")[1])
        assert (found["from"]["version"], found["to"]["version"], len(found["changes"])) == ("1", "2", 1), arguments


def test_two_files_are_compared_without_a_workspace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "v2.md").write_text(CHANGED, encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        main(["-w", str(tmp_path / "none"), "policy", "diff", "xstest", str(tmp_path / "v2.md")])
    assert not ended.value.code
    assert "clause B2" in capsys.readouterr().out


def test_the_older_version_is_adopted_again_by_its_fingerprint(run: Run) -> None:
    run("policy", "adopt", "v2.md", "--yes")
    first = json.loads(run("policy", "list", "--json")[1])[1]["fingerprint"]
    code, out, _ = run("policy", "adopt", first[:10])
    assert code == 0 and "2 labels that had to be made again count again" in out
    assert [each["done"] for each in json.loads(run("status", "--json")[1])["annotators"]] == [6]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("policy", "adopt", "nothing.md"), "no such file"),
        (("policy", "diff", "nothing.md"), "no such file"),
        (("policy", "diff", "a", "b", "c"), "two at most"),
        (("policy", "diff", "\x1b[31mred"), "no such file"),
    ],
)
def test_what_cannot_be_found_is_told_in_one_line(run: Run, arguments: tuple[str, ...], words: str) -> None:
    code, out, err = run(*arguments)
    assert code == 2 and words in err and "Traceback" not in err and out == ""
    assert "\x1b" not in err


def test_a_broken_file_adopts_nothing(run: Run) -> None:
    Path("bad.md").write_text(CHANGED.replace("id: full_refusal", "id: Full Refusal"), encoding="utf-8")
    code, _, err = run("policy", "adopt", "bad.md", "--yes")
    assert code == 2 and "bad.md" in err
    assert len(json.loads(run("policy", "list", "--json")[1])) == 1
