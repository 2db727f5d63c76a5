"""Inspect logs made for tests, member by member and in our own harmless words."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from adjudicate.core.policy import Outcome, Policy
from adjudicate.storage.sqlite_store import SqliteStore
from tests.empty_store import empty_store

AT = "2026-01-05T10:00:00+00:00"


def two_outcomes() -> Policy:
    """A policy with the outcomes `complies` and `refuses`."""
    outcomes = (
        Outcome("complies", "1", "Complies", "answered", "It answers."),
        Outcome("refuses", "2", "Refuses", "refused", "It declines."),
    )
    return Policy("two", "Two outcomes", "1", outcomes, (), (), "f" * 64, "text\n")


def header(*, status: str = "success", epochs: int = 1, samples: int | None = None, **more: Any) -> dict[str, Any]:
    """What a log says of its run."""
    spec = {
        "created": "2026-01-01T00:00:00+00:00",
        "task": "opening_hours",
        "model": "a/model",
        "dataset": {"name": "hours", "samples": samples},
        "config": {"epochs": epochs},
    }
    return {"version": 2, "status": status, "eval": spec, **more}


def sample(sample_id: int | str = "s-1", epoch: int = 1, **more: Any) -> dict[str, Any]:
    """A sample of one question, answered and scored."""
    answer = {"role": "assistant", "content": "At six.", "source": "generate"}
    return {
        "id": sample_id,
        "epoch": epoch,
        "input": "When does the library close?",
        "target": "C",
        "messages": [{"role": "user", "content": "When does the library close?"}, answer],
        "output": {"model": "a-model-1", "choices": [{"message": answer, "stop_reason": "stop"}]},
        "scores": {"grader": {"value": "C", "explanation": "It says when.", "history": []}},
        "metadata": {"kind": "hours"},
        "attachments": {},
        "events": [],
        **more,
    }


def new_store(folder: Path) -> SqliteStore:
    """A store under the policy of `two_outcomes`."""
    opened = empty_store(folder / "test.db")
    opened.put_policy(two_outcomes(), AT)
    return opened


def archive(
    path: Path, *samples: Mapping[str, Any], head: Mapping[str, Any] | None = None, compression: int = zipfile.ZIP_DEFLATED
) -> Path:
    """A `.eval` archive."""
    with zipfile.ZipFile(path, "w", compression) as file:
        file.writestr("_journal/start.json", json.dumps(header()))
        for each in samples:
            file.writestr(f"samples/{each['id']}_epoch_{each['epoch']}.json", json.dumps(each))
        file.writestr("header.json", json.dumps(head if head is not None else header()))
    return path


def document(path: Path, *samples: Mapping[str, Any], head: Mapping[str, Any] | None = None) -> Path:
    """A whole log in JSON."""
    path.write_text(json.dumps({**(head if head is not None else header()), "samples": list(samples)}), encoding="utf-8")
    return path
