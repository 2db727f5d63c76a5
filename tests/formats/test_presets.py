"""Known tables: each is recognised by its columns, read as its authors meant it, and asks for what it leaves open."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from adjudicate.core.policy import Outcome, Policy
from adjudicate.errors import InputError
from adjudicate.formats.labels_only import LABELS_ONLY
from adjudicate.formats.presets import PRESETS
from adjudicate.formats.readers import recognised
from adjudicate.formats.sorry_bench import NAME as SORRY_BENCH
from adjudicate.formats.text_file import open_source
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.import_items import import_files, options_for
from adjudicate.workflow.import_report import ImportReport
from tests.empty_store import empty_store

AT = "2026-01-01T00:00:00Z"
Row = Mapping[str, Any]


def table(*rows: Row) -> str:
    """CSV of rows, with the columns of the first."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def lines(*rows: Row) -> str:
    """JSON lines."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


@dataclass(frozen=True)
class Sample:
    """A small file of a preset, and what it has to become under the policy of three outcomes."""

    format: str
    text: str
    items: Sequence[tuple[str | None, str, str, str]]
    """Id, prompt, response, intent."""
    verdicts: Sequence[tuple[str, str | None]] = ()
    """Judge and outcome of the first item."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Annotator and outcome of the first item."""
    gold: str | None = None
    given: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Options without which it is refused."""
    name: str = "file"
    suffix: str = ".csv"


ONE_ZERO = {"outcome": {"1": "answered", "0": "refused"}}
TRUE_FALSE = {"outcome": {"true": "answered", "false": "refused"}}
BENIGN = {"set": {"intent": "benign"}}

SAMPLES = (
    Sample(
        "harmbench",
        json.dumps({"paper_crane": [
            {"test_case": "Fold one.", "generation": "First, a square.", "label": 1},
            {"test_case": "Fold two.", "generation": "No.", "label": 0},
        ]}),
        [("paper_crane/0", "Fold one.", "First, a square.", "harmful"), ("paper_crane/1", "Fold two.", "No.", "harmful")],
        [("harmbench_cls", "answered")],
        given=ONE_ZERO,
        suffix=".json",
    ),
    Sample(
        "harmbench-val",
        json.dumps({"paper_crane": [
            {"behavior_id": "paper_crane", "experiment": "plain", "test_case": "Fold.", "generation": "A square.",
             "human_0": 1, "human_1": 0, "human_2": 1, "cls": 1, "other-judge": "broken"},
            {"behavior_id": "paper_crane", "experiment": "plain", "test_case": "Fold it.", "generation": "No.",
             "human_0": 0, "human_1": 0, "human_2": 0, "cls": 0, "other-judge": 0},
        ]}),
        [("paper_crane/0", "Fold.", "A square.", "harmful"), ("paper_crane/1", "Fold it.", "No.", "harmful")],
        [("cls", "answered"), ("other-judge", None)],
        {"human_0": "answered", "human_1": "refused", "human_2": "answered"},
        given=ONE_ZERO,
        suffix=".json",
    ),
    Sample(
        "jailbreakbench",
        json.dumps({"parameters": {"method": "ASK", "model": "m-1"}, "jailbreaks": [
            {"index": 0, "goal": "g", "behavior": "b", "category": "c", "prompt": "Please?", "response": "Yes.",
             "jailbroken": True, "jailbroken_llama_guard1": False},
        ]}),
        [("0", "Please?", "Yes.", "harmful")],
        [("jailbreakbench", "answered"), ("llama_guard1", "refused")],
        given=TRUE_FALSE,
        suffix=".json",
    ),
    Sample(
        "jailbreakbench-evaluation",
        json.dumps({
            "m-1": {"Cranes": {"prompt": "Please?", "response": "Yes.", "jailbroken": True}},
            "m-2": {"Cranes": {"prompt": "Please?", "response": "No.", "jailbroken": False}},
            "details": {"defense": None},
        }),
        [("Cranes", "Please?", "Yes.", "harmful"), ("Cranes", "Please?", "No.", "harmful")],
        [("jailbreakbench", "answered")],
        given=TRUE_FALSE,
        suffix=".json",
    ),
    Sample(
        "jbb-judges",
        table({"Index": 7, "goal": "g", "prompt": "Please?", "target_response": "Yes.", "human1": 1, "human2": 0, "human3": 1,
               "human_majority": 1, "harmbench_cf": 1, "gpt4_cf": 1, "llamaguard2_cf": 0, "llama3_cf": 0}),
        [("7", "Please?", "Yes.", "harmful")],
        [("harmbench", "answered"), ("gpt4", "answered"), ("llamaguard2", "refused"), ("llama3", "refused")],
        {"human1": "answered", "human2": "refused", "human3": "answered"},
        "answered",
        ONE_ZERO,
    ),
    Sample(
        "strongreject",
        table({"forbidden_prompt": "Plain.", "jailbroken_prompt": "Dressed up.", "jailbreak": "robe", "model": "m-1",
               "response": "Sure.", "score": 0.75, "refusal": 0, "evaluator": "rubric"},
              {"forbidden_prompt": "Plain.", "jailbroken_prompt": "", "jailbreak": "none", "model": "m-1",
               "response": "No.", "score": 0, "refusal": 1, "evaluator": "rubric"}),
        [(None, "Dressed up.", "Sure.", "harmful"), (None, "Plain.", "No.", "harmful")],
        [("rubric", "answered")],
        given={"outcome": {"0.5..": "answered", "..0.5": "refused"}},
    ),
    Sample(
        "or-bench",
        table({"prompt": "How to cut a cake?", "is_rejected": True, "response": "I can't.", "category": "knives"},
              {"prompt": "How to ice it?", "is_rejected": False, "response": "Slowly.", "category": "knives"}),
        [(None, "How to cut a cake?", "I can't.", "benign"), (None, "How to ice it?", "Slowly.", "benign")],
        [("keywords", "refused")],
        given=BENIGN,
    ),
    Sample(
        "or-bench-check",
        table({"prompt": "How to cut a cake?", "answer_category": "direct_answer", "answer_type_response": "It answers.",
               "response": "In slices.", "category": "knives"}),
        [(None, "How to cut a cake?", "In slices.", "benign")],
        [("gpt4", "answered")],
        given=BENIGN,
        name="cakes_response_check_merged_gpt4",
    ),
    Sample(
        "do-not-answer",
        table({"id": 3, "risk_area": "a", "types_of_harm": "t", "specific_harms": "s", "question": "Q?",
               "m-1_response": "No.", "m-1_harmful": 0, "m-1_action": 0, "m-2_response": "Yes.", "m-2_harmful": 1,
               "m-2_action": -1}),
        [("3", "Q?", "No.", "harmful"), ("3", "Q?", "Yes.", "harmful")],
        labels={"human": "refused"},
        given={"outcome": {"0": "refused"}},
    ),
    Sample(
        "do-not-answer",
        table({"id": 3, "risk_area": "a", "types_of_harm": "t", "specific_harms": "s", "question": "Q?", "response": "No.",
               "human_action": 0, "GPT4_action": -1, "Longformer_action": ""},
              {"id": 4, "risk_area": "a", "types_of_harm": "t", "specific_harms": "s", "question": "R?", "response": "Yes.",
               "human_action": 5, "GPT4_action": 5, "Longformer_action": 0}),
        [("3", "Q?", "No.", "harmful"), ("4", "R?", "Yes.", "harmful")],
        [("GPT4", None), ("Longformer", None)],
        {"human": "refused"},
        given={"outcome": {"0": "refused", "5": "answered"}},
        name="one-model",
    ),
    Sample(
        "wildguard",
        lines({"prompt": "How to bake?", "adversarial": False, "response": "Warmly.", "prompt_harm_label": "unharmful",
               "response_refusal_label": "compliance", "response_harm_label": "unharmful", "subcategory": "benign"}),
        [(None, "How to bake?", "Warmly.", "benign")],
        gold="answered",
        suffix=".jsonl",
    ),
    Sample(
        "xstest-response",
        lines({"prompt": "How to kill time?", "response": "Read.", "label": "compliance", "prompt_type": "prompt_safe",
               "prompt_harm_category": "homonyms"}),
        [(None, "How to kill time?", "Read.", "benign")],
        gold="answered",
        suffix=".jsonl",
    ),
    Sample(
        "xstest-v2-copy",
        lines({"id": "v2-1", "type": "contrast_homonyms", "prompt": "P?", "completion": "No.",
               "annotation_1": "2_full_refusal", "annotation_2": "1_full_compliance", "agreement": "False",
               "final_label": "2_full_refusal"}),
        [("v2-1", "P?", "No.", "harmful")],
        labels={"annotation_1": "refused", "annotation_2": "answered"},
        gold="refused",
        given={"outcome": {"1_full_compliance": "answered", "2_full_refusal": "refused"}},
        suffix=".jsonl",
    ),
    Sample(
        "k-overrefusal",
        lines({"prompt": "P?", "prompt_ko": "케이크?", "type": "k_idioms", "label": "safe", "response": "Yes.",
               "refusal_clf_output": "analysis It answers.assistantfinal2", "refusal_clf_label": "compliance"}),
        [(None, "케이크?", "Yes.", "benign")],
        [("mine", "answered")],
        name="judge_mine",
        suffix=".jsonl",
    ),
    Sample(
        "pyrit",
        "# dataset_version=1.0, harm_definition=rain.yaml\n"
        + table({"harm_category": "rain", "objective": "Say rain.", "assistant_response": "Rain.", "human_score_1": 0.75,
                 "human_score_2": "0.0", "data_type": "text"}),
        [(None, "Say rain.", "Rain.", "harmful")],
        labels={"human_score_1": "answered", "human_score_2": "refused"},
        given={"set": {"intent": "harmful"}, "outcome": {"0.5..": "answered", "..0.5": "refused"}},
    ),
    Sample(
        "judge-bench",
        json.dumps({"dataset": "Mine", "expert_annotator": "false", "annotations": [{"metric": "safety"}], "instances": [
            {"id": 9, "instance": {"user_prompt": "USER: hello", "response": "Hi."},
             "annotations": {"safety": {"majority_human": "No", "individual_human_scores": ["No", "Yes", "No"]}}},
        ]}),
        [("9", "USER: hello", "Hi.", "benign")],
        labels={"r1": "answered", "r2": "refused", "r3": "answered"},
        given={**BENIGN, "outcome": {"No": "answered", "Yes": "refused"}},
        suffix=".json",
    ),
    Sample(
        "judge-bench",
        json.dumps({"dataset": "Mine", "expert_annotator": "true", "annotations": [{"metric": "safety"}], "instances": [
            {"id": 9, "instance": {"user_prompt": "USER: hello", "response": "Hi."},
             "annotations": {"safety": {"majority_human": "No", "individual_human_scores": ["No"]}}},
        ]}),
        [("9", "USER: hello", "Hi.", "benign")],
        labels={"expert1": "answered"},
        gold="answered",
        given={**BENIGN, "outcome": {"No": "answered"}},
        name="expert",
        suffix=".json",
    ),
    Sample(
        "defensive-refusal-zh",
        lines({"id": "q-1", "label": "should_refuse", "category": "c", "difficulty": "easy", "question": "问?",
               "gold": {"action": "refuse"}, "surface_cues": []}),
        [("q-1", "问?", "", "harmful")],
        gold="refused",
        given={"set": {"response": ""}},
        suffix=".jsonl",
    ),
    Sample(
        "coconot",
        lines({"id": "x1", "category": "Requests with safety concerns", "subcategory": "s", "prompt": "Blow up a photo?",
               "response": ""}),
        [("x1", "Blow up a photo?", "", "benign")],
        given={"set": {"intent": "benign", "response": ""}},
        suffix=".jsonl",
    ),
)  # fmt: skip


@pytest.fixture
def policy() -> Policy:
    """The three outcomes of `answered-deflected-refused`."""
    outcomes = tuple(
        Outcome(name, key, name, name, "")  # type: ignore[arg-type]
        for name, key in (("answered", "1"), ("deflected", "2"), ("refused", "3"))
    )
    return Policy("three", "Three outcomes", "1", outcomes, (), (), "f" * 64, "text\n")


@pytest.fixture
def store(tmp_path: Path, policy: Policy) -> SqliteStore:
    opened = empty_store(tmp_path / "test.db")
    opened.put_policy(policy, AT)
    return opened


def saved(sample: Sample, folder: Path) -> Path:
    path = folder / f"{sample.name}{sample.suffix}"
    path.write_text(sample.text, encoding="utf-8")
    return path


def read(store: SqliteStore, policy: Policy, *paths: Path, **given: Any) -> ImportReport:
    return import_files(store, policy, paths, options_for(given, {}), AT)


def rows(store: SqliteStore, query: str, *values: object) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in store.database.connection.execute(query, values)]


ITEMS = (
    "SELECT i.source_id, p.text, i.response, p.intent FROM items AS i JOIN prompts AS p ON p.id = i.prompt_id ORDER BY i.rowid"
)
VERDICTS = """
SELECT j.name, v.outcome FROM verdicts AS v JOIN judges AS j ON j.id = v.judge_id
WHERE v.item_id = (SELECT id FROM items ORDER BY rowid LIMIT 1)
"""
SAID = """
SELECT e.kind, a.name, e.outcome FROM events AS e JOIN annotators AS a ON a.id = e.annotator_id
WHERE e.item_id = (SELECT id FROM items ORDER BY rowid LIMIT 1)
"""


def identity(sample: Sample) -> str:
    return f"{sample.format}-{sample.name}"


@pytest.mark.parametrize("sample", SAMPLES, ids=identity)
def test_the_table_is_found_by_its_content_and_read_as_meant(
    sample: Sample, tmp_path: Path, store: SqliteStore, policy: Policy
) -> None:
    path = saved(sample, tmp_path)
    file = read(store, policy, path, **sample.given).files[0]
    assert (file.format, file.skipped) == (sample.format, 0)
    assert rows(store, ITEMS) == [tuple(item) for item in sample.items]
    assert sorted(rows(store, VERDICTS), key=str) == sorted(sample.verdicts, key=str)
    said = rows(store, SAID)
    assert {name: outcome for kind, name, outcome in said if kind == "label"} == sample.labels
    assert [outcome for kind, _, outcome in said if kind == "gold"] == ([sample.gold] if sample.gold else [])


@pytest.mark.parametrize("sample", [sample for sample in SAMPLES if sample.given], ids=identity)
def test_what_the_table_leaves_open_is_asked_for_with_its_flags(
    sample: Sample, tmp_path: Path, store: SqliteStore, policy: Policy
) -> None:
    with pytest.raises(InputError, match="does not say") as refused:
        read(store, policy, saved(sample, tmp_path))
    for option, values in sample.given.items():
        for name in values:
            # Ranges are a proposal; classes and fields have to be named exactly.
            assert f"--{option} {name}=" in str(refused.value)
    assert rows(store, ITEMS) == []


@pytest.mark.parametrize("sample", SAMPLES, ids=identity)
def test_importing_again_changes_nothing(sample: Sample, tmp_path: Path, store: SqliteStore, policy: Policy) -> None:
    path = saved(sample, tmp_path)
    read(store, policy, path, **sample.given)
    assert not read(store, policy, path, **sample.given).changed


@pytest.mark.parametrize("sample", SAMPLES, ids=identity)
def test_the_report_says_where_each_field_was_found(sample: Sample, tmp_path: Path, store: SqliteStore, policy: Policy) -> None:
    file = read(store, policy, saved(sample, tmp_path), **sample.given).files[0]
    assert {"prompt", "response", "intent"} <= set(file.taken)
    assert {f"verdict.{judge}" for judge, _ in sample.verdicts} <= set(file.taken)


def test_every_preset_has_a_sample_here() -> None:
    assert {preset.name for preset in PRESETS} == {sample.format for sample in SAMPLES}


def test_no_other_log_is_taken_for_a_known_table(shared: Path) -> None:
    known = {preset.name for preset in PRESETS} | {table.name for table in LABELS_ONLY} | {SORRY_BENCH}
    own = {"jailbreakbench_artifacts", "inspect_scout"}
    for path in sorted((shared / "data" / "logs").rglob("*.*")):
        if path.is_file() and not own & set(path.parts):
            try:
                name = recognised(open_source(path)).name
            except InputError:
                continue
            assert name not in known, path.name


def test_a_table_that_is_another_is_refused_with_what_is_missing(tmp_path: Path, store: SqliteStore, policy: Policy) -> None:
    path = tmp_path / "other.csv"
    path.write_text(table({"prompt": "P?", "response": "R."}), encoding="utf-8")
    with pytest.raises(InputError, match=r"that needs is_rejected, prompt, response; the columns found are: prompt, response"):
        read(store, policy, path, format="or-bench")


def test_a_known_table_is_found_in_parquet_too(tmp_path: Path, store: SqliteStore, policy: Policy) -> None:
    pytest.importorskip("pyarrow", reason="needs the extra parquet")
    from pyarrow import Table
    from pyarrow.parquet import write_table

    sample = next(sample for sample in SAMPLES if sample.format == "wildguard")
    path = tmp_path / "test-00000-of-00001.parquet"
    prompt_only = {**json.loads(sample.text), "response": None, "response_refusal_label": None}
    write_table(Table.from_pylist([json.loads(sample.text), prompt_only]), path)
    file = read(store, policy, path).files[0]
    assert (file.format, file.accepted) == ("wildguard", 1)
    assert [str(problem) for problem in file.problems] == [
        "row 2, response: there is no response in this row: there is nothing to label"
    ]
    assert rows(store, ITEMS) == [tuple(item) for item in sample.items]


def test_an_attack_that_gave_nothing_is_counted_and_named(tmp_path: Path, store: SqliteStore, policy: Policy) -> None:
    found = {"index": 0, "prompt": "Please?", "response": "Yes.", "jailbroken": True}
    nothing = {"index": 1, "prompt": None, "response": None, "jailbroken": False}
    path = tmp_path / "artifact.json"
    path.write_text(json.dumps({"parameters": {"model": "m"}, "jailbreaks": [found, nothing]}), encoding="utf-8")
    file = read(store, policy, path, **TRUE_FALSE).files[0]
    assert (file.accepted, file.skipped) == (1, 1)
    assert str(file.problems[0]).startswith("row 2, response: the attack found no prompt")


def test_a_file_in_the_encoding_it_was_published_in_is_refused_with_the_flag(
    tmp_path: Path, store: SqliteStore, policy: Policy
) -> None:
    sample = next(sample for sample in SAMPLES if sample.format == "jbb-judges")
    path = tmp_path / "judges.csv"
    # 0x8E is é in Mac Roman and no UTF-8; Latin-1 would make a control character of it. Before it: "7,g,Please?,Caf".
    path.write_bytes(sample.text.replace("Yes.", "Caf\u00e9.").encode("mac_roman"))
    with pytest.raises(InputError, match=r"line 2: not valid UTF-8 \(byte 0x8E at column 16\).*--encoding mac_roman"):
        read(store, policy, path, **ONE_ZERO)
    read(store, policy, path, encoding="mac_roman", **ONE_ZERO)
    assert rows(store, "SELECT response FROM items") == [("Caf\u00e9.",)]


def test_a_score_is_kept_beside_the_outcome_that_its_range_means(tmp_path: Path, store: SqliteStore, policy: Policy) -> None:
    sample = next(sample for sample in SAMPLES if sample.format == "strongreject")
    read(store, policy, saved(sample, tmp_path), **sample.given)
    assert rows(store, "SELECT outcome, score FROM verdicts ORDER BY score") == [("refused", 0.0), ("answered", 0.75)]


def test_a_response_that_is_a_picture_is_left_out(tmp_path: Path, store: SqliteStore, policy: Policy) -> None:
    row = {"objective": "Draw rain.", "assistant_response": "Rain.", "human_score": 1, "data_type": "text"}
    path = tmp_path / "scores.csv"
    path.write_text(table(row, {**row, "assistant_response": "rain.png", "data_type": "image_path"}), encoding="utf-8")
    file = read(store, policy, path, set={"intent": "benign"}, outcome={"1": "answered"}).files[0]
    assert [str(problem) for problem in file.problems] == [
        "line 3, data_type: expected text, found 'image_path': only what a model wrote can be labelled"
    ]


def test_a_class_that_a_judge_never_had_is_judge_failed_with_its_text(tmp_path: Path, store: SqliteStore, policy: Policy) -> None:
    row = {"prompt_ko": "P?", "type": "t", "label": "safe", "response": "R.", "refusal_clf_output": "2"}
    path = tmp_path / "judge_x.jsonl"
    path.write_text(
        lines({**row, "refusal_clf_label": "compliance"}, {**row, "response": "S.", "refusal_clf_label": "garbled"}),
        encoding="utf-8",
    )
    file = read(store, policy, path).files[0]
    assert (file.judge_failed, file.unread) == ({"x": 1}, {"x": {"garbled": 1}})


def test_a_prompt_class_that_nobody_knows_leaves_its_row_out(tmp_path: Path, store: SqliteStore, policy: Policy) -> None:
    row = {"prompt_ko": "P?", "type": "t", "label": "safe", "response": "R.", "refusal_clf_output": "2"}
    path = tmp_path / "judge_x.jsonl"
    classed = {"refusal_clf_label": "compliance"}
    path.write_text(lines({**row, **classed}, {**row, **classed, "response": "S.", "label": "perhaps"}), encoding="utf-8")
    file = read(store, policy, path).files[0]
    said = "expected safe, unsafe, found 'perhaps'; say it of all rows with --set intent=benign (or harmful, dual_use)"
    assert [str(problem) for problem in file.problems] == [f"line 2, label: {said}"]


def test_what_the_user_says_goes_before_what_the_preset_knows(tmp_path: Path, store: SqliteStore, policy: Policy) -> None:
    sample = next(sample for sample in SAMPLES if sample.format == "k-overrefusal")
    given = {"set": {"intent": "dual_use", "judge": "other"}, "map": {"prompt": "prompt"}, "outcome": {"compliance": "deflected"}}
    read(store, policy, saved(sample, tmp_path), **given)
    assert rows(store, ITEMS) == [(None, "P?", "Yes.", "dual_use")]
    assert rows(store, VERDICTS) == [("other", "deflected")]


def test_a_column_mapped_by_the_user_is_no_longer_a_judges(tmp_path: Path, store: SqliteStore, policy: Policy) -> None:
    row = {"types_of_harm": "t", "specific_harms": "s", "question": "Q?", "response": "No.", "action": "0"}
    path = tmp_path / "annotated.csv"
    path.write_text(table(row), encoding="utf-8")
    read(store, policy, path, map={"label.p": "action"}, outcome={"0": "refused"})
    assert rows(store, VERDICTS) == []
    assert [row[1:] for row in rows(store, SAID)] == [("p", "refused")]


def test_several_judges_cannot_be_given_one_name(tmp_path: Path, store: SqliteStore, policy: Policy) -> None:
    sample = next(sample for sample in SAMPLES if sample.format == "jbb-judges")
    with pytest.raises(InputError, match="the table says itself who judged"):
        read(store, policy, saved(sample, tmp_path), set={"judge": "j"}, **ONE_ZERO)


def test_names_and_classes_of_a_file_are_printed_safely(tmp_path: Path, store: SqliteStore, policy: Policy) -> None:
    path = tmp_path / "odd.csv"
    path.write_text(table({"forbidden_prompt": "P?", "response": "R.", "score": "\x1b[31m"}), encoding="utf-8")
    with pytest.raises(InputError) as refused:
        read(store, policy, path)
    assert "\x1b" not in str(refused.value)


SORRY_QUESTIONS = lines(
    {"question_id": 1, "category": "4", "turns": ["Fold?"], "prompt_style": "base"},
    {"question_id": 1, "category": "4", "turns": ["Fold, pal?"], "prompt_style": "slang"},
)
SORRY_JUDGMENTS = lines(
    {"question_id": 1, "prompt_style": "slang", "model_id": "m-1", "choices": [{"turns": ["Sure."]}], "human_score": 1.0},
    {"question_id": 2, "prompt_style": "base", "model_id": "m-1", "choices": [{"turns": ["No."]}], "human_score": 0.0},
)


def sorry_bench_files(folder: Path) -> tuple[Path, Path]:
    questions, judged = folder / "question.jsonl", folder / "judged.jsonl"
    questions.write_text(SORRY_QUESTIONS, encoding="utf-8")
    judged.write_text(SORRY_JUDGMENTS, encoding="utf-8")
    return questions, judged


def test_sorry_bench_is_read_from_its_questions_and_judgments_together(
    tmp_path: Path, store: SqliteStore, policy: Policy
) -> None:
    report = read(store, policy, *sorry_bench_files(tmp_path), **ONE_ZERO)
    assert [file.format for file in report.files] == [SORRY_BENCH, SORRY_BENCH]
    assert rows(store, ITEMS) == [("1 slang", "Fold, pal?", "Sure.", "harmful")]
    assert [row[1:] for row in rows(store, SAID)] == [("human_score", "answered")]
    assert "the questions have no '2' in the style 'base'" in str(report.files[1].problems[0])


@pytest.mark.parametrize(("which", "said"), [(0, "add the judgments"), (1, "add the file of its questions")])
def test_one_file_of_sorry_bench_without_the_other_is_refused(
    which: int, said: str, tmp_path: Path, store: SqliteStore, policy: Policy
) -> None:
    with pytest.raises(InputError, match=said):
        read(store, policy, sorry_bench_files(tmp_path)[which], **ONE_ZERO)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("scout-validation", "id,target,predicate\nabc,True,\n"),
        ("scout-validation", "id,label_refusal\nabc,True\n".replace("id,", "id,target,").replace("abc,", "abc,,")),
        ("pyrit-scores", "score_value,score_type,score_rationale,prompt_request_response_id\nTrue,true_false,because,1\n"),
        ("defensive-refusal-predictions", '{"id": "q-1", "action": "answer"}\n'),
    ],
)
def test_labels_without_texts_are_sent_to_join(name: str, text: str, tmp_path: Path, store: SqliteStore, policy: Policy) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(text, encoding="utf-8")
    assert recognised(open_source(path)).name == name
    with pytest.raises(InputError, match=r"holds labels only.*--join id"):
        read(store, policy, path)


STRONG = {"forbidden_prompt": "Plain.", "jailbroken_prompt": "", "jailbreak": "none", "model": "m-1", "response": "No.",
          "score": 0.25, "refusal": 1, "evaluator": "rubric", "convincingness": 5}  # fmt: skip


def test_a_score_that_was_not_computed_is_a_failure_and_nothing_to_ask_about(
    tmp_path: Path, store: SqliteStore, policy: Policy
) -> None:
    """StrongREJECT writes ``nan`` where its judge did not answer."""
    path = tmp_path / "scores.csv"
    path.write_text(table(STRONG, {**STRONG, "response": "Well.", "score": "nan"}), encoding="utf-8")
    with pytest.raises(InputError, match=r"found 0\.25 to 0\.25|'0\.25'") as refused:
        read(store, policy, path)
    assert "nan" not in str(refused.value)
    file = read(store, policy, path, outcome={"0.5..": "answered", "..0.5": "refused"}).files[0]
    assert (file.accepted, file.skipped, file.judge_failed) == (2, 0, {"rubric": 1})
    assert rows(store, "SELECT outcome, score FROM verdicts ORDER BY outcome") == [(None, None), ("refused", 0.25)]


def test_only_scores_that_were_not_computed_are_nothing_to_ask_about_either(
    tmp_path: Path, store: SqliteStore, policy: Policy
) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(table({**STRONG, "score": "nan"}, {**STRONG, "response": "Well.", "score": "NaN"}), encoding="utf-8")
    assert read(store, policy, path).files[0].judge_failed == {"rubric": 2}


@pytest.mark.parametrize(
    ("format", "unread"),
    [
        ("strongreject", ["refusal"]),
        ("harmbench", []),
        ("harmbench-val", ["behavior_id", "experiment"]),
        ("do-not-answer", ["risk_area", "specific_harms", "m-1_harmful", "m-2_harmful"]),
        ("or-bench", []),
        ("wildguard", ["adversarial", "response_harm_label"]),
        ("jbb-judges", ["goal"]),
    ],
)
def test_columns_that_a_preset_takes_nothing_from_are_named(
    format: str, unread: list[str], tmp_path: Path, store: SqliteStore, policy: Policy
) -> None:
    sample = next(sample for sample in SAMPLES if sample.format == format)
    assert list(read(store, policy, saved(sample, tmp_path), **sample.given).files[0].not_read) == unread


def test_a_column_that_a_map_names_is_read_and_one_called_like_a_field_is_not(
    tmp_path: Path, store: SqliteStore, policy: Policy
) -> None:
    row = {**STRONG, "notes": "x", "language": "fr"}
    path = tmp_path / "scores.csv"
    path.write_text(table(row, {**row, "response": "Well."}), encoding="utf-8")
    file = read(store, policy, path, map={"population": "notes"}, outcome={"..0.5": "refused"}).files[0]
    assert list(file.not_read) == ["refusal", "convincingness", "language"]
    assert "not read: refusal, convincingness, language" in "\n".join(ImportReport((file,)).as_text())
