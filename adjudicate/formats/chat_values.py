"""What was asked and answered, out of the shapes in which tools log a call: texts, chats, completions, chains of all kinds.

Where a log has a text, it is kept to the letter. What is no text at all (an object that a model gave as JSON) is written as JSON.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from adjudicate.formats.content import text_of
from adjudicate.formats.problem import RowProblem, kind_of

ROLE_OF_TYPE = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool", "function": "tool", "chat": "user"}
"""How LangChain calls the roles, besides classes such as ``HumanMessage``."""
ASKED_UNDER = ("messages", "prompt", "prompts", "input", "inputs", "question", "query", "text", "content", "value")
ANSWERED_UNDER = (
    "choices", "generations", "messages", "message", "output", "outputs", "answer", "response", "completion", "result", "text",
    "content", "value",
)  # fmt: skip
DEEPEST = 6


def asked(value: object, field: str) -> dict[str, Any]:
    """The prompt or the messages of a call, as fields of a row.

    Raises:
        RowProblem: There is none, or a message without role or content.
    """
    return _asked(value, field, 0)


def answered(value: object, field: str) -> str:
    """The text of an answer; calls of tools and other parts as visible marks.

    Raises:
        RowProblem: There is none.
    """
    return _answered(value, field, 0)


def chat_in(text: str) -> list[Any] | None:
    """The messages that a text holds as JSON, alone or in an object; None where it is just a text."""
    value = json_in(text)
    if isinstance(value, Mapping):
        value = value.get("messages")
    return value if isinstance(value, list) and value and all(_is_message(each) for each in value) else None


def json_in(text: str) -> Any:
    """The object or list that a text holds as JSON; None where it holds none."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _asked(value: object, field: str, depth: int) -> dict[str, Any]:
    if value is None or value in ([], {}) or depth > DEEPEST:
        raise RowProblem(field, "there is no prompt in it: name its place with '--map prompt=PATH'")
    if isinstance(value, str):
        chat = chat_in(value)
        return {"prompt": value} if chat is None else {"messages": _chat(chat, field)}
    if isinstance(value, list):
        if len(value) == 1 and isinstance(value[0], str | list):
            return _asked(value[0], field, depth + 1)
        if value and all(_is_message(each) for each in value):
            return {"messages": _chat(value, field)}
        return {"prompt": _as_json(value)}
    if isinstance(value, Mapping):
        if _is_message(value):
            return {"messages": _chat([value], field)}
        inner = _member(value, ASKED_UNDER)
        return {"prompt": _as_json(value)} if inner is None else _asked(inner, field, depth + 1)
    raise RowProblem(field, f"expected text or messages, found {kind_of(value)}")


def _answered(value: object, field: str, depth: int) -> str:
    if value is None or value in ([], {}) or depth > DEEPEST:
        raise RowProblem(field, "there is no answer in it")
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return _answered_list(value, field, depth)
    if isinstance(value, Mapping):
        if _is_message(value):
            return text_of(_message(value, field), field)
        if _has_calls(value):
            return text_of({"role": "assistant", "content": value.get("content"), "tool_calls": value["tool_calls"]}, field)
        inner = _member(value, ANSWERED_UNDER)
        return _as_json(value) if inner is None else _answered(inner, field, depth + 1)
    return _as_json(value)


def _answered_list(value: list[Any], field: str, depth: int) -> str:
    if value and all(_is_message(each) for each in value):
        # A chat that ends in the answer, as agents return it.
        return _answered(value[-1], field, depth + 1)
    if value and all(isinstance(each, str) or _is_typed(each) for each in value):
        return text_of(value, field)
    if len(value) == 1:
        return _answered(value[0], field, depth + 1)
    if isinstance(value[0], Mapping) and {"message", "text"} & set(value[0]):
        many = f"{len(value)} answers to one question: say which one is meant, with '--map response=PATH'"
        raise RowProblem(field, many)
    return _as_json(value)


def _is_typed(part: object) -> bool:
    return isinstance(part, Mapping) and isinstance(part.get("type"), str)


def _member(value: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    """The member that holds the text: under a usual name, or the only one there is."""
    found = next((value[name] for name in names if value.get(name) not in (None, [], {})), None)
    if found is None and len(value) == 1:
        (only,) = value.values()
        return only if isinstance(only, str | list | Mapping) and only else None
    return found


def _is_message(value: object) -> bool:
    if not isinstance(value, Mapping):
        return False
    if isinstance(value.get("role"), str):
        return any(name in value for name in ("content", "parts", "tool_calls", "function_call"))
    return _is_langchain(value)


def _is_langchain(value: Mapping[str, Any]) -> bool:
    if isinstance(value.get("kwargs"), Mapping) and isinstance(value.get("id"), list):
        return str(value["id"][-1:]).endswith(("Message']", "MessageChunk']"))
    kind = value.get("type")
    return isinstance(kind, str) and kind in ROLE_OF_TYPE and ("content" in value or isinstance(value.get("data"), Mapping))


def _chat(messages: list[Any], field: str) -> list[dict[str, Any]]:
    return [_message(message, field) for message in messages]


def _message(message: Mapping[str, Any], field: str) -> dict[str, Any]:
    """A message as `content.turns` takes it."""
    inner: Any = message
    role = message.get("role")
    if isinstance(message.get("kwargs"), Mapping):
        inner, role = message["kwargs"], _role_of_class(str(message["id"][-1]))
    elif role is None:
        inner = message["data"] if isinstance(message.get("data"), Mapping) else message
        role = ROLE_OF_TYPE[message["type"]]
    extra = inner.get("additional_kwargs")
    calls = inner.get("tool_calls") or (extra.get("tool_calls") if isinstance(extra, Mapping) else None)
    if isinstance(inner.get("function_call"), Mapping):
        calls = [inner["function_call"]]
    content = inner.get("content")
    if content is None and isinstance(inner.get("parts"), list):
        content = [_part(part) for part in inner["parts"]]
    if content is None and not calls:
        raise RowProblem(field, f"{field} holds a message without content")
    if isinstance(content, Mapping):
        content = [_part(content)]
    return {"role": role, "content": content, **({"tool_calls": calls} if calls else {})}


def _role_of_class(name: str) -> str:
    kind = name.removesuffix("Chunk").removesuffix("Message").lower()
    return ROLE_OF_TYPE.get(kind, kind or "user")


def _part(part: Any) -> Any:
    """A part of a message in the manner of those who call its text content, or give it no type."""
    if not isinstance(part, Mapping):
        return part
    text = part.get("text", part.get("content"))
    if isinstance(text, str) and part.get("type", "text") == "text":
        return {"type": "text", "text": text}
    return part if isinstance(part.get("type"), str) else {"type": next(iter(part), "part"), **part}


def _has_calls(value: Mapping[str, Any]) -> bool:
    return isinstance(value.get("tool_calls"), list) and bool(value["tool_calls"])


def _as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=repr)
