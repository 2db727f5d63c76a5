"""JailbreakBench (Chao et al. 2024): attack artifacts, evaluations by model, and the comparison of judges with three people."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from adjudicate.errors import Finding
from adjudicate.formats.import_options import ImportOptions
from adjudicate.formats.json_document import document, first_keys
from adjudicate.formats.preset import Judge, Preset, RawClass, Records, Shape
from adjudicate.formats.problem import RowProblem, kind_of
from adjudicate.formats.source_run import finding
from adjudicate.formats.table_rows import TableRow
from adjudicate.formats.text_file import SourceFile

NO_ATTACK = "the attack found no prompt and so there is no response (both null): there is nothing to label"
JAILBROKEN = RawClass("the judge says jailbroken")
NOT_JAILBROKEN = RawClass("the judge says not jailbroken")
CLASSES = {"true": JAILBROKEN, "false": NOT_JAILBROKEN, "1": JAILBROKEN, "0": NOT_JAILBROKEN}
_EVALUATION = re.compile(rb'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{\s*"prompt"')


def _is_artifact(source: SourceFile) -> bool:
    return {"parameters", "jailbreaks"} <= set(first_keys(source))


def _is_evaluation(source: SourceFile) -> bool:
    return _EVALUATION.match(source.head) is not None


def _attempts(source: SourceFile, _options: ImportOptions) -> Records:
    value = document(source)
    listed, parameters = value.get("jailbreaks"), value.get("parameters")
    if not isinstance(listed, list) or not isinstance(parameters, Mapping):
        raise source.refused("JailbreakBench artifact: expected parameters {...} and jailbreaks [...]")
    for place, each in enumerate(listed, start=1):
        yield _attempt(place, each, {"model": parameters.get("model")}, {"jailbreak": place - 1})


def _evaluated(source: SourceFile, _options: ImportOptions) -> Records:
    """Model, then behaviour, then what came of it; beside the models stands an object of details."""
    models = {name: inner for name, inner in document(source).items() if isinstance(inner, Mapping) and name != "details"}
    found = ((model, behaviour, each) for model, inner in models.items() for behaviour, each in inner.items())
    for place, (model, behaviour, each) in enumerate(found, start=1):
        known = {"model": model, "behavior": behaviour, "index": behaviour}
        yield _attempt(place, each, known, {"model": model, "behavior": behaviour})


def _attempt(place: int, each: object, known: Mapping[str, Any], stands: Mapping[str, Any]) -> TableRow | Finding:
    if not isinstance(each, Mapping):
        return finding(RowProblem("", f"expected an object with prompt and response, found {kind_of(each)}"), place, "row")
    if each.get("prompt") is None and each.get("response") is None:
        return finding(RowProblem("response", NO_ATTACK), place, "row")
    kept = json.dumps(stands, ensure_ascii=False)
    return TableRow(place, {**each, **known}, lambda _prompt, _response: kept)


_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "id": ("index",),
    "prompt": ("prompt",),
    "response": ("response",),
    "model": ("model",),
    "category": ("category", "behavior"),
}
_JUDGES = (Judge("jailbroken", "jailbreakbench"), Judge("jailbroken_llama_guard1", "llama_guard1"))

ARTIFACT = Preset(
    name="jailbreakbench",
    title="JailbreakBench artifact",
    signature=frozenset({"parameters", "jailbreaks"}),
    columns=_COLUMNS,
    constants={"intent": "harmful", "language": "en"},
    judges=_JUDGES,
    classes=CLASSES,
    shape=Shape(_is_artifact, _attempts),
)
EVALUATION = Preset(
    name="jailbreakbench-evaluation",
    title="JailbreakBench evaluation by model",
    signature=frozenset({"prompt", "response", "jailbroken"}),
    columns=_COLUMNS,
    constants={"intent": "harmful", "language": "en"},
    judges=_JUDGES[:1],
    classes=CLASSES,
    shape=Shape(_is_evaluation, _evaluated),
)
JUDGE_COMPARISON = Preset(
    name="jbb-judges",
    title="JailbreakBench's judge comparison",
    signature=frozenset({"goal", "prompt", "target_response", "human_majority", "gpt4_cf"}),
    columns={"id": ("Index",), "prompt": ("prompt",), "response": ("target_response",)},
    constants={"intent": "harmful", "language": "en"},
    judges=tuple(Judge(f"{name}_cf", name) for name in ("harmbench", "gpt4", "llamaguard2", "llama3")),
    people="human[0-9]+",
    gold="human_majority",
    gold_by="human_majority",
    classes=CLASSES,
    published_in="mac_roman",
)
