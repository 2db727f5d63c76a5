"""Texts of a row in the shapes that chat interfaces use: plain text, lists of parts, messages with tool calls.

What is no text (an image, a call) becomes a visible mark: nothing is fetched, nothing is dropped without a trace.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from adjudicate.core.items import Message
from adjudicate.formats.problem import RowProblem, kind_of, quoted

CALLS = frozenset({"function", "function_call", "tool_call", "tool_use"})
"""Types of content parts that are calls of a tool."""


def text_of(value: object, field: str) -> str:
    """The text of a prompt or response.

    Raises:
        RowProblem: It is missing, or of a kind that nobody said.
    """
    if type(value) is str:
        return value
    if value is None:
        raise RowProblem(field, f"{field} is null: leave the row out, or give what the model said (an empty text is allowed)")
    if isinstance(value, list):
        return _parts(value, field)
    if isinstance(value, Mapping) and "role" in value and ("content" in value or "tool_calls" in value):
        return _message_text(value, field)
    raise RowProblem(field, f"expected text, found {kind_of(value)}: only what the model itself wrote can be labelled")


def turns(value: object, field: str) -> tuple[Message, ...]:
    """The messages of a conversation.

    Raises:
        RowProblem: It is not a list of objects with role and content.
    """
    if not isinstance(value, list) or not value:
        raise RowProblem(field, f"expected a list of messages, found {'an empty list' if value == [] else kind_of(value)}")
    return tuple(_turn(message, field) for message in value)


def _turn(message: object, field: str) -> Message:
    if not isinstance(message, Mapping) or not isinstance(message.get("role"), str):
        raise RowProblem(field, 'expected messages like {"role": "user", "content": "..."}')
    return Message(message["role"], _message_text(message, field))


def _message_text(message: Mapping[str, Any], field: str) -> str:
    content = message.get("content")
    calls = message.get("tool_calls") or []
    if content is None and not calls:
        raise RowProblem(field, f"{field} holds a message without content")
    if not isinstance(calls, list):
        raise RowProblem(field, f"tool_calls: expected a list, found {kind_of(calls)}")
    texts = [] if content is None else [text_of(content, field)]
    return "\n".join([*texts, *(_call(call) for call in calls)])


def _call(call: object) -> str:
    function = call.get("function", call) if isinstance(call, Mapping) else {}
    if not isinstance(function, Mapping):
        return "[tool call]"
    arguments = function.get("arguments", function.get("input", ""))
    shown = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False, default=repr)
    return f"[tool call {function.get('name', '?')}({shown})]"


def _parts(parts: list[Any], field: str) -> str:
    return "".join(_part(part, field) for part in parts)


def _part(part: object, field: str) -> str:
    if isinstance(part, str):
        return part
    kind = part.get("type") if isinstance(part, Mapping) else None
    if not isinstance(part, Mapping) or not isinstance(kind, str):
        raise RowProblem(field, f"expected content parts with a type, found {kind_of(part)}")
    if kind in CALLS:
        return _call(part)
    text = part.get("text")
    if isinstance(text, str) and kind in ("text", "input_text", "output_text"):
        return text
    if kind in ("text", "input_text", "output_text"):
        raise RowProblem(field, f"a content part of type {quoted(kind)} has no text")
    # Whatever else it is, people must see that it was there.
    return f"[{kind.removesuffix('_url').removeprefix('input_')}]"
