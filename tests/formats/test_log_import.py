"""Logs through the whole import: stored once however often they come, and not at all without an intent."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.import_items import import_files, options_for
from adjudicate.workflow.import_report import ImportRejected, ImportReport
from tests.factory import AT, make_store, xstest_policy
from tests.formats.log_reading import write
from tests.formats.test_hostile_files import dump
from tests.formats.test_log_recognition import EXAMPLES

CLASSES = {
    **dict.fromkeys(("pass", "good", "true", "1"), "full_compliance"),
    **dict.fromkeys(("fail", "bad", "false", "0"), "full_refusal"),
    "0.5..": "full_compliance",
    "..0.5": "full_refusal",
}
COUNTS = {
    "deepteam": (1, 1, 0),
    "garak": (2, 2, 0),
    "helm": (1, 0, 0),
    "langfuse": (1, 1, 1),
    "langsmith": (1, 1, 1),
    "lm_eval": (2, 2, 0),
    "openai_evals": (2, 2, 0),
    "openinference": (1, 1, 1),
    "promptfoo": (1, 1, 0),
}
"""Items, verdicts and labels of the examples."""


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    return make_store(tmp_path, [])


def imported(store: SqliteStore, path: Path, intent: dict[str, str]) -> ImportReport:
    return import_files(store, xstest_policy(), [path], options_for({"set": intent, "outcome": CLASSES}, {}), AT)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_log_imported_twice_is_stored_once(name: str, store: SqliteStore, tmp_path: Path) -> None:
    path = write(tmp_path, "log.json", EXAMPLES[name])
    (file,) = imported(store, path, {"intent": "benign"}).files
    assert (file.format, (file.items, file.verdicts, file.labels), file.skipped) == (name, COUNTS[name], 0)
    assert {"response", "intent"} <= file.taken.keys()
    before = dump(store)
    assert not imported(store, path, {"intent": "benign"}).changed
    assert dump(store) == before


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_log_does_not_say_what_its_prompts_are(name: str, store: SqliteStore, tmp_path: Path) -> None:
    """The flag to give is named, and nothing is stored."""
    path = write(tmp_path, "log.json", EXAMPLES[name])
    before = dump(store)
    with pytest.raises(ImportRejected, match="--set intent=benign"):
        imported(store, path, {})
    assert dump(store) == before


def test_a_score_nobody_explained_is_asked_for_with_the_flag(store: SqliteStore, tmp_path: Path) -> None:
    path = write(tmp_path, "log.jsonl", EXAMPLES["lm_eval"])
    with pytest.raises(ImportRejected, match=r"'1\.0' \(2\).*--outcome 1.0=OUTCOME"):
        import_files(store, xstest_policy(), [path], options_for({"set": {"intent": "benign"}}, {}), AT)
