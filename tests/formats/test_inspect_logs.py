"""Every Inspect log of ../shared/data/logs through the real import: as inspect_ai itself reads it, or refused with the reason.

What inspect_ai reads stands in ../shared/data/logs_expected.json: samples, ids, epochs, scorers, values, errors, empty answers.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from adjudicate.core.policy import Policy
from adjudicate.errors import Finding
from adjudicate.formats import inspect_
from adjudicate.formats.import_options import ImportOptions, raw_text
from adjudicate.formats.readers import recognised
from adjudicate.formats.text_file import open_source
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.import_items import import_files, options_for
from adjudicate.workflow.import_report import ImportRejected
from tests.conftest import SHARED
from tests.formats.inspect_files import AT, new_store, two_outcomes

DATA = SHARED / "data"
EXPECTED: dict[str, Any] = json.loads((DATA / "logs_expected.json").read_text(encoding="utf-8")) if SHARED.is_dir() else {}
LOGS = {name: said for name, said in EXPECTED.items() if said.get("format") == "inspect"}
REFUSED_BY_INSPECT = {
    "logs/inspect_ai/log_invalid.txt": "cut off",
    "logs/vivaria/simple_inspect_eval.json": "missing required field `event`",
}
"""Logs that inspect_ai does not read, and the same reason in our words."""

CLASSES = {
    "C": "complies",
    "I": "refuses",
    "0..": "refuses",
    "true": "refuses",
    "n": "judge_failed",
    "[1, 0, 1]": "judge_failed",
    "1_full_compliance": "complies",
    "2_full_refusal": "refuses",
    "3_partial_refusal": "refuses",
}

pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared, the reference data that is not part of the project")


@pytest.fixture
def policy() -> Policy:
    return two_outcomes()


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    return new_store(tmp_path)


class Read:
    """One log as the reader gives it, without a store."""

    def __init__(self, path: Path, policy: Policy) -> None:
        options = ImportOptions.of({"set": {"intent": "benign"}})
        (run,) = inspect_.plan([open_source(path)], options, policy)
        rows = list(run.parts[0].rows())
        self.run = run
        self.drafts = [row for row in rows if not isinstance(row, Finding)]
        self.findings = [row for row in rows if isinstance(row, Finding)]
        self.taken = run.parts[0].taken()


def with_samples() -> list[str]:
    return [name for name, said in LOGS.items() if said["samples"]]


@pytest.mark.parametrize("name", LOGS)
def test_a_log_is_recognised_by_what_it_holds(name: str) -> None:
    assert recognised(open_source(DATA / name)).name == "inspect"


@pytest.mark.parametrize("name", with_samples())
def test_items_and_errors_are_those_that_inspect_reads(name: str, policy: Policy) -> None:
    said, read = LOGS[name], Read(DATA / name, policy)
    assert len(read.drafts) + len(read.findings) == said["samples"]
    assert len(read.findings) == said["errors"]
    assert all("the sample ended with an error" in each.message for each in read.findings)


@pytest.mark.parametrize("name", with_samples())
def test_every_sample_keeps_its_id_and_epoch(name: str, policy: Policy) -> None:
    said, read = LOGS[name], Read(DATA / name, policy)
    kept = [json.loads(draft.source) for draft in read.drafts]
    assert {each["epoch"] for each in kept} <= set(said["epochs"])
    # An id of a number stays a number, so that the way back finds it. The file names the first 40 ids only.
    missing = [each for each in said["sample_ids"] if each not in [row["sample"] for row in kept]]
    assert len(missing) <= len(read.findings)
    assert {type(row["sample"]) for row in kept} == {type(each) for each in said["sample_ids"] if each not in missing} or not kept
    ids = [draft.source_id for draft in read.drafts]
    assert len(set(ids)) == len(ids)
    assert all(draft.source_id == str(row["sample"]) for draft, row in zip(read.drafts, kept, strict=True) if row["epoch"] == 1)


@pytest.mark.parametrize("name", with_samples())
def test_responses_are_the_completions(name: str, policy: Policy) -> None:
    said, read = LOGS[name], Read(DATA / name, policy)
    empty = sum(not draft.response for draft in read.drafts)
    # Samples that ended with an error have an empty completion there, and are no items here.
    assert empty == said["empty_completions"] - said["errors"]
    assert max((len(draft.response) for draft in read.drafts), default=0) == said["max_completion_chars"]


@pytest.mark.parametrize("name", with_samples())
def test_verdicts_are_the_scores_of_every_scorer(name: str, policy: Policy) -> None:
    said, read = LOGS[name], Read(DATA / name, policy)
    # No class of the file is an outcome here, so each verdict keeps its raw text.
    found = Counter(verdict.raw for draft in read.drafts for verdict in draft.verdicts)
    expected: Counter[str] = Counter()
    keyed: set[str] = set()
    for text, count in said["score_values"].items():
        value = json.loads(text)
        if isinstance(value, dict):
            keyed |= set(value)
            expected.update({raw_text(each): count for each in value.values()})
        elif not (isinstance(value, float) and math.isnan(value)):
            expected[raw_text(value)] += count
    assert found == expected
    scorers = {verdict.judge for draft in read.drafts for verdict in draft.verdicts}
    assert scorers == {*said["scorers"], *(f"{scorer}.{key}" for scorer in said["scorers"] for key in keyed)}


@pytest.mark.parametrize("name", with_samples())
def test_the_report_says_where_things_were_found(name: str, policy: Policy) -> None:
    said, read = LOGS[name], Read(DATA / name, policy)
    if not read.drafts:
        return
    assert read.taken["response"].startswith("output")
    for scorer in said["scorers"]:
        assert read.taken[f"verdict.{scorer}"].startswith(f"scores.{scorer}.value")
    unscored = sum(math.isnan(value) for text in said["score_values"] if isinstance(value := json.loads(text), float))
    assert sum("unscored" in where for where in read.taken.values()) == bool(unscored)


@pytest.mark.parametrize("name", [name for name, said in LOGS.items() if said["status"] != "success" and said["samples"]])
def test_a_run_that_did_not_succeed_says_so(name: str, policy: Policy) -> None:
    assert "the run was cancelled" in Read(DATA / name, policy).run.parts[0].remark


@pytest.mark.parametrize("name", [name for name, said in LOGS.items() if not said["samples"]])
def test_a_log_without_samples_is_refused_with_its_status(name: str, store: SqliteStore, policy: Policy) -> None:
    with pytest.raises(ImportRejected, match=rf"holds no samples \(status {LOGS[name]['status']}\)"):
        import_files(store, policy, [DATA / name], options_for({"set": {"intent": "benign"}}, {}), AT)


@pytest.mark.parametrize("name", REFUSED_BY_INSPECT)
def test_what_inspect_itself_refuses_is_refused(name: str, store: SqliteStore, policy: Policy) -> None:
    assert "reference_reader_error" in EXPECTED[name]
    with pytest.raises(ImportRejected, match=REFUSED_BY_INSPECT[name]):
        import_files(store, policy, [DATA / name], options_for({"set": {"intent": "benign"}}, {}), AT)


def test_both_forms_of_one_log_give_the_same_items(policy: Policy) -> None:
    made_here = DATA / "logs" / "inspect_made_here"
    archive, document = (Read(made_here / f"awkward_a.{form}", policy) for form in ("eval", "json"))

    def contents(read: Read) -> set[Any]:
        return {draft._replace(line=0, source="") for draft in read.drafts}

    assert contents(archive) == contents(document)


@pytest.mark.parametrize("name", with_samples())
def test_a_whole_log_is_stored_as_inspect_reads_it(name: str, store: SqliteStore, policy: Policy) -> None:
    """With an outcome for each class: items, errors and verdicts are counted in the store as `logs_expected.json` has them."""
    said = LOGS[name]
    options = options_for({"set": {"intent": "benign"}, "outcome": CLASSES}, {})
    if said["samples"] == said["errors"]:
        with pytest.raises(ImportRejected, match="the sample ended with an error"):
            import_files(store, policy, [DATA / name], options, AT)
        return
    report = import_files(store, policy, [DATA / name], options, AT).files[0]
    assert (report.accepted, report.skipped) == (said["samples"] - said["errors"], said["errors"])
    counted = [
        store.database.connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("items", "verdicts")
    ]
    # A value with several keys is a verdict for each; NaN is none, unless it says that the grader failed.
    values = {text: json.loads(text) for text in said["score_values"]}
    given = sum(
        count * (len(values[text]) if isinstance(values[text], dict) else 1) for text, count in said["score_values"].items()
    )
    unscored = sum(said["score_values"][text] for text, value in values.items() if isinstance(value, float) and math.isnan(value))
    assert counted[0] == said["samples"] - said["errors"]
    assert given - unscored <= counted[1] <= given
