"""JUDGE-BENCH (Bavaresco et al. 2024): data sets of human ratings, reshaped as one JSON document; DICES among them.

`annotations` names the metrics, `instances` holds the texts and, for each metric, the ratings by position.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from adjudicate.core.text import visible_line
from adjudicate.errors import Finding
from adjudicate.formats.import_options import ImportOptions
from adjudicate.formats.json_document import document, first_keys
from adjudicate.formats.preset import Preset, Records, Shape
from adjudicate.formats.problem import RowProblem, kind_of
from adjudicate.formats.source_run import finding
from adjudicate.formats.table_rows import TableRow
from adjudicate.formats.text_file import SourceFile

RATINGS = "individual_human_scores"
MAJORITY = "majority_human"
EXPERT = "expert_rating"


def _detect(source: SourceFile) -> bool:
    return {"dataset", "annotations", "expert_annotator"} <= set(first_keys(source))


def _records(source: SourceFile, options: ImportOptions) -> Records:
    value = document(source)
    listed = value.get("instances")
    if not isinstance(listed, list):
        raise source.refused(f"JUDGE-BENCH: expected a list of instances, found {kind_of(listed)}")
    metric = _metric(source, value, options)
    experts = str(value.get("expert_annotator")).lower() == "true"
    for place, each in enumerate(listed, start=1):
        try:
            yield _record(place, each, metric, experts=experts)
        except RowProblem as problem:
            yield finding(problem, place, "row")


def _metric(source: SourceFile, value: Mapping[str, Any], options: ImportOptions) -> str:
    """The metric whose ratings are labels: the only one, or the one that `--map` names by a path to it."""
    declared = value.get("annotations")
    names = [each["metric"] for each in declared if isinstance(each, Mapping) and isinstance(each.get("metric"), str)] \
        if isinstance(declared, list) else []  # fmt: skip
    if len(names) == 1:
        return str(names[0])
    paths = [path.split(".")[1] for path in options.columns.values() if path.startswith("annotations.")]
    if paths and paths[0] in names:
        return paths[0]
    known = ", ".join(map(visible_line, names)) or "none"
    raise source.refused(
        f"JUDGE-BENCH: it has the metrics {known}; say whose ratings to take with --map gold=annotations.METRIC.{MAJORITY}"
    )


def _record(place: int, each: object, metric: str, *, experts: bool) -> TableRow | Finding:
    if not isinstance(each, Mapping) or not isinstance(each.get("instance"), Mapping):
        raise RowProblem("instance", "expected an object with the texts")
    annotations = each.get("annotations")
    rated = annotations.get(metric) if isinstance(annotations, Mapping) else None
    ratings = rated.get(RATINGS) if isinstance(rated, Mapping) else None
    if not isinstance(rated, Mapping) or not isinstance(ratings, list):
        raise RowProblem(f"annotations.{visible_line(metric)}", f"expected an object with a list {RATINGS}")
    # Positions are the only names that raters have; experts are other people than the crowd.
    start = "expert" if experts else "r"
    labels = {f"label.{start}{number}": rating for number, rating in enumerate(ratings, start=1)}
    values = {**each["instance"], "id": each.get("id"), "annotations": annotations, MAJORITY: rated.get(MAJORITY), **labels}
    if experts:
        values[EXPERT] = rated.get(MAJORITY)
    kept = json.dumps({"instance": place - 1})
    return TableRow(place, values, lambda _prompt, _response: kept)


JUDGE_BENCH = Preset(
    name="judge-bench",
    title="JUDGE-BENCH ratings (DICES and others)",
    signature=frozenset({"dataset", "annotations", "expert_annotator"}),
    columns={"id": ("id",), "prompt": ("user_prompt", "prompt", "input"), "response": ("response", "output")},
    intent_advice="--set intent=benign (or harmful, dual_use); DICES conversations are adversarial chats with no declared intent",
    gold=EXPERT,
    gold_by="expert",
    shape=Shape(_detect, _records, reads="annotations"),
    remark=(
        "ratings of a crowd are labels, and their majority is not taken as gold (--map gold=majority_human takes it);"
        " in DICES 'Yes' means unsafe for at least one reason, although the question printed in the file asks whether it is safe"
    ),
)
