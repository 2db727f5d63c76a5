"""Rows of a prompt set, bundled or private: what is asked, turn by turn, and what the set declares about it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from adjudicate.core.items import Message
from adjudicate.core.policy import INTENTS
from adjudicate.core.text import shortened
from adjudicate.errors import InputError

LARGEST = 16 * 1024 * 1024
"""Bytes of a private set."""
DECLARED = ("population", "category", "language", "pair")


@dataclass(frozen=True, slots=True)
class PromptRow:
    """One request. Its turns are asked one after another, each after the answer to the one before."""

    id: str
    turns: tuple[str, ...]
    """What the person says, in order; one in most rows."""
    intent: str
    """benign, harmful or dual_use; empty in a task that is graded by rule."""
    population: str
    category: str = ""
    language: str = ""
    pair: str = ""
    before: tuple[Message, ...] = ()
    """Turns that are given, answers among them, before the first that is asked."""
    grader: Mapping[str, Any] | None = None
    """The rule of a task; None where people and judges decide."""


def read_prompt_rows(data: bytes, source: str) -> tuple[PromptRow, ...]:
    """Read a set: a JSON object a line with ``id``, ``intent``, and one of ``prompt``, ``turns`` and ``messages``.

    Args:
        data: The file.
        source: Its name, for messages.

    Raises:
        InputError: A row cannot be used, or two have one id; all of them are told.
    """
    shown = shortened(source, 80)
    if len(data) > LARGEST:
        raise InputError(f"{shown}: larger than {LARGEST // 1024 // 1024} MB")
    rows, problems, seen = [], [], set[str]()
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            row = _row(line)
        except _Unusable as problem:
            problems.append(f"{shown}: line {number}, {problem}")
            continue
        if row.id in seen:
            problems.append(f"{shown}: line {number}, id: '{shortened(row.id, 40)}' occurs twice")
        seen.add(row.id)
        rows.append(row)
    if problems:
        raise InputError("\n  ".join([*problems[:20], *([f"and {len(problems) - 20} more"] if len(problems) > 20 else [])]))
    if not rows:
        raise InputError(f"{shown}: holds no prompt")
    return tuple(rows)


class _Unusable(Exception):
    """Says which field of a row is not as expected; holds no foreign text unescaped."""


def _row(line: bytes) -> PromptRow:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        raise _Unusable("expected one JSON object") from None
    if not isinstance(found, dict):
        raise _Unusable("expected one JSON object")
    before, turns = _asked(found)
    grader = found.get("grader")
    intent = _text(found, "intent", optional=True)
    if grader is None and intent not in INTENTS:
        raise _Unusable(f"intent: expected one of {', '.join(INTENTS)}")
    declared = {name: _text(found, name, optional=True) for name in DECLARED}
    declared["population"] = declared["population"] or intent
    return PromptRow(_text(found, "id"), turns, intent, before=before, grader=grader, **declared)


def _asked(found: Mapping[str, Any]) -> tuple[tuple[Message, ...], tuple[str, ...]]:
    given = [name for name in ("prompt", "turns", "messages") if name in found]
    if len(given) != 1:
        raise _Unusable("prompt: expected one of prompt, turns and messages")
    if given == ["prompt"]:
        return (), (_text(found, "prompt"),)
    if given == ["turns"]:
        turns = found["turns"]
        if not isinstance(turns, list) or not turns or not all(isinstance(turn, str) and turn.strip() for turn in turns):
            raise _Unusable("turns: expected a list of texts")
        return (), tuple(turns)
    messages = tuple(_messages(found["messages"]))
    if not messages or messages[-1].role != "user":
        raise _Unusable("messages: expected the last to be the user's")
    return messages[:-1], (messages[-1].content,)


def _messages(given: object) -> Iterator[Message]:
    if not isinstance(given, list):
        raise _Unusable("messages: expected a list of objects with role and content")
    for each in given:
        if not isinstance(each, dict) or not isinstance(each.get("content"), str):
            raise _Unusable("messages: expected a list of objects with role and content")
        if each.get("role") not in ("system", "user", "assistant"):
            raise _Unusable("messages: expected the roles system, user and assistant")
        yield Message(each["role"], each["content"])


def _text(found: Mapping[str, Any], name: str, *, optional: bool = False) -> str:
    value = found.get(name, "" if optional else None)
    if not isinstance(value, str) or not (value.strip() or optional):
        raise _Unusable(f"{name}: expected a text")
    return value
