"""Import: files into items, verdicts and labels. Everything of one command is stored, or nothing is."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from adjudicate import __version__
from adjudicate.core.items import RowDraft
from adjudicate.core.policy import Policy
from adjudicate.core.text import shortened
from adjudicate.errors import Finding, InputError
from adjudicate.formats.import_options import ImportOptions, Outcomes
from adjudicate.formats.open_questions import AskedFor, Question
from adjudicate.formats.readers import READERS, Reader
from adjudicate.formats.row_tags import NO_INTENT, NO_SUCH_INTENT
from adjudicate.formats.source_run import Part, SourceRun
from adjudicate.formats.text_file import ROWS_LIMIT, limit
from adjudicate.storage.import_joined import JoinBy
from adjudicate.storage.import_rows import Added, ImportTransaction, RunDraft, importing
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.import_asks import JudgesMet, asked, drafts_of, outcomes_to_choose, to_answer, told_questions
from adjudicate.workflow.import_plan import planned_import
from adjudicate.workflow.import_report import KEPT_PROBLEMS, FileReport, ImportReport, no_log, rejection
from adjudicate.workflow.import_sources import ChosenSources, Progress, chosen_sources

SAMPLES = 3
PROGRESS_ROWS = 1000
SHARED_ROWS = (
    "rows that were here already (same model, id and text) stay with the run that brought them first;"
    " where two runs are to be compared, import each with --set model=NAME"
)
CALLED_BACK = (
    "{count:,} labels are here already, made under an older policy whose changes called them back: they stay so, because a file"
    " that says them again does not say that they were made anew"
)


class _DryRunEnds(Exception):
    """Leaves the transaction of a dry run, which is thereby undone."""


def options_for(stated: Mapping[str, Any], saved: Mapping[str, Mapping[str, Any]]) -> ImportOptions:
    """The options of a command, with the saved mapping behind them that its ``format`` may name.

    Args:
        stated: ``format``, ``map``, ``set``, ``outcome``, ``encoding`` as said now.
        saved: The ``[import.NAME]`` tables of `adjudicate.toml`.

    Raises:
        UsageError: Something in them means nothing.
    """
    options = ImportOptions.of(stated)
    name = options.format
    if name is None or name not in saved:
        return options
    base = ImportOptions.of(saved[name])
    if base.format is None and any(reader.name == name for reader in READERS):
        # A saved mapping may carry the name of a format: it is that format with these columns.
        base = replace(base, format=name)
    return options.over(base)


def import_files(
    store: SqliteStore,
    policy: Policy,
    paths: Sequence[Path],
    options: ImportOptions,
    at: str,
    *,
    progress: Progress | None = None,
    dry_run: bool = False,
    join: JoinBy | None = None,
) -> ImportReport:
    """Read files into the store, in one transaction.

    Args:
        store: The workspace's store.
        policy: The policy in force.
        paths: Files, folders, patterns, or ``-``.
        options: How to read them.
        at: Time of the import.
        progress: Told of every file that is opened or read, and of every so many rows.
        dry_run: Read and report, store nothing.
        join: Take verdicts and labels for items that are here already, found by their id or text.

    Raises:
        ImportRejected: A file cannot be used; nothing was stored.
        InputError: An option does not fit.
    """
    with tempfile.TemporaryDirectory(prefix="adjudicate-") as scratch, contextlib.suppress(_DryRunEnds):
        sources = chosen_sources(paths, options, Path(scratch), progress)
        planned = planned_import(sources, options, policy, join)
        reading = _Reading(policy, options, sources, progress)
        reading.ask(planned.asks)
        with importing(
            store.database, policy.fingerprint, at, f"adjudicate {__version__}", Outcomes(policy, options.outcomes).find
        ) as transaction:
            for reader, run in planned.runs:
                reading.read_run(transaction, reader, run, join)
            reading.end(dry_run=dry_run)
    return ImportReport(
        tuple(reading.reports),
        dry_run,
        samples=tuple(reading.samples) if dry_run else (),
        outcomes=dict(options.outcomes) if dry_run else {},
        left_out=(*planned.left_out, *reading.left_out),
    )


class _Reading:
    """Reads the planned runs into a transaction and keeps account."""

    def __init__(self, policy: Policy, options: ImportOptions, sources: ChosenSources, progress: Progress | None) -> None:
        self.reports: list[FileReport] = []
        self.samples: list[RowDraft] = []
        self.reasons: list[str] = []
        """Why files have to be rejected."""
        self.questions: list[Question] = []
        """What only the user can say, one by one."""
        self.left_out: list[str] = []
        """Files that nobody named and that hold nothing to label, each with the reason."""
        self._asks = False
        self._policy = policy
        self._options = options
        self._outcomes = Outcomes(policy, options.outcomes)
        self._sources = sources
        self._progress = progress

    def ask(self, asks: Sequence[AskedFor]) -> None:
        """Take up what files leave open that are not read before it is answered."""
        self.reasons += [str(each) for each in asks]
        self.questions += [question for each in asks for question in each.questions]

    def read_run(self, transaction: ImportTransaction, reader: Reader, run: SourceRun, join: JoinBy | None) -> None:
        """All files of a run, then what only the whole run can show."""
        transaction.run(_run_draft(reader, run, self._options))
        for part in run.parts:
            self._read_part(transaction, reader, part, join)
        for clash in transaction.clashes():
            name = shortened(clash.source_id, 60)
            self.reasons.append(
                f"{run.parts[-1].file.shown}: lines {clash.first_line} and {clash.second_line}, id: '{name}' stands for two"
                " different texts; give each its own id, or leave one out"
            )

    def end(self, *, dry_run: bool) -> None:
        """Leave the transaction where nothing of it may be kept."""
        if not self.reasons and self.left_out and not self.reports:
            self.reasons += no_log(self.left_out)
        if self.reasons:
            samples = self.samples if dry_run else ()
            choose = [outcomes_to_choose(self._policy)] if self._asks else []
            raise rejection([*self.reasons, *choose], self.reports, samples, self.questions)
        if dry_run:
            raise _DryRunEnds

    def _read_part(self, transaction: ImportTransaction, reader: Reader, part: Part, join: JoinBy | None) -> None:
        if part.described is not None:
            self.reports.append(_described(reader, part, part.described))
            return
        if self._progress is not None:
            self._progress(part.file.shown, 0)
        account = _Account(part.file.shown, self._progress, self._outcomes)
        added, broken = Added(), ""
        try:
            rows = account.usable(part.rows())
            added = transaction.add(rows) if join is None else transaction.join(rows, join)
            part.check()
        except InputError as error:
            broken = str(error) if part.file.shown in str(error) else f"{part.file.shown}: {error}"
        account.take(added.findings)
        self.samples += drafts_of(part.unsaid, account.first, SAMPLES - len(self.samples))
        report = account.report(reader.name, added, part)
        questions = asked(
            account.met,
            added.judged,
            part.unsaid,
            self._options,
            rows=report.accepted > 0,
            classes_are_known=part.classes_are_known,
        )
        if questions:
            self._asks |= any("=OUTCOME" in each for each in questions)
            self.reasons.append(told_questions(part.file.shown, questions))
            self.questions += to_answer(account.met, added.judged, part.unsaid, classes_are_known=part.classes_are_known)
            report = replace(report, problems=tuple([each for each in report.problems if not _is_asked(each)]))
        if broken:
            self.reasons.append(broken)
        elif not questions and report.accepted == 0:
            self._empty(report, part)
            return
        self.reports.append(report)

    def _empty(self, report: FileReport, part: Part) -> None:
        """A file without a row that can be used: it is left out where nobody named it and others were read."""
        if report.rows == 0:
            reason = f"{report.file}: 0 rows: there is nothing to import in it"
        else:
            reason = f"{report.file}: none of its {report.rows:,} rows can be used"
        if part.file.path in self._sources.unstated:
            first = f" ({report.problems[0]})" if report.problems else ""
            self.left_out.append(reason + first)
            return
        self.reports.append(report)
        self.reasons.append(reason)


class _Account:
    """Counts the rows of one file on their way, and keeps the first problems."""

    def __init__(self, file: str, progress: Progress | None, outcomes: Outcomes) -> None:
        self.first: list[RowDraft] = []
        self.met = JudgesMet(outcomes)
        """Classes that are no outcome."""
        self._file = file
        self._progress = progress
        self._usable = 0
        self._skipped = 0
        self._of_file = 0
        """Problems of the file as a whole, which are no rows."""
        self._problems: list[Finding] = []

    def usable(self, rows: Iterator[RowDraft | Finding]) -> Iterator[RowDraft]:
        """The rows that can be used; the others become problems."""
        most = limit(ROWS_LIMIT)
        for row in rows:
            if isinstance(row, Finding):
                self.take([row])
                continue
            self._usable += 1
            if self._usable <= SAMPLES:
                self.first.append(row)
            if self._usable % PROGRESS_ROWS == 0:
                self._tell(most)
            for verdict in row.verdicts:
                if verdict[1] is None:
                    self.met.note(verdict, row.intent)
            yield row

    def take(self, findings: Sequence[Finding]) -> None:
        """Note rows that are left out."""
        self._of_file += sum(not each.line for each in findings)
        self._skipped += sum(each.line > 0 for each in findings)
        self._problems += findings[: KEPT_PROBLEMS - len(self._problems)]

    def report(self, reader: str, added: Added, part: Part) -> FileReport:
        """The account of the file. Rows that contradicted the store were usable and then left out."""
        return FileReport(
            file=self._file,
            format=reader,
            rows=self._usable + self._skipped - len(added.findings),
            accepted=self._usable - len(added.findings),
            skipped=self._skipped,
            duplicates=added.duplicates,
            items=added.items,
            verdicts=added.verdicts,
            labels=added.labels,
            judge_failed=dict(added.judge_failed),
            problems=tuple(self._problems),
            problem_count=self._skipped + self._of_file,
            remark="; ".join(filter(None, (part.remark, part.unkept(), *_remarks(added)))),
            taken=part.taken(),
            not_read=tuple(part.unread()),
            unread=self.met.shown(),
        )

    def _tell(self, most: int) -> None:
        if self._usable > most:
            raise InputError(f"more than {most:,} rows: split the file, or set {ROWS_LIMIT}")
        if self._progress is not None:
            self._progress(self._file, self._usable)


def _is_asked(problem: Finding) -> bool:
    """Whether a problem is asked about besides, for all rows at once."""
    return problem.message == NO_INTENT or NO_SUCH_INTENT in problem.message


def _remarks(added: Added) -> Iterator[str]:
    """What a person has to know of what was here already."""
    if added.shared:
        yield SHARED_ROWS
    if added.called_back:
        yield CALLED_BACK.format(count=added.called_back)


def _described(reader: Reader, part: Part, rows: int) -> FileReport:
    remark = "describes the items of the other files"
    return FileReport(part.file.shown, reader.name, rows, rows, 0, 0, 0, 0, 0, {}, (), 0, remark)


def _run_draft(reader: Reader, run: SourceRun, options: ImportOptions) -> RunDraft:
    files = [part.file for part in run.parts]
    layouts = [{"name": part.file.name, "sha256": part.file.sha256, **part.layout} for part in run.parts]
    described = {**options.as_json(), "files": layouts}
    return RunDraft(
        name=run.name,
        dataset=run.dataset,
        format=reader.name,
        source_name=" + ".join(file.name for file in files),
        source_sha256=" + ".join(file.sha256 for file in files),
        options=json.dumps(described, ensure_ascii=True, sort_keys=True),
        mode=options.mode,
        gold_by=run.gold_by,
        labels_from=run.labels_from,
    )
