"""Asking a judge about items: claim, send, read, store; bounded in width and spend, and resumable at any moment."""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from http import HTTPStatus
from typing import Any

from adjudicate.core.items import Verdict
from adjudicate.core.policy import Policy
from adjudicate.core.steering import steering_signs
from adjudicate.core.text import shortened
from adjudicate.judge.chat import Completion, UnusableBody, read_completion, request_body
from adjudicate.judge.endpoint import Endpoint
from adjudicate.judge.prompt import INSTRUCTIONS, JudgePrompt, Question
from adjudicate.judge.reply import read_reply
from adjudicate.judge.secret import Secret
from adjudicate.judge.sending import Parked, Sender, Stopped
from adjudicate.storage import judge_runs
from adjudicate.storage.judge_runs import Claim, Ended, JudgeIdentity, Sent, Served
from adjudicate.storage.runner_lock import running
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.group_commit import GroupCommit

CLAIMED_AT_ONCE = 16
"""Items that each worker's share of a claim holds: a claim costs a transaction."""
IN_A_ROW = 20
"""So many items parked one after another, and the run ends: a server that answers nothing is not asked ten thousand times."""


@dataclass(frozen=True, slots=True)
class JudgeOrder:
    """What is asked for."""

    endpoint: Endpoint
    key: Secret | None
    model: str
    """As the server is asked for it."""
    name: str | None = None
    """What the judge is called here; by default the model that answers."""
    instructions: str = INSTRUCTIONS
    parameters: Mapping[str, Any] = field(default_factory=lambda: {"temperature": 0, "seed": 0, "max_tokens": 400})
    schema: bool = True
    """Hold replies to a JSON schema; the server may not offer that."""
    repeats: int = 0
    """How often each item is asked about beyond the verdict that counts."""
    width: int = 8
    deadline: float = 120.0
    most_requests: int | None = None
    """Sends of this call at most, tries that failed among them."""
    most_tokens: int | None = None
    """Tokens of this call, as the server counts them; looked at before each send."""


@dataclass
class JudgeProgress:
    """How far a call got."""

    total: int = 0
    """Questions that waited when it began."""
    judged: Counter[str] = field(default_factory=Counter)
    """Verdicts by outcome."""
    failed: Counter[str] = field(default_factory=Counter)
    """Replies that were no verdict, by reason."""
    parked: Counter[str] = field(default_factory=Counter)
    """Items that got no reply, by reason."""
    remarks: Counter[str] = field(default_factory=Counter)
    """What is odd about verdicts that count."""
    steering: int = 0
    """Responses that speak to the judge."""
    requests: int = 0
    tokens: int = 0
    released: int = 0
    """Attempts of runners that had died, taken over."""
    seconds: float = 0.0
    judge: JudgeIdentity | None = None
    stopped: str = ""
    """Why the run ended before everything was asked; empty where it did not."""

    @property
    def done(self) -> int:
        """Questions that came to an end."""
        return self.judged.total() + self.failed.total() + self.parked.total()


Progress = Callable[[JudgeProgress], None]


