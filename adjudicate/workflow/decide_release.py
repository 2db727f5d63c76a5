"""The release gate: rates of a candidate, alone or beside a baseline, held to demands that were stated before.

Loads both sides, asks `stats.run_change` and `stats.gate`, and keeps what a reader needs to check the decision. How it is shown
is in `present_release`; two deployments side by side are in `compare_policies`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from adjudicate.core.demands import EVERY, Asked, Margins, asked_json, asked_of, check_once
from adjudicate.core.estimates import Estimate
from adjudicate.core.policy import Policy, Rate
from adjudicate.core.text import shortened, visible_line
from adjudicate.errors import UsageError
from adjudicate.stats.corrected import Target
from adjudicate.stats.gate import Demand, GateRow, Result, decide_row, worst
from adjudicate.stats.rate_counts import Bounding, RateCounts, bounded_rate, rate_counts
from adjudicate.stats.run_change import LabelledPair, Pairs, run_change
from adjudicate.storage.paired_rows import named_pairs, pair_cells, prompt_counts
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.read_side import Frame, Side, side

SHOWN = 60
RowResult = Literal["pass", "fail", "undecided", "not asked"]


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
class ReleaseRow:
    """One rate of one population, before and after."""

    group: Mapping[str, str]
    size: int
    """Items of the candidate, N."""
    size_before: int | None
    """Items of the baseline; None without one."""
    before: Estimate | None
    after: Estimate
    difference: Estimate | None
    decided: GateRow | None
    """None where nothing was asked of the rate."""

    @property
    def result(self) -> RowResult:
        """What the demands say."""
        return self.decided.result if self.decided else "not asked"

    @property
    def n(self) -> int:
        """Labels that the row rests on: pairs where it is paired, else the candidate's."""
        paired = self.difference is not None and self.difference.statistic == "paired_difference"
        return self.difference.n if paired and self.difference else self.after.n

    def estimates(self) -> Iterator[Estimate]:
        """Before, after and difference, named by the side they speak for."""
        for name, each in (("before", self.before), ("after", self.after), ("difference", self.difference)):
            if each is not None:
                yield replace(each, group={**each.group, "side": name})

    def as_json(self) -> dict[str, Any]:
        """One row of ``gate --json``."""
        demand = self.decided.demand if self.decided else None
        checks = self.decided.checks if self.decided else ()
        return {
            **self.group,
            "N": self.size,
            "n": self.n,
            **{
                name: None if each is None else {key: getattr(each, key) for key in ("value", "low", "high", "n", "undefined")}
                for name, each in (("before", self.before), ("after", self.after), ("difference", self.difference))
            },
            "bound": demand.bound if demand else None,
            "margin": demand.margin if demand else None,
            "checks": [{"kind": c.kind, "limit": c.limit, "result": c.result, "reason": c.reason} for c in checks],
            "result": self.result,
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
        return worst(row.decided.result for row in self.rows if row.decided)

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
            "demands": asked_json(question.demands),
            "margins": question.margins.as_json() if question.margins else None,
            "warnings": list(self.warnings),
            "rows": [row.as_json() for row in self.rows],
            "estimates": [each.as_json() for row in self.rows for each in row.estimates()],
        }


def decide_release(store: SqliteStore, question: GateQuestion) -> Release:
    """Decide one gate.

    Raises:
        UsageError: Nothing is asked, a demand names what the policy or the workspace does not have, or a side is unclear.
    """
    frame = Frame(store)
    check_question(question, frame.policy)
    after = side(frame, question.candidate, model=question.model, population=question.population)
    if question.baseline is None:
        before, rows = None, _alone(after, question)
    else:
        before = side(frame, question.baseline, model=question.model, population=question.population)
        rows = list(_compared(store, before, after, question))
    _check_populations(question, rows)
    if not any(row.decided for row in rows):
        raise UsageError("the demands speak for no rate of these items; 'adjudicate status' lists models and runs")
    return Release(
        policy=frame.policy,
        baseline=before.name if before else None,
        candidate=after.name,
        question=question,
        rows=tuple(rows),
        warnings=tuple(_warnings(rows, question)),
    )


