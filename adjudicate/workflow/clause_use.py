"""How the clauses of the policy do: how often each is cited, how often its items split people, and what it leaves unclear.

For whoever writes the next version. Citing is of the label (or the ruling) that holds; splitting is between blind labels, as
everywhere that people are compared. Labels that have to be made again speak of an older text and are counted apart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from adjudicate.core.estimates import Estimate
from adjudicate.core.gold import Gold, current_labels, settle
from adjudicate.core.labels import Event, live
from adjudicate.core.policy import Policy
from adjudicate.stats.plain_share import share_estimate
from adjudicate.storage.store import FrameItem, Store

NONE = ""
"""In place of a clause, where none is cited."""


@dataclass(frozen=True, slots=True)
class Unclear:
    """One item that somebody could not decide under the policy."""

    item_id: str
    population: str
    people: int
    """How many could not decide."""
    collected: bool
    """Whether an adjudicator put it on the list."""
    settled: bool
    """Whether the item has an outcome all the same."""
    notes: tuple[str, ...] = ()
    """What they wrote on it."""
    rationale: str = ""
    """Of the ruling that has settled it."""
    hidden: bool = False
    """Whether notes and ruling are kept from the reader, who has yet to decide on the item."""


@dataclass(frozen=True, slots=True)
class ClauseUse:
    """One clause of the policy in force, or `NONE`."""

    clause: str
    cited: int
    """Labels and rulings that hold and cite it."""
    items: int
    """Items that they are on."""
    again: int
    """Labels and rulings that cite an older text of it and have to be made again."""
    split: Estimate
    """Share of its items with several blind labels on which these differ."""
    unclear: tuple[Unclear, ...]
    """Items that people could not decide, or an adjudicator put here: those who cited it, else those on which others cite it."""


def clause_use(store: Store, *, reader: str | None = None) -> dict[str, ClauseUse]:
    """Every clause of the policy in force, with what cites no clause under `NONE`; reads all labels.

    Args:
        store: An open store.
        reader: Id of the annotator who will see it: what others said of an item that is theirs to decide stays hidden.
    """
    policy = store.policy()
    places = {place.item_id: place for place in store.frame_items()}
    events = store.events_on(list(places))
    tally = _Tally(reader, _on_offer(store, reader, places))
    for item_id, place in places.items():
        said = events.get(item_id, [])
        gold = settle(said)
        if gold is not None:
            tally.add(place, said, gold)
    return tally.uses(policy, store)


class _Tally:
    """Counts over all items."""

    def __init__(self, reader: str | None, offered: frozenset[str]) -> None:
        self.reader = reader
        self.offered = offered
        self.cited: dict[str, int] = defaultdict(int)
        self.again: dict[str, int] = defaultdict(int)
        self.items: dict[str, int] = defaultdict(int)
        self.compared: dict[str, int] = defaultdict(int)
        self.split: dict[str, int] = defaultdict(int)
        self.unclear: dict[str, list[tuple[FrameItem, list[Event], Gold]]] = defaultdict(list)

    def add(self, place: FrameItem, said: Sequence[Event], gold: Gold) -> None:
        holding = [*gold.labels, *([gold.settlement] if gold.settlement is not None else [])]
        for event in holding:
            counts = self.again if event.outdated else self.cited
            counts[_clause(event)] += 1
        clauses = {_clause(event) for event in holding if not event.outdated}
        blind = [event.outcome for event in current_labels(said, blind_only=True) if not event.outdated]
        for clause in clauses:
            self.items[clause] += 1
            self.compared[clause] += len(blind) > 1
            self.split[clause] += len(set(blind)) > 1
        # Also those that were decided since: what was unclear to somebody is worth a sentence in the next version.
        undecided = [event for event in live(said) if event.kind == "undecided" or _is_collected(event)]
        if undecided:
            for clause in {_clause(event) for event in undecided} - {NONE} or clauses or {NONE}:
                self.unclear[clause].append((place, undecided, gold))

    def uses(self, policy: Policy, store: Store) -> dict[str, ClauseUse]:
        return {
            clause: ClauseUse(
                clause=clause,
                cited=self.cited[clause],
                items=self.items[clause],
                again=self.again[clause],
                split=_share(clause, self.split[clause], self.compared[clause]),
                unclear=tuple(self._unclear(clause, store)),
            )
            for clause in (*(each.id for each in policy.clauses), NONE)
        }

    def _unclear(self, clause: str, store: Store) -> Iterator[Unclear]:
        for place, undecided, gold in self.unclear[clause]:
            people = {event.annotator_id for event in undecided}
            could_not = {event.annotator_id for event in undecided if event.kind == "undecided"}
            collected = any(map(_is_collected, undecided))
            found = Unclear(place.item_id, place.population, len(could_not), collected, settled=not gold.is_open)
            if place.item_id in self.offered and self.reader not in self._spoke(gold, people):
                yield replace(found, hidden=True)
                continue
            ruling = gold.settlement if gold.settlement is not None and not gold.is_open else None
            rationale = str(ruling.body.get("rationale", "")) if ruling is not None else ""
            yield replace(found, notes=_notes(store, place.item_id, people), rationale=rationale)

    @staticmethod
    def _spoke(gold: Gold, people: set[str]) -> set[str]:
        return {label.annotator_id for label in gold.labels if not label.outdated} | people


def _on_offer(store: Store, reader: str | None, items: Iterable[str]) -> frozenset[str]:
    """Items that are the reader's to decide, or could become so."""
    if reader is None:
        return frozenset()
    if any(not draw.settings.get("annotators") for draw in store.draws()):
        return frozenset(items)
    return frozenset(item for item, annotator, _ in store.on_lists(items) if annotator == reader)


def _is_collected(event: Event) -> bool:
    """Whether an adjudicator called the policy unclear instead of ruling."""
    return event.kind == "flag" and bool(event.body.get("unclear"))


def _clause(event: Event) -> str:
    return str(event.body.get("clause") or NONE)


def _notes(store: Store, item_id: str, people: set[str]) -> tuple[str, ...]:
    said = live(store.events_on([item_id]).get(item_id, []))
    written = [event.id for event in said if (event.kind == "note" and event.annotator_id in people) or _is_collected(event)]
    texts = store.notes(written) if written else {}
    return tuple(texts[each] for each in written if each in texts)


def _share(clause: str, split: int, compared: int) -> Estimate:
    return share_estimate(
        "clause_split",
        split,
        compared,
        method="items on which blind labels differ",
        group={"clause": clause},
        assumes="items are independent",
        undefined="no item that cites it has two blind labels",
    )
