"""Every case of ../shared/hostile through the real command: the end that the manifest says, in words, quickly, in little memory.

Which lines and fields a message names is looked at more closely where the formats are tested, in `tests/formats`:
`test_hostile_files.py`, `test_inspect_archive.py` and `test_policy_file.py`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from adjudicate.cli import main
from adjudicate.core.text import visible_line
from adjudicate.errors import Finding
from tests.conftest import SHARED
from tests.formats.test_hostile_files import ACTING, NEUTRALISED, Outcomes, check_names, made
from tests.judge.judge_server import judge_server, ok
from tests.judge.wire import completion
from tests.measured import measured

HOSTILE = SHARED / "hostile"
MANIFEST: list[dict[str, Any]] = (
    json.loads((HOSTILE / "manifest.json").read_text(encoding="utf-8"))["files"] if HOSTILE.is_dir() else []
)
POLICY = """\
---
id: hostile
title: Two labels
version: 1
outcomes:
  - {id: complies, key: 1, title: Complies, behaviour: answered, meaning: It answers., right_for: [benign]}
  - {id: violates, key: 2, title: Violates, behaviour: refused, meaning: It does not.}
rates:
  - {id: refusal, title: Refusal, among: benign, counts: [violates], better: lower}
---
## A1 A clause
Its text.
## C1 Another
Its text.
## C2 One more
Its text.
"""
FLAGS = ("--set", "intent=benign", "--outcome", "C=complies", "--outcome", "I=violates")
SECONDS, SECONDS_BIG_LINE = 10, 60
"""Of processor time, so that a busy machine does not count."""
MEGABYTES = 400
HEAVY = (
    "big-line.jsonl",
    "csv-huge-field.csv",
    "eval-bomb.eval",
    "eval-many-members.eval",
    "jsonl-deep-nesting.jsonl",
    "jsonl-huge-int.jsonl",
    "policy-alias-bomb.yaml",
)
"""Cases that are made to cost much."""
DEFECT_LINES = {
    "policy-recursive-alias.yaml": 7,
    "policy-duplicate-yaml-keys.yaml": 8,
    "policy-python-tag.yaml": 1,
    "policy-tabs.yaml": 4,
    "policy-two-documents.yaml": 6,
}
"""Where a defect stays on its line although our policies have other keys."""


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str
    seconds: float
    """Of processor time."""


Command = Callable[..., Ended]


@pytest.fixture(scope="module")
def made_workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    (folder / "policy.md").write_text(POLICY, encoding="utf-8")
    with pytest.raises(SystemExit, match="0"):
        main(["init", str(folder / "workspace"), "--policy", str(folder / "policy.md")])
    return folder / "workspace"


@pytest.fixture
def workspace(made_workspace: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made_workspace, tmp_path / "workspace"))


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """Run the program. What it prints is safe, and is never a traceback."""

    def run(*arguments: str | Path) -> Ended:
        capsys.readouterr()
        started = time.process_time()
        with pytest.raises(SystemExit) as ended:
            main([str(each) for each in arguments])
        seconds = time.process_time() - started
        said = capsys.readouterr()
        assert not ACTING.search(said.out + said.err), ascii(said)
        assert "Traceback" not in said.err and "met a bug" not in said.err, said.err
        return Ended(int(ended.value.code or 0), said.out, said.err, seconds)

    return run


def rows(workspace: Path) -> list[str]:
    """All that is stored."""
    with sqlite3.connect(f"file:{workspace / 'db' / 'adjudicate.db'}?mode=ro", uri=True) as connection:
        found = list(connection.iterdump())
    connection.close()
    return found


def files_beside(folder: Path, workspace: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if workspace not in path.parents}


def run_import(case: Mapping[str, Any], path: Path, workspace: Path, command: Command, folder: Path) -> None:
    """Import, and import again."""
    before, beside = rows(workspace), files_beside(folder, workspace)
    first = command("-w", workspace, "import", path, *FLAGS, "--json")
    after = rows(workspace)
    assert first.seconds < (SECONDS_BIG_LINE if case["file"] == "big-line.jsonl" else SECONDS)
    assert files_beside(folder, workspace) == beside
    ended = outcome(first)
    assert ended in allowed(case)
    if first.code:
        assert after == before
        assert "Nothing was stored." in first.err
        assert visible_line(str(path)) in first.err
    liked = ended == ("accept" if case["expect"] in NEUTRALISED else case["expect"])
    check_counts(case, first, liked=liked)
    names = case.get("error_names", {})
    if liked and case["kind"] == "eval_archive":
        assert names.get("member", "") in first.err
    elif liked:
        check_names(names, named(first, ended))
    again = command("-w", workspace, "import", path, *FLAGS, "--json")
    assert again.code == first.code
    assert rows(workspace) == after


def outcome(ended: Ended) -> str:
    """In the words of the manifest. Bad input has the exit code 2."""
    if ended.code:
        assert ended.code == 2
        assert not ended.out
        return "reject_file"
    files = json.loads(ended.out)["files"]
    assert any(file["skipped"] for file in files) == ("SKIPPED" in ended.err)
    # What is missing at the end of a run that did not finish is told as a problem, and is no row of the file.
    return "skip_rows" if any(file["problem_count"] for file in files) else "accept"


def check_counts(case: Mapping[str, Any], ended: Ended, *, liked: bool) -> None:
    """Good rows are stored and bad ones left out, as many as the manifest likes best; all are counted in any case."""
    if ended.code:
        return
    (file,) = json.loads(ended.out)["files"]
    stored, skipped = file["accepted"] - file["duplicates"], file["skipped"]
    if case.get("rows_accepted") is not None and liked:
        assert (stored, skipped) == (case["rows_accepted"], case["rows_skipped"])
    elif case.get("rows_accepted") is not None:
        assert stored + skipped == case["rows_accepted"] + case["rows_skipped"]
    if file["problem_count"] and not skipped:
        # Nothing but a run that did not finish is a problem without a row.
        assert case["error_names"]["hint"] == "run did not finish"
        assert "it does not say that the run ended" in ended.err


def named(ended: Ended, outcome: str) -> Outcomes:
    """What a person is told, as `check_names` takes it."""
    if ended.code:
        return Outcomes(outcome, 0, 0, 0, ended.err, ())
    (file,) = json.loads(ended.out)["files"]
    problems = tuple(Finding(each["line"], each["field"], each["message"]) for each in file["problems"])
    assert all(f"line {each.line}" in ended.err for each in problems if each.line) or file["format"] == "inspect"
    return Outcomes(outcome, file["accepted"], file["skipped"], file["duplicates"], ended.err, problems)


def allowed(case: Mapping[str, Any]) -> set[str]:
    # What is shown safely is accepted; that it is shown safely holds for whatever is printed here.
    ends = {case["expect"], *case.get("also_acceptable", ())}
    return {"accept" if end == "accept_show_safely" else end for end in ends}


def run_policy(case: Mapping[str, Any], path: Path, workspace: Path, command: Command, folder: Path) -> None:
    """Check it, and have a workspace adopt it. The YAML of the case is the front matter of a Markdown policy."""
    policy = folder / f"{path.stem}.md"
    policy.write_text(f"---\n{path.read_text(encoding='utf-8')}\n---\n## A1 Clause\ntext\n", encoding="utf-8")
    before = rows(workspace)
    for arguments in (("policy", "check", policy), ("-w", workspace, "policy", "adopt", policy)):
        ended = command(*arguments)
        assert (ended.code, ended.out) == (2, "")
        assert ended.seconds < SECONDS
        if (line := DEFECT_LINES.get(case["file"])) is not None:
            assert f"line {line + 1}" in ended.err  # the fence above is a line of its own
    assert rows(workspace) == before


def run_store(case: Mapping[str, Any], path: Path, workspace: Path, command: Command, folder: Path) -> None:  # noqa: ARG001
    """Put it in the place of the workspace's database."""
    database = workspace / "db" / "adjudicate.db"
    for old in database.parent.iterdir():
        old.unlink()
    shutil.copyfile(path, database)
    for arguments in (("status",), ("import", HOSTILE / "jsonl-bom.jsonl", *FLAGS)):
        ended = command("-w", workspace, *arguments)
        assert (ended.code, ended.out) == (1, "")
        assert "damaged" in ended.err and "not changed" in ended.err
    assert database.read_bytes() == path.read_bytes()


