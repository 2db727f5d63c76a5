"""What an import did, file by file: for people, for `--json`, and for whoever rejects a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from adjudicate.core.items import RowDraft, VerdictDraft
from adjudicate.core.text import shortened, visible_line
from adjudicate.errors import Finding, InputError
from adjudicate.formats.open_questions import Question
from adjudicate.workflow.import_asks import classes_shown

KEPT_PROBLEMS = 200
SHOWN_PROBLEMS = 5
SHOWN_LEFT_OUT = 20
SHOWN_PLACES = 5
SHOWN_COLUMNS = 20


@dataclass(frozen=True, slots=True)
class FileReport:
    """One file."""

    file: str
    """Its path, safe to print."""
    format: str
    rows: int
    """Rows in the file, blank lines left out."""
    accepted: int
    """Rows that are in the store now, whether this import or an earlier one brought them."""
    skipped: int
    """Rows left out; each is a problem."""
    duplicates: int
    """Accepted rows whose item was here already."""
    items: int
    """New items."""
    verdicts: int
    labels: int
    judge_failed: Mapping[str, int]
    """Rows without an outcome, by judge."""
    problems: tuple[Finding, ...]
    """The first `KEPT_PROBLEMS` of them."""
    problem_count: int
    """Rows left out, and what is wrong with the file as a whole, such as that its run did not finish."""
    remark: str = ""
    """Anything else worth saying."""
    taken: Mapping[str, str] = field(default_factory=dict)
    """Where in the file each field was found, by field; safe to print."""
    not_read: tuple[str, ...] = ()
    """Columns of a table that nothing was taken from; safe to print."""
    unread: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Verdicts that are no outcome, as the file writes them (shortened, safe to print), by judge: the most frequent."""

    def as_json(self) -> dict[str, Any]:
        """As in `import --json`."""
        problems = [{"line": each.line, "field": each.field, "message": each.message} for each in self.problems]
        return {
            "file": self.file,
            "format": self.format,
            "rows": self.rows,
            "accepted": self.accepted,
            "skipped": self.skipped,
            "duplicates": self.duplicates,
            "items": self.items,
            "verdicts": self.verdicts,
            "labels": self.labels,
            "judge_failed": dict(self.judge_failed),
            "problems": problems,
            "problem_count": self.problem_count,
            "remark": self.remark,
            "taken": dict(self.taken),
            "not_read": list(self.not_read),
            "unread_verdicts": {visible_line(judge): dict(classes) for judge, classes in self.unread.items()},
        }


@dataclass(frozen=True, slots=True)
class ImportReport:
    """One command."""

    files: tuple[FileReport, ...]
    dry_run: bool = False
    samples: tuple[RowDraft, ...] = ()
    """The first items, of a dry run."""
    outcomes: Mapping[str, str] = field(default_factory=dict)
    """Raw class -> outcome where they differ, of a dry run."""
    left_out: tuple[str, ...] = ()
    """Files of a folder or pattern that are no log, each with the reason; safe to print."""

    @property
    def changed(self) -> bool:
        """Whether anything was new."""
        return any(each.items or each.verdicts or each.labels for each in self.files)

    @property
    def skipped(self) -> int:
        """Rows left out, over all files."""
        return sum(each.skipped for each in self.files)

    def as_json(self) -> dict[str, Any]:
        """As in `import --json`."""
        found: dict[str, Any] = {"files": [each.as_json() for each in self.files], "dry_run": self.dry_run}
        if self.left_out:
            found["left_out"] = list(self.left_out)
        if self.dry_run:
            found["samples"] = [_sample(row) for row in self.samples]
            found["outcomes"] = dict(self.outcomes)
        return found

    def as_text(self) -> list[str]:
        """Lines for people; foreign text in them is safe to print."""
        lines = [line for each in self.files for line in _told(each)]
        lines += [f"Left out: {each}" for each in self.left_out[:SHOWN_LEFT_OUT]]
        if len(self.left_out) > SHOWN_LEFT_OUT:
            lines.append(f"Left out: {len(self.left_out) - SHOWN_LEFT_OUT:,} more files (--json lists them)")
        if self.dry_run:
            lines += [*_told_samples(self.samples), *_told_classes(self.outcomes)]
            lines.append("Dry run: nothing was stored.")
        elif not self.changed:
            lines.append("Nothing new: all of it is already here.")
        return lines


class ImportRejected(InputError):
    """Nothing was stored. `report` holds what was found in the files read so far."""

    title = "Import rejected"

    def __init__(self, message: str, report: ImportReport, reasons: Sequence[str], questions: Sequence[Question]) -> None:
        super().__init__(message)
        self.report = report
        self.reasons = tuple(reasons)
        """Why, without problems and samples."""
        self.questions = tuple(questions)
        """What only the user can say, as far as that is why."""


def rejection(
    reasons: Sequence[str],
    files: Sequence[FileReport],
    samples: Sequence[RowDraft] = (),
    questions: Sequence[Question] = (),
) -> ImportRejected:
    """The error for files that cannot be used: why, the problems that led there, and before them the samples of a dry run."""
    lines = [*_told_samples(samples), *reasons]
    for each in files:
        lines += [f"  {line}" for line in told_problems(each, SHOWN_PROBLEMS)]
    report = ImportReport(tuple(files), samples=tuple(samples))
    return ImportRejected("\n".join([*lines, "Nothing was stored."]), report, reasons, questions)


