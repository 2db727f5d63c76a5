"""What was said in an Inspect sample, as plain messages: parts joined, attachments put back, calls and pictures as marks.

Reasoning is no part of the answer: a mark says that it was there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from adjudicate.formats.problem import RowProblem, quoted

_ATTACHMENT = re.compile(r"(?:attachment|tc)://([0-9a-f]{32})")
"""A text that stands in the sample's ``attachments``; ``tc`` is how logs of 2024 wrote it."""
_STARTS = ("at", "tc")
REASONING = "[reasoning]"

Attachments = Mapping[str, str]


def whole_text(text: str, attachments: Attachments, field: str) -> str:
    """The text itself, where it may be a reference to an attachment.

    Raises:
        RowProblem: It is one, and the log does not hold it.
    """
    match = _ATTACHMENT.fullmatch(text) if text[:2] in _STARTS else None
    if match is None:
        return text
    found = attachments.get(match[1])
    if found is None:
        raise RowProblem(field, f"the text stands in the attachment {quoted(match[1])}, which the log does not hold")
    return found


def plain_messages(messages: list[Any], attachments: Attachments, field: str) -> list[Any]:
    """Messages as `formats.content` reads them. What is no message of Inspect is left for it to complain of."""
    return [plain_message(message, attachments, field) if isinstance(message, dict) else message for message in messages]


def plain_message(message: Mapping[str, Any], attachments: Attachments, field: str) -> dict[str, Any]:
    """One message as `formats.content` reads it."""
    content = message.get("content")
    if isinstance(content, str):
        content = whole_text(content, attachments, field)
    elif isinstance(content, list):
        content = "\n".join([_part(part, attachments, field) for part in content])
    if message.get("reasoning"):  # before reasoning was a part of the content
        content = f"{REASONING}\n{content}"
    error = message.get("error")
    if isinstance(error, dict):
        content = f"{content or ''}\n[tool error: {error.get('type', '')}: {error.get('message', '')}]".lstrip("\n")
    plain = {"role": message.get("role"), "content": content}
    calls = message.get("tool_calls")
    if calls:
        plain["tool_calls"] = [_call(call) for call in calls] if isinstance(calls, list) else calls
    return plain


def _part(part: object, attachments: Attachments, field: str) -> str:
    if isinstance(part, str):
        return whole_text(part, attachments, field)
    kind = part.get("type") if isinstance(part, dict) else None
    if not isinstance(part, dict) or not isinstance(kind, str):
        raise RowProblem(field, f"expected content parts with a type, found {quoted(part)}")
    text = part.get("text")
    if kind == "text" and isinstance(text, str):
        return whole_text(text, attachments, field)
    if kind == "text":
        raise RowProblem(field, "a content part of type 'text' has no text")
    if kind == "tool_use":
        return f"[tool call {part.get('name', '?')}({_shown(part.get('arguments', ''))})]"
    # A picture, a sound, a document: people must see that it was there.
    return f"[{kind}]"


def _call(call: object) -> object:
    """Inspect writes the name where the chat interfaces have an object with name and arguments."""
    if isinstance(call, dict) and isinstance(call.get("function"), str):
        return {"function": {"name": call["function"], "arguments": call.get("arguments", "")}}
    return call


def _shown(arguments: object) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False, default=repr)
