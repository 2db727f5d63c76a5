"""Hostile and broken files through the real import path into a real store: `../shared/hostile` says what each must do."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from adjudicate.core.policy import Outcome, Policy
from adjudicate.core.source_rows import source_text
from adjudicate.errors import Finding, InputError
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.import_items import import_files, options_for
from adjudicate.workflow.import_report import ImportRejected
from tests.empty_store import empty_store

SHARED = Path(__file__).resolve().parents[3] / "shared" / "hostile"
MANIFEST = json.loads((SHARED / "manifest.json").read_text(encoding="utf-8"))["files"] if SHARED.is_dir() else []
CASES = [case for case in MANIFEST if case["kind"] in ("responses", "path")]
AT = "2026-01-01T00:00:00Z"
ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
NEUTRALISED = ("accept", "accept_show_safely")

HINTS = {
    "jsonl-utf16le-bom.jsonl": "UTF-16",
    "jsonl-two-objects-per-line.jsonl": "at column 148",
    "jsonl-verdict-outside-rubric.jsonl": "complies, violates",
    "jsonl-homoglyphs.jsonl": "U+043E",
    "csv-semicolons.csv": "decimal separator",
    "csv-no-header.csv": "c-1, q, r, complies, 0.2",
    "csv-header-only.csv": "0 rows",
    "empty.jsonl": "empty file",
    "only-whitespace.jsonl": "0 rows",
    "wrong-extension-parquet.csv": "looks like Parquet",
    "parquet-truncated.parquet": "not a complete Parquet file",
    "big-line.jsonl": "ADJUDICATE_MAX_ROW_MB",
}


@dataclass(frozen=True)
class Outcomes:
    """What an import did, in the manifest's words."""

    outcome: str
    accepted: int
    skipped: int
    duplicates: int
    message: str
    problems: tuple[Finding, ...]


Import = Callable[[Path], Outcomes]


@pytest.fixture
def policy() -> Policy:
    """The two labels that the files assume."""
    outcomes = tuple(
        Outcome(name, key, name, behaviour, "")  # type: ignore[arg-type]
        for name, key, behaviour in (("complies", "1", "answered"), ("violates", "2", "refused"))
    )
    return Policy("hostile", "Two labels", "1", outcomes, (), (), "f" * 64, "text\n")


@pytest.fixture
def store(tmp_path: Path, policy: Policy) -> SqliteStore:
    """A workspace's store with that policy."""
    opened = empty_store(tmp_path / "test.db")
    opened.put_policy(policy, AT)
    return opened


@pytest.fixture
def run_import(store: SqliteStore, policy: Policy) -> Import:
    """Import a file as a user would with ``--set intent=benign``."""

    def run(path: Path) -> Outcomes:
        try:
            report = import_files(store, policy, [path], options_for({"set": {"intent": "benign"}}, {}), AT)
        except ImportRejected as error:
            problems = tuple(problem for each in error.report.files for problem in each.problems)
            return Outcomes("reject_file", 0, 0, 0, str(error), problems)
        file = report.files[0]
        text = "\n".join([*report.as_text(), *map(str, file.problems)])
        outcome = "skip_rows" if file.skipped else "accept"
        return Outcomes(outcome, file.accepted, file.skipped, file.duplicates, text, file.problems)

    return run


