"""A workspace on its way from a log to its first label: made apart, in its folder, and put in place when the sample is drawn.

Until then the folder holds nothing of it but one hidden folder, which goes away with whoever gives up. For a workspace that is
there already the same steps work on it directly. Every method opens a store of its own, so any thread may call it.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from adjudicate.core.policy import Policy
from adjudicate.core.text import visible_line
from adjudicate.errors import InputError
from adjudicate.settings import FOLDERS, SETTINGS_FILE, WorkspacePaths, make_workspace, put_in_place, write_private
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.tui.bench import with_own_store
from adjudicate.workflow.draw_pairs import draw_pairs
from adjudicate.workflow.draw_sample import FreeCell, free_cells
from adjudicate.workflow.draw_settings import DrawSettings
from adjudicate.workflow.first_look import Look, Stated, look, look_into
from adjudicate.workflow.import_items import import_files, options_for
from adjudicate.workflow.import_report import ImportReport
from adjudicate.workflow.import_sources import Progress

Now = Callable[[], str]
BEGUN = ".adjudicate-"
"""How the hidden folder is called in which a workspace is made."""


class Target(Protocol):
    """Where a log goes."""

    policy: Policy | None
    """The policy in force, where it is not to be chosen any more."""

    def look(self, paths: Sequence[Path], stated: Stated, policy: Policy, progress: Progress) -> Look:
        """Look at logs; store nothing."""

    def read_in(self, paths: Sequence[Path], stated: Stated, policy: Policy, progress: Progress) -> ImportReport:
        """Import them; all, or nothing."""

    def cells(self, settings: DrawSettings) -> Counter[FreeCell]:
        """What a sample can be drawn from."""

    def draw(self, settings: DrawSettings) -> WorkspacePaths:
        """Draw it; from now on the workspace is whole and in its place."""

    def give_up(self) -> None:
        """Take back what is not whole."""


class NewWorkspace:
    """A workspace that is not there yet."""

    policy: Policy | None = None

    def __init__(self, folder: Path, now: Now) -> None:
        self.folder = folder
        self._now = now
        self._apart: Path | None = None

    def look(self, paths: Sequence[Path], stated: Stated, policy: Policy, progress: Progress) -> Look:
        """Look at logs; store nothing."""
        return look(paths, stated, policy, self._now(), progress=progress)

    def read_in(self, paths: Sequence[Path], stated: Stated, policy: Policy, progress: Progress) -> ImportReport:
        """Make the workspace apart and import the logs into it.

        Raises:
            InputError: The folder cannot be written, holds parts of a workspace, or the logs cannot be imported.
        """
        self.give_up()
        refuse_parts(self.folder)
        try:
            _clear_away(self.folder)
            self._apart = Path(tempfile.mkdtemp(dir=self.folder, prefix=f"{BEGUN}{_here(os.getpid())}-", suffix=".part"))
        except OSError as error:
            raise InputError(
                f"{visible_line(str(self.folder))}: nothing can be written here ({visible_line(error.strerror or str(error))});"
                " change its permissions, or start adjudicate in another folder"
            ) from error
        try:
            return self._fill(WorkspacePaths(self._apart), paths, stated, policy, progress)
        except BaseException:
            # Whatever ended it, somebody's stop too: what was begun is taken back.
            self.give_up()
            raise

    def _fill(
        self, made: WorkspacePaths, paths: Sequence[Path], stated: Stated, policy: Policy, progress: Progress
    ) -> ImportReport:
        make_workspace(made.root, self.folder.resolve().name)
        write_private(made.policies / f"{policy.id}.md", policy.text)
        store = SqliteStore.open(made.database, create=True)
        try:
            store.put_policy(policy, self._now())
            return import_files(store, policy, paths, options_for(stated, {}), self._now(), progress=progress)
        finally:
            store.close()

    def cells(self, settings: DrawSettings) -> Counter[FreeCell]:
        """What a sample can be drawn from."""
        return with_own_store(self._made.database, lambda store: free_cells(store, settings))

    def draw(self, settings: DrawSettings) -> WorkspacePaths:
        """Draw the sample and put the workspace in its place.

        Raises:
            InputError: It cannot be drawn, or something is in the way.
        """
        made = self._made
        refuse_parts(self.folder)
        with_own_store(made.database, lambda store: draw_pairs(store, settings, at=self._now()))
        paths = put_in_place(made, self.folder)
        self.give_up()
        return paths

    def give_up(self) -> None:
        """Remove what was made apart."""
        if self._apart is not None:
            shutil.rmtree(self._apart, ignore_errors=True)
            self._apart = None

    @property
    def _made(self) -> WorkspacePaths:
        if self._apart is None:
            raise InputError("the log was not read yet: go back and choose the policy again")
        return WorkspacePaths(self._apart)


class OpenWorkspace:
    """A workspace that is there."""

    def __init__(self, database: Path, policy: Policy, now: Now) -> None:
        self.policy: Policy | None = policy
        self._database = database
        self._now = now

    def look(self, paths: Sequence[Path], stated: Stated, policy: Policy, progress: Progress) -> Look:
        """Look at logs; store nothing."""
        return with_own_store(
            self._database, lambda store: look_into(store, paths, stated, policy, self._now(), progress=progress)
        )

    def read_in(self, paths: Sequence[Path], stated: Stated, policy: Policy, progress: Progress) -> ImportReport:
        """Import them."""
        options = options_for(stated, {})
        return with_own_store(
            self._database, lambda store: import_files(store, policy, paths, options, self._now(), progress=progress)
        )

    def cells(self, settings: DrawSettings) -> Counter[FreeCell]:
        """What a sample can be drawn from."""
        return with_own_store(self._database, lambda store: free_cells(store, settings))

    def draw(self, settings: DrawSettings) -> WorkspacePaths:
        """Draw a sample from items that no draw has in its frame."""

        def drawn(store: SqliteStore) -> None:
            draw_pairs(store, replace(settings, new=bool(store.draws())), at=self._now())

        with_own_store(self._database, drawn)
        return WorkspacePaths(self._database.parent.parent)

    def give_up(self) -> None:
        """Nothing is half done here: an import is whole or not at all."""


def _here(process: int) -> str:
    """A process of this machine, as part of a file's name."""
    machine = "".join(character for character in platform.node() if character.isalnum())
    return f"{machine}-{process}"


def _clear_away(folder: Path) -> None:
    """Remove what a process of this machine had begun here and was killed over."""
    for path in folder.glob(f"{BEGUN}*.part"):
        match = re.fullmatch(re.escape(f"{BEGUN}{_here(0)[:-1]}") + r"([0-9]+)-[^-]+\.part", path.name)
        if match is not None and not path.is_symlink() and not _is_running(int(match[1])):
            shutil.rmtree(path, ignore_errors=True)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def refuse_parts(folder: Path) -> None:
    """Refuse a folder in which a workspace would meet another one's files.

    Raises:
        InputError: Says what is in the way.
    """
    for found in (folder / SETTINGS_FILE, WorkspacePaths(folder).database):
        if found.exists():
            raise InputError(f"{visible_line(str(found))} is there already: move it away, or start in another folder")
    for name in FOLDERS:
        if (folder / name).exists() and not (folder / name).is_dir():
            raise InputError(f"{visible_line(str(folder / name))} is in the way: a workspace has a folder of this name")
