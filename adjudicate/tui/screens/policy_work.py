"""What the policy screen does in workers: read the book, compare two versions, foresee what a policy changes, adopt it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from textual.message import Message

from adjudicate.core.policy import Policy
from adjudicate.core.text import shortened
from adjudicate.errors import AdjudicateError, InputError
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.tui.bench import with_own_store
from adjudicate.tui.screens.workplace import Workplace
from adjudicate.workflow.adopt_policy import Adoption, adopt, look_ahead
from adjudicate.workflow.policy_book import Book, Compared, compared, policy_from_file, read_book


class PolicyWork:
    """Workers of a screen, which is told by messages what came of them."""

    class Read(Message):
        """The book, or why there is none."""

        def __init__(self, book: Book | None, problem: str = "") -> None:
            super().__init__()
            self.book, self.problem = book, problem

    class Differ(Message):
        """Two versions were compared."""

        def __init__(self, fingerprint: str, found: Compared) -> None:
            super().__init__()
            self.fingerprint, self.found = fingerprint, found

    class Foreseen(Message):
        """What a policy would bring about, or why it cannot be adopted."""

        def __init__(self, ahead: Adoption | None, problem: str = "") -> None:
            super().__init__()
            self.ahead, self.problem = ahead, problem

    class Adopted(Message):
        """It is in force, or it is not."""

        def __init__(self, policy: Policy, problem: str = "") -> None:
            super().__init__()
            self.policy, self.problem = policy, problem

    class PolicyAdopted(Message):
        """For the app: another policy is in force."""

        def __init__(self, policy: Policy) -> None:
            super().__init__()
            self.policy = policy

    def __init__(self, screen: Workplace) -> None:
        self._screen = screen

    def read(self) -> None:
        """Read policies and versions and count how clauses do; `Read` follows."""
        reader = self._screen.bench.annotator.id
        self._start("book", lambda: self._read(reader))

    def compare(self, fingerprint: str, old: Policy, new: Policy) -> None:
        """Compare; `Differ` follows."""
        self._start("compare", lambda: self.Differ(fingerprint, compared(old, new)))

    def look_ahead(self, name: str) -> None:
        """Foresee what a file, a shipped policy or an earlier version would change; `Foreseen` follows."""
        self._start("ahead", lambda: self._foresee(name))

    def adopt(self, policy: Policy) -> None:
        """Adopt it; `Adopted` follows, and `PolicyAdopted` for the app."""
        self._start("adopt", lambda: self._adopt(policy))

    def _start(self, group: str, compute: Callable[[], Message]) -> None:
        def work() -> None:
            self._screen.post_message(compute())

        self._screen.run_worker(work, thread=True, exclusive=True, group=group, exit_on_error=False)

    # In the worker

    def _read(self, reader: str) -> Read:
        try:
            return self.Read(with_own_store(self._screen.bench.database, partial(read_book, reader=reader)))
        except AdjudicateError as problem:
            return self.Read(None, str(problem))

    def _foresee(self, name: str) -> Foreseen:
        def foresee(store: SqliteStore) -> Adoption:
            return look_ahead(store, _named(store, name))

        try:
            return self.Foreseen(with_own_store(self._screen.bench.database, foresee))
        except AdjudicateError as problem:
            return self.Foreseen(None, str(problem))

    def _adopt(self, policy: Policy) -> Adopted:
        bench = self._screen.bench
        try:
            with_own_store(bench.database, lambda store: adopt(store, policy, at=bench.clock.now()))
        except AdjudicateError as problem:
            return self.Adopted(policy, str(problem))
        # To the app itself: the screen may be gone by now, and the others must not go on under the old policy.
        self._screen.app.post_message(self.PolicyAdopted(policy))
        return self.Adopted(policy)


def _named(store: SqliteStore, name: str) -> Policy:
    """The policy of a file, of a shipped name, or of a version that was in use before.

    Raises:
        InputError: There is none, or it cannot be used.
    """
    from adjudicate.settings import shipped_policies
    from adjudicate.workflow.find_policy import find_policy

    path = shipped_policies().get(name) or Path(name).expanduser()
    if path.is_file():
        return policy_from_file(path)
    stored = find_policy(store, name)
    if stored is None:
        raise InputError(f"{shortened(name, 60)}: no such file, no shipped policy, no version in use before")
    return stored