def check_question(question: GateQuestion, policy: Policy) -> None:
    """Refuse demands that nothing could answer.

    Raises:
        UsageError: With what to write instead.
    """
    check_once(question.asked)
    if not question.demands:
        raise UsageError("state what is asked before looking: --max RATE=FRACTION, --margin RATE=FRACTION or --margins FILE")
    rates = {rate.id: rate for rate in policy.rates}
    for each in question.demands:
        rate, shown = rates.get(each.rate), shortened(each.rate, SHOWN)
        if rate is None:
            raise UsageError(f"{each.kind} of {shown}: the policy has no such rate; it has {', '.join(rates)}")
        if each.kind == ("max" if rate.better == "higher" else "min"):
            other = "min" if each.kind == "max" else "max"
            raise UsageError(f"{each.kind} of {shown}: this rate is better {rate.better}; bound it with {other}")
    if question.baseline is None and any(each.kind == "margin" for each in question.demands):
        raise UsageError("a margin is about a change: name the run before it with --baseline")
    if question.baseline is not None and question.candidate is None:
        raise UsageError("--baseline needs a --candidate")
    if question.anytime and question.target == "process":
        raise UsageError("--anytime limits speak for these responses only: leave out --target process")
    if not 0.5 <= question.confidence < 1:
        raise UsageError("--confidence is a fraction from 0.5 to below 1, such as 0.95")


def _alone(after: Side, question: GateQuestion) -> list[ReleaseRow]:
    return [
        _row(counts.rate, counts.group, question, after=_for_gate(bounded_rate(counts, question.bounding)), counts=counts)
        for counts in rate_counts(after.evidence)
    ]


def _compared(store: SqliteStore, before: Side, after: Side, question: GateQuestion) -> Iterator[ReleaseRow]:
    for each in (before, after):
        if len(each.models) > 1:
            models = ", ".join(map(visible_line, each.models))
            raise UsageError(f"{visible_line(each.name)} has several models ({models}): name one with --model")
    if before.part == after.part:
        raise UsageError("baseline and candidate are the same items")
    old = {(counts.rate.id, counts.group["population"]): counts for counts in rate_counts(before.evidence)}
    new = {(counts.rate.id, counts.group["population"]): counts for counts in rate_counts(after.evidence)}
    pairs = read_pairs(store, before, after)
    _check_same_model(before, after, pairs)
    for key in sorted(new.keys() | old.keys(), key=lambda key: _order(key, after.frame.policy)):
        one, two = old.get(key), new.get(key)
        if two is None:
            assert one is not None
            gone = Estimate(
                "corrected_rate", None, 0, "stratified mean", group=one.group, undefined="the candidate has no such items"
            )
            yield _row(one.rate, one.group, question, after=gone, counts=None, before=_rate(one, question), old=one)
            continue
        change = run_change(one, two, pairs[key[1], two.rate.among], question.bounding) if one else None
        yield _row(
            two.rate, two.group, question, after=_rate(two, question), counts=two,
            before=_rate(one, question) if one else None, difference=change, old=one,
        )  # fmt: skip


def _check_same_model(before: Side, after: Side, pairs: Mapping[tuple[str, str], Pairs]) -> None:
    """Equal responses of one model are one item, kept under the run that came first: the later run would lack them."""
    missing = sum(each.before - each.shared for each in pairs.values())
    if before.models == after.models and missing:
        model = visible_line(before.models[0])
        raise UsageError(
            f"{missing} prompts of the baseline have no response in the candidate, and both runs are of the model {model}:"
            " equal responses of one model are one item, under its first run. Import the candidate with --set model=NAME"
        )


def _rate(counts: RateCounts, question: GateQuestion) -> Estimate:
    return _for_gate(bounded_rate(counts, question.bounding))


