"""One connection, kept from request to request, and made anew where the server has let go of it."""

from __future__ import annotations

import asyncio
import shutil
import ssl
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from adjudicate.judge.endpoint import endpoint
from adjudicate.judge.line import BROKEN, MOST_UNREAD, Line, Unreachable

REPLY = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"
Handle = Callable[[int, asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Kept:
    """A server that keeps connections open, and what it saw."""

    port: int = 0
    connections: int = 0
    heads: list[bytes] = field(default_factory=list)


@asynccontextmanager
async def keeping(handle: Handle, context: ssl.SSLContext | None = None) -> AsyncIterator[Kept]:
    """Answer every request by `handle`, which is told its number from 1."""
    kept = Kept()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        kept.connections += 1
        try:
            while not writer.is_closing():
                head = await reader.readuntil(b"\r\n\r\n")
                size = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
                await reader.readexactly(int(size.split(b":")[1]))
                kept.heads.append(head)
                await handle(len(kept.heads), writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    kept.port = server.sockets[0].getsockname()[1]
    try:
        yield kept
    finally:
        server.close()


def line_to(kept: Kept, context: ssl.SSLContext | None = None) -> Line:
    scheme = "http" if context is None else "https"
    return Line(endpoint(f"{scheme}://127.0.0.1:{kept.port}/v1"), context, [(b"accept", b"application/json")])


async def said(line: Line, body: bytes = b"{}") -> bytes:
    response = await line.post(body)
    try:
        return b"".join([chunk async for chunk in response.aiter_stream()])
    finally:
        await response.aclose()


async def replies(_: int, writer: asyncio.StreamWriter) -> None:
    writer.write(REPLY)


async def test_a_connection_is_used_again() -> None:
    async with keeping(replies) as kept:
        line = line_to(kept)
        assert [await said(line) for _ in range(5)] == [b"{}"] * 5
        await line.close()
    assert (kept.connections, len(kept.heads)) == (1, 5)
    assert kept.heads[0].startswith(b"POST /v1/chat/completions HTTP/1.1\r\n")
    assert f"host: 127.0.0.1:{kept.port}\r\n".encode() in kept.heads[0] and b"accept: application/json" in kept.heads[0]


async def test_a_server_that_hangs_up_in_between_is_called_again_and_no_request_is_lost() -> None:
    async def replies_and_closes(_: int, writer: asyncio.StreamWriter) -> None:
        writer.write(REPLY)
        writer.close()

    async with keeping(replies_and_closes) as kept:
        line = line_to(kept)
        for _ in range(3):
            assert await said(line) == b"{}"
            # Long enough for the end of the connection to arrive.
            await asyncio.sleep(0.05)
    assert (kept.connections, len(kept.heads)) == (3, 3)


async def test_what_a_server_says_unasked_is_never_the_answer_to_the_next_question() -> None:
    async def says_more(number: int, writer: asyncio.StreamWriter) -> None:
        writer.write(REPLY)
        await asyncio.sleep(0.02)
        if number == 1:
            writer.write(REPLY.replace(b"{}", b"[]"))

    async with keeping(says_more) as kept:
        line = line_to(kept)
        assert await said(line) == b"{}"
        await asyncio.sleep(0.1)
        assert await said(line) == b"{}"
        await line.close()
    assert kept.connections == 2


async def test_a_reply_that_is_left_unread_ends_the_connection_and_the_server_is_made_to_wait() -> None:
    sent = 0

    async def endless(_: int, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            writer.write(b" " * 65536)
            await writer.drain()
            sent += 65536

    async with keeping(endless) as kept:
        line = line_to(kept)
        response = await line.post(b"{}")
        await asyncio.sleep(0.3)
        # What this side holds back, and what both sides' systems buffer in between; 300 MB would have come by now.
        assert sent < MOST_UNREAD + 16 * 1024 * 1024
        await response.aclose()
        await line.close()
        assert kept.connections == 1


async def test_a_large_body_is_sent_whole() -> None:
    async with keeping(replies) as kept:
        line = line_to(kept)
        assert await said(line, b" " * 5_000_000) == b"{}"
        await line.close()


async def test_nobody_listening_is_unreachable() -> None:
    with pytest.raises(Unreachable):
        await said(line_to(Kept(port=1)))


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A certificate of 127.0.0.1 that it signed itself, with its key."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("needs openssl to make a certificate")
    made = tmp_path / "certificate.pem"
    subject = ("-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1")
    command = [openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    subprocess.run([*command, *subject, "-keyout", str(made), "-out", str(tmp_path / "c")], check=True, capture_output=True)
    made.write_bytes(made.read_bytes() + (tmp_path / "c").read_bytes())
    return made


def served_with(certificate: Path) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    return context


async def test_https_is_spoken_to_a_server_whose_certificate_is_trusted(certificate: Path) -> None:
    async with keeping(replies, served_with(certificate)) as kept:
        line = line_to(kept, ssl.create_default_context(cafile=str(certificate)))
        assert [await said(line, b" " * 500_000) for _ in range(3)] == [b"{}"] * 3
        await line.close()
    assert kept.connections == 1


async def test_nothing_is_said_to_a_server_whose_certificate_is_not_trusted(certificate: Path) -> None:
    async with keeping(replies, served_with(certificate)) as kept:
        with pytest.raises(Unreachable):
            await said(line_to(kept, ssl.create_default_context()))
    assert kept.heads == []


async def test_a_certificate_of_another_host_is_not_taken(certificate: Path) -> None:
    async with keeping(replies, served_with(certificate)) as kept:
        other = Line(endpoint(f"https://localhost:{kept.port}/v1"), ssl.create_default_context(cafile=str(certificate)), [])
        with pytest.raises(Unreachable):
            await said(other)
    assert kept.heads == []


async def test_a_server_that_speaks_no_tls_is_unreachable_and_is_told_nothing() -> None:
    heard: list[bytes] = []

    async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.read(65536))
        writer.write(b"HTTP/1.1 400 Said\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(plain, "127.0.0.1", 0)
    with pytest.raises(Unreachable):
        await said(line_to(Kept(port=server.sockets[0].getsockname()[1]), ssl.create_default_context()))
    server.close()
    assert b"POST" not in b"".join(heard)


async def test_a_connection_that_breaks_in_the_middle_is_told_so_and_the_next_request_gets_another() -> None:
    async def half(number: int, writer: asyncio.StreamWriter) -> None:
        writer.write(REPLY if number == 2 else REPLY[:-1])
        if number == 1:
            writer.close()

    async with keeping(half) as kept:
        line = line_to(kept)
        with pytest.raises(BROKEN):
            await said(line)
        assert await said(line) == b"{}"
        await line.close()
    assert kept.connections == 2
