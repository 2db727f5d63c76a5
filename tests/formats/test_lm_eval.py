"""lm-evaluation-harness: lines of one document are one item, each filter's metric a judge, likelihoods no response."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from adjudicate.errors import InputError
from tests.formats.log_reading import lines, read, read_paths

SAID = {"0.5..": "yes", "..0.5": "no"}
DATE = "2026-01-02T03-04-05.678901"


def sample(doc_id: int = 0, **more: Any) -> dict[str, Any]:
    return {
        "doc_id": doc_id,
        "doc": {"question": f"Is {doc_id} even?", "kind": "harmful"},
        "target": "yes",
        "arguments": {"gen_args_0": {"arg_0": f"Question: is {doc_id} even?", "arg_1": {"until": []}}},
        "resps": [["It is."]],
        "filtered_resps": ["It is."],
        "filter": "none",
        "metrics": ["exact_match"],
        "exact_match": 1.0,
        **more,
    }


RESULTS = {
    "results": {"t": {}},
    "configs": {},
    "versions": {},
    "n-shot": {},
    "config": {"model": "hf"},
    "model_name": "org/small",
}
EXAMPLE = lines(sample(), sample(1))


def test_a_document_is_an_item_and_a_metric_a_judge(tmp_path: Path) -> None:
    found = read(tmp_path, {"samples_t.jsonl": EXAMPLE}, outcome=SAID)
    assert found.reader == "lm_eval"
    assert [(draft.source_id, draft.prompt, draft.response) for draft in found.drafts] == [
        ("0", "Question: is 0 even?", "It is."),
        ("1", "Question: is 1 even?", "It is."),
    ]
    assert found.verdicts() == [{"exact_match": "yes"}] * 2
    assert found.drafts[0].verdicts[0].score == 1.0
    assert found.drafts[0].source == EXAMPLE.splitlines()[0]


def test_the_filters_of_a_document_are_judges_of_one_item(tmp_path: Path) -> None:
    """The harness writes all documents of one filter, then all of the next."""
    content = lines(
        sample(0, filter="strict-match", exact_match=0.0),
        sample(1, filter="strict-match"),
        sample(0, filter="flexible-extract"),
        sample(1, filter="flexible-extract"),
    )
    found = read(tmp_path, {"samples_t.jsonl": content}, outcome=SAID)
    assert [draft.source_id for draft in found.drafts] == ["0", "1"]
    assert found.verdicts() == [
        {"exact_match,strict-match": "no", "exact_match,flexible-extract": "yes"},
        {"exact_match,strict-match": "yes", "exact_match,flexible-extract": "yes"},
    ]


def test_several_attempts_are_items_of_their_own(tmp_path: Path) -> None:
    """A metric with a value for each goes to each; one value for all of them says nothing of any."""
    line = sample(7, resps=[["Yes.", "No."]], exact_match=[1, 0], metrics=["exact_match", "pass_at_2"], pass_at_2=1.0)
    found = read(tmp_path, {"samples_t.jsonl": lines(line)}, outcome=SAID)
    assert [(draft.source_id, draft.response) for draft in found.drafts] == [("7#1", "Yes."), ("7#2", "No.")]
    assert found.verdicts() == [{"exact_match": "yes"}, {"exact_match": "no"}]
    assert found.remark.startswith("1 values of metrics stand for several responses together")


def test_a_metric_outside_0_to_1_is_a_class_without_a_score_and_is_counted(tmp_path: Path) -> None:
    content = lines(sample(0, exact_match=4.5), sample(1, exact_match=1.0))
    found = read(tmp_path, {"samples_t.jsonl": content}, outcome={"4.5": "yes", "1": "no"})
    assert found.verdicts() == [{"exact_match": "yes"}, {"exact_match": "no"}]
    assert [draft.verdicts[0].score for draft in found.drafts] == [None, 1.0]
    assert found.remark == "1 scores are outside 0 to 1 and are not kept beside their verdicts"


@pytest.mark.parametrize(
    "arguments",
    [
        {"gen_args_0": {"arg_0": ['[{"role": "user", "content": "Is it?"}, {"role": "assistant", "content": "Hm"}]']}},
        {"gen_args_0": {"arg_0": '[{"role": "user", "content": "Is it?"}, {"role": "assistant", "content": "Hm"}]'}},
        [['[{"role": "user", "content": "Is it?"}, {"role": "assistant", "content": "Hm"}]', {"until": []}]],
    ],
)
def test_a_chat_is_found_in_every_form_of_the_arguments(tmp_path: Path, arguments: object) -> None:
    (draft,) = read(tmp_path, {"samples_t.jsonl": lines(sample(arguments=arguments))}, outcome=SAID).drafts
    assert [tuple(turn) for turn in draft.messages or ()] == [("user", "Is it?"), ("assistant", "Hm")]


def test_older_lines_without_a_list_of_metrics_have_their_numbers_as_metrics(tmp_path: Path) -> None:
    line = {key: value for key, value in sample(arguments=[["Is it?", {}]]).items() if key not in ("metrics", "filter")}
    found = read(tmp_path, {"samples_t.jsonl": lines(line)}, outcome=SAID)
    assert found.verdicts() == [{"exact_match": "yes"}]
    assert found.drafts[0].prompt == "Is it?"


@pytest.mark.parametrize("resps", [[[["-1.5", "False"]], [["-0.5", "True"]]], [[[-1.5, False]]], [[-1.5]]])
def test_likelihoods_are_no_response(tmp_path: Path, resps: object) -> None:
    found = read(tmp_path, {"samples_t.jsonl": lines(sample(resps=resps))}, outcome=SAID)
    assert found.drafts == []
    assert "log-probabilities" in found.findings[0].message and found.findings[0].field == "resps"


def test_the_results_of_the_run_name_the_model(tmp_path: Path) -> None:
    files = {f"samples_t_{DATE}.jsonl": EXAMPLE, f"results_{DATE}.json": RESULTS}
    found = read(tmp_path, files, outcome=SAID)
    assert {draft.model for draft in found.drafts} == {"org/small"}
    assert found.described == {f"results_{DATE}.json": 1}


def test_every_run_has_the_model_of_its_own_results(tmp_path: Path) -> None:
    other = "2026-02-02T03-04-05.678901"
    files = {
        f"samples_t_{DATE}.jsonl": EXAMPLE,
        f"samples_t_{other}.jsonl": EXAMPLE,
        f"results_{other}.json": {**RESULTS, "model_name": "org/other"},
        f"results_{DATE}.json": RESULTS,
    }
    found = read(tmp_path, files, outcome=SAID)
    assert [draft.model for draft in found.drafts] == ["org/small", "org/small", "org/other", "org/other"]


def test_results_alone_say_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--log_samples"):
        read(tmp_path, {f"results_{DATE}.json": RESULTS})


def test_samples_with_a_prompt_longer_than_what_is_looked_at_are_recognised(tmp_path: Path) -> None:
    long = sample(arguments={"gen_args_0": {"arg_0": "An example. " * 10_000}})
    found = read(tmp_path, {"samples_t.jsonl": lines(long)}, outcome=SAID)
    assert (found.reader, len(found.drafts[0].prompt)) == ("lm_eval", 120_000)


def test_the_document_can_be_mapped(tmp_path: Path) -> None:
    found = read(
        tmp_path, {"samples_t.jsonl": EXAMPLE}, set={}, map={"intent": "doc.kind", "prompt": "doc.question"}, outcome=SAID
    )
    assert [(draft.intent, draft.prompt) for draft in found.drafts] == [("harmful", "Is 0 even?"), ("harmful", "Is 1 even?")]


def test_documents_that_were_answered_again_are_items_of_their_own(tmp_path: Path) -> None:
    found = read(tmp_path, {"samples_t.jsonl": lines(sample(0), sample(0, resps=[["Other."]]))}, outcome=SAID)
    assert [(draft.source_id, draft.response) for draft in found.drafts] == [("0", "It is."), ("0#2", "Other.")]


def test_documents_of_another_prompt_under_the_same_id_keep_it(tmp_path: Path) -> None:
    """So that the import can refuse the id that stands for two texts."""
    other = sample(0, arguments={"gen_args_0": {"arg_0": "Other?"}})
    found = read(tmp_path, {"samples_t.jsonl": lines(sample(0), other)}, outcome=SAID)
    assert [draft.source_id for draft in found.drafts] == ["0", "0"]


@pytest.mark.parametrize(
    ("name", "ids", "filtered", "model", "right"),
    [
        ("run_a/samples_gsm8k_2025-09-09T13-31-53.431753.jsonl", ["16", "17", "18"], ",strict-match", True, None),
        (
            "run_a/samples_mmlu_pro_plus_psychology_2025-10-14T15-11-56.507865.jsonl",
            ["8", "9", "10"],
            ",custom-extract",
            False,
            None,
        ),
        ("run_c/samples_math_perturbed_full_2026-01-21T03-44-18.458309.jsonl", [str(n) for n in range(10)], "", True, 0),
    ],
)
def test_real_samples_are_read_whole(
    shared: Path, name: str, ids: list[str], filtered: str, *, model: bool, right: int | None
) -> None:
    """Documents and filters as ../shared/data/logs_expected.json counts them."""
    path = shared / "data/logs/lm_eval" / name
    results = sorted(path.parent.glob("results_*.json"))
    found = read_paths([path, *results], outcome=SAID)
    assert ([draft.source_id for draft in found.drafts], found.findings) == (ids, [])
    assert {judge for each in found.verdicts() for judge in each} == {f"exact_match{filtered}"}
    assert all(bool(draft.model) == model for draft in found.drafts)
    if right is not None:
        assert sum(each[f"exact_match{filtered}"] == "yes" for each in found.verdicts()) == right
