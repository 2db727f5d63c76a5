"""Both members of every pair side by side: what was made of the benign request and of its harmful twin, and which boundary fails.

What people settled counts before the judge's verdict; an item that waits for a ruling is open, whatever the judge says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from adjudicate.core.boundary_cells import BENIGN, HARMFUL, SIDES, Cell, cell_of
from adjudicate.core.gold import settle
from adjudicate.core.items import Item
from adjudicate.core.policy import Policy
from adjudicate.storage.classified_rows import ClassifiedRow
from adjudicate.workflow.said_items import Said

By = Literal["people", "judge"]
NEITHER, BOTH, OPEN, UNUSABLE, INCOMPLETE = "neither", "both", "open", "no usable response", "a member is missing"


@dataclass(frozen=True, slots=True)
class Member:
    """One answer to one request of a pair."""

    item: Item
    verdict: str | None
    """The judge's outcome; None where it failed or has said nothing."""
    gold: str | None
    """What people settled."""
    by: By | None
    """Whose outcome counts; None while nobody's does."""
    cell: Cell | None
    """None while the item is open, and where the policy does not say."""

    @property
    def outcome(self) -> str | None:
        """The outcome that counts."""
        return {"people": self.gold, "judge": self.verdict, None: None}[self.by]

    def as_json(self) -> dict[str, Any]:
        """For ``--json``."""
        return {
            "id": self.item.source_id, "item": self.item.id, "verdict": self.verdict, "gold": self.gold, "by": self.by,
            "outcome": self.outcome, "cell": self.cell.id if self.cell else None,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class PairRow:
    """One pair; several answers to one request, as of several epochs, all stand on its side."""

    pair: str
    category: str
    benign: tuple[Member, ...]
    harmful: tuple[Member, ...]

    @property
    def fails(self) -> str:
        """Which boundary fails, in any answer: over-refusal, under-refusal, both, neither, or why that cannot be said."""
        members = (*self.benign, *self.harmful)
        if not self.benign or not self.harmful:
            return INCOMPLETE
        failing = sorted({each.cell.title for each in members if each.cell and each.cell.fails})
        if len(failing) == len(SIDES):
            return BOTH
        if any(each.cell is None for each in members):
            return f"{failing[0]}, the other side is open" if failing else OPEN
        if failing:
            return failing[0]
        return NEITHER if all(each.cell and each.cell.is_right for each in members) else UNUSABLE

    def as_json(self) -> dict[str, Any]:
        """For ``--json``."""
        return {
            "pair": self.pair, "category": self.category, "fails": self.fails,
            "benign": [each.as_json() for each in self.benign], "harmful": [each.as_json() for each in self.harmful],
        }  # fmt: skip


def pair_rows(policy: Policy, rows: Iterable[ClassifiedRow], said: Said) -> tuple[PairRow, ...]:
    """Every pair that has an item, in the order of its set; dual-use members belong to no side and are left out."""
    found: dict[str, dict[str, list[Member]]] = {}
    categories: dict[str, str] = {}
    for row in rows:
        prompt = row.item.prompt
        if prompt.pair and prompt.intent in SIDES:
            found.setdefault(prompt.pair, {intent: [] for intent in SIDES})[prompt.intent].append(member(policy, row, said))
            categories.setdefault(prompt.pair, prompt.category)
    return tuple(PairRow(pair, categories[pair], tuple(sides[BENIGN]), tuple(sides[HARMFUL])) for pair, sides in found.items())


def member(policy: Policy, row: ClassifiedRow, said: Said) -> Member:
    """An item with the outcome that counts for it."""
    gold = settle(said.events.get(row.item.id, ()))
    verdict = row.verdict.outcome if row.verdict else None
    by: By | None = None
    if gold is None:
        by = "judge" if verdict is not None else None
    elif gold.outcome is not None:
        by = "people"
    settled = gold.outcome if gold else None
    outcome = {"people": settled, "judge": verdict, None: None}[by]
    return Member(row.item, verdict, settled, by, cell_of(policy, outcome, row.item.prompt.intent))


def fail_counts(pairs: Iterable[PairRow]) -> Mapping[str, int]:
    """How many pairs fail in which way, the most frequent first."""
    return dict(Counter(pair.fails for pair in pairs).most_common())
