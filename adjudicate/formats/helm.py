"""HELM `scenario_state.json`: every request of a run with the instance behind it and what the model completed.

The prompt is what the model was sent, examples and all; the instance's own text is at ``instance.input.text``. Annotators that
asked a model for a score (HELM Safety) are judges.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from adjudicate.core.policy import Policy
from adjudicate.errors import Finding
from adjudicate.formats.found_rows import FoundRow
from adjudicate.formats.head_paths import head_paths
from adjudicate.formats.import_options import ImportOptions, Outcomes, Said
from adjudicate.formats.json_document import document
from adjudicate.formats.log_records import LogRecord, Records, laid_out, part_of, place_json, row_of
from adjudicate.formats.problem import RowProblem, kind_of, quoted
from adjudicate.formats.record_values import Record, list_at, name_at, number_of, object_at, objects_at, text_at, value_at
from adjudicate.formats.source_run import Part, Rows, SourceRun
from adjudicate.formats.text_file import SourceFile

SPEC_KEYS = frozenset({"scenario_spec", "adapter_spec", "metric_specs"})
ONLY_SPEC = "the specification of a HELM run, without its requests: give the scenario_state.json beside it"
SCORE, REASONING = "_score", "_reasoning"
"""How the members of an annotation are called that hold a model's score and its reason."""
WHERE = {
    "id": "instance.id",
    "prompt": "request.prompt",
    "messages": "request.messages",
    "response": "result.completions[].text",
    "model": "request.model",
    "verdict.*": "annotations",
}


def detect(source: SourceFile) -> bool:
    """Whether the file begins like the state or the specification of a HELM run."""
    paths = head_paths(source)
    return "adapter_spec.method" in paths and ("scenario_spec" in paths or _is_state(paths))


def _is_state(paths: frozenset[str]) -> bool:
    # Long instructions may push the requests out of sight.
    return "scenario_spec" not in paths and ("request_states" in paths or "adapter_spec.model" in paths)


def plan(files: Sequence[SourceFile], options: ImportOptions, policy: Policy) -> list[SourceRun]:
    """One run for each state; specifications beside them tell nothing more."""
    outcomes = Outcomes(policy, options.outcomes)
    specs = [source for source in files if "scenario_spec" in head_paths(source)]
    states = [source for source in files if source not in specs]
    if not states:
        raise specs[0].refused(ONLY_SPEC)
    by_folder = {source.path.parent: source for source in reversed(states)}
    beside: dict[SourceFile, list[SourceFile]] = defaultdict(list)
    for source in specs:
        beside[by_folder.get(source.path.parent, states[0])].append(source)
    runs = []
    for source in states:
        # All runs of a suite call their file the same; their folders are named for them.
        name = source.path.absolute().parent.name if source.stem == "scenario_state" else source.stem
        part = part_of(source, partial(_rows, source), options, outcomes, where=WHERE, unit="request")
        described = tuple(Part(each, _no_rows, described=1) for each in beside[source])
        runs.append(SourceRun(name or source.stem, name or source.stem, (*described, part)))
    return runs


def _no_rows() -> Rows:
    """A specification holds no requests."""
    yield from ()


def _rows(source: SourceFile) -> Iterator[FoundRow | Finding]:
    value = document(source)
    try:
        model = text_at(value, "adapter_spec.model") or text_at(value, "adapter_spec.model_deployment")
        states = list_at(value, "request_states")
    except RowProblem as problem:
        raise source.refused(f"{problem.field}: {problem.message}") from None
    found: Records = (LogRecord(place, state) for place, state in enumerate(states, start=1))
    return laid_out(found, partial(_laid_out, model), "request")


def _laid_out(model: str | None, record: LogRecord) -> Iterator[FoundRow]:
    state = record.value
    completions = objects_at(state, "result.completions")
    if not completions:
        error = text_at(state, "result.error")
        raise RowProblem("result.completions", f"the model gave no completion{f': {quoted(error)}' if error else ''}")
    name = _name(state)
    for number, completion in enumerate(completions):
        several = len(completions) > 1
        row = row_of(
            state,
            id=f"{name}#{number + 1}" if several and name else name,
            asked=partial(_asked, state),
            response=_completed(completion, number),
            model=text_at(state, "request.model") or model,
            # An annotation is of the request's only completion.
            verdicts={} if several else _verdicts(object_at(state, "annotations")),
        )
        yield FoundRow(record.place, row, place_json(request=record.place, completion=number))


def _name(state: Record) -> str | None:
    name = name_at(state, "instance.id")
    if name is None:
        return None
    steps = [name, name_at(state, "instance.perturbation.name"), name_at(state, "instance.perturbation.seed")]
    trial = name_at(state, "train_trial_index")
    if trial not in (None, "0"):
        steps.append(f"trial {trial}")
    reference = name_at(state, "reference_index")
    if reference is not None:
        steps.append(f"reference {reference} {text_at(state, 'request_mode') or ''}".strip())
    return "/".join(filter(None, steps))


def _asked(state: Record) -> dict[str, Any]:
    messages = value_at(state, "request.messages")
    if messages:
        return {"messages": messages}
    shown = [_shown(each) for each in objects_at(state, "request.multimodal_prompt.media_objects")]
    prompt = text_at(state, "request.prompt")
    if shown and not prompt:
        return {"prompt": "".join(shown)}
    if prompt is None:
        prompt = text_at(state, "instance.input.text")
    return {} if prompt is None else {"prompt": prompt}


def _shown(media: Record) -> str:
    text = text_at(media, "text")
    return text if text is not None else f"[{(text_at(media, 'content_type') or 'media').partition('/')[0]}]"


def _completed(completion: Record, number: int) -> str:
    text = text_at(completion, "text")
    media = [_shown(each) for each in objects_at(completion, "multimodal_content.media_objects")]
    if text is None and not media:
        raise RowProblem(f"result.completions.{number}.text", f"expected text, found {kind_of(text)}")
    return text or "".join(media)


def _verdicts(annotations: Record) -> dict[str, Said]:
    found = {}
    for annotator, said in annotations.items():
        if not isinstance(said, Mapping):
            continue
        for key, score in said.items():
            if key.endswith(SCORE):
                judge = key.removesuffix(SCORE)
                reason = said.get(judge + REASONING)
                # A model whose reply could not be read leaves its words in place of a reason.
                words = reason if isinstance(reason, str) else said.get(f"{judge}_response_text")
                found[f"{annotator}/{judge}"] = Said(score, words if isinstance(words, str) else "", number_of(score))
            elif isinstance(score, Mapping) and "score" in score:
                reason = score.get("reasoning", score.get("explanation"))
                kept = reason if isinstance(reason, str) else ""
                found[f"{annotator}/{key}"] = Said(score["score"], kept, number_of(score["score"]))
    return found
