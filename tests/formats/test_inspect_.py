"""What becomes of the samples of an Inspect log: prompts, answers, scores, human edits, states. Logs are made here."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from adjudicate.core.items import LabelDraft, Message, RowDraft, VerdictDraft
from adjudicate.errors import Finding, InputError
from adjudicate.formats import inspect_
from adjudicate.formats.import_options import ImportOptions
from adjudicate.formats.source_run import SourceRun
from adjudicate.formats.text_file import open_source
from tests.formats.inspect_files import archive, document, header, sample, two_outcomes

CLASSES = {"C": "complies", "I": "refuses"}
HASH = "0123456789abcdef0123456789abcdef"


def plan(path: Path, **options: Any) -> SourceRun:
    stated = {"set": {"intent": "benign"}, "outcome": CLASSES, **options}
    (run,) = inspect_.plan([open_source(path)], ImportOptions.of(stated), two_outcomes())
    return run


def rows(path: Path, **options: Any) -> list[RowDraft | Finding]:
    return list(plan(path, **options).parts[0].rows())


def one(path: Path, **options: Any) -> RowDraft:
    (row,) = rows(path, **options)
    assert isinstance(row, RowDraft), row
    return row


def problem(path: Path, **options: Any) -> str:
    (row,) = rows(path, **options)
    assert isinstance(row, Finding), row
    return str(row)


def edit(value: object, author: str | None = None, **more: Any) -> dict[str, Any]:
    """One entry of a score's history."""
    provenance = {"timestamp": "2026-02-01T00:00:00+00:00", "author": author, "reason": "read it", "metadata": more}
    return {"value": value, "explanation": "", "provenance": provenance if author else None}


@pytest.mark.parametrize("write", [archive, document])
def test_a_sample_is_an_item_with_its_scores_as_verdicts(write: Any, tmp_path: Path) -> None:
    row = one(write(tmp_path / ("log.eval" if write is archive else "log.json"), sample()))
    assert (row.source_id, row.prompt, row.messages, row.response) == ("s-1", "When does the library close?", None, "At six.")
    assert (row.model, row.intent) == ("a/model", "benign")
    assert row.verdicts == (VerdictDraft("grader", "complies", reason="It says when."),)
    assert json.loads(row.source) == {"sample": "s-1", "epoch": 1}


def test_a_run_is_named_for_task_and_model(tmp_path: Path) -> None:
    run = plan(archive(tmp_path / "log.eval", sample()))
    assert (run.name, run.dataset, run.parts[0].remark) == ("opening_hours a/model", "hours", "")


def test_the_model_of_the_answer_stands_in_where_the_run_names_none(tmp_path: Path) -> None:
    head = header()
    del head["eval"]["model"]
    assert one(archive(tmp_path / "log.eval", sample(), head=head)).model == "a-model-1"


def test_epochs_of_one_sample_are_items_of_their_own(tmp_path: Path) -> None:
    path = archive(tmp_path / "log.eval", sample(7, 1), sample(7, 2), head=header(epochs=2))
    found = rows(path)
    assert [row.source_id for row in found if isinstance(row, RowDraft)] == ["7 epoch 1", "7 epoch 2"]
    assert [json.loads(row.source) for row in found if isinstance(row, RowDraft)] == [
        {"sample": 7, "epoch": 1},
        {"sample": 7, "epoch": 2},
    ]


def test_everything_before_the_answer_is_the_prompt(tmp_path: Path) -> None:
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "When do you open?"},
        {"role": "assistant", "content": "", "tool_calls": [{"id": "1", "function": "look", "arguments": {"day": "Monday"}}]},
        {"role": "tool", "content": "", "function": "look", "error": {"type": "timeout", "message": "too slow"}},
        {"role": "assistant", "content": "At nine."},
    ]
    output = {"choices": [{"message": messages[-1]}]}
    row = one(archive(tmp_path / "log.eval", sample(messages=messages, output=output)))
    assert row.messages == (
        Message("system", "Be brief."),
        Message("user", "When do you open?"),
        Message("assistant", '\n[tool call look({"day": "Monday"})]'),
        Message("tool", "[tool error: timeout: too slow]"),
    )
    assert (row.prompt, row.response) == ("When do you open?", "At nine.")


def test_an_answer_that_was_not_added_to_the_messages_leaves_them_whole(tmp_path: Path) -> None:
    messages = [
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": "Hello!"},
        {"role": "user", "content": "When do you open?"},
    ]
    row = one(archive(tmp_path / "log.eval", sample(messages=messages)))
    assert row.messages is not None and [turn.content for turn in row.messages] == ["Hello", "Hello!", "When do you open?"]


