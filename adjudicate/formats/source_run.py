"""What a reader hands over: runs, each with the files it is made of and their rows, read when they are iterated."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from adjudicate.core.items import RowDraft
from adjudicate.core.policy import Policy
from adjudicate.core.text import visible_line
from adjudicate.errors import Finding
from adjudicate.formats.fields import FieldMap
from adjudicate.formats.import_options import ImportOptions
from adjudicate.formats.problem import RowProblem
from adjudicate.formats.text_file import SourceFile
from adjudicate.formats.unsaid import Unsaid

Rows = Iterator[RowDraft | Finding]


@dataclass(frozen=True, slots=True)
class Part:
    """One file of a run."""

    file: SourceFile
    rows: Callable[[], Rows]
    """Reads the file: a draft for each row that can be used, a finding for each that cannot."""
    check: Callable[[], None] = lambda: None
    """Called after the last row; raises InputError where only the whole file shows that it cannot be used."""
    described: int | None = None
    """Rows of a file that holds no items but describes those of others; None for a file of items."""
    layout: Mapping[str, Any] = field(default_factory=dict)
    """What the way back needs besides the rows: header, line ends."""
    taken: Callable[[], Mapping[str, str]] = dict
    """Called after the last row: where in the file each field was found, by field, in words that are safe to print."""
    remark: str = ""
    """What else a person has to know of the file, such as that its run did not finish."""
    unread: Callable[[], Sequence[str]] = tuple
    """Called after the last row: columns of a table that nothing was taken from, safe to print; none where nobody knows."""
    unsaid: Unsaid = field(default_factory=Unsaid)
    """What its rows left open, after the last of them."""
    classes_are_known: bool = False
    """Whether all classes of its judges are known beforehand, so that any other text is a failure of the judge."""
    unkept: Callable[[], str] = str
    """Called after the last row: what was seen in the file and is not kept, with its count; safe to print."""


@dataclass(frozen=True, slots=True)
class SourceRun:
    """One run: what was asked of one model, in the files that hold it."""

    name: str
    dataset: str
    parts: tuple[Part, ...]
    gold_by: str = "gold"
    """Name of the record that recorded gold labels stand under."""
    labels_from: str = "import"
    """Where imported labels come from, as kept with their annotators."""


def read_part(source: SourceFile, rows: Callable[[], Rows], fields: FieldMap, layout: Mapping[str, Any]) -> Part:
    """The part that a table is, with what the map of its fields knows after the last row."""
    return Part(
        source,
        rows,
        fields.check_seen,
        layout=layout,
        taken=fields.taken,
        unread=fields.unread,
        unsaid=fields.unsaid,
    )


class Plan(Protocol):
    """How a reader divides the files that it recognised into runs."""

    def __call__(self, files: Sequence[SourceFile], options: ImportOptions, policy: Policy) -> list[SourceRun]:
        """Look at the files and say how to read them; raises InputError or UsageError."""


def finding(problem: RowProblem, line: int, unit: str = "line") -> Finding:
    """A row's problem with its place, and what that place counts."""
    return Finding(line, visible_line(problem.field), problem.message, unit)
