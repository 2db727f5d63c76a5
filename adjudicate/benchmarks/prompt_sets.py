"""The bundled prompt sets: what each is for, its data card, its requests or tasks, and a hash that says which version was run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from typing import Any

from adjudicate.core.text import visible_line
from adjudicate.errors import UsageError


@dataclass(frozen=True, slots=True)
class PromptSet:
    """A set that comes with the program."""

    name: str
    title: str
    version: str
    judged: str
    """By what its answers are graded."""

    def data(self) -> bytes:
        """The file: a JSON object a line."""
        return _resource(f"{self.name}.jsonl")

    def card(self) -> str:
        """The data card, in Markdown: what the set measures, and what it does not."""
        return _resource(f"{self.name}.md").decode()

    def rows(self) -> list[dict[str, Any]]:
        """Requests (``id``, ``prompt``, ``intent``, ``category``, ...) or tasks (with ``grader`` and ``reference``)."""
        return [json.loads(line) for line in self.data().splitlines()]

    @property
    def sha256(self) -> str:
        """Hash of the file: two runs with the same one asked the same."""
        return sha256(self.data()).hexdigest()


def _resource(name: str) -> bytes:
    return files("adjudicate.benchmarks").joinpath("sets", name).read_bytes()


PROMPT_SETS: Mapping[str, PromptSet] = {
    each.name: each
    for each in (
        PromptSet("refusal-boundary", "Refusal Boundary", "1", "judge and people, on both sides"),
        PromptSet("over-refusal", "Over-Refusal", "1", "judge and people, on helpfulness alone"),
        PromptSet("capability-retention", "Capability Retention", "1", "rules, without a judge"),
    )
}


def prompt_set(name: str) -> PromptSet:
    """The set with this name.

    Raises:
        UsageError: There is none.
    """
    if name not in PROMPT_SETS:
        raise UsageError(f"there is no prompt set {visible_line(name)}; there is {', '.join(PROMPT_SETS)}")
    return PROMPT_SETS[name]
