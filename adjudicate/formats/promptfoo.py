"""promptfoo results: version 3 (`results.results[]`), version 2 (`results.table`), its JSON lines, and the documented outline.

The pass and score of a result are the whole test's, and a person's rating overwrites them; so what each judge said is taken from
its own component: every model-graded assertion is a judge, and a component of type ``human`` is a person's label.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from adjudicate.core.policy import Policy
from adjudicate.errors import Finding
from adjudicate.formats.chat_values import answered, chat_in
from adjudicate.formats.found_rows import FoundRow
from adjudicate.formats.head_paths import begins_with, head_paths
from adjudicate.formats.import_options import ImportOptions, NotedLabel, Outcomes, Said
from adjudicate.formats.json_document import document, is_document
from adjudicate.formats.log_records import (
    LogRecord,
    Records,
    laid_out,
    line_records,
    numbered,
    part_of,
    place_json,
    row_of,
    unit_of,
)
from adjudicate.formats.problem import RowProblem, kind_of, quoted
from adjudicate.formats.record_values import (
    Record,
    list_at,
    name_at,
    number_of,
    object_at,
    objects_at,
    text_at,
    value_at,
)
from adjudicate.formats.source_run import SourceRun
from adjudicate.formats.text_file import SourceFile
from adjudicate.formats.unkept import COMMENTS, Unkept

HUMAN = "human"
NOTE = "adjudicate"
"""Under this key of a human component's metadata our own write-back notes what the rating is: ``outcome``, ``labels`` ..."""
MODEL_GRADED = frozenset({
    "llm-rubric", "agent-rubric", "search-rubric", "video-rubric", "factuality", "answer-relevance", "conversation-relevance",
    "g-eval", "select-best", "classifier", "moderation", "guardrails", "trajectory:goal-success", "pi",
})  # fmt: skip
MODEL_GRADED_FAMILIES = ("model-graded-", "context-", "promptfoo:redteam:")
"""Types of assertions, and how they begin, that a model decides and not a rule."""
SETTLED = ("adjudicated", "recorded")
"""How an outcome of such a note came to hold, where more than labels stand behind it."""
ERROR = 2
"""`failureReason` of a call that failed."""
RESULT_KEYS = frozenset({"testIdx", "promptIdx", "success"})
SOME_RESULT_KEYS = (RESULT_KEYS, {"gradingResult", "namedScores", "promptId"}, {"gradingResult.componentResults", "promptIdx"})
OUTLINE = "results.outputs"
WHERE = {
    "id": "testIdx/promptIdx/provider, or id",
    "prompt": "prompt.raw",
    "messages": "prompt.raw",
    "response": "response.output",
    "model": "provider.label",
    "verdict.*": "gradingResult.componentResults[]",
    "label.*": "the component of type human",
    "gold": "the ruling noted in the component of type human",
}


def detect(source: SourceFile) -> bool:
    """Whether the file begins like promptfoo's results."""
    paths = head_paths(source)
    if {"results", "evalId"} <= paths or {"results.version", "results.timestamp"} <= paths:
        return True
    if {"version", "timestamp", "results"} <= paths or {"version", "timestamp", "table"} <= paths:
        return "prompts" in paths or "stats" in paths or "table.head" in paths or "results[].promptIdx" in paths
    if {"results.table.head", "results.results[].gradingResult"} & paths or {"results.stats", OUTLINE} <= paths:
        return True
    return begins_with(paths, SOME_RESULT_KEYS)


def plan(files: Sequence[SourceFile], options: ImportOptions, policy: Policy) -> list[SourceRun]:
    """One run a file."""
    outcomes = Outcomes(policy, options.outcomes)
    runs = []
    for source in files:
        unit = "result" if unit_of(source) == "row" else "line"
        unkept = Unkept()
        rows = partial(_rows, source, unit, unkept)
        part = part_of(source, rows, options, outcomes, where=WHERE, unit=unit, unkept=unkept)
        runs.append(SourceRun(source.stem, source.stem, (part,), labels_from="promptfoo"))
    return runs


def _rows(source: SourceFile, unit: str, unkept: Unkept) -> Iterator[FoundRow | Finding]:
    used: Counter[str] = Counter()
    return laid_out(_results(source), partial(_laid_out, used, unkept), unit)


