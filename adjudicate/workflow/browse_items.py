"""Looking through everything imported: a filter resolved against the workspace, searched in portions, rows read when shown.

Blind first holds here too: of an item that a person has yet to label blind neither the verdict nor anybody's label is shown, and
a filter or an order that speaks of these leaves such items out, since being found would tell.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from adjudicate.core.gold import settle
from adjudicate.core.labels import TRIAGE, Event, live
from adjudicate.core.policy import Policy
from adjudicate.core.search_words import plan
from adjudicate.storage import browse, browse_index, triage
from adjudicate.storage.browse import Interrupted, LabelFact, Listed, Order, Wanted
from adjudicate.storage.browse_index import FAILED, NO_VERDICT, Filled
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.browse_filter import DECLARED, NONE, YES_NO, Filter, matching


class Ordering(NamedTuple):
    """One order of the list."""

    order: Order
    words: str
    hides: bool = False
    """Whether it tells what some items must not show yet."""


ORDERS: tuple[Ordering, ...] = (
    Ordering("first", "as imported"),
    Ordering("newest", "newest first"),
    Ordering("longest", "longest first"),
    Ordering("shortest", "shortest first"),
    Ordering("highest", "highest score first", hides=True),
    Ordering("lowest", "lowest score first", hides=True),
)
FACTS: tuple[LabelFact, ...] = ("gold", "open", "by", "clause", "flagged", "triage")


class Found(NamedTuple):
    """A portion of what was found."""

    rowids: array[int]
    left_out: int = 0
    """Items that the person has yet to label blind, left out because the filter would tell what they hide."""
    unread: int = 0
    """Items whose words are in no index yet: they were not looked at."""


@dataclass(frozen=True, slots=True)
class Browsed:
    """One row of the list as its reader may see it."""

    row: Listed
    hidden: bool
    """Whether verdict and labels are withheld: the person has yet to label it blind."""
    gold: str | None
    """The settled outcome."""
    is_open: bool
    """Whether it waits for an adjudicator."""
    labels: int
    """People whose label stands."""
    own: str | None
    """The reader's own label."""
    in_triage: bool = False
    """Whether somebody sent it to triage."""
    triaged: str | None = None
    """The reader's own label from triage, which is in no rate."""


def everything(store: SqliteStore) -> Sequence[int] | None:
    """All items in the order of import, at no cost; None where they have to be looked for."""
    return browse.everything(store.database)


def item_count(store: SqliteStore) -> int:
    """How many items there are."""
    return browse.item_count(store.database)


def look_for(
    store: SqliteStore,
    person: str,
    policy: Policy,
    wanted: Filter,
    ordering: Ordering,
    *,
    is_cancelled: Callable[[], bool],
    told: Callable[[str, Filled], bool],
) -> Iterator[Found]:
    """Search, with the index brought up to date first.

    Args:
        store: A store of the worker's own.
        person: Id of the reader.
        policy: The policy in force.
        wanted: The filter.
        ordering: One of `ORDERS`.
        is_cancelled: Whether nobody waits any more.
        told: Given what is being read and how far it is; where it says False, the search goes on with what is indexed.

    Yields:
        Portions; the first comes soon.

    Raises:
        UsageError: A value means nothing here.
        StoreError: There can be no index.
        Interrupted: Nobody waits any more.
    """
    database = store.database
    browse_index.attach_index(database)
    if not browse_index.fill(database, "facets", lambda now: not is_cancelled() and told("items", now)).is_complete:
        raise Interrupted
    has_index = browse_index.has_full_text(database)
    words = plan(wanted.words, has_index=has_index)
    unread = 0
    if words.expression:
        now = browse_index.fill(database, "texts", lambda now: not is_cancelled() and told("words", now))
        unread = now.total - now.done
    hidden = browse.hidden_items(database, person) if wanted.hides or ordering.hides else set[int]()
    query = replace(_resolved(store, policy, wanted, hidden), words=words.expression, holds=words.holds)
    for rowids in browse.search(database, query, ordering.order, is_cancelled):
        yield Found(rowids, len(hidden), unread)
    yield Found(array("q"), len(hidden), unread)