def dump(store: SqliteStore) -> dict[str, list[Any]]:
    """Every row of every table."""
    tables = [row[0] for row in store.database.connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    return {table: store.database.connection.execute(f'SELECT * FROM "{table}"').fetchall() for table in tables}


def made(case: dict[str, Any], folder: Path) -> Path:
    """The file of a case, made by its script where it is not stored."""
    name = str(case["file"])
    if (script := case.get("made_by")) is None:
        return SHARED / name
    folder.mkdir(exist_ok=True)
    arguments = [str(folder / name), "50"] if script == "make_big_line.py" else [str(folder)]
    subprocess.run([sys.executable, str(SHARED / script), *arguments], check=True)
    return folder / name


@pytest.mark.timeout(60)
@pytest.mark.parametrize("case", CASES, ids=lambda case: ascii(case["file"]))
def test_hostile_file(case: dict[str, Any], run_import: Import, store: SqliteStore, tmp_path: Path) -> None:
    """The outcome, the counts, the places named and the safety of the messages are as the manifest says."""
    if case["file"] == "no-permission.jsonl" and os.geteuid() == 0:
        pytest.skip("root may read everything")
    path = made(case, tmp_path / "made" if case["kind"] == "path" else tmp_path)
    before = dump(store)
    found = run_import(path)
    after = dump(store)

    assert not ACTING.search(found.message)
    assert "Traceback" not in found.message
    allowed = [case["expect"], *case.get("also_acceptable", [])]
    assert found.outcome in allowed or (found.outcome == "accept" and "accept_show_safely" in allowed)
    if found.outcome == "reject_file":
        assert after == before
    if found.outcome != "reject_file":
        # Whatever else is fine, no row goes uncounted.
        assert found.accepted - found.duplicates + found.skipped == case["rows_accepted"] + case["rows_skipped"]
    as_expected = found.outcome == case["expect"] or (found.outcome == "accept" and case["expect"] in NEUTRALISED)
    if as_expected and found.outcome != "reject_file":
        assert (found.accepted - found.duplicates, found.skipped) == (case["rows_accepted"], case["rows_skipped"])
    if as_expected:
        check_names(case.get("error_names", {}), found)
    assert HINTS.get(case["file"], "") in found.message

    again = run_import(path)
    assert dump(store) == after
    assert again.outcome == found.outcome


def check_names(names: dict[str, Any], found: Outcomes) -> None:
    """The lines and the field that the manifest wants named are named."""
    lines = names.get("line", [])
    lines = lines if isinstance(lines, list) else [lines]
    if found.outcome == "skip_rows":
        assert [problem.line for problem in found.problems] == lines
    else:
        assert all(re.search(rf"\b(line|lines)\b.*\b{line}\b", found.message) for line in lines)
    if "field" in names:
        where = [problem.field for problem in found.problems] if found.outcome == "skip_rows" else [found.message]
        assert all(names["field"] in each for each in where)
    assert found.duplicates == names.get("duplicates", 0)


@pytest.mark.parametrize(
    "case", [case for case in CASES if "hint" in case.get("error_names", {})], ids=lambda case: ascii(case["file"])
)
def test_every_hint_of_the_manifest_is_looked_for(case: dict[str, Any], run_import: Import, tmp_path: Path) -> None:
    """Where a file ends as the manifest likes best, a part of the message stands above in `HINTS`."""
    ended = run_import(made(case, tmp_path)).outcome
    assert case["file"] in HINTS or ended != case["expect"]


def responses(store: SqliteStore) -> dict[str, str]:
    """Stored responses by the source's id."""
    return dict(store.database.connection.execute("SELECT source_id, response FROM items"))


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("jsonl-nul-escaped.jsonl", {"n-1": "before\x00after"}),
        ("jsonl-empty-responses.jsonl", {"e-1": "", "e-2": " \n\t "}),
        ("jsonl-content-parts.jsonl", {"p-1": "First part. Second part.", "p-2": "[image]A chart.", "p-3": ""}),
        (
            "jsonl-tool-calls.jsonl",
            {"tc-1": '[tool call get_weather({"city": "Oslo"})]', "tc-2": "Looking it up.\n[tool call get_time(not json)]"},
        ),
        ("csv-types-stay-text.csv", {"007": "1e5", "7": "2026-01-01", "TRUE": "NULL", "1E3": "0x10"}),
        ("csv-formulas.csv", {"f-1": "=1+1", "f-6": "\t=1", "f-7": "\r=1", "f-8": "\n=1", "f-9": "\uff1d1"}),
        ("csv-excel-sep-line.csv", {"c-1": "r"}),
        ("csv-embedded-newlines.csv", {"c-1": 'First line.\nSecond, with comma.\n\nFourth "quoted".'}),
        ("jsonl-u2028-u0085-inside.jsonl", {"u-1": "one\u2028two\x85three\f"}),
    ],
)
def test_text_is_stored_exactly(
    file: str, expected: dict[str, str], run_import: Import, store: SqliteStore, shared: Path
) -> None:
    """What the model wrote is kept to the last character."""
    run_import(shared / "hostile" / file)
    found = responses(store)
    assert {name: found[name] for name in expected} == expected


def test_ids_stay_apart(run_import: Import, store: SqliteStore, shared: Path) -> None:
    """Ids never pass through a float, an integer column or a trim."""
    run_import(shared / "hostile" / "jsonl-ids-exact.jsonl")
    assert set(responses(store)) == {"9007199254740992", "9007199254740993", "9223372036854775808", "007", "7"}


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if case["kind"] == "responses" and not case.get("made_by")],
    ids=lambda case: ascii(case["file"]),
)
def test_source_rows_come_back(case: dict[str, Any], run_import: Import, store: SqliteStore, tmp_path: Path) -> None:
    """What is kept of a row restores it byte for byte, for every item of every file."""
    path = made(case, tmp_path)
    run_import(path)
    query = "SELECT i.source, p.text, i.response FROM items AS i JOIN prompts AS p ON p.id = i.prompt_id"
    data = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    data = gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
    for kept, prompt, response in store.database.connection.execute(query):
        assert source_text(kept, prompt=prompt, response=response).encode() in data


def test_missing_intent_is_told_with_the_flag(store: SqliteStore, policy: Policy, shared: Path) -> None:
    """A file that does not say what its prompts are is refused with the words that repair it."""
    with pytest.raises(InputError, match="--set intent=benign"):
        import_files(store, policy, [shared / "hostile" / "jsonl-bom.jsonl"], options_for({}, {}), AT)
