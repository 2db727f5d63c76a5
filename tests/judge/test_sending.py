"""Requests over a bad network, against a real server on loopback (J1 to J6 and J8 of the fault catalogue)."""

from __future__ import annotations

import asyncio
import resource
import socket
import zlib
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from adjudicate.errors import UsageError
from adjudicate.judge.endpoint import Endpoint, endpoint
from adjudicate.judge.secret import Secret
from adjudicate.judge.sending import Fault, Parked, Sender, Stopped
from tests.judge.wire import Behaviour, Wire, Writer, answer, raw, serve

GOOD = answer(200, b'{"good": true}')
KEY = "canary-key-7f3a"


class Waits:
    """Notes how long the sender would have waited, and waits not."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


async def nothing() -> None:
    """What happens before a send in most tests."""


async def post(wire: Wire, waits: Waits | None = None, *, deadline: float = 10.0, base: str | None = None) -> bytes:
    address = endpoint(base or wire.base)
    async with Sender(address, Secret(KEY), width=2, deadline=deadline, sleep=waits or Waits()) as sender:
        return await sender.post(b"{}", nothing)


async def test_a_reply_with_status_200_is_returned_whole_and_the_key_was_sent() -> None:
    async with serve([GOOD]) as wire:
        assert await post(wire) == b'{"good": true}'
    head, body = wire.requests[0]
    assert head.startswith(b"POST /v1/chat/completions HTTP/1.1") and body == b"{}"
    assert f"bearer {KEY}".encode() in head.lower()


@pytest.mark.parametrize(
    ("header", "waited"),
    [
        ("7", 7.0),
        ("0", 0.0),
        ("60", 60.0),
    ],
)  # fmt: skip
async def test_a_wait_that_the_server_asks_for_is_kept(header: str, waited: float) -> None:
    waits = Waits()
    async with serve([answer(429, b"{}", f"retry-after: {header}"), GOOD]) as wire:
        await post(wire, waits)
    assert waits.seconds[0] == pytest.approx(waited, abs=0.01)


@pytest.mark.parametrize(("seconds", "waited"), [(50, 50.0), (-86400, 0.0)])
async def test_a_wait_until_a_date_is_kept(seconds: int, waited: float) -> None:
    waits, until = Waits(), datetime.now(UTC) + timedelta(seconds=seconds)
    async with serve([answer(429, b"{}", f"retry-after: {format_datetime(until, usegmt=True)}"), GOOD]) as wire:
        await post(wire, waits)
    # A date has whole seconds, and the machine may be slow between the two looks at the clock.
    assert waits.seconds[0] == pytest.approx(waited, abs=5)


@pytest.mark.parametrize(
    "headers", [(), ("retry-after: -5",), ("retry-after: soon",), ("retry-after: nan",), ("retry-after: inf",)]
)
async def test_without_a_usable_wait_the_back_off_grows_and_is_jittered(headers: tuple[str, ...]) -> None:
    waits = Waits()
    async with serve([answer(429, b"{}", *headers)]) as wire:
        with pytest.raises(Parked, match=r"status 429.*5 times"):
            await post(wire, waits)
    assert len(wire.requests) == 5
    # Full jitter: the n-th wait is anywhere from 0 to 0.5 * 2^(n-1) seconds.
    assert len(waits.seconds) == 4
    assert all(0 <= seconds <= 0.5 * 2**number for number, seconds in enumerate(waits.seconds))
    assert len(set(waits.seconds)) == 4


async def test_a_wait_beyond_the_cap_ends_the_run_after_one_request() -> None:
    async with serve([answer(429, b"{}", "retry-after: 86400")]) as wire:
        with pytest.raises(Stopped, match="86,400 s"):
            await post(wire)
    assert len(wire.requests) == 1


async def test_a_wait_that_one_request_is_told_holds_for_the_others_too() -> None:
    waits = Waits()
    async with serve([answer(429, b"{}", "retry-after: 9"), GOOD]) as wire, Sender(
        endpoint(wire.base), None, width=2, sleep=waits
    ) as sender:  # fmt: skip
        await sender.post(b"{}", nothing)
        await sender.post(b"{}", nothing)
    assert waits.seconds[-1] == pytest.approx(9, abs=0.5)


@pytest.mark.parametrize("status", [500, 502, 503, 529])
async def test_a_failing_server_is_asked_five_times_and_then_the_item_is_parked(status: int) -> None:
    async with serve([answer(status)]) as wire:
        with pytest.raises(Parked, match=f"status {status}"):
            await post(wire)
    assert len(wire.requests) == 5


async def test_a_server_that_recovers_is_not_given_up() -> None:
    async with serve([answer(503), answer(500), GOOD]) as wire:
        assert await post(wire) == b'{"good": true}'
    assert len(wire.requests) == 3


async def test_nobody_listening_and_an_unknown_host_park_the_item() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    with pytest.raises(Parked, match=r"127.0.0.1 does not answer, 5 times"):
        await post(Wire(), base=f"http://127.0.0.1:{port}/v1")
    with pytest.raises(Parked, match=r"no-such-host.invalid does not answer, 5 times"):
        await post(Wire(), base="https://no-such-host.invalid/v1")


@pytest.mark.parametrize("status", [400, 413, 422, 418])
async def test_a_request_that_can_never_succeed_is_sent_once(status: int) -> None:
    async with serve([answer(status, b'{"error": {"message": "too long"}}')]) as wire:
        with pytest.raises(Parked, match=f"status {status}") as caught:
            await post(wire)
    assert len(wire.requests) == 1
    assert caught.value.said == "too long" and "too long" not in str(caught.value)


@pytest.mark.parametrize(
    "error",
    [
        # As llama.cpp's server words it, and as OpenAI's does.
        b'{"code":400,"message":"request (731 tokens) exceeds","type":"exceed_context_size_error","n_ctx":512}',
        b'{"message":"This model\'s maximum","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}',
    ],
)
async def test_a_question_that_the_model_cannot_take_in_is_told_so(error: bytes) -> None:
    async with serve([answer(400, b'{"error": %b}' % error)]) as wire:
        with pytest.raises(Parked, match="status 400: the question is longer than the model's context"):
            await post(wire)


@pytest.mark.parametrize("body", [b"", b"[]", b'{"error": "x"}', b'{"error": {"type": ["a"]}}', b'{"error": null}', b"\xff"])
async def test_an_error_that_says_nothing_of_it_is_the_servers_own(body: bytes) -> None:
    async with serve([answer(400, body)]) as wire:
        with pytest.raises(Parked, match="status 400: the server cannot answer this"):
            await post(wire)


@pytest.mark.parametrize("status", [401, 403, 404, 407])
async def test_a_refused_key_or_address_stops_everything_after_one_request(status: int) -> None:
    async with serve([answer(status)]) as wire:
        with pytest.raises(Stopped, match=f"status {status}"):
            await post(wire)
    assert len(wire.requests) == 1


async def test_a_reply_that_drips_meets_the_deadline() -> None:
    async def drip(writer: Writer) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n")
        for _ in range(1000):
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.05)

    started = asyncio.get_running_loop().time()
    async with serve([drip]) as wire:
        with pytest.raises(Parked, match=r"no whole reply within 0.2 s, 5 times"):
            await post(wire, deadline=0.2)
    # Five tries of 0.2 s; without the deadline one drip lasts 50 s.
    assert asyncio.get_running_loop().time() - started < 10


BROKEN = {
    "closed before an answer": raw(b""),
    "half a head": raw(b"HTTP/1.1 200 O"),
    "half a body": raw(b'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"good"'),
    "a chunk cut": raw(b'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nff\r\n{"good"'),
    "no end of chunks": raw(b'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n7\r\n{"good"\r\n'),
    "no HTTP": raw(b"SSH-2.0-OpenSSH_9\r\n"),
    "damaged gzip": raw(b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 5\r\n\r\nabcde"),
}


@pytest.mark.parametrize("behaviour", BROKEN.values(), ids=BROKEN.keys())
async def test_a_broken_reply_is_asked_for_again_and_never_read(behaviour: Behaviour) -> None:
    async with serve([behaviour, GOOD]) as wire:
        assert await post(wire) == b'{"good": true}'
    assert len(wire.requests) == 2


async def test_a_connection_that_is_reset_is_tried_again() -> None:
    async def reset(writer: Writer) -> None:
        sock = writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")

    async with serve([reset, GOOD]) as wire:
        assert await post(wire) == b'{"good": true}'


def bomb() -> bytes:
    """300 MB of blanks in 300 kB of gzip."""
    packer = zlib.compressobj(9, wbits=31)
    megabyte = b" " * 1024 * 1024
    return b"".join(packer.compress(megabyte) for _ in range(300)) + packer.flush()


async def endless(writer: Writer) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
    for _ in range(4800):
        writer.write(b" " * 65536)
        await writer.drain()


@pytest.mark.parametrize("packed", [True, False], ids=["gzip bomb", "300 MB"])
async def test_a_reply_beyond_4_mb_is_left_unread_and_costs_no_memory(packed: bool) -> None:
    behaviour = answer(200, bomb(), "content-encoding: gzip") if packed else endless
    async with serve([behaviour]) as wire:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        with pytest.raises(Parked, match="larger than 4 MB"):
            await post(wire)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert len(wire.requests) == 1
    assert grown < 50 * 1024


async def test_a_gzip_reply_that_was_not_asked_for_is_read_all_the_same() -> None:
    packer = zlib.compressobj(wbits=31)
    body = packer.compress(b'{"good": true}') + packer.flush()
    async with serve([answer(200, body, "content-encoding: gzip")]) as wire:
        assert await post(wire) == b'{"good": true}'
    assert b"accept-encoding: identity" in wire.requests[0][0].lower()


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_a_redirect_is_an_error_that_names_the_host_and_the_other_host_sees_nothing(status: int) -> None:
    async with serve([GOOD]) as other:
        target = f"http://localhost:{other.port}/v1/chat/completions"
        async with serve([answer(status, b"", f"location: {target}")]) as wire:
            with pytest.raises(Stopped, match="localhost"):
                await post(wire)
    assert len(wire.requests) == 1
    assert other.connections == 0


async def test_a_proxy_of_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serve([GOOD]) as proxy, serve([GOOD]) as wire:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        await post(wire)
    assert (proxy.connections, wire.connections) == (0, 1)


async def test_nothing_is_sent_where_the_hook_before_it_says_no() -> None:
    async def spent() -> None:
        raise Stopped("the budget is spent")

    async with serve([GOOD]) as wire, Sender(endpoint(wire.base), None, width=1) as sender:
        with pytest.raises(Stopped, match="budget"):
            await sender.post(b"{}", spent)
    assert wire.requests == []


async def test_the_hook_runs_before_every_try() -> None:
    sends = 0

    async def count() -> None:
        nonlocal sends
        sends += 1
        assert len(wire.requests) == sends - 1

    async with serve([answer(500), answer(500), GOOD]) as wire, Sender(
        endpoint(wire.base), None, width=1, sleep=Waits()
    ) as sender:  # fmt: skip
        await sender.post(b"{}", count)
    assert sends == 3


async def test_a_fault_shows_neither_the_key_nor_what_the_server_said() -> None:
    echo = answer(400, f'{{"error": {{"message": "bad key {KEY} \x1b[31m"}}}}'.encode())
    async with serve([echo]) as wire:
        with pytest.raises(Fault) as caught:
            await post(wire)
    assert KEY not in str(caught.value) + repr(caught.value) + repr(Secret(KEY)) + str(Secret(KEY))


@pytest.mark.parametrize(
    ("base", "chat"),
    [
        ("http://127.0.0.1:80/v1", "http://127.0.0.1:80/v1/chat/completions"),
        ("http://localhost/v1/", "http://localhost/v1/chat/completions"),
        ("http://[::1]:8080", "http://[::1]:8080/chat/completions"),
        ("https://host.example/v1/chat/completions", "https://host.example/v1/chat/completions"),
    ],
)
def test_an_address_is_taken_as_its_operator_means_it(base: str, chat: str) -> None:
    assert endpoint(base).chat == chat
    assert isinstance(endpoint(base), Endpoint)


@pytest.mark.parametrize(
    "base",
    [
        "", "host/v1", "ftp://host/v1", "file:///etc/passwd", "http://host.example/v1", "http://10.0.0.1/v1", "https://",
        "https://u:canary@host/v1", "https://host/v1?key=canary", "https://host/v1#canary", "http://127.0.0.1:99999/v1",
        "https://ho st/v1", "https://host/\x1b[31m", "http://127.0.0.1.evil.example/v1", "http://localhost.evil.example/v1",
    ],
)  # fmt: skip
def test_an_address_that_is_none_or_would_leak_is_refused_without_showing_a_key(base: str) -> None:
    with pytest.raises(UsageError) as caught:
        endpoint(base)
    assert "canary" not in str(caught.value) and "\x1b" not in str(caught.value)
