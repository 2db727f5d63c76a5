"""What is known of a published table beforehand: a preset says which column is which field and what its classes mean.

A preset never decides what its data set leaves open: an intent, a class or a judge's name that it does not know is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from adjudicate.errors import Finding
from adjudicate.formats.import_options import ImportOptions
from adjudicate.formats.table_rows import TableRow
from adjudicate.formats.text_file import SourceFile

Records = Iterator[TableRow | Finding]


class Shape(NamedTuple):
    """How the records stand in a file that is no table."""

    detect: Callable[[SourceFile], bool]
    records: Callable[[SourceFile, ImportOptions], Records]
    """Its records, flat: a value by key. What is kept of each says where it stands."""
    unit: str = "row"
    """What the place of a record counts."""
    table: bool = False
    """Whether the file is a table all the same, whose rows are kept verbatim."""
    reads: str = ""
    """Pattern of the keys that it lays out itself, besides those that the preset names."""


class IntentColumn(NamedTuple):
    """A column that says what a prompt is."""

    column: str
    values: Mapping[str, str]
    """Cell -> intent."""
    prefixes: Mapping[str, str] = {}
    """How a cell begins -> intent."""
    otherwise: str = ""
    """Intent of all other cells; none, and they are an error."""

    def intent_of(self, cell: str) -> str:
        """What the cell says; empty where nobody knows."""
        begun = (intent for start, intent in self.prefixes.items() if cell.startswith(start))
        return self.values.get(cell) or next(begun, self.otherwise)

    def shown(self) -> str:
        """In words."""
        starts = {f"{start}...": intent for start, intent in self.prefixes.items()}
        said = [f"{cell} = {intent}" for cell, intent in {**self.values, **starts}.items()]
        return f"{self.column} ({', '.join(said)}{f', others = {self.otherwise}' if self.otherwise else ''})"


class Judge(NamedTuple):
    """A judge of the table."""

    verdict: str
    """Column of its class or number."""
    name: str = ""
    """Empty where the table does not say it: then `named_in`, the file's name or the user does."""
    named_in: str = ""
    """Column of its name."""
    reason: str = ""
    score: str = ""


class RawClass(NamedTuple):
    """A class of the table."""

    means: str
    """In the authors' words, shortened."""
    outcomes: tuple[str, ...] = ()
    """Outcomes of shipped policies that it is beyond doubt, the first that the policy has; none, and the user says it."""


@dataclass(frozen=True, slots=True)
class Preset:
    """One known table."""

    name: str
    title: str
    signature: frozenset[str]
    """Columns that identify it."""
    columns: Mapping[str, tuple[str, ...]]
    """Field -> its columns; where there are several, the first that is filled."""
    intent: IntentColumn | None = None
    intent_advice: str = ""
    """What to tell a user who has to say it."""
    constants: Mapping[str, str] = field(default_factory=dict)
    """Field -> what holds for all rows of the data set."""
    judges: tuple[Judge, ...] = ()
    judge_in_name: str = ""
    """Pattern that finds the judge's name in the file's name, in its first group."""
    people: str = ""
    """Pattern of the columns that hold a person's label; a column's name is the person's."""
    gold: str = ""
    gold_by: str = "gold"
    classes: Mapping[str, RawClass] = field(default_factory=dict)
    scale: str = ""
    """What its numbers are, where it has numbers and no classes."""
    without: frozenset[str] = frozenset()
    """Columns of other tables that look alike."""
    marks: tuple[str, ...] = ()
    """Texts of which one stands in the file's first bytes, where its columns alone are not special."""
    shape: Shape | None = None
    """None for a table."""
    published_in: str = ""
    """Encoding of the published file, where it is not UTF-8."""
    blank_is_none: bool = False
    """Whether an empty response means that no model was asked."""
    kind: str = ""
    """Column that says `text` where the response is one, and not the path of a picture."""
    remark: str = ""
    """What a person has to know of it."""
