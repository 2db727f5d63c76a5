"""The release gate: rates of a candidate, alone or beside a baseline, held to demands that were stated before.

Loads both sides, asks `stats.run_change` and `stats.gate`, and keeps what a reader needs to check the decision (`release`). How
it is shown is in `present_release`, rates under adjudicated intents in `release_intents`; two deployments side by side are in
`compare_policies`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from adjudicate.core.demands import EVERY, asked_of, check_confidence, check_once
from adjudicate.core.estimates import Estimate
from adjudicate.core.policy import Policy, Rate
from adjudicate.core.text import shortened, visible_line
from adjudicate.errors import UsageError
from adjudicate.stats.bounding import Bounding
from adjudicate.stats.gate import Demand, decide_row
from adjudicate.stats.rate_counts import RateCounts, bounded_rate, rate_counts
from adjudicate.stats.run_change import run_change
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.label_evidence import OUT_OF_TURN
from adjudicate.workflow.read_side import Frame, Side, side
from adjudicate.workflow.release import GateQuestion, MovedReading, Reading, Release, ReleaseRow
from adjudicate.workflow.release_intents import Sides, moved_estimates, moved_without_row
from adjudicate.workflow.release_pairs import check_same_model, read_pairs

SHOWN = 60


def decide_release(store: SqliteStore, question: GateQuestion) -> Release:
    """Decide one gate.

    Raises:
        UsageError: Nothing is asked, a demand names what the policy or the workspace does not have, or a side is unclear.
    """
    frame = Frame(store, anytime=question.anytime)
    check_question(question, frame.policy)
    after = side(frame, question.candidate, model=question.model, population=question.population)
    if question.baseline is None:
        before, rows = None, list(_alone(after, question))
    else:
        before = side(frame, question.baseline, model=question.model, population=question.population)
        rows = list(compared_rows(store, before, after, question))
    _check_populations(question, rows)
    if not any(row.decided for row in rows):
        raise UsageError("the demands speak for no rate of these items; 'adjudicate status' lists models and runs")
    return Release(
        policy=frame.policy,
        baseline=before.name if before else None,
        candidate=after.name,
        question=question,
        rows=tuple(rows),
        warnings=tuple(_warnings(rows, question, after)),
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
    check_confidence(question.confidence)


def _alone(after: Side, question: GateQuestion) -> Iterator[ReleaseRow]:
    sides = Sides(None, after)
    for counts in rate_counts(after.evidence):
        declared = _reading(counts.rate, counts.group, question, after=_rate(counts, question.bounding))
        yield _row(counts, None, declared, sides, question)


def compared_rows(store: SqliteStore, before: Side, after: Side, question: GateQuestion) -> Iterator[ReleaseRow]:
    """Every rate of every population on both sides, with its change; decided where the question has a demand of it.

    Raises:
        UsageError: A side has several models, or both are the same items.
    """
    for each in (before, after):
        if len(each.models) > 1:
            models = ", ".join(map(visible_line, each.models))
            raise UsageError(f"{visible_line(each.name)} has several models ({models}): name one with --model")
    if before.part == after.part:
        raise UsageError("baseline and candidate are the same items")
    old = {(counts.rate.id, counts.group["population"]): counts for counts in rate_counts(before.evidence)}
    new = {(counts.rate.id, counts.group["population"]): counts for counts in rate_counts(after.evidence)}
    sides = Sides(before, after, read_pairs(store, before.whole, after.whole))
    check_same_model(before, after, sides.pairs)
    for key in sorted(new.keys() | old.keys(), key=lambda key: _order(key, after.frame.policy)):
        one, two = old.get(key), new.get(key)
        if two is None:
            assert one is not None
            gone = Estimate(
                "corrected_rate", None, 0, "stratified mean", group=one.group, undefined="the candidate has no such items"
            )
            declared = _reading(one.rate, one.group, question, after=gone, before=_rate(one, question.bounding))
            yield ReleaseRow(one.group, 0, one.size, declared, intents=question.intents)
            continue
        change = run_change(one, two, sides.pairs[key[1], two.rate.among], question.bounding) if one else None
        was = _rate(one, question.bounding) if one else None
        declared = _reading(two.rate, two.group, question, after=_rate(two, question.bounding), before=was, difference=change)
        yield _row(two, one, declared, sides, question)


def _row(counts: RateCounts, old: RateCounts | None, declared: Reading, sides: Sides, question: GateQuestion) -> ReleaseRow:
    """The row, with its second reading where a ruling moved an item."""
    found = moved_estimates(counts.rate, counts.group, declared.difference, sides, question.bounding)
    adjudicated = None
    if found is not None:
        reading = _reading(
            counts.rate, counts.group, question, after=_for_gate(found.after),
            before=_for_gate(found.before) if found.before and old else None, difference=found.difference if old else None,
        )  # fmt: skip
        adjudicated = MovedReading(reading, found.moved_before, found.moved_after)
    return ReleaseRow(counts.group, counts.size, old.size if old else None, declared, adjudicated, question.intents)


def _reading(
    rate: Rate,
    group: Mapping[str, str],
    question: GateQuestion,
    *,
    after: Estimate,
    before: Estimate | None = None,
    difference: Estimate | None = None,
) -> Reading:
    population = group["population"]
    asked = question.demands
    bound = asked_of(asked, "max" if rate.better == "lower" else "min", rate.id, population)
    margin = asked_of(asked, "margin", rate.id, population)
    decided = None
    if bound is not None or margin is not None:
        demand = Demand(rate.better, margin, bound)
        decided = decide_row(demand, group=group, after=after, before=before, difference=difference)
    return Reading(before, after, difference, decided)


def _rate(counts: RateCounts, how: Bounding) -> Estimate:
    return _for_gate(bounded_rate(counts, how))


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


def _warnings(rows: Sequence[ReleaseRow], question: GateQuestion, after: Side) -> Iterator[str]:
    yield from _of_intents(rows, question)
    yield from _not_yet(after.frame.store)
    for rate, count in moved_without_row(after, {row.group["rate"] for row in rows}):
        yield f"{rate}: rulings moved {count} labelled items to its intent, but no item is declared so: it has no row."
    idle = [row for row in rows if row.decided is None]
    if idle:
        names = ", ".join(sorted({f"{row.group['rate']} of {visible_line(row.group['population'])}" for row in idle}))
        yield f"Nothing is asked of {names}: one rate without the other is half a result."
    for row in rows:
        name = f"{row.group['rate']} of {visible_line(row.group['population'])}"
        yield from (f"{name}: {told}" for told in _of_sample(row.after, again=_again(after, row.group["population"])))
        found = row.difference.details if row.difference is not None else {}
        if found.get("only_before") or found.get("only_after"):
            yield (
                f"{name}: {found['shared']} prompts are in both runs, {found['only_before']} only in the baseline,"
                f" {found['only_after']} only in the candidate."
            )
        if row.difference is not None:
            yield from (f"{name}: {told}" for told in _of_clusters(row.difference))
        if row.difference is not None and row.difference.statistic == "rate_difference":
            yield f"{name}: the two rates are compared as independent, not prompt by prompt."
    if question.anytime:
        return
    if any(row.decided is not None and row.decided.result == "undecided" for row in rows):
        yield "To go on labelling until this gate decides, look with --anytime; these limits are for a number planned before."


def _again(side: Side, population: str) -> int:
    """Items of a population whose labels have to be made again."""
    return sum(item.population == population and name in side.frame.again for name, item in side.items.items())


def _of_sample(rate: Estimate, *, again: int) -> Iterator[str]:
    """What about the labelled items of a rate a reader must know.

    Args:
        rate: As the gate sees it.
        again: How many of its unresolved items wait for no ruling, but for labels to be made again.
    """
    found = rate.details
    unresolved = found.get("unresolved") or 0
    again = min(again, unresolved)
    if unresolved > again:
        yield f"{unresolved - again} items wait for a ruling; the gate takes them either way."
    if again:
        yield f"{again} items wait for labels to be made again under the policy in force; the gate takes them either way."
    if found.get("non_response"):
        yield f"{found['non_response']} drawn items were skipped by everyone and never labelled; the gate takes them either way."
    if found.get("set_aside"):
        yield f"{found['set_aside']} labelled items are set aside: {OUT_OF_TURN}."
    yield from _of_clusters(rate)


def _of_clusters(found: Estimate) -> Iterator[str]:
    if "design_effect" in found.details:
        what = "change" if found.statistic == "paired_difference" else "rate"
        effect = found.details["design_effect"]
        yield f"items share prompts or pairs: the interval of the {what} allows for a design effect of {effect:.2f}."


def _not_yet(store: SqliteStore) -> Iterator[str]:
    """Drawn items that nobody has dealt with."""
    missing = sum(max(0, stratum.drawn - labelled) for stratum, labelled in store.strata_progress())
    missing -= sum(cell.size for cell in store.skipped_cells())
    if missing > 0:
        yield f"{missing} drawn items have no label yet: the rates rest on the others as a random part of the draw."


def _of_intents(rows: Sequence[ReleaseRow], question: GateQuestion) -> Iterator[str]:
    for row in rows:
        if row.readings_differ and row.decided and row.other and row.other.decided and row.adjudicated:
            other = "declared" if question.intents == "adjudicated" else "adjudicated"
            yield (
                f"CONTESTED INTENTS DECIDE {row.group['rate']} of {visible_line(row.group['population'])}:"
                f" {row.decided.result} under the {question.intents} intents, {row.other.decided.result} under the {other} ones"
                f" ({row.adjudicated.moved_after}). It is {row.result}: settle what the prompts are before the release."
            )
