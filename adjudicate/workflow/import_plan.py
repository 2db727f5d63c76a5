"""What the files of an import will be read as: runs by format, files left out, and what is open before anything is read."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from adjudicate.core.policy import Policy
from adjudicate.errors import InputError
from adjudicate.formats import joined_rows
from adjudicate.formats.import_options import ImportOptions
from adjudicate.formats.open_questions import AskedFor
from adjudicate.formats.readers import Reader
from adjudicate.formats.source_run import SourceRun
from adjudicate.formats.text_file import NothingToLabel, SourceFile
from adjudicate.storage.import_joined import JoinBy
from adjudicate.workflow.import_report import no_log, rejection
from adjudicate.workflow.import_sources import ChosenSources


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """What is to be read."""

    runs: Sequence[tuple[Reader, SourceRun]]
    left_out: Sequence[str] = ()
    """Files that nobody named and that hold nothing to label, each with the reason."""
    asks: Sequence[AskedFor] = ()
    """Files that leave something open, which shows before they are read: asked together with what the others leave open."""


def planned_import(sources: ChosenSources, options: ImportOptions, policy: Policy, join: JoinBy | None) -> ImportPlan:
    """How to read the files.

    Raises:
        ImportRejected: One of them cannot be read, or none holds anything to label.
    """
    return _planned(sources, options, policy) if join is None else _planned_join(sources, options, policy, join)


def _planned(sources: ChosenSources, options: ImportOptions, policy: Policy) -> ImportPlan:
    runs: list[tuple[Reader, SourceRun]] = []
    left_out = list(sources.left_out)
    failed: list[InputError] = []
    for reader, files in sources.by_reader.items():
        plan = partial(reader.plan, options=options, policy=policy)
        try:
            runs += [(reader, run) for run in _runs_of(plan, list(files), sources.unstated, left_out)]
        except InputError as error:
            failed.append(error)
    asks = [error for error in failed if isinstance(error, AskedFor)]
    if len(asks) < len(failed):
        raise rejection([str(error) for error in failed], (), questions=[each for error in asks for each in error.questions])
    if not runs and not asks:
        raise rejection(no_log(left_out), ())
    return ImportPlan(runs, left_out, asks)


def _runs_of(
    plan: Callable[[list[SourceFile]], list[SourceRun]], files: list[SourceFile], unstated: Container[Path], left_out: list[str]
) -> list[SourceRun]:
    """The runs of one format. A file that holds nothing does not keep the others from coming in, where nobody named it."""
    while files:
        try:
            return plan(files)
        except NothingToLabel as error:
            if error.source.path not in unstated:
                raise
            left_out.append(str(error))
            files = [each for each in files if each is not error.source]
    return []


def _planned_join(sources: ChosenSources, options: ImportOptions, policy: Policy, join: JoinBy) -> ImportPlan:
    files = [source for of_one in sources.by_reader.values() for source in of_one]
    plan = partial(joined_rows.plan, by=join)
    reader = Reader(joined_rows.NAME, f"verdicts and labels joined by {join}", lambda _: True, plan)
    try:
        return ImportPlan([(reader, run) for run in plan(files, options, policy)], sources.left_out)
    except InputError as error:
        raise rejection([str(error)], ()) from None