OUR_KEYS = {'"verdict":': '"outcome":', '"rationale":': '"reason":', '"score": 0.': '"helpfulness": '}
"""The corpus was written for other keys and a score from 0 to 1; nothing else of a reply is changed."""
UNPARSED, FLAGGED = "record_as_unparsed", "record_with_flag"


def run_judge_reply(case: Mapping[str, Any], path: Path, workspace: Path, command: Command, folder: Path) -> None:
    """Have a judge answer with it."""
    log = folder / "log.jsonl"
    log.write_text('{"prompt": "When does it open?", "response": "At nine."}\n', encoding="utf-8")
    assert command("-w", workspace, "import", log, "--set", "intent=benign", "--set", "model=m").code == 0
    reply = path.read_text(encoding="utf-8")
    for theirs, ours in OUR_KEYS.items():
        reply = reply.replace(theirs, ours)
    with judge_server(lambda _: ok(completion(reply))) as server:
        ended = command("-w", workspace, "judge", "--base-url", server.url, "--model", "j", "--json")
    assert ended.code == 0
    told = json.loads(ended.out)
    with sqlite3.connect(workspace / "db" / "adjudicate.db") as connection:
        ((outcome, raw, reason),) = connection.execute("SELECT outcome, raw, reason FROM verdicts").fetchall()
    hint = case.get("error_names", {}).get("hint", "")
    if case["expect"] == UNPARSED:
        assert (outcome, raw) == (None, reply)
        assert [number for problem, number in told["failed"].items() if hint in problem] == [1]
        return
    # What is said last in these files is the verdict that a person reads in them.
    assert outcome == json.loads(reply[reply.index('{"outcome"') : reply.rindex("}") + 1])["outcome"]
    assert bool(told["remarks"]) == (case["expect"] == FLAGGED)
    assert "C99" not in reason
    if case["expect"] == FLAGGED:
        assert case["error_names"]["field"] in next(iter(told["remarks"]))


