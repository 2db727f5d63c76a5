"""What an import did, file by file: for people, for `--json`, and for whoever rejects a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from adjudicate.core.items import RowDraft
from adjudicate.core.text import shortened, visible_line
from adjudicate.errors import Finding, InputError

KEPT_PROBLEMS = 200
SHOWN_PROBLEMS = 5


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
    remark: str = ""
    """Anything else worth saying."""
    taken: Mapping[str, str] = field(default_factory=dict)
    """Where in the file each field was found, by field; safe to print."""
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
        lines += [f"Left out: {each}" for each in self.left_out]
        if self.dry_run:
            lines += _told_samples(self)
            lines.append("Dry run: nothing was stored.")
        elif not self.changed:
            lines.append("Nothing new: all of it is already here.")
        return lines


class ImportRejected(InputError):
    """Nothing was stored. `report` holds what was found in the files read so far."""

    title = "Import rejected"

    def __init__(self, message: str, report: ImportReport) -> None:
        super().__init__(message)
        self.report = report


def rejection(reasons: Sequence[str], files: Sequence[FileReport]) -> ImportRejected:
    """The error for files that cannot be used: why, and the problems that led there."""
    lines = list(reasons)
    for each in files:
        lines += [f"  {each.file}: {problem}" for problem in each.problems[:SHOWN_PROBLEMS]]
        if each.problem_count > SHOWN_PROBLEMS:
            lines.append(f"  {each.file}: and {each.problem_count - SHOWN_PROBLEMS:,} more problems")
    return ImportRejected("\n".join([*lines, "Nothing was stored."]), ImportReport(tuple(files)))


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
    return [head, new + here, *_told_taken(each.taken), *failed, *remark]


def _told_taken(taken: Mapping[str, str]) -> list[str]:
    """What was taken for each field that decides what an item is; those called like their field go without saying."""
    told = [
        f"{name} {'by' if where.startswith('--') else 'from'} {shortened(where, 60)}"
        for name, where in taken.items()
        if where != name
    ]
    return [f"  read: {', '.join(told)}"] if told else []


def _said_instead(classes: Mapping[str, int]) -> str:
    known = {raw: count for raw, count in classes.items() if raw}
    return f"; instead of an outcome it said {classes_shown(known)}" if known else ""


def classes_shown(classes: Mapping[str, int]) -> str:
    """Classes of a file with how often each occurs."""
    return ", ".join(f"'{raw}' ({count:,})" for raw, count in classes.items()) or "empty"


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


def _told_samples(report: ImportReport) -> list[str]:
    lines = []
    for number, row in enumerate(report.samples, start=1):
        lines.append(f"Sample {number} (line {row.line}):")
        for name, value in _sample(row).items():
            if value not in (None, "", {}):
                shown = (
                    ", ".join(f"{key}: {each or 'judge failed'}" for key, each in value.items())
                    if isinstance(value, dict)
                    else value
                )
                lines.append(f"  {name}: {shortened(str(shown), 90)}")
    mapped = [f"{visible_line(raw)} is read as {visible_line(outcome)}" for raw, outcome in report.outcomes.items()]
    return lines + ([f"Classes: {'; '.join(mapped)}"] if mapped else [])