def test_without_messages_the_input_is_the_prompt(tmp_path: Path) -> None:
    turns = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "When?"}]
    assert one(archive(tmp_path / "log.eval", sample(messages=[]))).prompt == "When does the library close?"
    row = one(archive(tmp_path / "log.eval", sample(messages=[], input=turns)))
    assert row.messages == (Message("system", "Be brief."), Message("user", "When?"))


def test_pictures_calls_and_reasoning_are_marks(tmp_path: Path) -> None:
    parts = [
        {"type": "reasoning", "reasoning": "The user asks a harmless thing."},
        {"type": "text", "text": "First."},
        {"type": "image", "image": "data:image/png;base64,AAAA"},
        {"type": "tool_use", "tool_type": "web_search", "name": "search", "arguments": '{"q": "hours"}', "result": "none"},
        {"type": "text", "text": "Second."},
    ]
    message = {"role": "assistant", "content": parts}
    row = one(archive(tmp_path / "log.eval", sample(output={"choices": [{"message": message}]})))
    assert row.response == '[reasoning]\nFirst.\n[image]\n[tool call search({"q": "hours"})]\nSecond.'


def test_reasoning_of_older_logs_is_the_same_mark(tmp_path: Path) -> None:
    message = {"role": "assistant", "content": "At six.", "reasoning": "I know that."}
    row = one(archive(tmp_path / "log.eval", sample(output={"choices": [{"message": message}]})))
    assert row.response == "[reasoning]\nAt six."


@pytest.mark.parametrize("protocol", ["attachment", "tc"])
def test_attachments_are_put_back(protocol: str, tmp_path: Path) -> None:
    reference = f"{protocol}://{HASH}"
    answer = {"role": "assistant", "content": [{"type": "text", "text": reference}]}
    path = archive(
        tmp_path / "log.eval",
        sample(
            messages=[{"role": "user", "content": reference}, answer],
            output={"choices": [{"message": answer}]},
            scores={"grader": {"value": "C", "explanation": reference}},
            attachments={HASH: "A long text."},
        ),
    )
    row = one(path)
    assert (row.prompt, row.response, row.verdicts[0].reason) == ("A long text.",) * 3


def test_a_text_whose_attachment_is_missing_is_no_item(tmp_path: Path) -> None:
    path = archive(tmp_path / "log.eval", sample(messages=[{"role": "user", "content": f"attachment://{HASH}"}]))
    assert "which the log does not hold" in problem(path)


@pytest.mark.parametrize("text", ["attachment://", "attachment://not-a-hash", "tc://x", "at six"])
def test_a_text_that_only_looks_like_a_reference_stays(text: str, tmp_path: Path) -> None:
    answer = {"role": "assistant", "content": text}
    assert one(archive(tmp_path / "log.eval", sample(output={"choices": [{"message": answer}]}))).response == text


def test_a_sample_that_ended_before_the_answer_is_named_with_its_error(tmp_path: Path) -> None:
    error = {"message": "provider returned 500 \x1b[31m", "traceback": "...", "traceback_ansi": "..."}
    told = problem(archive(tmp_path / "log.eval", sample(output={"choices": []}, error=error)))
    assert "samples/s-1_epoch_1.json" in told and "the sample ended with an error: provider returned 500" in told
    assert "\x1b" not in told


def test_an_error_after_the_answer_keeps_the_item_and_is_told(tmp_path: Path) -> None:
    run = plan(archive(tmp_path / "log.eval", sample(error={"message": "the scorer failed"}, scores=None)))
    (row,) = run.parts[0].rows()
    assert isinstance(row, RowDraft) and row.response == "At six." and row.verdicts == ()
    assert "1 samples ended with an error after it" in run.parts[0].taken()["response"]


@pytest.mark.parametrize("output", [None, {}, {"choices": []}, {"choices": None, "completion": ""}])
def test_a_sample_without_output_is_an_item_with_an_empty_response(output: object, tmp_path: Path) -> None:
    run = plan(archive(tmp_path / "log.eval", sample(output=output, messages=[{"role": "user", "content": "When?"}])))
    (row,) = run.parts[0].rows()
    assert isinstance(row, RowDraft) and (row.prompt, row.response) == ("When?", "")
    assert "1 samples without output" in run.parts[0].taken()["response"]


def test_a_sample_marked_as_invalid_is_left_out_with_the_reason(tmp_path: Path) -> None:
    invalidation = {"author": "jo", "reason": "wrong tool", "timestamp": "2026-01-01T00:00:00Z", "metadata": {}}
    assert "marked as invalid by jo: wrong tool" in problem(archive(tmp_path / "log.eval", sample(invalidation=invalidation)))


