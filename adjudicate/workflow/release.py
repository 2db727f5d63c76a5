"""What a gate is asked and what it answers, as records: the question, a row of the table, the release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from adjudicate.core.demands import Asked, Margins, asked_json
from adjudicate.core.estimates import Estimate
from adjudicate.core.policy import Policy
from adjudicate.stats.adjudicated_rows import Moved
from adjudicate.stats.bounding import Bounding
from adjudicate.stats.gate import GateRow, Result, by_both, worst
from adjudicate.stats.stratum_bounds import Target

RowResult = Literal["pass", "fail", "undecided", "not asked"]
Intents = Literal["declared", "adjudicated"]
SIDES = ("before", "after", "difference")
SHOWN_KEYS = ("value", "low", "high", "n", "undefined")


@dataclass(frozen=True, slots=True)
class GateQuestion:
    """What is to be decided."""

    asked: tuple[Asked, ...] = ()
    """Demands of the command line; they come before those of the file."""
    margins: Margins | None = None
    baseline: str | None = None
    """Run or model before the change; None for bounds alone."""
    candidate: str | None = None
    """Run or model to release; None for everything."""
    model: str | None = None
    """Only this model, on both sides."""
    population: str | None = None
    anytime: bool = False
    target: Target = "finite"
    confidence: float = 0.95
    intents: Intents = "declared"
    """The reading of contested intents that decides; where a ruling moved an item, both are shown."""

    @property
    def bounding(self) -> Bounding:
        """Clopper-Pearson limits, or the anytime set where the result may end the labelling."""
        return Bounding(anytime=self.anytime, target=self.target, confidence=self.confidence)

    @property
    def demands(self) -> tuple[Asked, ...]:
        """All demands; one of the command line replaces the same one of the file."""
        own = {(each.kind, each.rate, each.population) for each in self.asked}
        of_file = self.margins.asked if self.margins else ()
        return (*self.asked, *(each for each in of_file if (each.kind, each.rate, each.population) not in own))


@dataclass(frozen=True, slots=True)
class Reading:
    """One rate of one population under one reading of the intents."""

    before: Estimate | None
    """None without a baseline."""
    after: Estimate
    difference: Estimate | None
    """None without a baseline."""
    decided: GateRow | None
    """None where nothing was asked of the rate."""

    def estimates(self) -> Iterator[Estimate]:
        """Before, after and difference, named by the side they speak for."""
        for name, each in self._sides():
            if each is not None:
                yield replace(each, group={**each.group, "side": name})

    def as_json(self) -> dict[str, Any]:
        """Values, checks and what they amount to by this reading alone."""
        checks = self.decided.checks if self.decided else ()
        return {
            **{name: each and {key: getattr(each, key) for key in SHOWN_KEYS} for name, each in self._sides()},
            "checks": [{"kind": c.kind, "limit": c.limit, "result": c.result, "reason": c.reason} for c in checks],
            "result": self.decided.result if self.decided else "not asked",
        }

    def _sides(self) -> Iterator[tuple[str, Estimate | None]]:
        return iter((("before", self.before), ("after", self.after), ("difference", self.difference)))


@dataclass(frozen=True, slots=True)
class MovedReading:
    """The same rate under the adjudicated intents, where a ruling moved a labelled item."""

    reading: Reading
    moved_before: Moved | None
    """Labelled items moved on the side of the baseline; None without one."""
    moved_after: Moved


@dataclass(frozen=True, slots=True)
class ReleaseRow:
    """One rate of one population, before and after."""

    group: Mapping[str, str]
    size: int
    """Items of the candidate, N."""
    size_before: int | None
    """Items of the baseline; None without one."""
    declared: Reading
    """Under the declared intents."""
    adjudicated: MovedReading | None = None
    """None where no ruling moved an item that counts here."""
    intents: Intents = "declared"
    """The reading that decides."""

    @property
    def before(self) -> Estimate | None:
        """The baseline's rate under the declared intents."""
        return self.declared.before

    @property
    def after(self) -> Estimate:
        """The candidate's rate under the declared intents."""
        return self.declared.after

    @property
    def difference(self) -> Estimate | None:
        """After minus before under the declared intents."""
        return self.declared.difference

    @property
    def decisive(self) -> Reading:
        """The reading that decides."""
        return self.adjudicated.reading if self.adjudicated and self.intents == "adjudicated" else self.declared

    @property
    def other(self) -> Reading | None:
        """The reading beside it; None where both are one."""
        if self.adjudicated is None:
            return None
        return self.declared if self.intents == "adjudicated" else self.adjudicated.reading

    @property
    def decided(self) -> GateRow | None:
        """What was asked and what the reading that decides says; None where nothing was asked."""
        return self.decisive.decided

    @property
    def readings_differ(self) -> bool:
        """Whether the answer hangs on how contested intents are read."""
        return bool(self.decided and self.other and self.other.decided and self.other.decided.result != self.decided.result)

    @property
    def result(self) -> RowResult:
        """What the demands say: a pass only by both readings, and undecided where one passes and the other fails."""
        if self.decided is None:
            return "not asked"
        other = self.other.decided if self.other else None
        return by_both(self.decided.result, other.result) if other else self.decided.result

    @property
    def n(self) -> int:
        """Labels that the row rests on: pairs where it is paired, else the candidate's."""
        paired = self.difference is not None and self.difference.statistic == "paired_difference"
        return self.difference.n if paired and self.difference else self.after.n

    def estimates(self) -> Iterator[Estimate]:
        """All sides, under the declared intents and, where they differ, under the adjudicated ones."""
        yield from self.declared.estimates()
        if self.adjudicated is not None:
            yield from self.adjudicated.reading.estimates()

    def as_json(self) -> dict[str, Any]:
        """One row of ``gate --json``."""
        demand = self.decided.demand if self.decided else None
        declared = self.declared.as_json()
        return {
            **self.group,
            "N": self.size,
            "n": self.n,
            **{name: declared[name] for name in SIDES},
            "bound": demand.bound if demand else None,
            "margin": demand.margin if demand else None,
            "checks": self.decisive.as_json()["checks"],
            "result": self.result,
            "intents": self._intents_json(),
        }

    def _intents_json(self) -> dict[str, Any] | None:
        """Both readings side by side, with the labelled items moved; null where no ruling moved any."""
        found = self.adjudicated
        if found is None:
            return None
        return {
            "decides": self.intents,
            "differ": self.readings_differ,
            "moved_before": found.moved_before.as_json() if found.moved_before is not None else None,
            "moved_after": found.moved_after.as_json(),
            "declared": self.declared.as_json(),
            "adjudicated": found.reading.as_json(),
        }


@dataclass(frozen=True, slots=True)
class Release:
    """The table with the decision and what it rests on."""

    policy: Policy
    baseline: str | None
    candidate: str
    question: GateQuestion
    rows: tuple[ReleaseRow, ...]
    warnings: tuple[str, ...]

    @property
    def decision(self) -> Result:
        """Pass only if every row that was asked about passes."""
        return worst(row.result for row in self.rows if row.result != "not asked")

    def as_json(self) -> dict[str, Any]:
        """The object of ``gate --json``."""
        question = self.question
        return {
            "decision": self.decision,
            "baseline": self.baseline,
            "candidate": self.candidate,
            "policy": {"id": self.policy.id, "version": self.policy.version, "fingerprint": self.policy.fingerprint},
            "limits": "anytime" if question.anytime else question.bounding.limits,
            "target": question.target,
            "confidence": question.confidence,
            "intents": question.intents,
            "demands": asked_json(question.demands),
            "margins": question.margins.as_json() if question.margins else None,
            "warnings": list(self.warnings),
            "rows": [row.as_json() for row in self.rows],
            "estimates": [each.as_json() for row in self.rows for each in row.estimates()],
        }
