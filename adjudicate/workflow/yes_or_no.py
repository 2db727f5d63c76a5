"""Gold as yes or no, for tools that know nothing else: whether the outcome counts for a rate, or is the one that is named."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from adjudicate.core.gold import settle
from adjudicate.core.policy import Policy
from adjudicate.core.text import visible_line
from adjudicate.errors import UsageError
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.storage.store import FrameItem
from adjudicate.workflow.export_records import ExportOptions
from adjudicate.workflow.said_items import read_said


class Answered(NamedTuple):
    """One item whose gold says yes or no."""

    place: FrameItem
    yes: bool


class _Question(NamedTuple):
    """What counts as yes."""

    outcomes: frozenset[str]
    intent: str | None
    """Intent of the prompts that it is asked of; None for all."""


def questions(policy: Policy) -> str:
    """What can be asked under a policy: its rates and outcomes, safe to print. A rate goes before an outcome of its name."""
    rates = [rate.id for rate in policy.rates]
    outcomes = [outcome.id for outcome in policy.outcomes if outcome.id not in rates]
    return visible_line(f"the rates {', '.join(rates)}; the outcomes {', '.join(outcomes)}")


def answered(store: SqliteStore, options: ExportOptions) -> Iterator[Answered]:
    """Every item with gold that the question is asked of: those of a rate's intent, as ruled; all, where an outcome is named.

    What a policy of another time called an outcome, and ours does not, is neither yes nor no, and is counted and told.

    Args:
        store: An open store.
        options: ``rate`` says what counts.

    Raises:
        UsageError: There is no such rate and no such outcome, or nothing can be answered.
    """
    policy, said = store.policy(), read_said(store)
    question = _question(policy, str(options.rate))
    open_items = again = unknown = found = 0
    for place in said.items:
        wanted = options.run in (None, place.run_id) and options.model in (None, place.model)
        gold = settle(said.events.get(place.item_id, ()))
        intent = said.ruled_intents.get(place.prompt_id, place.intent)
        if gold is None or not wanted or question.intent not in (None, intent):
            continue
        if gold.waits:
            again += 1
        elif gold.outcome is None:
            open_items += 1
        elif policy.outcome(gold.outcome) is None:
            unknown += 1
        else:
            found += 1
            yield Answered(place, gold.outcome in question.outcomes)
    if not found:
        raise UsageError(f"--rate {visible_line(str(options.rate))}: no item that it speaks of is settled; label some first")
    if open_items:
        options.tell(f"{open_items:,} items wait for a ruling and are left out")
    if again:
        options.tell(f"{again:,} items wait for labels to be made again under the policy in force and are left out")
    if unknown:
        options.tell(f"{unknown:,} items have a gold outcome that the policy does not know and are left out")


def _question(policy: Policy, name: str) -> _Question:
    for rate in policy.rates:
        if rate.id == name:
            return _Question(frozenset(rate.counts), rate.among)
    if policy.outcome(name) is not None:
        return _Question(frozenset((name,)), None)
    raise UsageError(f"--rate {visible_line(name)}: no rate and no outcome of the policy; it has {questions(policy)}")
