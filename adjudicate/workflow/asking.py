"""Asking a server many questions: bounded in width and spend, one model throughout, and resumable at any moment.

What is asked, and what becomes of a reply, is the work's own business (`workflow.run_judge`, `workflow.run_benchmark`); what the
two have in common is here.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from typing import Any, Generic, Protocol, TypeVar

from adjudicate.core.text import shortened
from adjudicate.judge.chat import Completion, UnusableBody, read_completion
from adjudicate.judge.endpoint import Endpoint
from adjudicate.judge.secret import Secret
from adjudicate.judge.sending import Parked, Sender, Stopped

CLAIMED_AT_ONCE = 16
"""Questions that each worker's share of a claim holds: a claim costs a transaction."""
IN_A_ROW = 20
"""So many questions parked one after another, and the run ends: a server that answers nothing is not asked ten thousand times."""

Claim = TypeVar("Claim")
Reply = Completion | UnusableBody
Exchange = Callable[[Sequence[bytes]], Awaitable[Reply]]
"""Sends a body, or where the server refuses that with status 400 the next one, and gives the reply."""


@dataclass(frozen=True, slots=True)
class Server:
    """Where questions go, and within which bounds."""

    endpoint: Endpoint
    key: Secret | None
    model: str
    """As the server is asked for it."""
    width: int = 8
    """Requests at a time."""
    deadline: float = 120.0
    """Seconds for one reply."""
    most_requests: int | None = None
    """Sends of this call at most, tries that failed among them."""
    most_tokens: int | None = None
    """Tokens of this call, as the server counts them; looked at before each send."""


@dataclass
class Account:
    """How far a call got."""

    total: int = 0
    """Questions that waited when it began."""
    answered: int = 0
    parked: Counter[str] = field(default_factory=Counter)
    """Questions that got no reply, by reason."""
    requests: int = 0
    tokens: int = 0
    seconds: float = 0.0
    served: str = ""
    """The model that says it answers; empty before the first reply."""
    stopped: str = ""
    """Why the run ended before everything was asked; empty where it did not."""

    @property
    def done(self) -> int:
        """Questions that came to an end."""
        return self.answered + self.parked.total()


Tell = Callable[[Account], None]


class Work(Protocol[Claim]):
    """What is asked, and what becomes of it. What is noted is written in that order."""

    def claim(self, most: int) -> Sequence[Claim]:
        """The next questions that nobody else asks; none at the end."""
        ...

    async def sent(self, claim: Claim, body: bytes) -> None:
        """A body is about to be sent; on return that, and all that was noted before, is on disk."""
        ...

    async def served(self, model: str) -> None:
        """The first reply ever says which model answers."""
        ...

    async def ask(self, claim: Claim, exchange: Exchange) -> None:
        """Ask a question and note what comes of it."""
        ...

    def parked(self, claim: Claim, said: str) -> None:
        """A question gets no reply now; the server's words are noted."""
        ...

    def flush(self) -> None:
        """Everything that was noted is on disk on return."""
        ...


class Asking(Generic[Claim]):
    """Workers that share what is claimed, what is spent and what is known of the server."""

    def __init__(self, server: Server, work: Work[Claim], account: Account, tell: Tell | None) -> None:
        """Set up.

        Args:
            server: Where to ask.
            work: What to ask.
            account: Filled in as it goes; `served` may be known from before.
            tell: Told after every question.
        """
        self._server = server
        self._work = work
        self._account = account
        self._tell = tell or (lambda _: None)
        self._claimed: deque[Claim] = deque()
        self._in_a_row = 0
        self._refused = 0
        """How many of the bodies offered for a question this server is known to refuse."""

    async def run(self) -> None:
        """Ask everything that can be claimed."""
        started = time.monotonic()
        server = self._server
        try:
            async with Sender(server.endpoint, server.key, width=server.width, deadline=server.deadline) as sender:
                await _all([self._take_turns(sender) for _ in range(server.width)])
        finally:
            # However the run ends, what was answered is on disk.
            self._work.flush()
            self._account.seconds += time.monotonic() - started

    async def _take_turns(self, sender: Sender) -> None:
        """One claimed question after another, until none is left or the run has to stop."""
        account = self._account
        while not account.stopped and (claim := self._next()) is not None:
            try:
                await self._ask(sender, claim)
            except Stopped as fault:
                # The other workers end what they have sent: it is paid for.
                account.stopped = account.stopped or str(fault)
            self._tell(account)

    def _next(self) -> Claim | None:
        if not self._claimed:
            self._claimed += self._work.claim(CLAIMED_AT_ONCE * self._server.width)
        return self._claimed.popleft() if self._claimed else None

    async def _ask(self, sender: Sender, claim: Claim) -> None:
        try:
            await self._work.ask(claim, partial(self._exchange, sender, claim))
        except Parked as fault:
            self._account.parked[str(fault)] += 1
            self._work.parked(claim, fault.said or str(fault))
            self._in_a_row += 1
            if self._in_a_row >= IN_A_ROW:
                raise Stopped(f"{IN_A_ROW} questions in a row got no reply; the last: {fault}") from None
        else:
            self._in_a_row = 0
            self._account.answered += 1

    async def _exchange(self, sender: Sender, claim: Claim, bodies: Sequence[bytes]) -> Reply:
        reply = await self._post(sender, claim, bodies)
        try:
            completion = read_completion(reply)
        except UnusableBody as problem:
            return problem
        await self._check_model(completion.model)
        self._account.tokens += completion.usage.prompt_tokens + completion.usage.completion_tokens
        return completion

    async def _post(self, sender: Sender, claim: Claim, bodies: Sequence[bytes]) -> bytes:
        first = min(self._refused, len(bodies) - 1)
        for place, body in enumerate(bodies[first:], first):
            try:
                reply = await sender.post(body, partial(self._before_send, claim, body))
            except Parked as fault:
                if fault.status != HTTPStatus.BAD_REQUEST or place == len(bodies) - 1:
                    raise
            else:
                self._refused = place
                return reply
        raise AssertionError("the last body gives a reply or raises")

    async def _before_send(self, claim: Claim, body: bytes) -> None:
        server, account = self._server, self._account
        if server.most_requests is not None and account.requests >= server.most_requests:
            raise Stopped("the budget of --most-requests is spent; the same command goes on from here")
        if server.most_tokens is not None and account.tokens >= server.most_tokens:
            raise Stopped("the budget of --most-tokens is spent; the same command goes on from here")
        account.requests += 1
        await self._work.sent(claim, body)

    async def _check_model(self, model: str) -> None:
        """One run is one model: replies of another are never put among its own."""
        account = self._account
        if model == account.served:
            return
        if account.served:
            raise Stopped(
                f"the server answers as {shortened(model or 'a model without a name', 60)}, and answered here as"
                f" {shortened(account.served, 60)} before; to go on with the other model, give another --name"
            )
        account.served = model
        await self._work.served(model)


async def _all(work: Sequence[Coroutine[Any, Any, None]]) -> None:
    """Run everything to its end; where one breaks, the others are ended too."""
    tasks = [asyncio.ensure_future(each) for each in work]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
