"""Asking a subject model the prompts of a set, and taking its answers in as items of a run."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from typing import Any

from adjudicate import __version__
from adjudicate.benchmarks.prompt_rows import PromptRow
from adjudicate.core.items import Message, RowDraft
from adjudicate.judge.chat import UnusableBody, request_body
from adjudicate.judge.sending import Parked
from adjudicate.storage import attempts, subject_runs
from adjudicate.storage.attempts import Asked, Ended, Said, Sent
from adjudicate.storage.classified_rows import classified_rows
from adjudicate.storage.connection import Database
from adjudicate.storage.import_rows import Added, RunDraft, importing
from adjudicate.storage.paired_rows import Part
from adjudicate.storage.rows import Run
from adjudicate.storage.runner_lock import running
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.storage.subject_runs import SubjectClaim
from adjudicate.workflow.asking import Account, Asking, Exchange, Server, Tell
from adjudicate.workflow.group_commit import GroupCommit

SYSTEM = "You are a helpful assistant."
"""Neutral: no word of it is about safety or refusing."""
FORMAT = "benchmark"


@dataclass(frozen=True, slots=True)
class SubjectOrder:
    """What is asked of which model, and how."""

    set_name: str
    set_sha256: str
    rows: tuple[PromptRow, ...]
    name: str
    """What the model is called here."""
    model: str
    """As the server is asked for it."""
    system: str = SYSTEM
    parameters: Mapping[str, Any] = field(default_factory=lambda: {"temperature": 0, "seed": 0, "max_tokens": 800})
    epochs: int = 1
    """How often each prompt is asked; the seed of each epoch is one more than that of the one before."""

    @property
    def run(self) -> str:
        """Hash of everything that can change an answer; the number of epochs is not among it, so that more can be asked later."""
        what = [FORMAT, self.set_sha256, self.name, self.model, self.system, dict(self.parameters)]
        return sha256(json.dumps(what, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()[:32]

    @property
    def tasks(self) -> frozenset[str]:
        """Ids of the rows that are graded by a rule."""
        return frozenset(row.id for row in self.rows if row.grader is not None)

    def questions(self) -> list[Asked]:
        """Every prompt once an epoch, whole epochs one after another."""
        return [Asked(row.id, epoch) for epoch in range(self.epochs) for row in self.rows]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said to one prompt: an answer to each turn."""

    turns: tuple[str, ...]
    finish_reason: str | None
    model: str
    """The model that said it answered."""

    def as_json(self) -> str:
        """As noted with the attempt."""
        return json.dumps({"turns": self.turns, "finish_reason": self.finish_reason, "model": self.model}, ensure_ascii=True)

    @classmethod
    def of(cls, noted: str) -> Answer:
        """As it was noted."""
        found = json.loads(noted)
        return cls(tuple(found["turns"]), found["finish_reason"], found["model"])


def ask_subject(
    store: SqliteStore, server: Server, order: SubjectOrder, now: Callable[[], str], tell: Tell | None = None
) -> Account:
    """Ask every prompt that has no answer yet.

    Args:
        store: The workspace's store.
        server: Where to ask, and within which bounds.
        order: What to ask.
        now: The wall clock.
        tell: Told after every question.

    Raises:
        StoreError: Nothing can be written.
        KeyboardInterrupt: Stopped by the person; what was claimed is let go, what was answered is stored.
    """
    database = store.database
    attempts.release_dead(database, order.run, now())
    known = answers(store, order)
    begun = map(Answer.of, subject_runs.begun(database, order.run).values())
    account = Account(served=next((answer.model for answer in (*known.values(), *begun)), ""))
    account.total = len(order.questions()) - len(known)
    with running(database.path) as owner:
        try:
            asyncio.run(Asking(server, _Subject(database, order, owner, now), account, tell).run())
        finally:
            attempts.release(database, owner, now())
    return account


def answers(store: SqliteStore, order: SubjectOrder) -> dict[Asked, Answer]:
    """Every answer that a run has so far, in the order of its questions."""
    noted = subject_runs.answers(store.database, order.run)
    return {each: Answer.of(noted[each]) for each in order.questions() if each in noted}


def last_epoch(store: SqliteStore, order: SubjectOrder) -> int:
    """The highest epoch that was asked of a run, from 0."""
    return max((asked.repeat for asked in subject_runs.answers(store.database, order.run)), default=0)


def name_here(store: SqliteStore, order: SubjectOrder) -> str:
    """What the model is called in the workspace.

    Asked anew with another setting it is told apart by the beginning of the run's hash: under one name, an answer that it gives
    both times would be one item of the first run, and the second would be left with those that differ.
    """
    known = _noted(store, order)
    if known is not None:
        return known.name.removeprefix(f"{known.dataset} ")
    usual = f"{order.set_name} {order.name}"
    taken = any(run.format == FORMAT and run.name == usual for run in store.runs())
    return f"{order.name} {order.run[:6]}" if taken else order.name


def items_of(store: SqliteStore, order: SubjectOrder) -> list[str]:
    """Ids of the answers that were taken in."""
    known = _noted(store, order)
    return [] if known is None else [row.item.id for row in classified_rows(store, None, Part(known.id))]


