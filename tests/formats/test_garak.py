"""garak: the last word on an attempt counts, each output is an item, each detector a judge."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.formats.log_reading import lines, read, read_paths

SAID = {"0.5..": "yes", "..0.5": "no"}
SETUP = {
    "entry_type": "start_run setup",
    "_config.version": "0.14",
    "plugins.target_type": "test",
    "plugins.target_name": "small",
}


def message(text: str | None, **more: Any) -> dict[str, Any]:
    return {"text": text, "lang": "en", "data_path": None, "data_type": None, **more}


def turns(*said: tuple[str, str]) -> dict[str, Any]:
    return {"turns": [{"role": role, "content": message(text)} for role, text in said], "notes": {}}


def attempt(**more: Any) -> dict[str, Any]:
    return {
        "entry_type": "attempt",
        "uuid": "u-1",
        "seq": 0,
        "status": 2,
        "probe_classname": "trees.Naming",
        "prompt": turns(("user", "Name a tree.")),
        "outputs": [message("An oak."), message("An elm.")],
        "detector_results": {"trees.Oak": [1.0, 0.0]},
        "notes": {},
        "goal": "have it name a tree",
        **more,
    }


EXAMPLE = lines(SETUP, attempt(status=1, detector_results={}), attempt(), {"entry_type": "eval", "probe": "p", "detector": "d"})


def test_every_output_is_an_item_with_its_own_scores(tmp_path: Path) -> None:
    found = read(tmp_path, {"x.report.jsonl": EXAMPLE}, outcome=SAID, map={"pair": "goal"})
    assert found.reader == "garak"
    assert [(draft.source_id, draft.response, draft.model) for draft in found.drafts] == [
        ("u-1#1", "An oak.", "small"),
        ("u-1#2", "An elm.", "small"),
    ]
    assert found.verdicts() == [{"trees.Oak": "yes"}, {"trees.Oak": "no"}]
    assert {(draft.prompt, draft.category, draft.pair) for draft in found.drafts} == {
        ("Name a tree.", "trees.Naming", "have it name a tree")
    }
    assert json.loads(found.drafts[1].source) == {"line": 3, "output": 1}


def test_the_raw_score_is_the_class(tmp_path: Path) -> None:
    """Which score means what is not for the reader to say."""
    found = read(tmp_path, {"x.jsonl": lines(attempt(detector_results={"d.E": [0.3, None]}))})
    assert found.verdicts() == [{"d.E": "0.3"}, {"d.E": None}]


def test_attempts_without_uuid_are_told_apart_by_what_they_hold(tmp_path: Path) -> None:
    one = {key: value for key, value in attempt(prompt="Name a tree.", outputs=["An oak."]).items() if key not in ("uuid", "seq")}
    content = lines(
        {**one, "status": 1, "detector_results": {}}, {**one, "detector_results": {"d.E": [1]}}, {**one, "prompt": "Again."}
    )
    found = read(tmp_path, {"x.jsonl": content}, outcome=SAID)
    assert [(draft.line, draft.prompt, draft.source_id) for draft in found.drafts] == [
        (2, "Name a tree.", None),
        (3, "Again.", None),
    ]
    assert found.verdicts()[0] == {"d.E": "yes"}


def test_the_status_counts_and_not_the_place_of_a_line(tmp_path: Path) -> None:
    content = lines(attempt(), attempt(status=1, detector_results={}))
    assert read(tmp_path, {"x.jsonl": content}, outcome=SAID).verdicts() == [{"trees.Oak": "yes"}, {"trees.Oak": "no"}]


def test_a_score_in_a_list_of_its_own_is_that_score(tmp_path: Path) -> None:
    content = lines(attempt(detector_results={"d.E": [[1.0], [0.0]]}))
    assert read(tmp_path, {"x.jsonl": content}, outcome=SAID).verdicts() == [{"d.E": "yes"}, {"d.E": "no"}]


@pytest.mark.parametrize("prompt", ["Name a tree.", message("Name a tree."), [{"role": "user", "content": "Name a tree."}]])
def test_older_forms_of_the_prompt_are_known(tmp_path: Path, prompt: object) -> None:
    found = read(tmp_path, {"x.jsonl": lines(attempt(prompt=prompt))}, outcome=SAID)
    assert {draft.prompt for draft in found.drafts} == {"Name a tree."}


def test_an_unfinished_attempt_is_an_item_without_verdict(tmp_path: Path) -> None:
    found = read(tmp_path, {"x.jsonl": lines(attempt(status=1, detector_results={}))})
    assert found.verdicts() == [{}, {}]


def test_a_conversation_is_kept_up_to_the_answer(tmp_path: Path) -> None:
    spoken = turns(("user", "Hello."), ("assistant", "Hi."), ("user", "Name a tree."), ("assistant", "An oak."))
    found = read(tmp_path, {"x.jsonl": lines(attempt(outputs=[message("An oak.")], conversations=[spoken]))}, outcome=SAID)
    (draft,) = found.drafts
    assert [tuple(turn) for turn in draft.messages or ()] == [("user", "Hello."), ("assistant", "Hi."), ("user", "Name a tree.")]


@pytest.mark.parametrize("outputs", [None, [], [None], [message(None)]])
def test_no_output_is_told_as_such(tmp_path: Path, outputs: object) -> None:
    found = read(tmp_path, {"x.jsonl": lines(attempt(outputs=outputs))})
    assert (found.drafts, [each.field.partition(".")[0] for each in found.findings]) == ([], ["outputs"])


def test_an_output_that_is_a_file_is_shown(tmp_path: Path) -> None:
    output = message(None, data_path="picture.png", data_type="image")
    assert read(tmp_path, {"x.jsonl": lines(attempt(outputs=[output]))}, outcome=SAID).drafts[0].response == "[image]"


@pytest.mark.parametrize(
    ("name", "items", "judges", "model"),
    [
        ("test.report.jsonl", 8, {"always.Pass"}, "test"),
        ("report_test.report.jsonl", 8, {"always.Pass"}, None),
        ("qual_review_mixed.report.jsonl", 3, {"always.Fail", "lmrc.QuackMedicine", "always.Pass"}, ""),
    ],
)
def test_real_reports_count_each_attempt_once(shared: Path, name: str, items: int, judges: set[str], model: str | None) -> None:
    """Unique attempts as in ../shared/data/logs_expected.json; the report without uuids writes each of its 3 twice."""
    found = read_paths([shared / "data/logs/garak" / name], outcome=SAID)
    assert (len(found.drafts), found.findings) == (items, [])
    assert {judge for each in found.verdicts() for judge in each} == judges
    if model is not None:
        assert {draft.model for draft in found.drafts} == {model}
