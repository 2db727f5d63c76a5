"""What the statistics of a report start from: counts over the frame, labelled items, and the policy's outcomes and rates.

Nothing is computed here; which design the evidence supports is decided in `designs`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from adjudicate.core.policy import Rate


@dataclass(frozen=True, slots=True)
class CellCount:
    """Items of the frame that share everything named here (one row of a GROUP BY)."""

    stratum: str
    """Stratum recorded when a sample was drawn; empty outside a draw."""
    population: str
    intent: str
    model: str
    judge: str
    """Judge of the verdict. Rows with an empty judge count every item once and are the frame; without such rows, the judge
    with the most items is taken for it."""
    verdict: str | None
    """Outcome that the judge named; None where it failed (or where `judge` is empty)."""
    size: int
    """Items in the cell."""


@dataclass(frozen=True, slots=True)
class LabelledItem:
    """An item that at least one annotator labelled."""

    item_id: str
    stratum: str
    """As in `CellCount`."""
    population: str
    intent: str
    model: str
    gold: str | None
    """Settled gold outcome; None while a disagreement is unresolved."""
    blind_gold: str | None
    """Gold outcome that rests on blind labels only; None without one."""
    verdicts: Mapping[str, str | None]
    """Judge -> outcome, None where it failed; judges without a verdict are absent."""
    labels: Mapping[str, str]
    """Annotator -> outcome."""
    sampled: bool
    """Whether the item was chosen by a recorded draw."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything that a report computes from."""

    outcomes: tuple[str, ...]
    """Ids of the policy's outcomes, in its order."""
    rates: tuple[Rate, ...]
    cells: tuple[CellCount, ...]
    items: tuple[LabelledItem, ...]
    annotators: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    groups: tuple[Literal["population", "model"], ...] = ("population", "model")
    """Fields to split by; population always, model where it is named and there are several."""
    confidence: float = 0.95
    """Two-sided, 0 to 1."""
    seed: int = 0
    """Seed of every bootstrap."""
    resamples: int = 2000
    """Replicates of every bootstrap; 0 for none."""
    conservative: bool = False
    """Clopper-Pearson limits instead of Jeffreys."""
    target: Literal["finite", "process"] = "finite"
    """What corrected rates speak for: these items, or the process that made them."""

    @property
    def limits(self) -> str:
        """Key of `intervals.LIMITS`."""
        return "clopper_pearson" if self.conservative else "jeffreys"

    @property
    def models(self) -> tuple[str, ...]:
        """Models to split by, sorted; empty where the report does not split by model."""
        models = sorted({cell.model for cell in self.cells} | {item.model for item in self.items})
        return tuple(models) if "model" in self.groups and len(models) > 1 else ()

    @property
    def populations(self) -> tuple[str, ...]:
        """Populations, sorted."""
        return tuple(sorted({cell.population for cell in self.cells} | {item.population for item in self.items}))