def read_pairs(store: SqliteStore, before: Side, after: Side) -> Mapping[tuple[str, str], Pairs]:
    """Shared prompts by population and intent. A prompt with several responses on one side is no pair: none is shared then."""
    sizes: dict[tuple[str, str], dict[tuple[str, str], int]] = {}
    for cell in pair_cells(store, before.part, after.part):
        sizes.setdefault((cell.population, cell.intent), {})[cell.before, cell.after] = cell.size
    whole = {name: _census(each) for name, each in (("before", before), ("after", after))}
    labelled: dict[tuple[str, str], list[LabelledPair]] = {}
    for pair in named_pairs(store, before.part, after.part, [*before.items, *after.items]):
        one, two = before.items.get(pair.before_item), after.items.get(pair.after_item)
        place = (pair.population, pair.intent)
        counts = (pair.before_picked or place in whole["before"]) and (pair.after_picked or place in whole["after"])
        if one is not None and two is not None and counts:
            labelled.setdefault(place, []).append(LabelledPair((pair.before, pair.after), one.gold, two.gold))
    prompts: dict[tuple[str, str], Counter[str]] = {}
    repeated: set[tuple[str, str]] = set()
    for count in prompt_counts(store, before.part, after.part):
        place = (count.population, count.intent)
        prompts.setdefault(place, Counter())[count.side] = count.prompts
        if count.items != count.prompts:
            repeated.add(place)
    return {
        place: Pairs({}, (), sides["before"], sides["after"])
        if place in repeated
        else Pairs(sizes.get(place, {}), tuple(labelled.get(place, ())), sides["before"], sides["after"])
        for place, sides in prompts.items()
    }


def _census(each: Side) -> set[tuple[str, str]]:
    """Populations in which every item is labelled."""
    items = Counter((item.population, item.intent) for item in each.items.values())
    sizes: Counter[tuple[str, str]] = Counter()
    for cell in each.cells:
        if not cell.judge:
            sizes[cell.population, cell.intent] += cell.size
    return {place for place, size in sizes.items() if items[place] >= size}


def _row(
    rate: Rate,
    group: Mapping[str, str],
    question: GateQuestion,
    *,
    after: Estimate,
    counts: RateCounts | None,
    before: Estimate | None = None,
    difference: Estimate | None = None,
    old: RateCounts | None = None,
) -> ReleaseRow:
    population = group["population"]
    asked = question.demands
    bound = asked_of(asked, "max" if rate.better == "lower" else "min", rate.id, population)
    margin = asked_of(asked, "margin", rate.id, population)
    decided = None
    if bound is not None or margin is not None:
        demand = Demand(rate.better, margin, bound)
        decided = decide_row(demand, group=group, after=after, before=before, difference=difference)
    return ReleaseRow(group, counts.size if counts else 0, old.size if old else None, before, after, difference, decided)


def _for_gate(estimate: Estimate) -> Estimate:
    """A census with open disagreements has their bounds for limits already: the gate must not widen it a second time."""
    if estimate.details.get("design") != "census" or "bounds over unresolved" not in estimate.method:
        return estimate
    return replace(estimate, details={name: value for name, value in estimate.details.items() if name != "unresolved_bounds"})


def _order(key: tuple[str, str], policy: Policy) -> tuple[int, str]:
    return [rate.id for rate in policy.rates].index(key[0]), key[1]


def _check_populations(question: GateQuestion, rows: Sequence[ReleaseRow]) -> None:
    """A demand for a population that is not there is most likely a slip, and must not pass unseen."""
    for each in question.demands:
        known = sorted({row.group["population"] for row in rows if row.group["rate"] == each.rate})
        if each.population not in (EVERY, *known) and question.population is None:
            raise UsageError(
                f"{each.kind} of {visible_line(each.rate)}: there is no population {shortened(each.population, SHOWN)};"
                f" there is {', '.join(map(visible_line, known)) or 'none'}"
            )


def _warnings(rows: Sequence[ReleaseRow], question: GateQuestion) -> Iterator[str]:
    idle = [row for row in rows if row.decided is None]
    if idle:
        names = ", ".join(sorted({f"{row.group['rate']} of {visible_line(row.group['population'])}" for row in idle}))
        yield f"Nothing is asked of {names}: one rate without the other is half a result."
    for row in rows:
        name = f"{row.group['rate']} of {visible_line(row.group['population'])}"
        open_items = row.after.details.get("unresolved", 0)
        if open_items:
            yield f"{name}: {open_items} items wait for a ruling; the gate takes them either way."
        found = row.difference.details if row.difference is not None else {}
        if found.get("only_before") or found.get("only_after"):
            yield (
                f"{name}: {found['shared']} prompts are in both runs, {found['only_before']} only in the baseline,"
                f" {found['only_after']} only in the candidate."
            )
        if row.difference is not None and row.difference.statistic == "rate_difference":
            yield f"{name}: the two rates are compared as independent, not prompt by prompt."
    if question.anytime:
        return
    if any(row.result == "undecided" for row in rows):
        yield "To go on labelling until this gate decides, look with --anytime; these limits are for a number planned before."
