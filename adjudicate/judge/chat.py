"""The chat-completions exchange: what is sent, and what came back, read strictly."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from adjudicate.core.items import Message

TOO_LONG = frozenset({"exceed_context_size_error", "context_length_exceeded"})
"""What llama.cpp's server and OpenAI's call a question that is longer than the model's context."""


class UnusableBody(Exception):
    """A reply with status 200 that is no chat completion; the message holds no foreign text, `body` is the reply."""

    def __init__(self, message: str, body: bytes) -> None:
        super().__init__(message)
        self.body = body.decode("utf-8", "replace")


class Usage(msgspec.Struct, frozen=True):
    """Tokens, as the server counts them."""

    prompt_tokens: int = 0
    completion_tokens: int = 0


class _Said(msgspec.Struct):
    content: str | None = None


class _Choice(msgspec.Struct):
    message: _Said
    finish_reason: str | None = None


class _Body(msgspec.Struct):
    choices: list[_Choice]
    model: str | None = None
    usage: Usage | None = None


class Completion(msgspec.Struct, frozen=True):
    """A chat completion."""

    text: str | None
    model: str
    """The model that says it answered: not always the one that was asked for. Empty where the server names none."""
    finish_reason: str | None
    usage: Usage


def request_body(
    model: str, messages: Sequence[Message], parameters: Mapping[str, Any], schema: Mapping[str, Any] | None = None
) -> bytes:
    """The body of a request.

    Args:
        model: As the server knows it.
        messages: All turns.
        parameters: ``temperature``, ``max_tokens``, ``seed`` and what else the server takes.
        schema: JSON schema to hold the reply to; None where the server offers that not.
    """
    body: dict[str, Any] = {"model": model, "messages": [message._asdict() for message in messages], **parameters}
    if schema is not None:
        body["response_format"] = {"type": "json_schema", "json_schema": {"name": "verdict", "strict": True, "schema": schema}}
    # ASCII, so that a lone surrogate of a response can be sent at all.
    return json.dumps(body, separators=(",", ":")).encode("ascii")


def read_completion(body: bytes) -> Completion:
    """Read a body.

    Raises:
        UnusableBody: It is no chat completion.
    """
    try:
        read = msgspec.json.decode(body, type=_Body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise UnusableBody("the server's reply is no chat completion", body) from None
    if len(read.choices) != 1:
        raise UnusableBody(f"the server's reply holds {len(read.choices)} choices instead of one", body)
    choice = read.choices[0]
    return Completion(choice.message.content, read.model or "", choice.finish_reason, read.usage or Usage())


def error_message(body: bytes) -> str:
    """What an error body says, for the workspace's own record and never for the terminal unescaped; empty if nothing.

    Args:
        body: As sent; ``error.message`` where there is one, else its beginning.
    """
    try:
        found = msgspec.json.decode(body)
        message = found["error"]["message"]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, KeyError, TypeError):
        message = body[:500].decode("utf-8", "replace")
    return message if isinstance(message, str) else ""


def is_too_long(body: bytes) -> bool:
    """Whether an error body says that the question is longer than what the model takes in."""
    try:
        error = msgspec.json.decode(body)["error"]
        return not TOO_LONG.isdisjoint({error.get("type"), error.get("code")})
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, KeyError, TypeError, AttributeError):
        return False
