"""What the app hands to its screens, and how work leaves the UI thread: with a store of its own."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from adjudicate.core.policy import Policy
from adjudicate.settings import LabelSettings
from adjudicate.storage.interruptible import Interrupted, interruptible
from adjudicate.storage.rows import Annotator
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.acting import Clock
from adjudicate.workflow.sitting import Sitting

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Bench:
    """The open workspace and who sits at it."""

    database: Path
    workspace: str
    """Name of the workspace, for titles."""
    store: SqliteStore
    """Bound to the UI thread."""
    policy: Policy
    """The policy in force when the app started."""
    annotator: Annotator
    clock: Clock
    assisted: bool
    """Show verdicts at once, whatever the draw says."""
    settings: LabelSettings
    sitting: Sitting
    """Since the app started."""


def open_bench(database: Path, workspace: str, annotator: str, clock: Clock, *, assisted: bool, settings: LabelSettings) -> Bench:
    """Open a workspace for somebody; arguments as the fields of `Bench`.

    Raises:
        StoreError: The database cannot be used, or has no policy yet.
    """
    store = SqliteStore.open(database)
    with ExitStack() as undo:
        undo.callback(store.close)
        person, policy = store.annotator(annotator), store.policy()
        undo.pop_all()
    return Bench(database, workspace, store, policy, person, clock, assisted, settings, Sitting(clock))


def while_wanted(database: Path, is_cancelled: Callable[[], bool], compute: Callable[[SqliteStore], Result]) -> Result | None:
    """As `with_own_store`, for reading: broken off, also in the middle of a query, as soon as nobody waits for it; then None.

    A thread that went on would keep the program from ending.
    """

    def read(store: SqliteStore) -> Result:
        with interruptible(store.database, is_cancelled):
            return compute(store)

    try:
        found = with_own_store(database, read)
    except Interrupted:
        return None
    return None if is_cancelled() else found


def with_own_store(database: Path, compute: Callable[[SqliteStore], Result]) -> Result:
    """Compute on this thread with a store of its own: a connection never crosses threads."""
    store = SqliteStore.open(database)
    try:
        return compute(store)
    finally:
        store.close()
