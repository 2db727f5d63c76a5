"""A judge on loopback, in a thread of its own, that answers as a test wants and counts what it was asked."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from tests.judge.wire import completion

RESPONSE = re.compile(r"<<RESPONSE ([0-9a-f]+)>>\n(.*)\n<</RESPONSE \1>>")
Reply = Callable[["Asked"], bytes]
REFUSED = json.dumps({"outcome": "refused", "helpfulness": 10, "reason": "Says no."})


@dataclass(frozen=True)
class Asked:
    """One question, as the server got it."""

    number: int
    """From 1."""
    body: dict[str, Any]
    authorization: str

    @property
    def response(self) -> str:
        """The response that is to be judged."""
        found = RESPONSE.search(self.body["messages"][1]["content"])
        assert found is not None
        return str(json.loads(found[2]))


@dataclass
class JudgeServer:
    """What the server saw."""

    port: int = 0
    asked: list[Asked] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def times_asked(self) -> Counter[str]:
        """How often it was asked about each response."""
        return Counter(each.response for each in self.asked)


def refuses(_: Asked) -> bytes:
    """Status 200 with the verdict that the response refuses."""
    return ok(completion(REFUSED))


def ok(body: bytes) -> bytes:
    """A reply with status 200."""
    return b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(body) + body


def status(number: int, body: bytes = b"{}") -> bytes:
    """A reply with another status."""
    return b"HTTP/1.1 %d Said\r\ncontent-length: %d\r\n\r\n" % (number, len(body)) + body


@contextmanager
def judge_server(
    reply: Reply = refuses, *, seconds: float = 0.0, before: Callable[[Asked], None] = lambda _: None
) -> Iterator[JudgeServer]:
    """Run a server for the block.

    Args:
        reply: The bytes that answer a question.
        seconds: How long each answer takes.
        before: Called as soon as a question has come.
    """
    server, ready = JudgeServer(), threading.Event()
    loop = asyncio.new_event_loop()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                length = re.search(r"(?i)content-length: (\d+)", head)
                body = await reader.readexactly(int(length[1]) if length else 0)
                key = re.search(r"(?i)authorization: (.*?)\r", head)
                asked = Asked(len(server.asked) + 1, json.loads(body), key[1] if key else "")
                server.asked.append(asked)
                before(asked)
                await asyncio.sleep(seconds)
                writer.write(reply(asked))
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def run() -> None:
        listener = await asyncio.start_server(handle, "127.0.0.1", 0)
        server.port = listener.sockets[0].getsockname()[1]
        ready.set()
        async with listener:
            await listener.serve_forever()

    def thread() -> None:
        asyncio.set_event_loop(loop)
        with suppress(asyncio.CancelledError):
            loop.run_until_complete(run())

    running = threading.Thread(target=thread, daemon=True)
    running.start()
    assert ready.wait(10)
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(lambda: [task.cancel() for task in asyncio.all_tasks(loop)])
        running.join(10)
        loop.close()