def judged(tmp_path: Path, **scores: Any) -> dict[str, VerdictDraft]:
    path = archive(tmp_path / "log.eval", sample(scores={name: {"value": value} for name, value in scores.items()}))
    return {verdict.judge: verdict for verdict in one(path, outcome={**CLASSES, "true": "complies", "0.5..": "refuses"}).verdicts}


def test_each_kind_of_value_is_a_verdict(tmp_path: Path) -> None:
    found = judged(tmp_path, letter="I", truth=True, number=0.75, whole=1, several=[1, 0])
    assert {name: verdict.outcome for name, verdict in found.items()} == {
        "letter": "refuses",
        "truth": "complies",
        "number": "refuses",
        "whole": "refuses",
        "several": None,
    }
    assert found["several"].raw == "[1, 0]"


def test_each_key_of_a_value_is_a_judge(tmp_path: Path) -> None:
    found = judged(tmp_path, rubric={"tone": "C", "truth": "I", "unsaid": None})
    assert {name: verdict.outcome for name, verdict in found.items()} == {"rubric.tone": "complies", "rubric.truth": "refuses"}


def write_nan(path: Path, **score: Any) -> Path:
    """A log whose only score is NaN, as a bare constant; the text beside it says NaN too."""
    both = {"grader": {"value": math.nan, "explanation": "not NaN, but unscored: NaN, \\NaN", **score}, "match": {"value": "C"}}
    return document(path, sample(scores=both), head=header(results={"scores": [{"metrics": {"accuracy": math.nan}}]}))


def test_an_unscored_sample_has_no_verdict_of_this_judge_and_is_counted(tmp_path: Path) -> None:
    run = plan(write_nan(tmp_path / "log.json"))
    (row,) = run.parts[0].rows()
    assert isinstance(row, RowDraft) and [verdict.judge for verdict in row.verdicts] == ["match"]
    assert run.parts[0].taken()["verdict.grader"] == "scores.grader.value (1 samples unscored)"


@pytest.mark.parametrize("said", [{"reason": "grader_failed"}, {"metadata": {"unscored_reason": "grader_failed"}}])
def test_a_grader_that_failed_is_judge_failed(said: dict[str, Any], tmp_path: Path) -> None:
    row = one(write_nan(tmp_path / "log.json", **said))
    failed = next(verdict for verdict in row.verdicts if verdict.judge == "grader")
    assert (failed.outcome, failed.reason) == (None, "not NaN, but unscored: NaN, \\NaN")


def test_the_first_version_of_the_log_has_one_score(tmp_path: Path) -> None:
    first = {**sample(), "score": {"value": "I", "explanation": "It does not say."}}
    del first["scores"]
    assert one(document(tmp_path / "log.json", first)).verdicts == (VerdictDraft("score", "refuses", reason="It does not say."),)


def test_an_edited_score_is_the_judges_verdict_and_the_persons_label(tmp_path: Path) -> None:
    history = [{**edit("C"), "explanation": "The judge's words."}, edit("I", "jo")]
    score = {"value": "I", "explanation": "Jo's words.", "history": history}
    row = one(archive(tmp_path / "log.eval", sample(scores={"grader": score})))
    assert row.verdicts == (VerdictDraft("grader", "complies", reason="The judge's words."),)
    assert (row.labels, row.gold) == ((LabelDraft("jo", "refuses"),), None)


def test_each_persons_last_value_counts(tmp_path: Path) -> None:
    history = [edit("C"), edit("I", "jo"), edit("C", "jo"), edit("I", "kim"), edit("UNCHANGED", "lee")]
    row = one(archive(tmp_path / "log.eval", sample(scores={"grader": {"value": "I", "history": history}})))
    assert row.labels == (LabelDraft("jo", "complies"), LabelDraft("kim", "refuses"))


def test_a_score_that_a_person_added_is_no_judges(tmp_path: Path) -> None:
    row = one(archive(tmp_path / "log.eval", sample(scores={"human": {"value": "I", "history": [edit("I", "jo")]}})))
    assert (row.verdicts, row.labels) == ((), (LabelDraft("jo", "refuses"),))


def test_of_a_value_with_keys_the_changed_ones_are_labels(tmp_path: Path) -> None:
    before, after = {"tone": "C", "truth": "C"}, {"tone": "C", "truth": "I"}
    history = [edit(before), edit(after, "jo")]
    row = one(archive(tmp_path / "log.eval", sample(scores={"rubric": {"value": after, "history": history}})))
    assert {verdict.judge: verdict.outcome for verdict in row.verdicts} == {"rubric.tone": "complies", "rubric.truth": "complies"}
    assert row.labels == (LabelDraft("jo", "refuses"),)


