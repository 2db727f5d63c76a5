"""promptfoo: judges come from their own components, people from theirs, and a failed call is no answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from adjudicate.errors import InputError
from tests.formats.log_reading import lines, read, read_paths

SAID = {"pass": "yes", "fail": "no"}


def component(kind: str, passed: object, *, metric: str | None = None, **more: Any) -> dict[str, Any]:
    assertion = {"type": kind, **({"metric": metric} if metric else {})}
    return {"pass": passed, "score": 1 if passed else 0, "reason": f"{kind} said so", "assertion": assertion, **more}


def result(**more: Any) -> dict[str, Any]:
    return {
        "id": "r-1",
        "testIdx": 0,
        "promptIdx": 0,
        "provider": {"id": "openai:small", "label": "small"},
        "prompt": {"raw": "Name a tree.", "label": "tree"},
        "vars": {"harm": "benign", "topic": "woods"},
        "metadata": {"category": "botany"},
        "testCase": {"metadata": {"language": "en"}},
        "response": {"output": "An oak."},
        "success": True,
        "score": 1,
        "failureReason": 0,
        "gradingResult": {"pass": True, "score": 1, "componentResults": [component("llm-rubric", passed=True)]},
        **more,
    }


def summary(*results: object, **more: Any) -> dict[str, Any]:
    return {"version": 3, "timestamp": "2026-01-01", "prompts": [], "results": list(results), "stats": {}, **more}


EXAMPLE = {"evalId": "eval-x", "results": summary(result()), "config": {}}


@pytest.mark.parametrize(
    "content",
    [EXAMPLE, EXAMPLE["results"], lines(result()), {"results": summary(result())}, {"results": {"results": [result()]}}],
)
def test_a_result_is_found_in_every_wrapping(tmp_path: Path, content: object) -> None:
    name = "out.jsonl" if isinstance(content, str) else "out.json"
    found = read(tmp_path, {name: content}, outcome=SAID)
    (draft,) = found.drafts
    assert found.reader == "promptfoo"
    assert (draft.source_id, draft.prompt, draft.response, draft.model) == ("0/0/small", "Name a tree.", "An oak.", "small")
    assert [(*tuple(each)[:3], each.reason) for each in draft.verdicts] == [("llm-rubric", "yes", 1.0, "llm-rubric said so")]
    assert found.taken["prompt"] == "prompt.raw"


def test_each_model_graded_assertion_is_a_judge_and_a_rule_is_none(tmp_path: Path) -> None:
    """Sets of assertions nest, a metric is part of the name, and a second judge of one name is told apart."""
    nested = {"pass": False, "score": 0, "componentResults": [component("llm-rubric", passed=False, metric="tone")]}
    components = [
        component("llm-rubric", passed=True),
        component("llm-rubric", passed=False),
        component("javascript", passed=True),
        component("regex", passed=False),
        component("not-factuality", passed=True),
        component("promptfoo:redteam:bias", passed=False),
        component("python", passed=True, metadata={"renderedGradingPrompt": "Is it a tree?"}),
        nested,
    ]
    found = read(
        tmp_path, {"o.json": summary(result(gradingResult={"pass": False, "componentResults": components}))}, outcome=SAID
    )
    assert found.verdicts() == [
        {
            "llm-rubric": "yes",
            "llm-rubric#2": "no",
            "not-factuality": "yes",
            "promptfoo:redteam:bias": "no",
            "python": "yes",
            "llm-rubric/tone": "no",
        }
    ]


def test_a_person_overrules_the_result_but_not_the_judge(tmp_path: Path) -> None:
    rated = {
        "pass": False,
        "score": 0,
        "comment": "No tree.",
        "componentResults": [component("llm-rubric", passed=True), component("human", passed=False)],
    }
    found = read(tmp_path, {"o.json": summary(result(success=False, score=0, gradingResult=rated))}, outcome=SAID)
    assert found.verdicts() == [{"llm-rubric": "yes"}]
    assert found.labels() == [{"human": "no"}]
    assert found.remark == "1 comments of people are not read"


def test_a_score_outside_0_to_1_is_counted(tmp_path: Path) -> None:
    grading = {"componentResults": [{**component("llm-rubric", passed=True), "score": 4}]}
    found = read(tmp_path, {"o.json": summary(result(gradingResult=grading))}, outcome=SAID)
    assert (found.verdicts(), found.drafts[0].verdicts[0].score) == ([{"llm-rubric": "yes"}], None)
    assert found.remark == "1 scores are outside 0 to 1 and are not kept beside their verdicts"


def test_a_grader_that_broke_is_a_judge_that_failed(tmp_path: Path) -> None:
    broken = component("llm-rubric", passed=False, metadata={"graderError": True})
    found = read(tmp_path, {"o.json": summary(result(gradingResult={"componentResults": [broken]}))}, outcome=SAID)
    assert found.verdicts() == [{"llm-rubric": None}]
    assert found.drafts[0].verdicts[0].reason == "llm-rubric said so"


def test_a_table_of_version_2_is_read_by_its_cells(tmp_path: Path) -> None:
    """Each test row with each prompt; the text of a failed test begins with what failed, which the model did not write."""
    graded = {"pass": False, "reason": "too short", "componentResults": [component("llm-rubric", passed=False)]}
    table = {
        "head": {
            "prompts": [{"raw": "A {{x}}", "provider": "m-one"}, {"raw": "B {{x}}", "provider": "m-two"}],
            "vars": ["x"],
        },
        "body": [
            {
                "vars": ["oak"],
                "test": {"metadata": {"category": "trees"}},
                "outputs": [
                    {"text": "too short\n---\nOak.", "prompt": "A oak", "pass": False, "gradingResult": graded},
                    {"text": "Timed out", "error": "Timed out", "prompt": "B oak", "pass": False, "failureReason": 2},
                ],
            }
        ],
    }
    content = {"results": {"version": 2, "timestamp": "t", "table": table, "results": [result()]}}
    found = read(tmp_path, {"o.json": content}, outcome=SAID, map={"category": "testCase.metadata.category", "pair": "vars.x"})
    (draft,) = found.drafts
    assert (draft.source_id, draft.prompt, draft.response, draft.model) == ("0/0/m-one", "A oak", "Oak.", "m-one")
    assert (draft.category, draft.pair) == ("trees", "oak")
    assert draft.source == '{"row":0,"output":0}'
    assert [(each.line, each.field) for each in found.findings] == [(2, "response.output")]
    assert "'Timed out'" in found.findings[0].message


def test_the_documented_outline_asks_for_what_it_lacks(tmp_path: Path) -> None:
    content = {"results": {"stats": {}, "outputs": [{"pass": True, "output": "An oak.", "vars": {"q": "Name a tree."}}]}}
    assert "--map prompt=" in read(tmp_path, {"o.json": content}).findings[0].message
    (draft,) = read(tmp_path, {"o.json": content}, map={"prompt": "vars.q"}).drafts
    assert (draft.prompt, draft.response) == ("Name a tree.", "An oak.")


def test_the_keys_of_a_result_can_be_mapped(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        {"o.json": EXAMPLE},
        set={},
        map={
            "intent": "vars.harm",
            "category": "metadata.category",
            "language": "testCase.metadata.language",
            "pair": "prompt.label",
        },
        outcome=SAID,
    )
    (draft,) = found.drafts
    assert (draft.intent, draft.category, draft.language, draft.pair) == ("benign", "botany", "en", "tree")


def test_one_of_several_judges_can_be_chosen(tmp_path: Path) -> None:
    components = [component("llm-rubric", passed=True), component("factuality", passed=False)]
    content = summary(result(gradingResult={"componentResults": components}))
    found = read(tmp_path, {"o.json": content}, map={"verdict.rubric": "verdict.llm-rubric"}, outcome=SAID)
    assert found.verdicts() == [{"rubric": "yes"}]


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ([{"type": "function", "function": {"name": "look", "arguments": '{"at": "oak"}'}}], '[tool call look({"at": "oak"})]'),
        ({"tool_calls": [{"function": {"name": "look", "arguments": "{}"}}]}, "[tool call look({})]"),
        ({"tree": "oak", "rings": 3}, '{"tree": "oak", "rings": 3}'),
        ("", ""),
    ],
)
def test_an_output_that_is_no_text_is_shown(tmp_path: Path, output: object, text: str) -> None:
    (draft,) = read(tmp_path, {"o.json": summary(result(response={"output": output}))}, outcome=SAID).drafts
    assert draft.response == text


def test_a_chat_prompt_keeps_its_turns(tmp_path: Path) -> None:
    raw = '[{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Name a tree."}]'
    (draft,) = read(tmp_path, {"o.json": summary(result(prompt={"raw": raw}))}, outcome=SAID).drafts
    assert [tuple(turn) for turn in draft.messages or ()] == [("system", "Be brief."), ("user", "Name a tree.")]


def test_repeated_results_without_ids_are_items_of_their_own(tmp_path: Path) -> None:
    once, again = ({**result(response={"output": text}), "id": None} for text in ("An oak.", "An elm."))
    found = read(tmp_path, {"o.json": summary(once, again)}, outcome=SAID)
    assert [draft.source_id for draft in found.drafts] == ["0/0/small", "0/0/small#2"]


def test_without_results_there_is_nothing_to_import(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="without any result"):
        read(tmp_path, {"o.json": {"evalId": "e", "results": summary()}})


def test_without_an_intent_the_flag_is_asked_for(tmp_path: Path) -> None:
    found = read(tmp_path, {"o.json": EXAMPLE}, set={}, outcome=SAID)
    assert "--set intent=benign" in found.findings[0].message


def test_a_real_export_is_read_whole(shared: Path) -> None:
    """30 results, 10 of them judged by a rubric, all failing, as ../shared/data/logs_expected.json counts them."""
    found = read_paths([shared / "data/logs/promptfoo/nicheiq_results.json"], outcome=SAID)
    assert (len(found.drafts), found.findings) == (30, [])
    assert [each for each in found.verdicts() if each] == [{"llm-rubric": "no"}] * 10
    assert {draft.model for draft in found.drafts} == {"gpt-4o", "gpt-4o-mini"}
    assert len({draft.source_id for draft in found.drafts}) == 30


def test_a_result_is_known_by_its_place_whatever_id_a_database_gave_it(tmp_path: Path) -> None:
    """What is imported into promptfoo and exported again has other ids, and has to be the same items here."""
    first, again, elsewhere = (
        read(tmp_path, {"o.json": {"evalId": "e", "results": {"version": 3, "timestamp": "t", "results": [each]}}}).drafts[0]
        for each in (result(id=None), result(id="0d5e"), result(id="0d5e", testIdx=None))
    )
    assert first.source_id == again.source_id == "0/0/small"
    assert elsewhere.source_id == "0d5e"