def _results(source: SourceFile) -> Records:
    """Results one by one, those of a table in the shape of the others."""
    if not is_document(source):
        yield from line_records(source)
        return
    value = document(source)
    try:
        found = list(_in(value))
    except RowProblem as problem:
        raise source.refused(f"{problem.field}: {problem.message}") from None
    if not found:
        raise source.refused("promptfoo results without any result: the evaluation holds no output to label")
    for place, result in enumerate(found, start=1):
        yield LogRecord(place, result)


def _in(value: Any) -> Iterator[Any]:
    if isinstance(value, list):
        yield from value
        return
    if isinstance(value, Mapping) and value.keys() >= RESULT_KEYS:
        yield value
        return
    inner = value_at(value, "results")
    summary = inner if isinstance(inner, Mapping) else value
    if object_at(summary, "table"):
        yield from _table_results(summary)
    elif isinstance(inner, list):
        yield from inner
    else:
        yield from list_at(summary, "results") or list_at(summary, "outputs")


def _table_results(summary: Record) -> Iterator[Record]:
    """The outputs of a version 2 table. People rate these, so they stand before the list of results beside them."""
    prompts = objects_at(summary, "table.head.prompts")
    names = list_at(summary, "table.head.vars")
    for row_number, row in enumerate(objects_at(summary, "table.body")):
        values = dict(zip(map(str, names), list_at(row, "vars"), strict=False))
        for number, output in enumerate(list_at(row, "outputs")):
            if not isinstance(output, Mapping):
                yield output
                continue
            head = prompts[number] if number < len(prompts) else {}
            raw = output.get("prompt", head.get("raw"))
            yield {
                "vars": values,
                "testCase": row.get("test"),
                **output,
                "testIdx": row.get("testIdx", row_number),
                "promptIdx": number,
                "prompt": raw if isinstance(raw, Mapping) else {"raw": raw, "label": head.get("label")},
                "provider": output.get("provider", head.get("provider")),
                "in table": [row_number, number],
            }


def _laid_out(used: Counter[str], unkept: Unkept, record: LogRecord) -> Iterator[FoundRow]:
    result = record.value
    model = _model(result)
    name = _name(result, model)
    used[name] += 1
    components = list(_components(object_at(result, "gradingResult"), "gradingResult"))
    if comments := _comments(object_at(result, "gradingResult"), components):
        unkept.note(COMMENTS, len(comments))
    row = row_of(
        result,
        id=None if not name else name if used[name] == 1 else f"{name}#{used[name]}",
        asked=partial(_asked, result),
        response=partial(_response, result),
        model=model,
        verdicts=_verdicts(components),
        **_rated(components),
    )
    table = result.get("in table")
    place = {"row": table[0], "output": table[1]} if table else {"line" if record.text else "result": record.place}
    yield FoundRow(record.place, row, record.text or place_json(**place))


def _name(result: Record, model: str | None) -> str:
    """Its place among tests, prompts and providers, which stays; promptfoo's database gives it a new id at every import there."""
    test, prompt = name_at(result, "testIdx"), name_at(result, "promptIdx")
    if test is None or prompt is None:
        return name_at(result, "id") or "/".join(filter(None, (test, prompt, model)))
    return "/".join(filter(None, (test, prompt, model)))


def _asked(result: Record) -> dict[str, Any]:
    prompt = result.get("prompt")
    raw = prompt if isinstance(prompt, str) else value_at(result, "prompt.raw")
    if raw is None:
        return {}
    if not isinstance(raw, str):
        return {"messages": raw} if isinstance(raw, list) else {"prompt": answered(raw, "prompt.raw")}
    chat = chat_in(raw)
    return {"prompt": raw} if chat is None else {"messages": chat}


def _response(result: Record) -> str:
    given = value_at(result, "response")
    output = given if isinstance(given, str) else value_at(given, "output") if given is not None else None
    if output is None:
        output = result.get("output")
    if output is not None:
        return answered(output, "response.output")
    error = text_at(result, "error") or text_at(result, "response.error")
    text = result.get("text")
    failed = result.get("failureReason") == ERROR or (error is not None and text in (None, error))
    if failed or text is None:
        raise RowProblem("response.output", f"the call gave no output{f': {quoted(error)}' if error else ''}")
    return answered(_without_complaint(result, text), "text")


