"""The known tables, one record each. Adding one is a record here; what stands in no table has a file of its own.

Columns are those of the projects' own files; where a class is beyond doubt under a shipped policy, its outcome stands beside it.
"""

from __future__ import annotations

from adjudicate.formats.do_not_answer import DO_NOT_ANSWER
from adjudicate.formats.harmbench import RESULTS, VALIDATION
from adjudicate.formats.jailbreakbench import ARTIFACT, EVALUATION, JUDGE_COMPARISON
from adjudicate.formats.judge_bench import JUDGE_BENCH
from adjudicate.formats.preset import IntentColumn, Judge, Preset, RawClass

COMPLIES = ("answered", "full_compliance")
DEFLECTS = ("deflected", "deflection")
REFUSES = ("refused", "full_refusal")

SAFE_UNSAFE = {"safe": "benign", "unsafe": "harmful"}

OR_BENCH_INTENT = "--set intent=benign (or-bench-80k, or-bench-hard-1k) or --set intent=harmful (or-bench-toxic)"

STRONGREJECT = Preset(
    name="strongreject",
    title="StrongREJECT evaluation",
    signature=frozenset({"forbidden_prompt", "response", "score"}),
    columns={
        "prompt": ("jailbroken_prompt", "forbidden_prompt"),
        "response": ("response",),
        "model": ("model",),
        "category": ("category", "jailbreak"),
    },
    constants={"intent": "harmful", "language": "en"},
    judges=(Judge("score", named_in="evaluator", score="score"),),
    scale="0: refused or of no use, 1: full, convincing and specific help",
)
OR_BENCH = Preset(
    name="or-bench",
    title="OR-Bench responses",
    signature=frozenset({"prompt", "response", "is_rejected"}),
    columns={"prompt": ("prompt",), "response": ("response",), "category": ("category",)},
    intent_advice=OR_BENCH_INTENT,
    judges=(Judge("is_rejected", "keywords"),),
    classes={
        raw: RawClass("holds a phrase of refusal", REFUSES) if raw.lower() == "true" else RawClass("holds none", COMPLIES)
        for raw in ("True", "False", "true", "false")
    },
)
OR_BENCH_CHECK = Preset(
    name="or-bench-check",
    title="OR-Bench response check",
    signature=frozenset({"prompt", "response", "answer_category", "answer_type_response"}),
    columns={"prompt": ("prompt",), "response": ("response",), "category": ("category",)},
    intent_advice=OR_BENCH_INTENT,
    judges=(Judge("answer_category", reason="answer_type_response"),),
    judge_in_name=r".*_response_check_merged_(.+)",
    classes={
        "direct_answer": RawClass("an attempt to answer", COMPLIES),
        "direct_refusal": RawClass("says that it will not answer", REFUSES),
        "indirect_refusal": RawClass("offers something else, with or without a no"),
    },
)
WILDGUARD = Preset(
    name="wildguard",
    title="WildGuard-style labels",
    signature=frozenset({"prompt", "response", "prompt_harm_label", "response_refusal_label"}),
    columns={"id": ("id",), "prompt": ("prompt",), "response": ("response",), "category": ("subcategory",)},
    intent=IntentColumn("prompt_harm_label", {"harmful": "harmful", "unharmful": "benign"}),
    gold="response_refusal_label",
    gold_by="wildguard",
    classes={"refusal": RawClass("refuses", REFUSES), "compliance": RawClass("complies", COMPLIES)},
    blank_is_none=True,
    remark="gold is response_refusal_label; --map gold=response_harm_label takes the harm of the response in its place",
)
XSTEST_RESPONSE = Preset(
    name="xstest-response",
    title="XSTest-Response",
    signature=frozenset({"prompt", "response", "label", "prompt_type", "prompt_harm_category"}),
    columns={"prompt": ("prompt",), "response": ("response",), "category": ("prompt_harm_category",)},
    intent=IntentColumn("prompt_type", {"prompt_safe": "benign", "prompt_unsafe": "harmful", "prompt_harmful": "harmful"}),
    constants={"language": "en"},
    gold="label",
    gold_by="xstest-response",
    classes={
        "refusal": RawClass("refuses", REFUSES),
        "compliance": RawClass("complies", COMPLIES),
        "harmful": RawClass("the response is harmful"),
        "unharmful": RawClass("the response is not harmful"),
    },
)
XSTEST_COPY = Preset(
    name="xstest-v2-copy",
    title="XSTest completions as JSON (natolambert/xstest-v2-copy)",
    signature=frozenset({"prompt", "completion", "type", "annotation_1", "annotation_2", "final_label"}),
    columns={"id": ("id",), "prompt": ("prompt",), "response": ("completion",), "category": ("type",)},
    intent=IntentColumn("type", {}, {"contrast": "harmful"}, "benign"),
    constants={"language": "en"},
    people="annotation_[12]",
    gold="final_label",
    gold_by="final_label",
    classes={
        "1_full_compliance": RawClass("full compliance", ("full_compliance", "answered")),
        "2_full_refusal": RawClass("full refusal", ("full_refusal", "refused")),
        "3_partial_refusal": RawClass("partial refusal", ("partial_refusal",)),
    },
)
K_OVERREFUSAL = Preset(
    name="k-overrefusal",
    title="K-OverRefusal responses with one judge's classes",
    signature=frozenset({"prompt_ko", "response", "refusal_clf_output", "refusal_clf_label"}),
    columns={"prompt": ("prompt_ko",), "response": ("response",), "category": ("type",)},
    intent=IntentColumn("label", SAFE_UNSAFE),
    constants={"language": "ko"},
    judges=(Judge("refusal_clf_label", reason="refusal_clf_output"),),
    judge_in_name="judge_(.+)",
    classes={
        "compliance": RawClass("complies", COMPLIES),
        "deflection": RawClass("deflects", DEFLECTS),
        "refusal": RawClass("refuses", REFUSES),
    },
)
PYRIT = Preset(
    name="pyrit",
    title="PyRIT human-labelled responses",
    signature=frozenset({"assistant_response", "data_type"}),
    columns={"prompt": ("objective", "harm_category", "category"), "response": ("assistant_response",),
             "category": ("harm_category", "category")},
    intent_advice="--set intent=harmful (or benign, for refusal sets of harmless objectives)",
    people=r"human_score(_.+)?|normalized_score",
    classes={"1": RawClass("true, or the most severe"), "0": RawClass("false, or none")},
    scale="0 to 1; 1 is true, or the most severe",
    kind="data_type",
    remark="where the file has no objective, its harm category stands in place of the prompt",
)  # fmt: skip
DEFENSIVE_REFUSAL = Preset(
    name="defensive-refusal-zh",
    title="Defensive-refusal questions (Chinese)",
    signature=frozenset({"id", "question", "gold", "difficulty", "surface_cues"}),
    columns={"id": ("id",), "prompt": ("question",), "response": ("response",), "category": ("category",)},
    intent=IntentColumn("label", {"should_answer": "benign", "should_refuse": "harmful"}),
    constants={"language": "zh"},
    gold="gold.action",
    gold_by="gold.action",
    classes={"answer": RawClass("answers", COMPLIES), "refuse": RawClass("refuses", REFUSES)},
    remark="gold is the action that the question deserves, not a label of a response",
)
COCONOT = Preset(
    name="coconot",
    title="CoCoNot prompts",
    signature=frozenset({"id", "category", "subcategory", "prompt", "response"}),
    marks=("Requests with safety concerns", "Humanizing requests", "Incomplete requests", "Unsupported requests",
           "Indeterminate requests"),
    columns={"id": ("id",), "prompt": ("prompt",), "response": ("response",), "category": ("subcategory",)},
    intent_advice="--set intent=benign (contrast set) or --set intent=harmful (original set)",
    constants={"language": "en"},
)  # fmt: skip

PRESETS: tuple[Preset, ...] = (
    RESULTS,
    VALIDATION,
    ARTIFACT,
    EVALUATION,
    JUDGE_COMPARISON,
    STRONGREJECT,
    OR_BENCH,
    OR_BENCH_CHECK,
    DO_NOT_ANSWER,
    WILDGUARD,
    XSTEST_RESPONSE,
    XSTEST_COPY,
    K_OVERREFUSAL,
    PYRIT,
    JUDGE_BENCH,
    DEFENSIVE_REFUSAL,
    COCONOT,
)
