"""What the rows of a file leave open: an intent, or what a class means. Noted while they are read, to be asked for at once."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from adjudicate.core.items import RowDraft, VerdictDraft

KEPT_ROWS = 3
KEPT_CLASSES = 1000
"""Different classes that are counted; a column with more of them holds no classes."""
KEPT_LENGTH = 200
NO_CLASSES = frozenset({"", "nan", "null"})
"""What stands in a cell where nothing was said, whatever its case."""


@dataclass(slots=True)
class OpenClasses:
    """Classes of one judge or person that are no outcome."""

    texts: Counter[str] = field(default_factory=Counter)
    numbers: Counter[str] = field(default_factory=Counter)
    """As they are written."""
    low: float = float("inf")
    high: float = float("-inf")
    """The least and the greatest of the numbers."""
    number_count: int = 0

    def take(self, raw: str, count: int = 1) -> None:
        """Count a class; where nothing was said there is none."""
        text = raw[:KEPT_LENGTH]
        if text.strip().casefold() in NO_CLASSES:
            return
        number = _number(text)
        if number is not None:
            self.number_count += count
            self.low, self.high = min(self.low, number), max(self.high, number)
        kept = self.texts if number is None else self.numbers
        if text in kept or len(kept) < KEPT_CLASSES:
            kept[text] += count

    def add(self, other: OpenClasses) -> None:
        """Count what another count holds, too."""
        for kept in (other.texts, other.numbers):
            for raw, count in kept.items():
                self.take(raw, count)


@dataclass(slots=True)
class Unsaid:
    """What rows of one file leave open. Its rows are problems besides, each with its place."""

    rows: list[RowDraft] = field(default_factory=list)
    """The first of them, as far as they could be read: without an intent, a label or a gold label."""
    without_intent: int = 0
    """Rows that do not say whether their prompt is benign or harmful."""
    intents: Counter[str] = field(default_factory=Counter)
    """Classes of prompts that are no intent."""
    classes: dict[str, OpenClasses] = field(default_factory=dict)
    """Classes of people's labels and of gold, by field."""
    verdicts: dict[str, OpenClasses] = field(default_factory=dict)
    """Classes of judges that are no outcome, in those rows, by judge."""
    judged: Counter[str] = field(default_factory=Counter)
    """Verdicts with an outcome in those rows, by judge."""

    def label(self, name: str, raw: str) -> None:
        """Note a class of the field ``label.NAME`` or ``gold``."""
        self.classes.setdefault(name, OpenClasses()).take(raw)

    def intent(self, raw: str) -> None:
        """Note a class of prompts."""
        if raw in self.intents or len(self.intents) < KEPT_CLASSES:
            self.intents[raw[:KEPT_LENGTH]] += 1

    def row(self, draft: RowDraft) -> None:
        """Note a row that could be read but for what is open."""
        if len(self.rows) < KEPT_ROWS:
            self.rows.append(draft)
        for verdict in draft.verdicts:
            self._verdict(verdict)

    def _verdict(self, verdict: VerdictDraft) -> None:
        if verdict.outcome is None:
            self.verdicts.setdefault(verdict.judge, OpenClasses()).take(verdict.raw)
        else:
            self.judged[verdict.judge] += 1


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if number - number == 0 else None
