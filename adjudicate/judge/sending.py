"""One request to a server over a bad network: a deadline, a bound on the reply, and another try where one can help.

`httpx2` and not `httpx`: with 64 requests at a time the pool of `httpx` either opens a connection per call or spends 6 ms of
processor time on each (measured); its successor, by the same author, does neither. It still looks at every idle connection on
each call, so that many connections are kept in several small pools.
"""

from __future__ import annotations

import asyncio
import ssl
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from time import time
from types import TracebackType
from typing import Literal, Self

import httpx2
import tenacity

from adjudicate.core.text import shortened
from adjudicate.judge.chat import error_message
from adjudicate.judge.endpoint import Endpoint
from adjudicate.judge.secret import Secret

TRIES = 5
LONGEST_WAIT = 60.0
"""Seconds that a server may ask to wait; a longer wait ends the run, which goes on when it is called again."""
FIRST_WAIT, MOST_WAIT = 0.5, 30.0
"""Seconds of back-off before the second try and at most, each with jitter."""
LARGEST_REPLY = 4 * 1024 * 1024
"""Bytes of a reply, decoded."""
CONNECT_SECONDS = 10.0
POOL_SIZE = 8
"""Connections of one pool."""

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


class _Pool:
    """A client with a few connections, and how busy it is."""

    def __init__(self, headers: dict[str, str], context: ssl.SSLContext, size: int) -> None:
        self.client = httpx2.AsyncClient(
            headers=headers,
            verify=context,
            # A proxy of the environment would see key and texts; a redirect would carry them to another host.
            trust_env=False,
            follow_redirects=False,
            timeout=httpx2.Timeout(None, connect=CONNECT_SECONDS),
            limits=httpx2.Limits(max_connections=size, max_keepalive_connections=size),
        )
        self._size = size
        self._open = 0

    def load(self) -> float:
        """Requests under way for each connection."""
        return self._open / self._size

    @asynccontextmanager
    async def stream(self, url: str, body: bytes) -> AsyncIterator[httpx2.Response]:
        """Send a body; the reply is yet to be read."""
        self._open += 1
        try:
            async with self.client.stream("POST", url, content=body) as response:
                yield response
        finally:
            self._open -= 1


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
        headers = {"content-type": "application/json", "accept-encoding": "identity"}
        if key is not None:
            headers["authorization"] = f"Bearer {key.reveal()}"
        context = httpx2.create_ssl_context(trust_env=False)
        self._pools = [_Pool(headers, context, min(POOL_SIZE, width - first)) for first in range(0, width, POOL_SIZE)]
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
        for pool in self._pools:
            await pool.client.aclose()

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
        except httpx2.ConnectError:
            raise _Again(f"{shortened(self._endpoint.host, 60)} does not answer") from None
        except httpx2.TransportError as error:
            raise _Again(f"the connection broke ({type(error).__name__})") from None
        except httpx2.HTTPError as error:
            raise Parked(f"the reply breaks the protocol ({type(error).__name__})") from None

    async def _exchange(self, body: bytes) -> bytes:
        pool = min(self._pools, key=_Pool.load)
        async with pool.stream(self._endpoint.chat, body) as response:
            if response.is_redirect:
                raise Stopped(_redirected(response))
            read = self._without_key(await _bounded(response))
            if response.status_code == HTTPStatus.OK:
                return read
            fault = _on_status(response, read)
            if isinstance(fault, _Again) and fault.after is not None:
                self._quiet_until = max(self._quiet_until, asyncio.get_running_loop().time() + fault.after)
            raise fault

    def _without_key(self, body: bytes) -> bytes:
        """A server may say the key that it was given, and what it says is kept."""
        return body if self._key is None else body.replace(self._key.reveal().encode(), b"***")


def _on_status(response: httpx2.Response, body: bytes) -> Fault:
    status = response.status_code
    said = error_message(body)
    what, message = STATUSES.get(status, ("again" if status >= 500 else "park", "the server cannot answer this"))
    told = f"status {status}: {message}"
    if what == "stop":
        return Stopped(told, said)
    if what == "park":
        return Parked(told, said, status)
    after = _retry_after(response.headers.get("retry-after"))
    if after is not None and after > LONGEST_WAIT:
        return Stopped(
            f"status {status}: the server asks for a wait of {after:,.0f} s; what is left waits for the next run", said
        )
    return _Again(told, after, said)


def _retry_after(value: str | None) -> float | None:
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


async def _bounded(response: httpx2.Response) -> bytes:
    """The body, decoded, up to the bound."""
    encoding = response.headers.get("content-encoding", "identity").lower()
    if encoding not in ("identity", "gzip", "deflate"):
        raise Parked(f"the reply is packed as {shortened(encoding, 20)}, which was not asked for")
    unpack = zlib.decompressobj(wbits=47) if encoding != "identity" else None
    read = bytearray()
    async for chunk in response.aiter_raw():
        # A small chunk can unpack to a thousand times its size, so that no more than the bound is ever unpacked.
        try:
            read += chunk if unpack is None else unpack.decompress(chunk, LARGEST_REPLY + 1 - len(read))
        except zlib.error:
            raise _Again("the reply cannot be unpacked") from None
        if len(read) > LARGEST_REPLY:
            raise Parked(f"the reply is larger than {LARGEST_REPLY // 1024 // 1024} MB")
    return bytes(read)


def _redirected(response: httpx2.Response) -> str:
    target = response.headers.get("location", "")
    try:
        host = httpx2.URL(target).host
    except httpx2.InvalidURL:
        host = ""
    return f"the server sends us on to {shortened(host or 'another place', 60)}; give that address by --base-url if you trust it"