def no_log(left_out: Sequence[str]) -> list[str]:
    """Why there is nothing to read: the first files that were left out, each with its reason."""
    more = [f"and {len(left_out) - SHOWN_LEFT_OUT:,} more files"] if len(left_out) > SHOWN_LEFT_OUT else []
    return [*left_out[:SHOWN_LEFT_OUT], *more, "no log was found"]


def told_problems(file: FileReport, most: int) -> list[str]:
    """The problems of a file as lines: `most` of them, then a count of the others. What is wrong with many rows is said once."""
    alike: dict[tuple[str, str], list[Finding]] = {}
    for each in file.problems:
        # Where a record is a file of its own, its name stands before the field.
        alike.setdefault((each.field.rpartition(", ")[2], each.message), []).append(each)
    shown = list(alike.values())[:most]
    lines = [f"{file.file}: {_told_alike(group)}" for group in shown]
    rest = file.problem_count - sum(map(len, shown))
    if rest and lines:
        listed = f" (--json lists the first {KEPT_PROBLEMS})" if file.problem_count > KEPT_PROBLEMS else " (--json lists them)"
        lines.append(f"{file.file}: and {rest:,} more problems{listed}")
    return lines


def _told_alike(group: Sequence[Finding]) -> str:
    first, *others = group
    if not others:
        return str(first)
    places = ", ".join(str(each.line) for each in others[:SHOWN_PLACES])
    end = f" and {len(others) - SHOWN_PLACES:,} more" if len(others) > SHOWN_PLACES else ""
    return f"{first} (the same in {first.unit} {places}{end})"


def _told(each: FileReport) -> list[str]:
    head = f"{each.file} ({each.format}): {each.rows:,} rows, {each.accepted:,} accepted, {each.skipped:,} skipped"
    new = f"  new: {each.items:,} items, {each.verdicts:,} verdicts, {each.labels:,} labels"
    here = f"; {each.duplicates:,} rows were already here" if each.duplicates else ""
    failed = [
        f"  judge failed: {visible_line(judge)} {count:,} times{_said_instead(each.unread.get(judge, {}))}"
        for judge, count in each.judge_failed.items()
        if count
    ]
    remark = [f"  {each.remark}"] if each.remark else []
    return [head, new + here, *_told_taken(each), *failed, *remark]


def _told_taken(each: FileReport) -> list[str]:
    """What was taken from where; a field under its own name needs no more than the name."""
    told = [_told_field(name, where) for name, where in each.taken.items()]
    if not told:
        return []
    parts = [", ".join(told)]
    if "intent" in each.taken and "population" not in each.taken:
        parts.append("population = intent")
    if each.not_read:
        more = f" and {len(each.not_read) - SHOWN_COLUMNS} more" if len(each.not_read) > SHOWN_COLUMNS else ""
        parts.append(f"not read: {', '.join(shortened(name, 40) for name in each.not_read[:SHOWN_COLUMNS])}{more}")
    return [f"  read: {'; '.join(parts)}"]


def _told_field(name: str, where: str) -> str:
    if where == name:
        return name
    if where.startswith("'"):
        return f"{name} {where}"
    return f"{name} {'by' if where.startswith('--') else 'from'} {shortened(where, 60)}"


def _said_instead(classes: Mapping[str, int]) -> str:
    known = {raw: count for raw, count in classes.items() if raw}
    return f"; instead of an outcome it said {classes_shown(known)}" if known else ""


def _sample(row: RowDraft) -> dict[str, Any]:
    return {
        "id": row.source_id,
        "prompt": row.prompt,
        "response": row.response,
        "model": row.model,
        "intent": row.intent,
        "population": row.population,
        "category": row.category,
        "verdicts": {verdict.judge: verdict.outcome for verdict in row.verdicts},
        "labels": {label.annotator: label.outcome for label in row.labels},
        "gold": row.gold,
    }


def _told_samples(samples: Sequence[RowDraft]) -> list[str]:
    lines = []
    for number, row in enumerate(samples, start=1):
        lines.append(f"Sample {number} (line {row.line}):")
        outcomes = {verdict.judge: _told_verdict(verdict) for verdict in row.verdicts}
        for name, value in {**_sample(row), "verdicts": outcomes}.items():
            if value not in (None, "", {}):
                shown = ", ".join(f"{key}: {each}" for key, each in value.items()) if isinstance(value, dict) else value
                lines.append(f"  {name}: {shortened(str(shown), 90)}")
    return lines


def _told_verdict(verdict: VerdictDraft) -> str:
    if verdict.outcome is not None:
        return verdict.outcome
    return f"judge failed{f' ({verdict.raw!r} is no outcome)' if verdict.raw else ''}"


def _told_classes(outcomes: Mapping[str, str]) -> list[str]:
    mapped = [f"{visible_line(raw)} is read as {visible_line(outcome)}" for raw, outcome in outcomes.items()]
    return [f"Classes: {'; '.join(mapped)}"] if mapped else []
