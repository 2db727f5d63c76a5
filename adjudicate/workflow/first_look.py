"""A look at logs before anything is stored: what was recognised, three items, and all that only a person can say."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from adjudicate.core.policy import Policy
from adjudicate.errors import AdjudicateError, InputError
from adjudicate.formats.open_questions import Question
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.import_items import import_files, options_for
from adjudicate.workflow.import_report import ImportRejected, ImportReport
from adjudicate.workflow.import_sources import Progress

Stated = Mapping[str, Any]
"""What was said so far, as `ImportOptions.of` takes it: ``format``, ``map``, ``set``, ``outcome``, ``encoding``."""
NOTHING = ImportReport((), dry_run=True)
"""Of logs that could not be opened."""


@dataclass(frozen=True, slots=True)
class Look:
    """What was seen."""

    policy: Policy
    """Whose outcomes the classes of the log were held against."""
    report: ImportReport
    """What was found in them, also where they cannot be imported as they are."""
    questions: tuple[Question, ...] = ()
    """What has to be answered before it can be imported."""
    problem: str = ""
    """Why it cannot be imported, where that is not said by the questions."""

    @property
    def can_be_imported(self) -> bool:
        """Whether nothing stands in the way."""
        return not self.questions and not self.problem


def look(paths: Sequence[Path], stated: Stated, policy: Policy, at: str, *, progress: Progress | None = None) -> Look:
    """Read logs as an import would, into a scratch workspace that is gone afterwards.

    Args:
        paths: Files, folders or patterns.
        stated: What was said so far.
        policy: The policy to hold the classes against.
        at: Now.
        progress: As for `import_files`; what it raises ends the look.

    Raises:
        StoreError: There is no room for the scratch workspace.
    """
    with tempfile.TemporaryDirectory(prefix="adjudicate-") as scratch:
        store = SqliteStore.open(Path(scratch) / "look.db", create=True)
        try:
            store.put_policy(policy, at)
            return look_into(store, paths, stated, policy, at, progress=progress)
        finally:
            store.close()


def look_into(
    store: SqliteStore,
    paths: Sequence[Path],
    stated: Stated,
    policy: Policy,
    at: str,
    *,
    progress: Progress | None = None,
) -> Look:
    """The same beside what a store holds already; nothing is stored."""
    try:
        options = options_for(stated, {})
        report = import_files(store, policy, paths, options, at, progress=progress, dry_run=True)
    except ImportRejected as rejected:
        problem = "" if rejected.questions else "\n".join(rejected.reasons)
        return Look(policy, replace(rejected.report, dry_run=True), rejected.questions, problem)
    except InputError as error:
        return Look(policy, NOTHING, problem=str(error))
    return Look(policy, report)


def fitting(
    policies: Sequence[Callable[[], Policy]], paths: Sequence[Path], at: str, *, progress: Progress | None = None
) -> Look:
    """The look under the policy that leaves the fewest questions; the first of several.

    Args:
        policies: Load one each; one that cannot be loaded is passed over.
        paths: As for `look`.
        at: Now.
        progress: As for `look`.

    Raises:
        InputError: None can be loaded.
    """
    best: Look | None = None
    for load in policies:
        try:
            policy = load()
        except AdjudicateError:
            continue
        found = look(paths, {}, policy, at, progress=progress)
        if best is None or len(found.questions) < len(best.questions):
            best = found
        if not best.questions:
            break
    if best is None:
        raise InputError("there is no policy to read the log under; give a policy file")
    return best
