"""One connection to one server, kept open from one request to the next.

HTTP/1.1 is spoken by `httpcore2`, the core of `httpx2`; its pool and the client above it are left out. With 64 requests at a
time they cost more processor time than everything else of a run together (measured), and they could do what must not be:
follow redirects, keep cookies, use the proxies of the environment.
"""

from __future__ import annotations

import asyncio
import ssl
from typing import Any, cast
from urllib.parse import urlsplit

import httpcore2

from adjudicate.judge.endpoint import Endpoint

CONNECT_SECONDS = 10.0
MOST_UNREAD = 256 * 1024
"""Bytes that wait to be read before the server is made to wait."""
Headers = list[tuple[bytes, bytes]]
BROKEN = (OSError, httpcore2.NetworkError, httpcore2.RemoteProtocolError)
"""What a bad network raises."""


class Unreachable(Exception):
    """There is no connection: nobody listens, the name is unknown, or the certificate is not the server's."""


class Line:
    """Sends one request at a time; connects anew where the server has hung up."""

    def __init__(self, endpoint: Endpoint, context: ssl.SSLContext | None, headers: Headers) -> None:
        """Set up; nothing is opened yet.

        Args:
            endpoint: Where to.
            context: For https.
            headers: Sent with each request, beside the host and the length of the body.
        """
        self._url = httpcore2.URL(endpoint.chat)
        self._context = context
        self._headers = [(b"host", urlsplit(endpoint.base).netloc.encode("ascii")), *headers]
        self._connection: httpcore2.AsyncHTTP11Connection | None = None

    async def post(self, body: bytes) -> httpcore2.Response:
        """Send a body; what is returned is yet to be read, and has to be closed.

        Raises:
            Unreachable: There is no connection.
            OSError: It broke, or one of `BROKEN`.
        """
        connection = self._connection
        if connection is None or connection.is_closed() or connection.has_expired():
            await self.close()
            connection = self._connection = httpcore2.AsyncHTTP11Connection(self._url.origin, await self._connect())
        headers = [*self._headers, (b"content-length", b"%d" % len(body))]
        return await connection.handle_async_request(httpcore2.Request("POST", self._url, headers=headers, content=body))

    async def close(self) -> None:
        """Hang up."""
        if self._connection is not None:
            await self._connection.aclose()

    async def _connect(self) -> _Stream:
        host, port = self._url.host.decode("ascii"), self._url.port or (80 if self._context is None else 443)
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                _, stream = await loop.create_connection(_Stream, host, port, ssl=self._context, happy_eyeballs_delay=0.25)
        except OSError as error:
            raise Unreachable(str(error)) from error
        return stream


class _Stream(asyncio.Protocol, httpcore2.AsyncNetworkStream):
    """The bytes of a connection as `httpcore2` reads and writes them."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._received = bytearray()
        self._ended = False
        self._error: Exception | None = None
        self._paused = False
        self._waiting: asyncio.Future[None] | None = None
        """Whoever waits for bytes, or for room to write."""
        self._room = True

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._received += data
        if len(self._received) > MOST_UNREAD and not self._paused:
            self._paused = True
            self._transport.pause_reading()
        self._wake()

    def eof_received(self) -> None:
        self._ended = True
        self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        self._ended, self._error = True, exc
        self._wake()

    def pause_writing(self) -> None:
        self._room = False

    def resume_writing(self) -> None:
        self._room = True
        self._wake()

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002, ASYNC109 - the caller's deadline holds
        while not self._received and not self._ended:
            await self._change()
        if not self._received and self._error is not None:
            raise httpcore2.ReadError(type(self._error).__name__)
        taken = bytes(self._received[:max_bytes])
        del self._received[:max_bytes]
        if self._paused and not self._ended:
            self._paused = False
            self._transport.resume_reading()
        return taken

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002, ASYNC109 - the caller's deadline holds
        self._transport.write(buffer)
        while not self._room and not self._ended:
            await self._change()
        if self._transport.is_closing():
            raise httpcore2.WriteError("the connection is closed")

    async def aclose(self) -> None:
        self._transport.abort()

    def get_extra_info(self, info: str) -> Any:
        """An idle connection that says something, or ends, is not used again."""
        return bool(self._received) or self._ended if info == "is_readable" else None

    async def _change(self) -> None:
        self._waiting = self._loop.create_future()
        await self._waiting

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)
