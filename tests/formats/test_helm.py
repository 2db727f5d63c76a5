"""HELM: every completion of a request is an item, and annotators that asked a model are judges."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from adjudicate.errors import InputError
from tests.formats.log_reading import read, read_paths

ADAPTER = {"method": "generation", "model": "org/small", "model_deployment": "here/small"}
SPEC = {"name": "s", "scenario_spec": {}, "adapter_spec": ADAPTER, "metric_specs": []}


def state(**more: Any) -> dict[str, Any]:
    return {
        "instance": {"input": {"text": "Name a tree."}, "references": [], "split": "test", "id": "id7"},
        "train_trial_index": 0,
        "request": {"model": "org/small", "prompt": "Example.\nName a tree."},
        "result": {"success": True, "completions": [{"text": " An oak.", "logprob": 0.0, "tokens": []}]},
        **more,
    }


def run(*states: object) -> dict[str, Any]:
    return {"adapter_spec": ADAPTER, "request_states": list(states)}


EXAMPLE = run(state())


def test_the_prompt_is_what_was_sent(tmp_path: Path) -> None:
    found = read(tmp_path, {"suite/trees/scenario_state.json": EXAMPLE})
    (draft,) = found.drafts
    assert found.reader == "helm"
    assert (draft.source_id, draft.prompt, draft.response, draft.model) == (
        "id7",
        "Example.\nName a tree.",
        " An oak.",
        "org/small",
    )
    (mapped,) = read(tmp_path, {"scenario_state.json": EXAMPLE}, map={"prompt": "instance.input.text"}).drafts
    assert mapped.prompt == "Name a tree."


def test_messages_and_pictures_are_shown(tmp_path: Path) -> None:
    chat = state(request={"messages": [{"role": "user", "content": "Name a tree."}], "prompt": ""})
    media = [{"content_type": "image/png", "location": "tree.png"}, {"content_type": "text/plain", "text": "What is it?"}]
    seen = state(request={"prompt": "", "multimodal_prompt": {"media_objects": media}})
    found = read(tmp_path, {"scenario_state.json": run(chat, seen)})
    assert [draft.prompt for draft in found.drafts] == ["Name a tree.", "[image]What is it?"]


def test_completions_trials_and_perturbations_have_ids_of_their_own(tmp_path: Path) -> None:
    several = state(result={"completions": [{"text": "Oak."}, {"text": "Elm."}]})
    again = state(train_trial_index=1)
    changed = state(instance={"id": "id7", "input": {"text": "t"}, "perturbation": {"name": "typos", "seed": 3}})
    found = read(tmp_path, {"scenario_state.json": run(several, again, changed)})
    assert [draft.source_id for draft in found.drafts] == ["id7#1", "id7#2", "id7/trial 1", "id7/typos/3"]


def test_annotators_are_judges(tmp_path: Path) -> None:
    """One that could not read the model's reply failed, and the reply is its reason."""
    said = {"prompt_text": "p", "gpt_score": 0.5, "gpt_reasoning": "unclear", "llama_score": None, "llama_response_text": "Hm."}
    jury = {"prompt_text": "p", "mistral": {"score": 4, "explanation": "good"}}
    content = run(state(annotations={"safety": said, "jury": jury}))
    found = read(tmp_path, {"scenario_state.json": content}, outcome={"0.5": "no", "4": "yes"})
    assert found.verdicts() == [{"safety/gpt": "no", "safety/llama": None, "jury/mistral": "yes"}]
    assert {each.judge: (each.reason, each.score) for each in found.drafts[0].verdicts} == {
        "safety/gpt": ("unclear", 0.5),
        "safety/llama": ("Hm.", None),
        "jury/mistral": ("good", None),
    }


def test_a_request_that_failed_is_named(tmp_path: Path) -> None:
    failed = state(result={"success": False, "error": "overloaded", "completions": []})
    found = read(tmp_path, {"scenario_state.json": run(failed, state())})
    assert [(each.line, each.unit) for each in found.findings] == [(1, "request")]
    assert "'overloaded'" in found.findings[0].message


def test_a_specification_beside_the_state_is_described_and_alone_refused(tmp_path: Path) -> None:
    found = read(tmp_path, {"run_spec.json": SPEC, "scenario_state.json": EXAMPLE})
    assert (len(found.drafts), found.described) == (1, {"run_spec.json": 1})
    with pytest.raises(InputError, match=r"scenario_state\.json"):
        read(tmp_path, {"run_spec.json": SPEC})


def test_a_real_run_is_read_whole(shared: Path) -> None:
    folder = shared / "data/logs/helm_narrative_qa"
    found = read_paths([folder / "scenario_state.json", folder / "run_spec.json"])
    assert [draft.source_id for draft in found.drafts] == ["id1413", "id1332", "id1123", "id1514", "id1340"]
    assert {draft.model for draft in found.drafts} == {"openai/gpt2"}
    assert (found.findings, found.described) == ([], {"run_spec.json": 1})
