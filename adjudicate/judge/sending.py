"""One request to a server over a bad network: a deadline, a bound on the reply, and another try where one can help."""

from __future__ import annotations

import asyncio
import ssl
import zlib
from collections.abc import Awaitable, Callable
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from time import time
from types import TracebackType
from typing import Literal, Self
from urllib.parse import urlsplit

import httpcore2
import tenacity

from adjudicate import __version__
from adjudicate.core.text import shortened
from adjudicate.judge.chat import error_message, is_too_long
from adjudicate.judge.endpoint import Endpoint
from adjudicate.judge.line import BROKEN, Line, Unreachable
from adjudicate.judge.secret import Secret

TRIES = 5
LONGEST_WAIT = 60.0
"""Seconds that a server may ask to wait; a longer wait ends the run, which goes on when it is called again."""
FIRST_WAIT, MOST_WAIT = 0.5, 30.0
"""Seconds of back-off before the second try and at most, each with jitter."""
AGENT = f"adjudicate/{__version__}".encode("ascii")
LARGEST_REPLY = 4 * 1024 * 1024
"""Bytes of a reply, decoded."""

What = Literal["again", "park", "stop"]


class Fault(Exception):
    """A request without a reply. The message is for people; `said` is the server's own words, never shown unescaped."""

    def __init__(self, message: str, said: str = "", status: int | None = None) -> None:
        super().__init__(message)
        self.said = said
        self.status = status


class Parked(Fault):
    """This question gets no reply now; others may."""


class Stopped(Fault):
    """No other question would get a reply either."""


class _Again(Fault):
    """Another try may help, after so many seconds where the server says so."""

    def __init__(self, message: str, after: float | None = None, said: str = "") -> None:
        super().__init__(message, said)
        self.after = after


STATUSES: dict[int, tuple[What, str]] = {
    401: ("stop", "the server does not take the key: see --key-env and --key-file"),
    403: ("stop", "the server does not allow this with this key"),
    404: ("stop", "the server knows neither this address nor this model: does --base-url end as its manual says, often in /v1?"),
    407: ("stop", "a proxy in between asks for a login"),
    408: ("again", "the server gave up waiting"),
    425: ("again", "the server asks for another try"),
    429: ("again", "the server asks to slow down"),
}
"""What to do on a status; see `_on_status` for those of a whole class."""