def _without_complaint(result: Record, text: Any) -> Any:
    """A table's text of a failed test begins with what failed, and a line of dashes."""
    complaints = (text_at(result, "error"), text_at(result, "gradingResult.reason"))
    for complaint in complaints:
        if complaint and isinstance(text, str) and text.startswith(f"{complaint}\n---\n"):
            return text[len(complaint) + len("\n---\n") :]
    return text


def _model(result: Record) -> str | None:
    provider = result.get("provider")
    if provider is None or isinstance(provider, str):
        return provider
    return text_at(result, "provider.label") or text_at(result, "provider.id")


def _components(grading: Record, path: str) -> Iterator[Record]:
    """What each assertion found; sets of assertions nest. A grading without components may be that of its one assertion."""
    inner = grading.get("componentResults")
    if inner is None and isinstance(grading.get("assertion"), Mapping):
        yield grading
    for number, each in enumerate(list_at(grading, "componentResults")):
        if not isinstance(each, Mapping):
            raise RowProblem(f"{path}.componentResults.{number}", f"expected an object, found {kind_of(each)}")
        if each.get("assertion") is not None:
            object_at(each, "assertion")
            yield each
        yield from _components(dict(each, assertion=None), f"{path}.componentResults.{number}")


def _type(component: Record) -> str:
    return text_at(component, "assertion.type") or ""


def _raw(component: Record) -> object:
    passed = component.get("pass")
    return ("pass" if passed else "fail") if isinstance(passed, bool) else passed


def _rated(components: Sequence[Record]) -> dict[str, Any]:
    """A person's rating; the last, where it was given again.

    Pass and fail depend on the intent of the prompt. A rating of our own write-back notes what people had decided, so it is read
    from there.
    """
    rated = [(each, raw) for each in components if _type(each) == HUMAN and (raw := _raw(each)) is not None]
    if not rated:
        return {}
    component, raw = rated[-1]
    note = value_at(component, f"metadata.{NOTE}")
    if not isinstance(note, Mapping) or note.get("pass", component.get("pass")) != component.get("pass"):
        return {"labels": {HUMAN: raw}}
    return _noted(note)


def _noted(note: Record) -> dict[str, Any]:
    """Everyone's label, and the outcome of the ruling where one settled them."""
    said, events, modes = (object_at(note, name) for name in ("labels", "events", "modes"))
    labels = {str(name): NotedLabel.of(raw, events.get(name), modes.get(name)) for name, raw in said.items()}
    settled = text_at(note, "how") in SETTLED or not labels
    gold = NotedLabel(text_at(note, "outcome"), text_at(note, "settled_by")) if settled else None
    return {"labels": labels, "gold": gold}


def _comments(grading: Record, components: Sequence[Record]) -> set[str]:
    """What people wrote of a result: promptfoo may hold one comment in both places; that of our own write-back is not theirs."""
    noted = f"metadata.{NOTE}"
    theirs = [each for each in components if _type(each) == HUMAN and not isinstance(value_at(each, noted), Mapping)]
    return {said for each in (grading, *theirs) if isinstance(said := each.get("comment"), str) and said.strip()}


def _verdicts(components: Sequence[Record]) -> dict[str, Said]:
    found: dict[str, Said] = {}
    for each in components:
        kind = _type(each)
        if not _is_model_graded(each, kind):
            continue
        metric = text_at(each, "assertion.metric")
        name = f"{kind}/{metric}" if metric else kind
        failed = value_at(each, "metadata.graderError") is True
        reason = text_at(each, "reason") or ""
        said = Said(None, reason) if failed else Said(_raw(each), reason, number_of(each.get("score")))
        found[numbered(found, name)] = said
    return found


def _is_model_graded(component: Record, kind: str) -> bool:
    plain = kind.removeprefix("not-")
    if kind == HUMAN or plain in MODEL_GRADED or plain.startswith(MODEL_GRADED_FAMILIES):
        return kind != HUMAN
    return value_at(component, "metadata.renderedGradingPrompt") is not None
