"""A server on loopback that misbehaves on the wire: it sends bytes, in whatever order and at whatever pace a test wants."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import chain, repeat

Writer = asyncio.StreamWriter
Behaviour = Callable[[Writer], Awaitable[None]]


@dataclass
class Wire:
    """What a running server saw."""

    port: int = 0
    requests: list[tuple[bytes, bytes]] = field(default_factory=list)
    """Head and body of each request, in order."""
    connections: int = 0

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"


def raw(data: bytes) -> Behaviour:
    """Send these bytes and close."""

    async def behave(writer: Writer) -> None:
        writer.write(data)
        await writer.drain()

    return behave


def answer(status: int, body: bytes = b"{}", *headers: str) -> Behaviour:
    """A well-formed reply."""
    lines = [f"HTTP/1.1 {status} Said", f"content-length: {len(body)}", "connection: close", *headers, "", ""]
    return raw("\r\n".join(lines).encode() + body)


def completion(text: str | None, *, model: str = "m", finish_reason: str = "stop") -> bytes:
    """The body of a chat completion."""
    choice = {"index": 0, "finish_reason": finish_reason, "message": {"role": "assistant", "content": text}}
    usage = {"prompt_tokens": 10, "completion_tokens": 5}
    return json.dumps({"model": model, "choices": [choice], "usage": usage}).encode()


@asynccontextmanager
async def serve(behaviours: Sequence[Behaviour], then: Behaviour | None = None) -> AsyncIterator[Wire]:
    """Answer each request by the next behaviour; those after the last by `then`, or the last again."""
    wire = Wire()
    following = chain(behaviours, repeat(then or behaviours[-1]))

    async def handle(reader: asyncio.StreamReader, writer: Writer) -> None:
        wire.connections += 1
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            sizes = [line.split(b":")[1] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
            body = await reader.readexactly(int(sizes[0])) if sizes else b""
            wire.requests.append((head, body))
            await next(following)(writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    wire.port = server.sockets[0].getsockname()[1]
    try:
        yield wire
    finally:
        server.close()