def _noted(store: SqliteStore, order: SubjectOrder) -> Run | None:
    """The run as it was taken in before."""
    runs = (run for run in store.runs() if run.format == FORMAT and run.dataset == order.set_name)
    return next((run for run in runs if json.loads(store.run_options(run.id))["run"] == order.run), None)


def take_in(store: SqliteStore, order: SubjectOrder, at: str) -> Added:
    """Make items of the answers; those that are items already change nothing.

    Answers to tasks are no items, since a rule has graded them. A run of nothing else is still noted, to be found again.
    """
    called = name_here(store, order)
    every = answers(store, order)
    known = {asked: answer for asked, answer in every.items() if asked.question not in order.tasks}
    options: dict[str, object] = {"system": order.system, "model": order.model, "parameters": dict(order.parameters)}
    if called != order.name:
        options["name"] = order.name
    draft = RunDraft(
        name=f"{order.set_name} {called}",
        dataset=order.set_name,
        format=FORMAT,
        source_name=order.set_name,
        source_sha256=order.set_sha256,
        options=json.dumps({**options, "run": order.run}, sort_keys=True),
    )
    with importing(store.database, store.policy().fingerprint, at, f"adjudicate {__version__}") as transaction:
        transaction.run(draft)
        added = transaction.add(_drafts(order, known, called))
    if len(known) < len(every):
        subject_runs.declare(store.database, draft, at, f"adjudicate {__version__}")
    return added


def _drafts(order: SubjectOrder, known: Mapping[Asked, Answer], called: str) -> Iterator[RowDraft]:
    rows = {row.id: (line, row) for line, row in enumerate(order.rows, 1)}
    for asked, answer in known.items():
        line, row = rows[asked.question]
        messages = _conversation(row, answer.turns[:-1])
        yield RowDraft(
            line=line,
            source_id=row.id if asked.repeat == 0 else f"{row.id}#{asked.repeat + 1}",
            prompt=row.turns[-1],
            messages=messages if len(messages) > 1 else None,
            response=answer.turns[-1],
            model=called,
            intent=row.intent,
            population=row.population,
            category=row.category,
            language=row.language,
            pair=row.pair,
            verdicts=(),
            labels=(),
            gold=None,
            source="",
        )


def _conversation(row: PromptRow, said: Sequence[str]) -> tuple[Message, ...]:
    """All turns up to the next one that is asked.

    Args:
        row: The prompt.
        said: The answers so far.
    """
    turns = list(row.before)
    for asked, answer in zip(row.turns, said, strict=False):
        turns += [Message("user", asked), Message("assistant", answer)]
    return (*turns, Message("user", row.turns[len(said)]))


class _Subject:
    """The work: one question a prompt and epoch."""

    def __init__(self, database: Database, order: SubjectOrder, owner: str, now: Callable[[], str]) -> None:
        self._order = order
        self._rows = {row.id: row for row in order.rows}
        self._now = now
        self._claim = partial(subject_runs.claim, database, order.run, owner)
        self._ledger: GroupCommit[Sent | Said | Ended] = GroupCommit(partial(subject_runs.write, database))
        self._questions = order.questions()

    def claim(self, most: int) -> Sequence[SubjectClaim]:
        claims = self._claim(self._now(), questions=self._questions, most=most)
        # What was parked in this call is not asked again in it.
        claimed = {each.asked for each in claims}
        last = max((place for place, each in enumerate(self._questions) if each in claimed), default=len(self._questions) - 1)
        self._questions = self._questions[last + 1 :]
        return claims

    async def sent(self, claim: SubjectClaim, body: bytes) -> None:
        await self._ledger.put(Sent(claim.attempt, sha256(body).hexdigest()))

    async def served(self, model: str) -> None:
        """Every answer says so itself."""

    def parked(self, claim: SubjectClaim, said: str) -> None:
        self._ledger.note(Ended(claim.attempt, answered=False, reply=said, at=self._now()))

    def flush(self) -> None:
        self._ledger.flush()

    async def ask(self, claim: SubjectClaim, exchange: Exchange) -> None:
        row = self._rows[claim.asked.question]
        # The turns that a runner before has paid for are not asked again.
        said = list(Answer.of(claim.begun).turns) if claim.begun is not None else []
        parameters = {**self._order.parameters, "seed": self._order.parameters["seed"] + claim.asked.repeat}
        model = finish_reason = None
        for left in reversed(range(len(row.turns) - len(said))):
            messages = (Message("system", self._order.system), *_conversation(row, said))
            reply = await exchange([request_body(self._order.model, messages, parameters)])
            if isinstance(reply, UnusableBody):
                raise Parked(str(reply), reply.body)
            # No text is an answer too: one that helps nobody.
            said.append(reply.text or "")
            model, finish_reason = reply.model, reply.finish_reason
            if left:
                self._ledger.note(Said(claim.attempt, Answer(tuple(said), finish_reason, model).as_json()))
        answer = Answer(tuple(said), finish_reason, model or "")
        self._ledger.note(Ended(claim.attempt, answered=True, reply=answer.as_json(), at=self._now()))