def browsed(store: SqliteStore, person: str, rowids: Sequence[int]) -> list[Browsed]:
    """The rows of some items as the reader may see them; the index is not needed."""
    rows = browse.page(store.database, rowids)
    ids = [row.item_id for row in rows]
    hidden = browse.hidden_of(store.database, person, ids)
    events, sent = store.events_on(ids, triage=True), triage.in_queue(store, ids)
    found = []
    for row in rows:
        if row.item_id in hidden:
            found.append(Browsed(row, hidden=True, gold=None, is_open=False, labels=0, own=None))
            continue
        gold = settle(events.get(row.item_id, ()))
        labels = gold.labels if gold else ()
        own = next((label.outcome for label in labels if label.annotator_id == person), None)
        found.append(
            Browsed(
                row,
                hidden=False,
                gold=gold.outcome if gold else None,
                is_open=bool(gold and gold.is_open),
                labels=len(labels),
                own=own,
                in_triage=row.item_id in sent,
                triaged=_triaged(events.get(row.item_id, ()), person),
            )
        )
    return found


def _triaged(events: Sequence[Event], person: str) -> str | None:
    own = [event for event in live(events) if event.annotator_id == person and event.round == TRIAGE and event.kind == "label"]
    return own[-1].outcome if own else None


def item_id_of(store: SqliteStore, rowid: int) -> str:
    """Id of the item in a row."""
    return browse.names_of(store.database, [rowid])[0][0]


# From words to what the store reads


def _resolved(store: SqliteStore, policy: Policy, wanted: Filter, hidden: set[int]) -> Wanted:
    within: set[int] | None = None
    without = set(hidden)
    for fact in FACTS:
        if values := wanted.values(fact):
            holding, lacking = _labelled(store, policy, fact, values)
            if holding is not None:
                within = holding if within is None else within & holding
            without |= lacking
    if values := wanted.values("id"):
        named = browse.named(store.database, values)
        within = named if within is None else within & named
    longer, shorter = (wanted.values(key) for key in ("longer", "shorter"))
    return Wanted(
        places=_places(store, wanted),
        verdicts=_verdicts(store, policy, wanted.values("verdict")),
        longer=int(longer[0]) if longer else None,
        shorter=int(shorter[0]) if shorter else None,
        within=within,
        without=without or None,
    )


def _places(store: SqliteStore, wanted: Filter) -> list[int] | None:
    """Codes of the places that fit everything said of what is declared; None where nothing is."""
    said = {key: wanted.values(key) for key in DECLARED if wanted.values(key)}
    if not said:
        return None
    places = browse.places(store.database)
    runs = browse.run_names(store.database) if "run" in said else {}
    for key, values in said.items():
        names = [runs.get(place.run_id, place.run_id) if key == "run" else getattr(place, key) for place in places]
        known = dict.fromkeys(names)
        meant = {name for value in values for name in ([""] if value == NONE else matching(key, value, known))}
        places = [place for place, name in zip(places, names, strict=True) if name in meant]
    return [place.code for place in places]


def _verdicts(store: SqliteStore, policy: Policy, values: Sequence[str]) -> list[int] | None:
    if not values:
        return None
    codes = {"failed": FAILED, **browse.outcomes(store.database)}
    known = {**dict.fromkeys(outcome.id for outcome in policy.outcomes), **codes}
    names = [name for value in values if value != NONE for name in matching("verdict", value, known)]
    found = [codes[name] for name in names if name in codes]
    return [*found, NO_VERDICT] if NONE in values else found


def _labelled(store: SqliteStore, policy: Policy, fact: LabelFact, values: Sequence[str]) -> tuple[set[int] | None, set[int]]:
    """Rowids of the only items that a key leaves (None for any), and of those that it does not."""
    facts = browse.label_facts(store.database, fact)
    everywhere = {rowid for rowid, _ in facts}
    if values in (("yes",), ("no",)) and fact in YES_NO:
        return (everywhere, set()) if values == ("yes",) else (None, everywhere)
    known = dict.fromkeys(_known(store, policy, fact) + [value for _, value in facts])
    names = {name for value in values if value != NONE for name in matching(fact, value, known)}
    holding = {rowid for rowid, value in facts if value in names}
    if NONE not in values:
        return holding, set()
    # Everything but what has another value only: `gold:-,complied`.
    return None, everywhere - holding


def _known(store: SqliteStore, policy: Policy, fact: LabelFact) -> list[str]:
    if fact == "gold":
        return [outcome.id for outcome in policy.outcomes]
    if fact == "clause":
        return [clause.id for clause in policy.clauses]
    return [person.name for person in store.annotators()]
