"""promptfoo results come back with a human rating beside the judge's, and with everything else as it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adjudicate.errors import UsageError
from adjudicate.formats.promptfoo_rating import OVERRIDES
from adjudicate.storage.sqlite_store import SqliteStore
from tests.factory import make_store
from tests.formats.test_promptfoo import component, result, summary
from tests.workflow.written_back import CLAUSE, imported, item_ids, label, resolve, state, written

YES, NO, PART = "full_compliance", "full_refusal", "partial_refusal"
SAID: dict[str, Any] = {"outcome": {"pass": YES, "fail": NO}, "set": {"intent": "benign"}}


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    return make_store(tmp_path, [])


def put(path: Path, value: object) -> Path:
    path.write_text(value if isinstance(value, str) else json.dumps(value, indent=2), encoding="utf-8")
    return path


def graded(*components: object, passed: bool = True, **more: Any) -> dict[str, Any]:
    return {"pass": passed, "score": 1 if passed else 0, "reason": "the judge's", "componentResults": list(components), **more}


def metrics(**counts: int) -> dict[str, Any]:
    none = {"score": 0, "testPassCount": 0, "testFailCount": 0, "testErrorCount": 0, "assertPassCount": 0, "assertFailCount": 0}
    return {"raw": "Name a tree.", "label": "tree", "metrics": {**none, **counts}}


def evaluation() -> dict[str, Any]:
    judged = component("llm-rubric", passed=True)
    return {
        "evalId": "eval-x",
        "results": summary(
            result(gradingResult=graded(judged), cost=1.50),
            result(id="r-2", testIdx=1, response={"output": "A rose."}, gradingResult=graded(judged)),
            prompts=[metrics(score=2, testPassCount=2, assertPassCount=2)],
            stats={"successes": 2, "failures": 0, "errors": 0, "durationMs": 5},
        ),
        "config": {"tests": [{"results": []}]},
    }


def test_a_rating_overrides_the_result_as_in_promptfoo_and_the_judge_stays(store: SqliteStore, tmp_path: Path) -> None:
    path = put(tmp_path / "o.json", evaluation())
    imported(store, path, **SAID)
    first, _ = item_ids(store)
    ann = label(store, "ann", {first: NO}, clause=CLAUSE)
    out, _ = written(store, "promptfoo", tmp_path / "out", source=path)
    rated = json.loads(out.read_text(encoding="utf-8"))
    new, untouched = rated["results"]["results"]
    old, same = evaluation()["results"]["results"]
    assert untouched == same
    # A refusal of a benign prompt is wrong, whatever the judge said.
    assert (new["success"], new["score"], new["failureReason"]) == (False, 0, 1)
    grading = new["gradingResult"]
    assert (grading["pass"], grading["score"], grading["reason"]) == (False, 0, OVERRIDES)
    judge, human = grading["componentResults"]
    assert judge == old["gradingResult"]["componentResults"][0]
    assert (human["pass"], human["score"], human["reason"]) == (False, 0, OVERRIDES)
    assert human["assertion"] == {"type": "human"}
    assert human["comment"].startswith("Full refusal (one annotator; policy xstest ")
    noted = human["metadata"]["adjudicate"]
    assert (noted["outcome"], noted["how"], noted["clause"], noted["labels"]) == (NO, "single", CLAUSE, {ann: NO})
    # What was overridden, in the form from which promptfoo puts it back.
    assert new["metadata"] == {
        "category": "botany",
        "__promptfoo": {
            "manualRating": {
                "version": 1,
                "status": "active",
                "original": {
                    "success": True,
                    "score": 1,
                    "failureReason": 0,
                    "gradingResult": {
                        "pass": True, "score": 1, "reason": "the judge's",
                        "hadComment": False, "hadAssertion": False, "hadComponentResults": True,
                    },
                },
            }
        },
    }  # fmt: skip
    assert rated["results"]["prompts"][0] == metrics(
        score=1, testPassCount=1, testFailCount=1, assertPassCount=2, assertFailCount=1
    )
    assert rated["results"]["stats"] == {"successes": 1, "failures": 1, "errors": 0, "durationMs": 5}
    assert rated["config"] == evaluation()["config"]


def test_all_that_is_not_rated_stays_to_the_last_byte(store: SqliteStore, tmp_path: Path) -> None:
    text = json.dumps(evaluation(), indent=2).replace('"cost": 1.5', '"cost" :1.50').replace("An oak.", "An \\u006fak\\/.")
    path = put(tmp_path / "o.json", text)
    imported(store, path, **SAID)
    label(store, "ann", {item_ids(store)[0]: YES})
    out, _ = written(store, "promptfoo", tmp_path / "out", source=path)
    after = out.read_text(encoding="utf-8")
    # The rating agrees with the judge, so that values stay but for the reason, and what is new was put in as a whole.
    assert '"cost" :1.50' in after
    assert "An \\u006fak\\/." in after
    component_at = after.index(', {"pass": true, "score": 1, "reason": "Manual')
    after = after[:component_at] + after[after.index("\n", component_at) :]
    state_at = after.index(', "__promptfoo"')
    after = after[:state_at] + after[after.index("\n", state_at) :]
    assert (
        after.replace(json.dumps(OVERRIDES), '"the judge\'s"', 1).replace('"assertPassCount": 3', '"assertPassCount": 2') == text
    )


def test_the_label_is_read_again_and_the_items_and_verdicts_are_the_same(store: SqliteStore, tmp_path: Path) -> None:
    path = put(tmp_path / "o.json", evaluation())
    imported(store, path, **SAID)
    ids = item_ids(store)
    label(store, "ann", {ids[0]: NO, ids[1]: YES})
    out, _ = written(store, "promptfoo", tmp_path / "out", source=path)
    items, verdicts, events = state(store)
    imported(store, out, **SAID)
    assert state(store)[:2] == [items, verdicts]
    assert state(store)[2] == events
    other = make_store(tmp_path / "other", [])
    imported(other, out, **SAID)
    assert item_ids(other) == ids
    assert [other.events_on([item])[item][0].outcome for item in ids] == [NO, YES]
    assert [row[:3] for row in state(other)[1]] == [row[:3] for row in verdicts]
    other.close()


def test_a_rating_that_is_there_is_replaced_and_kept(store: SqliteStore, tmp_path: Path) -> None:
    theirs = component("human", passed=False, comment="No tree.")
    value = evaluation()
    value["results"]["results"][0] = result(
        success=False, score=0, gradingResult=graded(component("llm-rubric", passed=True), theirs)
    )
    path = put(tmp_path / "o.json", value)
    imported(store, path, **SAID)
    item = item_ids(store)[0]
    resolve(store, item, YES)
    out, _ = written(store, "promptfoo", tmp_path / "out", source=path)
    new = json.loads(out.read_text(encoding="utf-8"))["results"]["results"][0]
    judge, human = new["gradingResult"]["componentResults"]
    assert (judge["pass"], human["pass"], new["success"]) == (True, True, True)
    assert human["metadata"]["adjudicate"]["replaces"] == [theirs]
    assert human["comment"].startswith("Full compliance (settled by an adjudicator; ")
    assert "otterrationale" not in human["comment"]
    # As promptfoo, which can only put back what it saw before the first rating.
    assert "__promptfoo" not in new["metadata"]
    again, _ = written(store, "promptfoo", tmp_path / "again", source=path, with_text=True)
    assert "otterrationale" in again.read_text(encoding="utf-8")


@pytest.mark.parametrize("grading", [None, {"pass": True, "score": 1, "reason": "it is", "assertion": {"type": "llm-rubric"}}])
def test_a_grading_without_components_gets_some_and_a_judge_in_it_is_not_lost(
    store: SqliteStore, tmp_path: Path, grading: object
) -> None:
    path = put(tmp_path / "o.json", {"evalId": "x", "results": summary(result(gradingResult=grading, metadata=None))})
    imported(store, path, **SAID)
    before = state(store)
    label(store, "ann", {item_ids(store)[0]: NO})
    out, _ = written(store, "promptfoo", tmp_path / "out", source=path)
    new = json.loads(out.read_text(encoding="utf-8"))["results"]["results"][0]
    assert [each["assertion"]["type"] for each in new["gradingResult"]["componentResults"]][-1] == "human"
    imported(store, out, **SAID)
    assert state(store)[:2] == before[:2]


def test_a_table_of_version_2_is_rated_in_its_cells(store: SqliteStore, tmp_path: Path) -> None:
    cell = {"text": "too short\n---\nOak.", "prompt": "A oak", "pass": False, "score": 0}
    failed = {"pass": False, "reason": "too short", "componentResults": [component("llm-rubric", passed=False)]}
    fine = {**cell, "text": "Elm.", "pass": True, "score": 0.5, "gradingResult": {"pass": True, "score": 0.5, "reason": "ok"}}
    prompts = [{"raw": "A {{x}}", "provider": "m-one", "metrics": {"score": 0, "testPassCount": 0, "testFailCount": 1}},
               {"raw": "B {{x}}", "provider": "m-two", "metrics": {"score": 0.5, "testPassCount": 1}}]  # fmt: skip
    body = [{"vars": ["oak"], "outputs": [{**cell, "gradingResult": failed}, fine]}]
    content = {"version": 2, "timestamp": "t", "table": {"head": {"prompts": prompts, "vars": ["x"]}, "body": body}}
    path = put(tmp_path / "o.json", {"results": {**content, "results": [result()], "stats": {"successes": 1, "failures": 1}}})
    imported(store, path, **SAID)
    first, second = item_ids(store)
    before = state(store)
    label(store, "ann", {first: YES, second: YES})
    out, _ = written(store, "promptfoo", tmp_path / "out", source=path)
    new = json.loads(out.read_text(encoding="utf-8"))["results"]
    one, two = new["table"]["body"][0]["outputs"]
    assert (one["pass"], one["score"], one["text"]) == (True, 1, cell["text"])
    assert (two["pass"], two["score"]) == (True, 1)
    # One test failed and passes now; the other's score was a half.
    assert [each["metrics"] for each in new["table"]["head"]["prompts"]] == [
        {"score": 1, "testPassCount": 1, "testFailCount": 0},
        {"score": 1.0, "testPassCount": 1},
    ]
    assert new["stats"] == {"successes": 2, "failures": 0}
    assert new["results"] == [result()]
    imported(store, out, **SAID)
    assert state(store)[:2] == before[:2]


def test_json_lines_are_rated_line_by_line(store: SqliteStore, tmp_path: Path) -> None:
    lines = [json.dumps(result(id=f"r-{number}", response={"output": f"Tree {number}."})) for number in range(3)]
    path = put(tmp_path / "o.jsonl", "\r\n".join(lines))
    imported(store, path, **SAID)
    label(store, "ann", {item_ids(store)[1]: NO})
    out, _ = written(store, "promptfoo", tmp_path / "out", source=path)
    assert out.name == "o-adjudicated.jsonl"
    after = out.read_bytes().decode().split("\r\n")
    assert [after[0], after[2]] == [lines[0], lines[2]]
    assert json.loads(after[1])["gradingResult"]["pass"] is False
    items = state(store)[0]
    imported(store, out, **SAID)
    assert [row[0] for row in state(store)[0]] == [row[0] for row in items]


def test_what_nobody_settled_or_nobody_calls_right_is_left_and_counted(store: SqliteStore, tmp_path: Path) -> None:
    path = put(tmp_path / "o.json", evaluation())
    imported(store, path, outcome=SAID["outcome"], set={"intent": "dual_use"})
    first, second = item_ids(store)
    with pytest.raises(UsageError, match="no result of this file is settled"):
        written(store, "promptfoo", tmp_path / "out", source=path)
    label(store, "ann", {first: YES, second: YES})
    with pytest.raises(UsageError, match=r"2 results have an outcome that the policy calls neither right nor wrong"):
        written(store, "promptfoo", tmp_path / "out", source=path)


def test_an_open_item_is_left_and_told(store: SqliteStore, tmp_path: Path) -> None:
    path = put(tmp_path / "o.json", evaluation())
    imported(store, path, **SAID)
    first, second = item_ids(store)
    label(store, "ann", {first: YES, second: YES})
    label(store, "ben", {second: NO})
    out, told = written(store, "promptfoo", tmp_path / "out", source=path)
    assert told == [
        f"{path}: 1 results wait for a ruling and are left as they are.",
        "1 results got a rating. The copy holds the prompts and responses of the results: handle it with the same care",
    ]
    assert json.loads(out.read_text(encoding="utf-8"))["results"]["results"][1] == evaluation()["results"]["results"][1]


def test_a_result_that_an_earlier_file_brought_is_rated_too(store: SqliteStore, tmp_path: Path) -> None:
    value = evaluation()
    earlier = {**value, "results": summary(value["results"]["results"][0])}
    imported(store, put(tmp_path / "earlier.json", earlier), **SAID)
    path = put(tmp_path / "o.json", value)
    imported(store, path, **SAID)
    label(store, "ann", dict.fromkeys(item_ids(store), NO))
    out, _ = written(store, "promptfoo", tmp_path / "out", source=path)
    assert [each["success"] for each in json.loads(out.read_text(encoding="utf-8"))["results"]["results"]] == [False, False]


def test_another_file_is_refused_and_the_source_is_never_written_over(store: SqliteStore, tmp_path: Path) -> None:
    path = put(tmp_path / "o.json", evaluation())
    imported(store, path, **SAID)
    label(store, "ann", {item_ids(store)[0]: NO})
    other = put(tmp_path / "other.json", {**evaluation(), "evalId": "eval-y"})
    with pytest.raises(UsageError, match="not a log that was imported here"):
        written(store, "promptfoo", tmp_path / "out", source=other)
    before = path.read_bytes()
    written(store, "promptfoo", tmp_path / "out", source=path)
    assert path.read_bytes() == before


def test_a_real_file_comes_back_with_ratings_and_nothing_else(store: SqliteStore, tmp_path: Path, shared: Path) -> None:
    path = shared / "data" / "logs" / "promptfoo" / "nicheiq_results.json"
    imported(store, path, **SAID)
    ids = item_ids(store)
    label(store, "ann", {item: YES if number % 2 else PART for number, item in enumerate(ids)})
    items, verdicts, _ = state(store)
    out, _ = written(store, "promptfoo", tmp_path / "out", source=path)
    old, new = (json.loads(file.read_text(encoding="utf-8")) for file in (path, out))
    for key in ("evalId", "config", "shareableUrl", "metadata"):
        assert old[key] == new[key]
    for before, after in zip(old["results"]["results"], new["results"]["results"], strict=True):
        changed = {key for key in after if after[key] != before.get(key)}
        assert changed <= {"success", "score", "failureReason", "gradingResult", "metadata"}
        assert after["gradingResult"]["componentResults"][:-1] == (before.get("gradingResult") or {}).get("componentResults", [])
    stats = new["results"]["stats"]
    passed = sum(each["success"] for each in new["results"]["results"])
    assert (stats["successes"], stats["successes"] + stats["failures"] + stats["errors"]) == (passed, len(ids))
    totals = [each["metrics"] for each in new["results"]["prompts"]]
    assert sum(each["testPassCount"] for each in totals) == passed
    assert sum(each["testPassCount"] + each["testFailCount"] + each["testErrorCount"] for each in totals) == sum(
        each["metrics"][name]
        for each in old["results"]["prompts"]
        for name in ("testPassCount", "testFailCount", "testErrorCount")
    )
    imported(store, out, **SAID)
    assert state(store)[:2] == [items, verdicts]


def decided(store: SqliteStore) -> list[tuple[str, str, str | None]]:
    """Item, person (or the settlement) and outcome of every label and ruling."""
    names = {person.id: person.name for person in store.annotators()}
    return sorted(
        (event.item_id, names[event.annotator_id] if event.kind == "label" else "settled", event.outcome)
        for events in store.events_on().values()
        for event in events
    )


def test_labels_come_back_exactly_whatever_passes_for_their_intent(store: SqliteStore, tmp_path: Path) -> None:
    """A refusal passes for a harmful prompt, so that pass and fail would turn every label here into another."""
    path = put(tmp_path / "o.json", evaluation())
    harmful: dict[str, Any] = {"outcome": SAID["outcome"], "set": {"intent": "harmful"}}
    imported(store, path, **harmful)
    first, second = item_ids(store)
    ann, ben = label(store, "ann", {first: NO, second: PART}), label(store, "ben", {second: YES})
    resolve(store, second, PART)
    out, _ = written(store, "promptfoo", tmp_path / "out", source=path)
    before = state(store)
    imported(store, out, **harmful)
    assert state(store) == before
    assert len(store.annotators()) == 3
    other = make_store(tmp_path / "other", [])
    imported(other, out, **harmful)
    assert decided(other) == sorted([(first, ann, NO), (second, ann, PART), (second, ben, YES), (second, "settled", PART)])
    # A second copy, written by the other workspace, is known to both.
    again, _ = written(other, "promptfoo", tmp_path / "again", source=out)
    imported(store, again, **harmful)
    imported(other, again, **harmful)
    assert state(store) == before
    assert len(decided(other)) == 4
    other.close()


def test_a_rating_that_was_changed_since_counts_and_not_our_note(store: SqliteStore, tmp_path: Path) -> None:
    path = put(tmp_path / "o.json", evaluation())
    imported(store, path, **SAID)
    first, _ = item_ids(store)
    label(store, "ann", {first: NO})
    out, _ = written(store, "promptfoo", tmp_path / "out", source=path)
    changed = json.loads(out.read_text(encoding="utf-8"))
    changed["results"]["results"][0]["gradingResult"]["componentResults"][-1]["pass"] = True
    other = make_store(tmp_path / "other", [])
    imported(other, put(tmp_path / "changed.json", changed), **SAID)
    assert decided(other) == [(first, "human", YES)]
    other.close()


def test_a_copied_label_keeps_how_it_was_made(store: SqliteStore, tmp_path: Path) -> None:
    path = put(tmp_path / "o.json", evaluation())
    imported(store, path, **SAID)
    first, second = item_ids(store)
    label(store, "ann", {first: NO}, mode="assisted")
    label(store, "ann", {second: YES}, mode="revealed")
    label(store, "ben", {second: YES})
    out, _ = written(store, "promptfoo", tmp_path / "out", source=path)
    other = make_store(tmp_path / "other", [])
    imported(other, out, **SAID)
    assert {item: {each.mode for each in events} for item, events in other.events_on().items()} == {
        first: {"assisted"}, second: {"revealed", "blind"},
    }  # fmt: skip
    other.close()
