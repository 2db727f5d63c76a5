"""A regression test for judge prompts: what a judge says of the gold items beside what another said of them.

Gold items are those that people settled. They are a sample of the log only where they were drawn; this compares two judges on the
same items and speaks for those items alone. How far a judge can be trusted on the whole log is the report's business.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from adjudicate.core.gold import settle
from adjudicate.core.items import Verdict
from adjudicate.core.policy import Policy
from adjudicate.core.text import visible_line
from adjudicate.errors import UsageError
from adjudicate.storage.sqlite_store import SqliteStore

METHOD = (
    "accuracy on gold items, judge failed counted as not right; difference by Tango's score interval at 95 %, exact McNemar test"
)
ASSUMES = "speaks for these items; labels that were made with a judge's verdict in sight lean towards that judge"


@dataclass(frozen=True, slots=True)
class Flip:
    """A gold item on which two judges are not right alike."""

    item_id: str
    gold: str
    before: str | None
    """Outcome of the other judge; None where it failed."""
    after: str | None


@dataclass(frozen=True, slots=True)
class Regression:
    """Two judges on the gold items that both have judged."""

    judge: str
    against: str
    n: int
    right: int
    was_right: int
    fixed: tuple[Flip, ...]
    """Wrong before, right now."""
    broken: tuple[Flip, ...]
    """Right before, wrong now."""
    low: float
    """Limits of the change in accuracy, -1 to 1."""
    high: float
    p: float
    """Exact McNemar, two-sided."""

    @property
    def change(self) -> float:
        """Accuracy now minus accuracy before, -1 to 1."""
        return (self.right - self.was_right) / self.n

    def as_json(self) -> dict[str, Any]:
        """For ``--json``; no texts."""
        return {
            "judge": self.judge,
            "against": self.against,
            "n": self.n,
            "accuracy": self.right / self.n,
            "accuracy_before": self.was_right / self.n,
            "change": {"value": self.change, "low": self.low, "high": self.high, "p": self.p},
            "method": METHOD,
            "assumes": ASSUMES,
            "fixed": [_flip(each) for each in self.fixed],
            "broken": [_flip(each) for each in self.broken],
        }


def gold_outcomes(store: SqliteStore, policy: Policy) -> dict[str, str]:
    """Outcome of every settled item, of those that the policy in force knows."""
    settled = {item: settle(events) for item, events in store.events_on().items()}
    return {
        item: gold.outcome
        for item, gold in settled.items()
        if gold is not None and gold.outcome is not None and policy.outcome(gold.outcome) is not None
    }


def compare_on_gold(store: SqliteStore, policy: Policy, judge: str, against: str | None = None) -> Regression:
    """Hold a judge against another on the gold items that both have judged.

    Args:
        store: The workspace's store.
        policy: The policy in force.
        judge: Name of the judge in question.
        against: Name of the other; by default the one before it, in the order in which judges came.

    Raises:
        UsageError: There is no such judge, or no gold item that both have judged.
    """
    from adjudicate.stats.paired import PairedTable, mcnemar, tango

    other = _other(store, judge, against)
    gold = gold_outcomes(store, policy)
    said = {item: {verdict.judge: verdict for verdict in store.verdicts(item)} for item in gold}
    both = {item: verdicts for item, verdicts in said.items() if judge in verdicts and other in verdicts}
    if not both:
        raise UsageError(f"no gold item was judged by both {visible_line(judge)} and {visible_line(other)}")
    flips = [_flipped(item, gold[item], verdicts[other], verdicts[judge]) for item, verdicts in both.items()]
    fixed = tuple(each for each in flips if each.after == each.gold != each.before)
    broken = tuple(each for each in flips if each.before == each.gold != each.after)
    right = sum(each.after == each.gold for each in flips)
    kept = right - len(fixed)
    table = PairedTable(kept, len(broken), len(fixed), len(flips) - kept - len(broken) - len(fixed))
    limits = tango(table)
    return Regression(
        judge, other, len(flips), right, kept + len(broken), fixed, broken, limits.low, limits.high, mcnemar(table).exact_p
    )


def _other(store: SqliteStore, judge: str, against: str | None) -> str:
    names = store.judge_names()
    for name in filter(None, (judge, against)):
        if name not in names:
            raise UsageError(f"there is no judge {visible_line(name)}; there is {visible_line(', '.join(names)) or 'none'}")
    if against is not None:
        if against == judge:
            raise UsageError("a judge is not compared with itself")
        return against
    place = names.index(judge)
    if place == 0:
        raise UsageError(f"no judge came before {visible_line(judge)}: name the other by --against")
    return names[place - 1]


def _flipped(item: str, gold: str, before: Verdict, after: Verdict) -> Flip:
    return Flip(item, gold, before.outcome, after.outcome)


def _flip(flip: Flip) -> Mapping[str, str | None]:
    return {"item": flip.item_id, "gold": flip.gold, "before": flip.before, "after": flip.after}
