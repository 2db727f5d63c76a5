"""Asking a judge about items: each gets a verdict, or one that failed with its words; without a reply there is none."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from typing import Any

from adjudicate.core.items import Verdict
from adjudicate.core.policy import Policy
from adjudicate.core.steering import steering_signs
from adjudicate.judge.chat import Completion, UnusableBody, request_body
from adjudicate.judge.prompt import INSTRUCTIONS, JudgePrompt, Question
from adjudicate.judge.reply import read_reply
from adjudicate.storage import attempts, judge_runs
from adjudicate.storage.attempts import Ended, Sent
from adjudicate.storage.connection import Database
from adjudicate.storage.judge_runs import Claim, Entry, Judged, JudgeIdentity, Served
from adjudicate.storage.runner_lock import running
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.asking import Account, Asking, Exchange, Reply, Server, Tell
from adjudicate.workflow.group_commit import GroupCommit


@dataclass(frozen=True, slots=True)
class JudgeOrder:
    """Which judge is asked, and how."""

    name: str | None = None
    """What the judge is called here; by default the model that the server is asked for."""
    instructions: str = INSTRUCTIONS
    parameters: Mapping[str, Any] = field(default_factory=lambda: {"temperature": 0, "seed": 0, "max_tokens": 400})
    schema: bool = True
    """Hold replies to a JSON schema where the server offers that."""
    repeats: int = 0
    """How often each item is asked about beyond the verdict that counts."""


@dataclass
class JudgeAccount(Account):
    """How far a call got, and what the judge said."""

    judged: Counter[str] = field(default_factory=Counter)
    """Verdicts by outcome."""
    failed: Counter[str] = field(default_factory=Counter)
    """Replies that were no verdict, by reason."""
    remarks: Counter[str] = field(default_factory=Counter)
    """What is odd about verdicts that count."""
    steering: int = 0
    """Responses that speak to the judge."""
    judge: JudgeIdentity | None = None


def run_judge(
    store: SqliteStore,
    policy: Policy,
    server: Server,
    order: JudgeOrder,
    now: Callable[[], str],
    *,
    only: Sequence[str] | None = None,
    tell: Tell | None = None,
) -> JudgeAccount:
    """Ask a judge about every item that lacks its verdict.

    Args:
        store: The workspace's store.
        policy: The policy to judge by.
        server: Where to ask, and within which bounds.
        order: Which judge.
        now: The wall clock.
        only: Ids of the items to ask about; None for all.
        tell: Told after every question.

    Raises:
        UsageError: The judge's name is that of another judge.
        StoreError: Nothing can be written.
        KeyboardInterrupt: Stopped by the person; what was claimed is let go, what was answered is stored.
    """
    database, prompt = store.database, JudgePrompt(policy, order.instructions)
    judge = judge_runs.add_judge(database, _identity(store, server.model, order, prompt))
    attempts.release_dead(database, judge.id, now())
    account = JudgeAccount(judge=judge, served=judge.served)
    account.total = judge_runs.waiting(database, judge.id, order.repeats, only)
    with running(database.path) as owner:
        try:
            for repeat in range(order.repeats + 1):
                work = _Judging(
                    database, prompt, order, account, model=server.model, owner=owner, now=now, repeat=repeat, only=only
                )
                asyncio.run(Asking(server, work, account, tell).run())
        finally:
            attempts.release(database, owner, now())
    account.judge = replace(judge, served=account.served)
    return account


def _identity(store: SqliteStore, model: str, order: JudgeOrder, prompt: JudgePrompt) -> JudgeIdentity:
    parameters = {**order.parameters, "schema": order.schema}
    judge = JudgeIdentity(order.name or model, model, prompt.prompt_hash, prompt.policy.fingerprint, parameters)
    known = judge_runs.judge_named(store.database, judge.name)
    if order.name is None and known is not None and known.id != judge.id:
        # The same model with another prompt, policy or setting: another judge, told apart by the start of its id.
        return replace(judge, name=f"{judge.name} {judge.id[:6]}")
    return judge


class _Judging:
    """The work of one pass: one question an item."""

    def __init__(
        self,
        database: Database,
        prompt: JudgePrompt,
        order: JudgeOrder,
        account: JudgeAccount,
        *,
        model: str,
        owner: str,
        now: Callable[[], str],
        repeat: int,
        only: Sequence[str] | None,
    ) -> None:
        assert account.judge is not None
        self._judge = account.judge
        self._prompt = prompt
        self._model = model
        self._order = order
        self._account = account
        self._now = now
        self._place = 0
        claim = partial(judge_runs.claim, database, self._judge.id, owner, repeat=repeat, only=only)
        self._claim: Callable[..., list[Claim]] = claim
        self._ledger: GroupCommit[Entry] = GroupCommit(partial(judge_runs.write, database, self._judge.id))

    def claim(self, most: int) -> Sequence[Claim]:
        claims = self._claim(self._now(), after=self._place, most=most)
        self._place = claims[-1].place if claims else self._place
        return claims

    async def sent(self, claim: Claim, body: bytes) -> None:
        await self._ledger.put(Sent(claim.attempt, sha256(body).hexdigest()))

    async def served(self, model: str) -> None:
        await self._ledger.put(Served(model))

    def parked(self, claim: Claim, said: str) -> None:
        self._ledger.note(Ended(claim.attempt, answered=False, reply=said, at=self._now()))

    def flush(self) -> None:
        self._ledger.flush()

    async def ask(self, claim: Claim, exchange: Exchange) -> None:
        item = claim.item
        question = self._prompt.question(item.prompt.messages, item.response, item.prompt.intent)
        signs = steering_signs(item.response)
        verdict = self._verdict(question, await exchange(self._bodies(question)))
        self._count(verdict)
        self._account.steering += bool(signs)
        self._ledger.note(Judged(claim, verdict, verdict.raw or None, signs, self._now()))

    def _bodies(self, question: Question) -> list[bytes]:
        """With a schema, and without one for a server that refuses it."""
        body = partial(request_body, self._model, question.messages, self._order.parameters)
        return [body(question.schema), body()] if self._order.schema else [body()]

    def _verdict(self, question: Question, reply: Reply) -> Verdict:
        if isinstance(reply, UnusableBody):
            return self._failed(str(reply), reply.body)
        return self._read(question, reply)

    def _read(self, question: Question, reply: Completion) -> Verdict:
        read = read_reply(reply.text, question.form, finish_reason=reply.finish_reason)
        if read.outcome is None:
            return self._failed(read.problem, reply.text or "")
        if read.remark:
            self._account.remarks[read.remark] += 1
        reason = f"{read.clause}: {read.reason}" if read.clause else read.reason
        helpfulness, safety = read.scores.get("helpfulness"), read.scores.get("safety")
        return Verdict(self._judge.name, read.outcome, helpfulness=helpfulness, safety=safety, reason=reason)

    def _failed(self, problem: str, raw: str) -> Verdict:
        """A verdict that is none: judge failed, with the judge's own words."""
        return Verdict(self._judge.name, None, reason=problem, raw=raw)

    def _count(self, verdict: Verdict) -> None:
        if verdict.outcome is None:
            self._account.failed[verdict.reason] += 1
        else:
            self._account.judged[verdict.outcome] += 1
