"""What every command is given: the workspace it works on, opened when first needed, and the clock."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from adjudicate.core.policy import Policy
from adjudicate.core.text import visible_line
from adjudicate.errors import StoreError
from adjudicate.settings import SETTINGS_FILE, Settings, WorkspacePaths, read_settings

if TYPE_CHECKING:
    from adjudicate.storage.sqlite_store import SqliteStore
    from adjudicate.workflow.acting import Clock


def now() -> str:
    """UTC, ISO 8601, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Workspace:
    """The workspace named by ``-w`` (by default the current folder)."""

    def __init__(self, root: Path) -> None:
        self.paths = WorkspacePaths(root)
        self._store: SqliteStore | None = None
        self._settings: Settings | None = None

    @property
    def settings(self) -> Settings:
        """What `adjudicate.toml` says; raises where the folder is no workspace."""
        if self._settings is None:
            self._settings = read_settings(self.paths)
        return self._settings

    def store(self) -> SqliteStore:
        """The label store, opened once a command; never made here, so that one that is gone is not replaced by an empty one."""
        from adjudicate.storage.sqlite_store import SqliteStore

        if self._store is None:
            _ = self.settings
            if not self.paths.database.exists():
                raise StoreError(
                    f"{visible_line(str(self.paths.database))}: the database of this workspace is gone; put a backup in its place"
                    f" (adjudicate backup makes them). To start over, remove {SETTINGS_FILE} and run 'adjudicate init' again"
                )
            self._store = SqliteStore.open(self.paths.database)
        return self._store

    def policy(self) -> Policy:
        """The policy in force."""
        return self.store().policy()

    @property
    def now(self) -> Callable[[], str]:
        """The wall clock."""
        return now

    @property
    def clock(self) -> Clock:
        """Both clocks, for sessions."""
        from adjudicate.workflow.acting import Clock

        return Clock(now=now, tick=time.monotonic)

    def close(self) -> None:
        """Let go of the store."""
        if self._store is not None:
            self._store.close()
            self._store = None


pass_workspace = click.make_pass_decorator(Workspace)