RUN: dict[str, Callable[[Mapping[str, Any], Path, Path, Command, Path], None]] = {
    "responses": run_import,
    "path": run_import,
    "eval_archive": run_import,
    "policy": run_policy,
    "store": run_store,
    "judge_reply": run_judge_reply,
}


@pytest.mark.timeout(120)
@pytest.mark.parametrize("case", MANIFEST, ids=lambda case: ascii(case["file"]))
def test_a_case_ends_as_the_manifest_says(case: dict[str, Any], workspace: Path, command: Command, tmp_path: Path) -> None:
    if case["file"] == "no-permission.jsonl" and os.geteuid() == 0:
        pytest.skip("root may read everything")
    RUN[case["kind"]](case, made(case, tmp_path / "made"), workspace, command, tmp_path)


def test_every_case_is_run_or_left_out_with_a_reason(shared: Path) -> None:
    """The test above runs what is listed here; the manifest and the folder know no other case."""
    kinds = Counter(case["kind"] for case in MANIFEST)
    assert sum(kinds.values()) == 96
    assert kinds.keys() == RUN.keys()
    stored = {path.name for path in (shared / "hostile").iterdir()} - {".gitattributes", "README.md", "manifest.json"}
    assert {name for name in stored if not name.startswith("make_")} == {
        case["file"] for case in MANIFEST if "made_by" not in case
    }
    assert {name for name in stored if name.startswith("make_")} == {case["made_by"] for case in MANIFEST if "made_by" in case}
    assert {case["file"] for case in MANIFEST} >= set(HEAVY)


@pytest.mark.timeout(120)
@pytest.mark.parametrize("case", [case for case in MANIFEST if case["file"] in HEAVY], ids=lambda case: str(case["file"]))
def test_a_case_made_to_cost_much_costs_little(case: dict[str, Any], workspace: Path, tmp_path: Path) -> None:
    """In a process of its own, from start to end."""
    path = made(case, tmp_path / "made")
    arguments: list[str | Path] = (
        ["policy", "check", path] if case["kind"] == "policy" else ["-w", workspace, "import", path, *FLAGS]
    )
    ran = measured(["-m", "adjudicate", *arguments])
    assert ran.code == (2 if allowed(case) == {"reject_file"} else 0)
    assert not re.search("Traceback|met a bug", ran.out + ran.err)
    assert ran.megabytes < MEGABYTES
    assert ran.seconds < (SECONDS_BIG_LINE if case["file"] == "big-line.jsonl" else SECONDS)