class Sender:
    """Sends requests to one server, at most `width` at a time; to be used as an asynchronous context."""

    def __init__(
        self,
        endpoint: Endpoint,
        key: Secret | None,
        *,
        width: int,
        deadline: float = 120.0,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Set up; nothing is sent yet.

        Args:
            endpoint: Where to.
            key: Sent as a bearer token.
            width: Connections that are kept open.
            deadline: Seconds for one try, from the first byte sent to the last one read.
            sleep: Waits between tries.
        """
        self._endpoint = endpoint
        self._key = key
        self._deadline = deadline
        self._quiet_until = 0.0
        """Time of the loop until which the server asked for silence; it means all requests."""
        self._sleep = sleep
        headers = [(b"accept-encoding", b"identity"), (b"content-type", b"application/json"), (b"user-agent", AGENT)]
        if key is not None:
            headers.append((b"authorization", b"Bearer " + key.reveal().encode()))
        context = _certificates() if endpoint.chat.startswith("https:") else None
        self._lines = [Line(endpoint, context, headers) for _ in range(width)]
        self._free = asyncio.LifoQueue[Line]()
        """The lines that nobody uses; the last one used first, so that no more connections are opened than are needed."""
        for line in self._lines:
            self._free.put_nowait(line)
        self._tries = tenacity.AsyncRetrying(
            stop=tenacity.stop_after_attempt(TRIES),
            wait=_seconds_to_wait,
            retry=tenacity.retry_if_exception_type(_Again),
            sleep=sleep,
            reraise=True,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for line in self._lines:
            await line.close()

    async def post(self, body: bytes, before_send: Callable[[], Awaitable[None]]) -> bytes:
        """Send a body and return the body of the reply, whose status was 200.

        Args:
            body: JSON.
            before_send: Awaited before every try; may raise to prevent it.

        Raises:
            Parked: There is no reply to this one.
            Stopped: There would be none to any other.
        """
        try:
            async for attempt in self._tries.copy():
                with attempt:
                    await self._until_quiet_is_over()
                    await before_send()
                    return await self._try(body)
        except _Again as fault:
            raise Parked(f"{fault}, {TRIES} times", fault.said) from None
        raise AssertionError("tenacity ends by a result or an exception")

    async def _until_quiet_is_over(self) -> None:
        left = self._quiet_until - asyncio.get_running_loop().time()
        if left > 0:
            await self._sleep(left)

    async def _try(self, body: bytes) -> bytes:
        try:
            # The client's own limits are between bytes: a server that drips one at a time never meets them.
            async with asyncio.timeout(self._deadline):
                return await self._exchange(body)
        except TimeoutError:
            raise _Again(f"no whole reply within {self._deadline:g} s") from None
        except Unreachable:
            raise _Again(f"{shortened(self._endpoint.host, 60)} does not answer") from None
        except BROKEN as error:
            raise _Again(f"the connection broke ({type(error).__name__})") from None
        except httpcore2.ProtocolError as error:
            raise Parked(f"the request breaks the protocol ({type(error).__name__})") from None

    async def _exchange(self, body: bytes) -> bytes:
        line = await self._free.get()
        try:
            response = await line.post(body)
            try:
                return await self._read(response)
            finally:
                await response.aclose()
        finally:
            self._free.put_nowait(line)

    async def _read(self, response: httpcore2.Response) -> bytes:
        headers = {name.lower(): value.decode("latin-1") for name, value in response.headers}
        if b"location" in headers and 300 <= response.status < 400:
            raise Stopped(_redirected(headers[b"location"]))
        read = self._without_key(await _bounded(response, headers.get(b"content-encoding", "identity").lower()))
        if response.status == HTTPStatus.OK:
            return read
        fault = _on_status(response.status, headers.get(b"retry-after"), read)
        if isinstance(fault, _Again) and fault.after is not None:
            self._quiet_until = max(self._quiet_until, asyncio.get_running_loop().time() + fault.after)
        raise fault

    def _without_key(self, body: bytes) -> bytes:
        """A server may say the key that it was given, and what it says is kept."""
        return body if self._key is None else body.replace(self._key.reveal().encode(), b"***")


def _certificates() -> ssl.SSLContext:
    # Waits for a server that needs it: the client of httpx2 comes with it.
    import httpx2

    return httpx2.create_ssl_context(trust_env=False)


def _on_status(status: int, retry_after: str | None, body: bytes) -> Fault:
    said = error_message(body)
    what, message = STATUSES.get(status, ("again" if status >= 500 else "park", "the server cannot answer this"))
    if what == "park" and is_too_long(body):
        message = "the question is longer than the model's context"
    told = f"status {status}: {message}"
    if what == "stop":
        return Stopped(told, said)
    if what == "park":
        return Parked(told, said, status)
    after = _seconds(retry_after)
    if after is not None and after > LONGEST_WAIT:
        return Stopped(
            f"status {status}: the server asks for a wait of {after:,.0f} s; what is left waits for the next run", said
        )
    return _Again(told, after, said)


def _seconds(value: str | None) -> float | None:
    """Seconds from now that a ``Retry-After`` header means; None for one that means nothing."""
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - time()
        except (ValueError, OverflowError):
            return None
        seconds = max(seconds, 0.0)
    return seconds if 0 <= seconds < float("inf") else None


def _seconds_to_wait(state: tenacity.RetryCallState) -> float:
    """What the server asked for, else exponential back-off with full jitter."""
    fault = state.outcome.exception() if state.outcome is not None else None
    if isinstance(fault, _Again) and fault.after is not None:
        return fault.after
    return tenacity.wait_random_exponential(multiplier=FIRST_WAIT, max=MOST_WAIT)(state)


async def _bounded(response: httpcore2.Response, encoding: str) -> bytes:
    """The body, decoded, up to the bound."""
    if encoding not in ("identity", "gzip", "deflate"):
        raise Parked(f"the reply is packed as {shortened(encoding, 20)}, which was not asked for")
    unpack = zlib.decompressobj(wbits=47) if encoding != "identity" else None
    read = bytearray()
    async for chunk in response.aiter_stream():
        # A small chunk can unpack to a thousand times its size, so that no more than the bound is ever unpacked.
        try:
            read += chunk if unpack is None else unpack.decompress(chunk, LARGEST_REPLY + 1 - len(read))
        except zlib.error:
            raise _Again("the reply cannot be unpacked") from None
        if len(read) > LARGEST_REPLY:
            raise Parked(f"the reply is larger than {LARGEST_REPLY // 1024 // 1024} MB")
    return bytes(read)


def _redirected(target: str) -> str:
    try:
        host = urlsplit(target).hostname
    except ValueError:
        host = None
    return f"the server sends us on to {shortened(host or 'another place', 60)}; give that address by --base-url if you trust it"
