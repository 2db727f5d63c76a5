"""The sampling design: strata, one seeded queue per stratum, allocation of labels, and who labels what.

Everything is fixed before any label is made. The order inside a queue is a keyed hash of the item id, so it depends on
the seed and the text alone, can be recomputed by anyone, and a longer sample is a longer prefix of the same queue.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from adjudicate.errors import UsageError

Allocation = Literal["mix", "proportional", "neyman", "equal"]

PLANNING_RATES: Mapping[str, float] = {"flagged": 0.4, "clear": 0.01, "judge failed": 0.2}
"""Stated guesses of the event rate per verdict cell (statistics note, section 0); never observed zeros."""
OTHER_PLANNING_RATE = 0.2
"""For cells that are neither flagged nor clear."""
FEWEST_PER_STRATUM = 2
"""A stratum without a label is undefined, so each gets at least this many (or all it has)."""
STEERING = "speaks to the judge"
"""The cell of responses that a judge may have been talked round by: all of them are labelled, whatever the verdict."""
REPEAT_DISTANCE = 100
"""Items between an item and its hidden repeat, where the queue is that long."""


@dataclass(frozen=True, slots=True)
class Stratum:
    """One sampling cell of a draw."""

    name: str
    """Values of the stratifying fields, joined by `` | ``, e.g. ``harmful/direct | flagged``."""
    size: int
    """Items in the frame, N_h."""
    drawn: int
    """Length of the queue that is to be labelled, n_h."""

    @property
    def inclusion_probability(self) -> float:
        """Chance that an item of the stratum was drawn, n_h / N_h."""
        return self.drawn / self.size


@dataclass(frozen=True, slots=True)
class Assignment:
    """One item for one person (or for whoever comes, where `annotator` is empty)."""

    item_id: str
    annotator: str
    position: int
    """Place in the order of presentation, from 0."""
    blind: bool
    round: int = 0
    """1 for a hidden repeat."""


def drawn_whole(stratum: str) -> bool:
    """Whether all items of a stratum go to people, because their responses speak to the judge."""
    return STEERING in stratum.split(" | ")


def queue(seed: int, item_ids: Iterable[str]) -> list[str]:
    """The items of one stratum in their seeded random order."""
    return sorted(item_ids, key=lambda item_id: _keyed(seed, "queue", item_id))


def allocate(
    sizes: Mapping[str, int],
    n: int,
    method: Allocation,
    planning_rates: Mapping[str, float],
    at_least: Mapping[str, int] | None = None,
) -> dict[str, int]:
    """How many of `n` labels each stratum gets.

    ``proportional`` follows N_h; ``neyman`` follows N_h * sqrt(p(1-p)) on *planning* rates; ``mix`` gives half of the
    labels to each; ``equal`` the same number to all. Fractions are settled by largest remainder, no stratum gets more
    than it has, and each gets at least `FEWEST_PER_STRATUM` where `n` allows. Strata of `STEERING` are taken whole.

    Args:
        sizes: Items per stratum, N_h > 0.
        n: Labels in all.
        method: One of the four above.
        planning_rates: Guessed event rate per stratum, 0 < p < 1.
        at_least: What an earlier draw already took from each stratum; a longer sample never gives any back.

    Returns:
        Labels per stratum, in the order of `sizes`; they sum to min(n, sum of sizes).

    Raises:
        UsageError: `n` is less than what has to be taken whole.
    """
    shares = ALLOCATIONS[method](sizes, planning_rates)
    n = min(n, sum(sizes.values()))
    whole = {name: size for name, size in sizes.items() if drawn_whole(name)}
    if sum(whole.values()) > n:
        raise UsageError(f"{n} items are too few: {sum(whole.values())} responses speak to the judge, and people see all of them")
    taken = {name: (at_least or {}).get(name, 0) for name in sizes} | whole
    floor = {name: max(least, min(FEWEST_PER_STRATUM, sizes[name])) for name, least in taken.items()}
    if sum(floor.values()) > n:
        floor = taken
    return _fill(sizes, shares, n, floor)


def _proportional(sizes: Mapping[str, int], _rates: Mapping[str, float]) -> dict[str, float]:
    total = sum(sizes.values())
    return {name: size / total for name, size in sizes.items()}


def _neyman(sizes: Mapping[str, int], rates: Mapping[str, float]) -> dict[str, float]:
    spread = {name: size * math.sqrt(rates[name] * (1 - rates[name])) for name, size in sizes.items()}
    total = sum(spread.values())
    return {name: value / total for name, value in spread.items()}


def _mix(sizes: Mapping[str, int], rates: Mapping[str, float]) -> dict[str, float]:
    proportional, neyman = _proportional(sizes, rates), _neyman(sizes, rates)
    return {name: (proportional[name] + neyman[name]) / 2 for name in sizes}


def _equal(sizes: Mapping[str, int], _rates: Mapping[str, float]) -> dict[str, float]:
    return dict.fromkeys(sizes, 1 / len(sizes))


ALLOCATIONS: Mapping[Allocation, Callable[[Mapping[str, int], Mapping[str, float]], dict[str, float]]] = {
    "mix": _mix,
    "proportional": _proportional,
    "neyman": _neyman,
    "equal": _equal,
}


def _fill(sizes: Mapping[str, int], shares: Mapping[str, float], n: int, floor: Mapping[str, int]) -> dict[str, int]:
    """Largest-remainder rounding under caps and floors; what a full or floored stratum leaves or takes is spread again.

    The floors sum to at most `n`, the caps to at least `n`; then so does the result.
    """
    fixed: dict[str, int] = {}
    free = set(sizes)
    while free:
        left = n - sum(fixed.values())
        weight = sum(shares[name] for name in free)
        ideal = {name: left * (shares[name] / weight if weight else 1 / len(free)) for name in free}
        full = {name: sizes[name] for name in free if ideal[name] > sizes[name]}
        starved = {name: floor[name] for name in free if ideal[name] < floor[name]}
        if full or starved:
            # Caps free labels and floors take them. Whichever is more stays settled when the rest is spread again; the other
            # kind may not: a stratum that is full now can have room once the floors have taken theirs.
            freed = sum(ideal[name] - size for name, size in full.items())
            taken = sum(least - ideal[name] for name, least in starved.items())
            settled = full if freed >= taken else starved
            fixed |= settled
            free -= settled.keys()
            continue
        whole = {name: math.floor(ideal[name]) for name in free}
        by_remainder = sorted(free, key=lambda name: (whole[name] - ideal[name], name))
        for name in by_remainder[: left - sum(whole.values())]:
            whole[name] += 1
        fixed |= whole
        break
    return {name: fixed[name] for name in sizes}


def planning_rate(stratum: str) -> float:
    """The stated guess for a stratum, from the verdict cell in its name."""
    parts = stratum.split(" | ")
    return next((rate for cell, rate in PLANNING_RATES.items() if cell in parts), OTHER_PLANNING_RATE)


def presentation(queues: Mapping[str, Sequence[str]], seed: int) -> list[str]:
    """All drawn items in the order in which they are shown: the queues interleaved in proportion to their lengths.

    At any moment the labelled part of each queue is (nearly) a prefix of it, so that an interrupted sample is still a
    random sample of every stratum. Where in its share of the order an item stands is drawn: a fixed rhythm of strata would
    tell whoever labels blind what the judge said.
    """
    placed = [
        ((place + _fraction(seed, "order", item_id)) / len(items), item_id)
        for items in queues.values()
        for place, item_id in enumerate(items)
    ]
    return [item_id for _, item_id in sorted(placed)]


def assign(
    queues: Mapping[str, Sequence[str]],
    order: Sequence[str],
    *,
    annotators: Sequence[str],
    overlap: int,
    blind_share: float,
    repeats: float,
    seed: int,
) -> list[Assignment]:
    """Who labels what, in which order, blind or assisted, and which items come back unannounced.

    Args:
        queues: The drawn items by stratum, in queue order.
        order: The same items in order of presentation.
        annotators: Names; empty for a sample that anyone may take from, `overlap` people an item.
        overlap: People per item, at least 1 and at most the number of annotators (where they are named).
        blind_share: Share of items shown without the verdict, 0 to 1; the split is random and the same for all people.
        repeats: Share of each person's items that is shown to them a second time, 0 to 0.5.
        seed: Of the draw.

    Raises:
        UsageError: A number is out of its range.
    """
    _check_assignment(annotators, overlap, blind_share, repeats)
    assisted = set(sorted(order, key=lambda item: _keyed(seed, "blind", item))[round(len(order) * blind_share) :])
    if not annotators:
        return [Assignment(item, "", position, item not in assisted) for position, item in enumerate(order)]
    people = _people(queues, annotators, overlap, seed)
    assignments: list[Assignment] = []
    for person in annotators:
        mine = [item for item in order if person in people[item]]
        assignments += [Assignment(item, person, position, item not in assisted) for position, item in enumerate(mine)]
        assignments += _repeats(mine, person, repeats, seed, assisted)
    return assignments


def _people(queues: Mapping[str, Sequence[str]], annotators: Sequence[str], overlap: int, seed: int) -> dict[str, frozenset[str]]:
    """Who labels each item: whoever has least of its stratum so far, then least in all, then by lot.

    So every person gets an even share of every stratum (their own severity must not become a stratum's rate, nor their list
    tell them the verdict), and pairs of people meet at random.
    """
    people: dict[str, frozenset[str]] = {}
    in_all = Counter(dict.fromkeys(annotators, 0))
    for items in queues.values():
        in_stratum = Counter(dict.fromkeys(annotators, 0))
        for item in items:
            by_need = sorted(annotators, key=lambda who: (in_stratum[who], in_all[who], _keyed(seed, f"who {who}", item)))
            chosen = by_need[:overlap]
            in_stratum.update(chosen)
            in_all.update(chosen)
            people[item] = frozenset(chosen)
    return people


def _repeats(mine: Sequence[str], person: str, share: float, seed: int, assisted: set[str]) -> list[Assignment]:
    """Hidden repeats come `REPEAT_DISTANCE` items later, or at the end where the queue is shorter."""
    early = mine[: max(len(mine) - REPEAT_DISTANCE, (len(mine) + 1) // 2)]
    chosen = sorted(early, key=lambda item: _keyed(seed, f"repeat {person}", item))[: round(len(mine) * share)]
    at = {item: place for place, item in enumerate(mine)}
    return [
        Assignment(item, person, min(at[item] + REPEAT_DISTANCE, len(mine)), item not in assisted, round=1)
        for item in sorted(chosen, key=at.__getitem__)
    ]


def _check_assignment(annotators: Sequence[str], overlap: int, blind_share: float, repeats: float) -> None:
    if overlap < 1:
        raise UsageError("--overlap: at least one person has to label an item")
    if annotators and overlap > len(annotators):
        raise UsageError(f"--overlap {overlap}: only {len(annotators)} annotators are named")
    if len(set(annotators)) != len(annotators):
        raise UsageError("--annotators: a name appears twice")
    if not 0 <= blind_share <= 1:
        raise UsageError("--blind-share is a share from 0 (verdict always shown) to 1 (always blind)")
    if not 0 <= repeats <= 0.5:
        raise UsageError("--repeats is a share from 0 to 0.5")


def _fraction(seed: int, purpose: str, item_id: str) -> float:
    """A pseudo-random number, at least 0 and below 1."""
    return int.from_bytes(_keyed(seed, purpose, item_id)[:6], "big") / 2**48


def _keyed(seed: int, purpose: str, item_id: str) -> bytes:
    """A pseudo-random key that depends on nothing but its arguments; the same on every machine and for ever."""
    return hashlib.sha256(f"{seed}\x00{purpose}\x00{item_id}".encode()).digest()