def run_judge(
    store: SqliteStore,
    policy: Policy,
    order: JudgeOrder,
    now: Callable[[], str],
    *,
    only: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> JudgeProgress:
    """Ask a judge about every item that lacks its verdict.

    Args:
        store: The workspace's store.
        policy: The policy to judge by.
        order: Which judge, and within which bounds.
        now: The wall clock.
        only: Ids of the items to ask about; None for all.
        progress: Told after every question.

    Raises:
        StoreError: The judge's name is that of another judge, or nothing can be written.
        KeyboardInterrupt: Stopped by the person; what was claimed is let go, what was answered is stored.
    """
    return asyncio.run(_Run(store, policy, order, now, only=only, progress=progress).whole())


class _Run:
    """One call: its workers share what is claimed, what is spent and what is known of the server."""

    def __init__(
        self,
        store: SqliteStore,
        policy: Policy,
        order: JudgeOrder,
        now: Callable[[], str],
        *,
        only: Sequence[str] | None,
        progress: Progress | None,
    ) -> None:
        self._database = store.database
        self._order = order
        self._prompt = JudgePrompt(policy, order.instructions)
        self._now = now
        self._only = only
        self._tell = progress or (lambda _: None)
        self._at = JudgeProgress()
        self._claimed: deque[Claim] = deque()
        self._place = 0
        self._in_a_row = 0
        self._schema = order.schema

    async def whole(self) -> JudgeProgress:
        """Ask everything; what this runner has claimed and not asked is let go, whatever ends it."""
        started = time.monotonic()
        order = self._order
        judge = judge_runs.add_judge(self._database, self._identity())
        self._judge, self._served = judge, judge.served
        self._at.judge = judge
        self._at.released = judge_runs.release_dead(self._database, judge.id, self._now())
        self._at.total = judge_runs.waiting(self._database, judge.id, order.repeats, self._only)
        self._ledger = GroupCommit(partial(judge_runs.write, self._database, judge.id))
        with running(self._database.path) as owner:
            try:
                async with Sender(order.endpoint, order.key, width=order.width, deadline=order.deadline) as sender:
                    for repeat in range(order.repeats + 1):
                        self._place = 0
                        await _all([self._work(sender, owner, repeat) for _ in range(order.width)])
            finally:
                judge_runs.release(self._database, owner, self._now())
                self._at.seconds = time.monotonic() - started
        return self._at

    def _identity(self) -> JudgeIdentity:
        order, prompt = self._order, self._prompt
        parameters = {**order.parameters, "schema": order.schema}
        judge = JudgeIdentity(order.name or order.model, order.model, prompt.prompt_hash, prompt.policy.fingerprint, parameters)
        known = judge_runs.judge_named(self._database, judge.name)
        if order.name is None and known is not None and known.id != judge.id:
            # The same model with another prompt, policy or setting: another judge, told apart by the start of its id.
            return replace(judge, name=f"{judge.name} {judge.id[:6]}")
        return judge

    async def _work(self, sender: Sender, owner: str, repeat: int) -> None:
        """Take one claimed item after another, until none is left or the run has to stop."""
        while not self._at.stopped and (claim := self._next(owner, repeat)) is not None:
            try:
                await self._ask(sender, claim)
            except Stopped as fault:
                # The others end what they have sent: it is paid for.
                self._at.stopped = self._at.stopped or str(fault)
            self._tell(self._at)

    def _next(self, owner: str, repeat: int) -> Claim | None:
        if not self._claimed:
            most = CLAIMED_AT_ONCE * self._order.width
            claims = judge_runs.claim(
                self._database, self._judge.id, owner, self._now(), repeat=repeat, after=self._place, most=most, only=self._only
            )
            self._claimed += claims
            self._place = claims[-1].place if claims else self._place
        return self._claimed.popleft() if self._claimed else None

    async def _ask(self, sender: Sender, claim: Claim) -> None:
        item = claim.item
        question = self._prompt.question(item.prompt.messages, item.response, item.prompt.intent)
        signs = steering_signs(item.response)
        try:
            body = await self._exchange(sender, claim, question)
        except Parked as fault:
            self._at.parked[str(fault)] += 1
            await self._ledger.put(Ended(claim, self._now(), fault.said or str(fault), None, signs))
            self._in_a_row += 1
            if self._in_a_row >= IN_A_ROW:
                raise Stopped(f"{IN_A_ROW} items in a row got no reply; the last: {fault}") from None
            return
        self._in_a_row = 0
        await self._store(claim, question, body, signs)

    async def _exchange(self, sender: Sender, claim: Claim, question: Question) -> bytes:
        """The body of the reply; a server that refuses a schema is asked without one from then on."""
        order = self._order
        with_schema = self._schema
        body = request_body(order.model, question.messages, order.parameters, question.schema if with_schema else None)
        try:
            return await sender.post(body, partial(self._before_send, claim, body))
        except Parked as fault:
            if not with_schema or fault.status != HTTPStatus.BAD_REQUEST:
                raise
        body = request_body(order.model, question.messages, order.parameters)
        reply = await sender.post(body, partial(self._before_send, claim, body))
        self._schema = False
        return reply

    async def _before_send(self, claim: Claim, body: bytes) -> None:
        order, at = self._order, self._at
        if order.most_requests is not None and at.requests >= order.most_requests:
            raise Stopped(f"the budget of {order.most_requests:,} requests is spent; the same command goes on from here")
        if order.most_tokens is not None and at.tokens >= order.most_tokens:
            raise Stopped(f"the budget of {order.most_tokens:,} tokens is spent; the same command goes on from here")
        at.requests += 1
        await self._ledger.put(Sent(claim.attempt, sha256(body).hexdigest()))

    async def _store(self, claim: Claim, question: Question, body: bytes, signs: tuple[str, ...]) -> None:
        try:
            completion = read_completion(body)
        except UnusableBody as problem:
            verdict = _failed(self._judge.name, str(problem), body.decode("utf-8", "replace"))
        else:
            await self._check_model(claim, completion, signs)
            self._at.tokens += completion.usage.prompt_tokens + completion.usage.completion_tokens
            verdict = self._verdict(question, completion)
        self._count(verdict)
        self._at.steering += bool(signs)
        await self._ledger.put(Ended(claim, self._now(), verdict.raw or None, verdict, signs))

    async def _check_model(self, claim: Claim, completion: Completion, signs: tuple[str, ...]) -> None:
        """One judge is one model: verdicts of another are never put among its own."""
        if completion.model == self._served:
            return
        if not self._served:
            self._served = completion.model
            self._at.judge = self._judge = replace(self._judge, served=completion.model)
            await self._ledger.put(Served(completion.model))
            return
        await self._ledger.put(Ended(claim, self._now(), completion.text, None, signs))
        raise Stopped(
            f"the server answers as {shortened(completion.model or 'a model without a name', 60)}, and answered this judge as"
            f" {shortened(self._served, 60)} before; to go on with the other model, give the judge another --name"
        )

    def _verdict(self, question: Question, completion: Completion) -> Verdict:
        read = read_reply(completion.text, question.form, finish_reason=completion.finish_reason)
        if read.outcome is None:
            return _failed(self._judge.name, read.problem, completion.text or "")
        if read.remark:
            self._at.remarks[read.remark] += 1
        reason = f"{read.clause}: {read.reason}" if read.clause else read.reason
        helpfulness, safety = read.scores.get("helpfulness"), read.scores.get("safety")
        return Verdict(self._judge.name, read.outcome, helpfulness=helpfulness, safety=safety, reason=reason)

    def _count(self, verdict: Verdict) -> None:
        if verdict.outcome is None:
            self._at.failed[verdict.reason] += 1
        else:
            self._at.judged[verdict.outcome] += 1


def _failed(judge: str, problem: str, raw: str) -> Verdict:
    """A verdict that is none: judge failed, with the judge's own words."""
    return Verdict(judge, None, reason=problem, raw=raw)


async def _all(work: Sequence[Coroutine[Any, Any, None]]) -> None:
    """Run everything to its end; where one breaks, the others are ended too."""
    tasks = [asyncio.ensure_future(each) for each in work]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