def test_different_answers_of_a_person_to_two_scorers_stay_apart(tmp_path: Path) -> None:
    def score(value: str) -> dict[str, Any]:
        return {"value": value, "history": [edit("C"), edit(value, "jo")]}

    row = one(archive(tmp_path / "log.eval", sample(scores={"first": score("I"), "second": score("C"), "third": score("I")})))
    assert row.labels == (LabelDraft("jo", "refuses"), LabelDraft("jo on second", "complies"))


def test_map_names_the_scorer_that_is_meant(tmp_path: Path) -> None:
    scores = {"other": {"value": 3}, "rubric": {"value": {"tone": "I", "length": 9}, "explanation": "Why."}}
    path = archive(tmp_path / "log.eval", sample(scores=scores))
    run = plan(path, map={"verdict.tone": "scores.rubric.value.tone", "category": "metadata.kind", "gold": "target"})
    (row,) = run.parts[0].rows()
    assert isinstance(row, RowDraft)
    assert row.verdicts == (VerdictDraft("tone", "refuses", reason="Why."),)
    assert (row.category, row.gold) == ("hours", "complies")
    assert run.parts[0].taken()["verdict.tone"] == "scores.rubric.value.tone"


def test_map_may_take_another_prompt_and_a_score(tmp_path: Path) -> None:
    path = archive(
        tmp_path / "log.eval", sample(scores={"strong": {"value": 0.9}}, messages=[{"role": "user", "content": "framed"}])
    )
    mapping = {"prompt": "input", "verdict": "scores.strong.value", "score": "scores.strong.value"}
    row = one(path, map=mapping, outcome={"0.5..": "complies"}, set={"intent": "benign", "judge": "strong"})
    assert row.prompt == "When does the library close?"
    assert row.verdicts == (VerdictDraft("strong", "complies", 0.9),)


def test_map_to_a_key_that_never_occurs_is_refused(tmp_path: Path) -> None:
    run = plan(archive(tmp_path / "log.eval", sample()), map={"category": "metadata.nothing"})
    list(run.parts[0].rows())
    with pytest.raises(InputError, match=r"no row has a column 'metadata\.nothing'"):
        run.parts[0].check()


def test_classes_of_prompts_are_told_with_set(tmp_path: Path) -> None:
    path = archive(tmp_path / "log.eval", sample(metadata={"kind": "contrast_hours"}))
    stated = {"intent.contrast_*": "harmful", "intent.*": "benign"}
    assert one(path, map={"intent": "metadata.kind"}, set=stated).intent == "harmful"
    assert "--set intent.CLASS=INTENT" in problem(path, map={"intent": "metadata.kind"}, set={})


def test_a_run_that_did_not_finish_says_how_far_it_came(tmp_path: Path) -> None:
    import zipfile

    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("_journal/start.json", json.dumps(header(samples=5, epochs=2)))
        file.writestr("samples/s-1_epoch_1.json", json.dumps(sample()))
    run = plan(path)
    assert run.parts[0].remark == "the run did not finish: 1 samples of 10 so far"
    first, second = run.parts[0].rows()
    assert str(first) == "the file, header.json: it does not say that the run ended: what was not logged yet is missing here"
    assert isinstance(second, RowDraft)


@pytest.mark.parametrize(
    ("status", "told"),
    [
        ("cancelled", "the run was cancelled: 1 samples of 3"),
        ("error", "the run ended with an error: disk full (1 samples of 3)"),
        ("started", "the run did not finish: 1 samples of 3 so far"),
    ],
)
def test_a_run_that_did_not_succeed_says_so(status: str, told: str, tmp_path: Path) -> None:
    head = header(status=status, samples=3, error={"message": "disk full"})
    assert plan(document(tmp_path / "log.json", sample(), head=head)).parts[0].remark == told


def test_a_broken_sample_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    path = archive(tmp_path / "log.eval", sample("s-1"), {"id": "s-2", "epoch": 1}, sample("s-3"))
    found = rows(path)
    assert [type(each) for each in found] == [RowDraft, Finding, RowDraft]
    assert "samples/s-2_epoch_1.json" in str(found[1]) and "`input`" in str(found[1])


@pytest.mark.parametrize("scores", [["C"], {"grader": "C"}, {"grader": {"answer": "C"}}])
def test_scores_of_another_shape_are_told(scores: object, tmp_path: Path) -> None:
    assert "score" in problem(archive(tmp_path / "log.eval", sample(scores=scores)))


@pytest.mark.parametrize(
    "text",
    [
        '{"evalId": "x", "results": {"version": 3, "results": []}}',
        '{"version": 1, "eval": "x"}',
        '{"id": 1, "prompt": "p", "eval": {"status": 1}}',
        '{"adapter_spec": {}, "request_states": []}',
        "[]",
    ],
)
def test_files_of_other_tools_are_not_taken_for_logs(text: str, tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_text(text, encoding="utf-8")
    assert not inspect_.detect(open_source(path))
