"""How the report computes: one section after the other in a worker, told of while it goes on, broken off with escape.

No key ever waits for it: what is on screen stays until something newer is there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import count
from typing import NamedTuple

from textual import work
from textual.message import Message

from adjudicate.errors import AdjudicateError, UsageError
from adjudicate.storage.interruptible import Interrupted, interruptible
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.tui.bench import Bench, with_own_store
from adjudicate.tui.report_blocks import Sheet
from adjudicate.tui.report_sections import SECTIONS, Asked, Compute, Section
from adjudicate.tui.screens.workplace import Workplace
from adjudicate.workflow.freshness import State, heads_of, state_of, writes


class Found(NamedTuple):
    """What a computation gave, and when."""

    sheet: Sheet
    at: str
    """Time of day."""
    state: State
    """How far labels and verdicts were then."""
    problem: str = ""
    is_missing: bool = False
    """Whether the problem is that something is not there yet."""


@dataclass(slots=True)
class Job:
    """One computation."""

    number: int
    compute: Compute
    is_stopped: bool = False
    """Whether nobody waits for it any more; set by the screen, read by the worker."""
    share: tuple[int, int] = (0, 0)
    """How many of how many statistics are there."""


class ReportWork(Workplace):
    """The half of the report that computes. The other half says what is shown, and shows it."""

    class Ready(Message):
        """Computed in the background."""

        def __init__(self, job: Job, found: Found) -> None:
            super().__init__()
            self.job = job
            self.found = found

    class Progress(Message):
        """A computation has got on."""

        def __init__(self, job: Job, share: tuple[int, int]) -> None:
            super().__init__()
            self.job, self.share = job, share

    class Looked(Message):
        """Somebody has written, and this is how far things are."""

        def __init__(self, state: State) -> None:
            super().__init__()
            self.state = state

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        self._found: dict[Compute, Found] = {}
        self._due: list[Compute] = []
        """To be computed, one after the other."""
        self._job: Job | None = None
        self._jobs = count(1)
        self._old: set[Compute] = set()
        """Asked for again with `r`: shown until they are computed anew, when next looked at."""
        self._refused: set[Compute] = set()
        """Broken off: not computed again by themselves."""
        self.state = State(heads_of(bench.store), 0, bench.policy.fingerprint)
        """The last look at how far labels and verdicts are."""
        self._writes = writes(bench.store.database)

    def on_unmount(self) -> None:
        """Nobody waits any more; a worker that went on would keep the program from ending."""
        self.stop_computing()

    # What the other half provides

    @property
    def shown(self) -> list[Section]:
        """The sections on screen."""
        return []

    def asked(self, compute: Compute) -> Asked:  # noqa: ARG002 - the other half knows more
        """What a section is computed for."""
        return Asked(self.bench.annotator.id)

    def show_progress(self) -> None:
        """A computation has got on."""

    def show_found(self) -> None:
        """A computation has ended, or numbers have become old."""

    # What the other half asks

    def found(self, compute: Compute) -> Found | None:
        """What was computed, however old."""
        return self._found.get(compute)

    def is_old(self, compute: Compute) -> bool:
        """Whether it was asked for again and is not computed anew yet."""
        return compute in self._old

    @property
    def waiting(self) -> tuple[Compute, ...]:
        """What is being computed, and what will be."""
        return (*([self._job.compute] if self._job else []), *self._due)

    @property
    def head(self) -> str:
        """State of the labelling that the numbers rest on."""
        return next((found.sheet.head for found in self._found.values() if found.sheet.head), "")

    @property
    def progress(self) -> str:
        """What is being computed and how far it is; empty where nothing is."""
        if self._job is None:
            return ""
        title = next((section.title for section in SECTIONS if section.compute == self._job.compute), "").lower()
        done, total = self._job.share
        far = f" {done} of {total}" if total else ""
        more = f", {len(self._due)} more" if self._due else ""
        return f"computing {title}{far}{more} · esc stops"

    # Computing

    def want(self, compute: Compute) -> None:
        """Have a section computed, unless it is there and not old, or was broken off."""
        is_there = compute in self._found and compute not in self._old
        if not is_there and compute not in self._refused and compute not in self.waiting:
            self._due.append(compute)

    def renew_numbers(self) -> None:
        """Everything is to be computed anew: what is shown at once, the rest when it is next shown."""
        self._refused.clear()
        self._old |= self._found.keys()
        self.look_for_changes(at_once=True)
        if self._job is not None and self._job.compute in {section.compute for section in self.shown}:
            self._due.insert(0, self._job.compute)

    def ask_again(self, compute: Compute) -> None:
        """One section is to be computed for something else: what is under way for it is of no use any more."""
        self._refused.discard(compute)
        self._old |= {compute} & self._found.keys()
        if self._job is not None and self._job.compute == compute:
            self._job.is_stopped = True
            self._job = None

    def stop_computing(self) -> bool:
        """Wait for nothing any more; whether anything was waited for."""
        if self._job is None:
            return False
        self._job.is_stopped = True
        self._refused |= set(self.waiting)
        self._job = None
        self._due.clear()
        return True

    def compute_next(self) -> None:
        """Start the next computation where none is under way."""
        if self._job is None and self._due:
            compute = self._due.pop(0)
            self._old.discard(compute)
            self._job = Job(next(self._jobs), compute)
            self._compute(self._job, self.asked(compute))

    @work(thread=True, group="report", exit_on_error=False)
    def _compute(self, job: Job, asked: Asked) -> None:
        at, on_screen = self.bench.clock.now()[11:19], self.state

        def told(done: int, total: int) -> None:
            if job.is_stopped:
                raise Interrupted
            self.post_message(self.Progress(job, (done, total)))

        def look(store: SqliteStore) -> Found:
            with interruptible(store.database, lambda: job.is_stopped):
                # Before the numbers: a label that comes meanwhile makes them old, whether they have it or not.
                state = state_of(store)
                try:
                    return Found(job.compute(store, replace(asked, told=told)), at, state)
                except UsageError as problem:
                    return Found(Sheet(), at, state, str(problem), is_missing=True)

        try:
            found = with_own_store(self.bench.database, look)
        except Interrupted:
            return
        except AdjudicateError as problem:
            found = Found(Sheet(), at, on_screen, str(problem))
        self.post_message(self.Ready(job, found))

    def worker_failed(self, group: str, name: str) -> None:
        """Say so where the numbers would be."""
        if group == "report" and self._job is not None:
            words = f"this section could not be computed ({name})"
            self.post_message(self.Ready(self._job, Found(Sheet(), self.bench.clock.now()[11:19], self.state, words)))

    def on_report_work_progress(self, message: Progress) -> None:
        """How far it is."""
        if message.job is self._job:
            message.job.share = message.share
            self.show_progress()

    def on_report_work_ready(self, message: Ready) -> None:
        """The numbers have come; those that nobody waits for any more are of no use."""
        if message.job is not self._job:
            return
        self._found[message.job.compute] = message.found
        self._job = None
        self._saw(message.found.state)
        self.compute_next()
        self.show_found()

    # Whether the numbers are old

    def look_for_changes(self, *, at_once: bool = False) -> None:
        """See whether anybody has written since; on the screen's thread only what costs nothing.

        Args:
            at_once: Whether it may have been this program, whose own writing does not show otherwise.
        """
        if not at_once and self.app.screen is not self:
            return
        now = writes(self.bench.store.database)
        if now == self._writes and not at_once:
            return
        self._writes = now
        self.state = replace(self.state, heads=heads_of(self.bench.store), policy=self.bench.policy.fingerprint)
        self._look()
        self.show_found()

    @work(thread=True, exclusive=True, group="look", exit_on_error=False)
    def _look(self) -> None:
        self.post_message(self.Looked(with_own_store(self.bench.database, state_of)))

    def on_report_work_looked(self, message: Looked) -> None:
        """How far verdicts are, which takes a pass over them."""
        self._saw(message.state)
        self.show_found()

    def _saw(self, state: State) -> None:
        """The newer of two looks: labels of this program may have come after the worker's."""
        self.state = replace(state, heads=heads_of(self.bench.store), policy=self.bench.policy.fingerprint)
