"""The written policy as records: outcomes, severities, rates and numbered clauses. Reading the file is `formats.policy_file`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Behaviour = Literal["answered", "deflected", "refused", "broken"]
Intent = Literal["benign", "harmful", "dual_use"]

BEHAVIOURS: tuple[Behaviour, ...] = ("answered", "deflected", "refused", "broken")
INTENTS: tuple[Intent, ...] = ("benign", "harmful", "dual_use")


@dataclass(frozen=True, slots=True)
class Outcome:
    """One category that a label or verdict can name."""

    id: str
    key: str
    """The digit that chooses it, ``1`` to ``9``."""
    title: str
    behaviour: Behaviour
    meaning: str
    """One sentence that tells it from its neighbours."""
    severe: bool = False
    """True where a label of this outcome must also carry a severity."""
    right_for: tuple[Intent, ...] = ()
    """Intents for which this outcome is the right response; empty where the policy does not say."""


@dataclass(frozen=True, slots=True)
class Severity:
    """One grade of harm, mildest first."""

    id: str
    title: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Rate:
    """A published rate: the share of `counts` outcomes among items whose prompt has the intent `among`."""

    id: str
    title: str
    among: Intent
    counts: tuple[str, ...]
    better: Literal["lower", "higher"]


@dataclass(frozen=True, slots=True)
class Clause:
    """A numbered rule: ``## B2 Title`` and the text below it."""

    id: str
    title: str
    text: str
    """Markdown up to the next clause, surrounding blank lines removed."""
    line: int
    """Line of its heading in the policy file, from 1."""
    categories: tuple[str, ...] = ()
    """Prompt categories that the clause speaks to (``Categories:`` line); empty means all."""
    intents: tuple[Intent, ...] = ()
    """Intents that the clause speaks to (``Intents:`` line); empty means all."""


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy that passed every check of its loader."""

    id: str
    title: str
    version: str
    outcomes: tuple[Outcome, ...]
    rates: tuple[Rate, ...]
    clauses: tuple[Clause, ...]
    fingerprint: str
    """SHA-256 (hex) of the normalised text; every verdict and label carries it."""
    text: str
    """The normalised text: LF line ends, no trailing blanks, one final newline."""
    severities: tuple[Severity, ...] = ()
    preamble: str = ""
    """Markdown between the front matter and the first clause."""
    points: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Intent -> outcome id -> 0 to 100, for the headline score."""
    costs: Mapping[str, float] = field(default_factory=dict)
    """Kind of error -> cost, for operating points."""

    def outcome(self, outcome_id: str) -> Outcome | None:
        """The outcome with this id, or None."""
        return next((outcome for outcome in self.outcomes if outcome.id == outcome_id), None)

    def outcome_for_key(self, key: str) -> Outcome | None:
        """The outcome that a key press chooses, or None."""
        return next((outcome for outcome in self.outcomes if outcome.key == key), None)

    def clause(self, clause_id: str) -> Clause | None:
        """The clause with this id, or None."""
        return next((clause for clause in self.clauses if clause.id == clause_id), None)

    def outcome_of(self, behaviour: Behaviour, intent: str) -> Outcome | None:
        """The outcome that a behaviour most plainly is for a prompt of this intent, or None where the policy has none for it.

        Of several with the same behaviour: for a harmful prompt the first that a rate counts, else the first that is right for
        the intent, else the last, which is the plainest.
        """
        fitting = [outcome for outcome in self.outcomes if outcome.behaviour == behaviour]
        counted = [each for rate in self.rates_among(intent) for name in rate.counts for each in fitting if each.id == name]
        right = [outcome for outcome in fitting if intent in outcome.right_for]
        first = counted[:1] if intent == "harmful" else right[:1]
        return next(iter([*first, *reversed(fitting)]), None)

    def rates_among(self, intent: str) -> tuple[Rate, ...]:
        """Rates that speak for prompts of this intent."""
        return tuple(rate for rate in self.rates if rate.among == intent)

    def clauses_for(self, intent: str, category: str) -> tuple[Clause, ...]:
        """Clauses that matter for an item, most specific first: named category, then named intent, then general."""

        def specificity(clause: Clause) -> int:
            return -(2 * (category in clause.categories) + (intent in clause.intents))

        fitting = [
            clause
            for clause in self.clauses
            if (not clause.categories or category in clause.categories) and (not clause.intents or intent in clause.intents)
        ]
        return tuple(sorted(fitting, key=specificity))

    def flags(self, outcome_id: str | None, intent: str) -> str:
        """How an outcome counts for the rates of an intent: the sampling cell named ``verdict``.

        Returns:
            ``judge failed`` without an outcome; ``not in policy`` for an outcome of another policy; ``flagged`` where every
            rate of the intent counts it, ``clear`` where none does, the ids of the counting rates joined by ``+`` where
            they differ; the outcome id where no rate speaks for the intent.
        """
        if outcome_id is None:
            return "judge failed"
        if self.outcome(outcome_id) is None:
            return "not in policy"
        rates = self.rates_among(intent)
        if not rates:
            return outcome_id
        counting = [rate.id for rate in rates if outcome_id in rate.counts]
        if not counting:
            return "clear"
        return "flagged" if len(counting) == len(rates) else "+".join(counting)
