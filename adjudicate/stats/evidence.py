"""What the statistics of a report start from: counts over the frame, labelled items, and the policy's outcomes and rates.

Nothing is computed here; which design the evidence supports is decided in `designs`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from adjudicate.core.policy import Rate
from adjudicate.stats.bounding import Bounding


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
    helpfulness_n: int = 0
    """Verdicts of the cell with a helpfulness score."""
    helpfulness: float = 0.0
    """Sum of their helpfulness scores, 0 to 100 each."""
    safety_n: int = 0
    """Verdicts of the cell with a safety score."""
    safety: float = 0.0
    """Sum of their safety scores, 0 to 100 each."""


@dataclass(frozen=True, slots=True)
class ScoresOfJudge:
    """Numbers that a judge gave with its verdict on one item; None where it gave none."""

    score: float | None
    """Probability that the response should have been stopped, 0 to 1: high is suspicious, whatever the prompt's intent."""
    helpfulness: float | None
    """0 to 100."""
    safety: float | None
    """0 to 100."""


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
    category: str = ""
    language: str = ""
    characters: int | None = None
    """Length of the response; None where unknown."""
    turns: int | None = None
    """Turns of the user; None where unknown."""
    prompt: str = ""
    """Id of the prompt; responses to one prompt share it."""
    pair: str = ""
    """Id shared with the prompt's twin; empty without one."""
    clauses: tuple[str, ...] = ()
    """Clauses cited for what holds: of the ruling where it names one, else of the current labels; sorted."""
    severity: str | None = None
    """Severity of the gold label; None where it has none."""
    adjudicated_intent: str | None = None
    """What the prompt is after a ruling on its intent; None without one."""
    scores: Mapping[str, ScoresOfJudge] = field(default_factory=dict)
    """Judge -> scores; judges without any are absent."""
    labelled_at: float | None = None
    """Seconds since an epoch of the last label that counts; None where unknown."""
    recorded: bool = False
    """Whether gold came with the data set rather than from labels made here."""
    in_turn: bool = True
    """Of a drawn item: whether its labels are part of the random sample, or were chosen by somebody and wait for the queue to
    reach it."""

    @property
    def cluster(self) -> str:
        """What the item shares with others: its pair, else its prompt, else nothing but itself."""
        return self.pair or self.prompt or self.item_id


@dataclass(frozen=True, slots=True)
class ArmDecision:
    """One label made in the arm (blind or assisted) into which the draw put the item."""

    item_id: str
    annotator: str
    assisted: bool
    verdict: str
    """Outcome that was, or would have been, shown."""
    outcome: str
    seconds: float | None = None
    """Time on the item; None where it was not measured."""
    reading: int | None = None
    """Characters of prompt and response; None where unknown."""
    planned: bool = True
    """Whether chance decided the arm: a recorded draw put the item into it."""


@dataclass(frozen=True, slots=True)
class RevealedLabel:
    """A blind label whose verdict was shown afterwards, and what stood in the end."""

    item_id: str
    annotator: str
    before: str
    after: str
    verdict: str


@dataclass(frozen=True, slots=True)
class RepeatLabels:
    """An item that came back to the same person unannounced."""

    item_id: str
    annotator: str
    first: str
    again: str


@dataclass(frozen=True, slots=True)
class JudgeReadings:
    """All verdicts of one judge on one item that it was asked about again."""

    item_id: str
    judge: str
    population: str
    intent: str
    model: str
    verdicts: tuple[str | None, ...]
    """Outcomes, None where the judge failed; no reading is better than another."""


@dataclass(frozen=True, slots=True)
class JudgePairCell:
    """Items that two judges gave these outcomes."""

    population: str
    intent: str
    model: str
    first: str
    second: str
    outcomes: tuple[str, str]
    items: int


@dataclass(frozen=True, slots=True)
class PromptAnswers:
    """Prompts to which one model gave several answers, counted by how these were judged."""

    population: str
    intent: str
    model: str
    judge: str
    answers: tuple[tuple[str, str | None], ...]
    """Stratum (as in `CellCount`) and verdict of each answer; None where the judge failed."""
    prompts: int


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A calibration set: another workspace, whose labels say how the judges err there."""

    name: str
    """What its workspace is called."""
    policy: str
    """Fingerprint of the policy in force there."""
    evidence: Evidence
    """Its frame and labels."""


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
    anytime: bool = False
    """Limits that hold at every moment of the labelling, for a decision that ends it."""
    severities: tuple[str, ...] = ()
    """Ids of the policy's severities, mildest first."""
    refusals: frozenset[str] = frozenset()
    """Ids of the policy's outcomes in which a model refuses or deflects."""
    points: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Intent -> outcome -> 0 to 100, where the policy gives points."""
    decisions: tuple[ArmDecision, ...] = ()
    """Labels of both arms, each person's in the order in which they were made."""
    reveals: tuple[RevealedLabel, ...] = ()
    repeats: tuple[RepeatLabels, ...] = ()
    answers: tuple[PromptAnswers, ...] = ()
    """Empty where no prompt was asked twice of one model."""
    readings: tuple[JudgeReadings, ...] = ()
    """Empty where no judge was asked twice about one item."""
    judge_pairs: tuple[JudgePairCell, ...] = ()
    """Empty where no two judges saw the same items."""
    skipped: tuple[CellCount, ...] = ()
    """Drawn items that everyone who was given them has skipped: the non-response."""
    contests: int = 0
    """Labelled items whose declared intent somebody contests and nobody has ruled on."""
    elsewhere: Elsewhere | None = None
    """Labels from elsewhere, where they were asked for."""
    known: dict[tuple[str, object], Any] = field(init=False, repr=False, compare=False, default_factory=dict)
    """What `designs` has looked up, once for all statistics."""

    @property
    def limits(self) -> str:
        """Key of `intervals.LIMITS`."""
        return "clopper_pearson" if self.conservative else "jeffreys"

    @property
    def bounding(self) -> Bounding:
        """How corrected rates are bounded."""
        return Bounding(self.limits, self.anytime, self.target, self.confidence)

    @property
    def models(self) -> tuple[str, ...]:
        """Models to split by, sorted; empty where the report does not split by model."""
        models = sorted({cell.model for cell in self.cells} | {item.model for item in self.items})
        return tuple(models) if "model" in self.groups and len(models) > 1 else ()

    @property
    def populations(self) -> tuple[str, ...]:
        """Populations, sorted."""
        return tuple(sorted({cell.population for cell in self.cells} | {item.population for item in self.items}))
