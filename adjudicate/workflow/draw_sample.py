"""Drawing the sample that people label, and drawing more of it later. Strata and queues are fixed before any label."""

from __future__ import annotations

import secrets
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

from adjudicate.core.policy import Policy
from adjudicate.core.sampling import (
    STEERING,
    Assignment,
    Stratum,
    allocate,
    assign,
    drawn_whole,
    planning_rate,
    presentation,
    queue,
)
from adjudicate.core.text import visible_line
from adjudicate.errors import UsageError
from adjudicate.storage.draw_frame import FreeItems
from adjudicate.storage.rows import Draw
from adjudicate.storage.store import Store
from adjudicate.workflow.draw_settings import Design, DrawSettings, first_design, longer_design
from adjudicate.workflow.search_steering import search_steering


@dataclass(frozen=True, slots=True)
class DrawReport:
    """What was recorded."""

    draw: Draw
    added: int
    """Items drawn now."""
    assignments: int
    outside: int
    """Items that stay outside every frame."""

    def as_json(self) -> dict[str, Any]:
        """For ``draw --json``."""
        strata = [{**asdict(each), "inclusion_probability": each.inclusion_probability} for each in self.draw.strata]
        head = {"draw": self.draw.id, "extends": self.draw.extends, "seed": self.draw.seed, "judge": self.draw.judge}
        return head | {"added": self.added, "assignments": self.assignments, "outside": self.outside, "strata": strata}


Bundles = Mapping[str, Sequence[tuple[str, ...]]]
"""Items that are drawn together or not at all, by stratum; of one size."""


def draw_sample(store: Store, settings: DrawSettings, *, at: str, bundles: Bundles | None = None) -> DrawReport:
    """Record a first draw, a draw from a new frame, or an extension of the last draw.

    Args:
        store: An open store.
        settings: The design.
        at: Now.
        bundles: The frame of a new draw where items are drawn together (see `draw_pairs`); None for every item on its own.

    Raises:
        UsageError: Nothing to draw from, an unknown field, judge or number, or fewer items than are already drawn.
    """
    draws = store.draws()
    if draws and not settings.new:
        return _extend(store, draws, settings, at=at)
    return _draw(store, settings, at=at, bundles=bundles)


def _draw(store: Store, settings: DrawSettings, *, at: str, bundles: Bundles | None) -> DrawReport:
    design = first_design(settings)
    policy = store.policy()
    judge = chosen_judge(store, settings.judge)
    seed = secrets.randbelow(2**31) if settings.seed is None else settings.seed
    if bundles is None:
        search_steering(store)
        units = {name: queue(seed, items) for name, items in _members(store.free_items(judge), policy, design.by)}
    else:
        units = {name: _bundled_queue(seed, bundles[name]) for name in sorted(bundles)}
    if not units:
        raise UsageError("there is nothing to draw from: import items first, or every item already belongs to a draw")
    drawn = _allocated({name: len(items) for name, items in units.items()}, design)
    strata = tuple(Stratum(name, len(items), drawn[name]) for name, items in units.items())
    draw = Draw(f"d-{secrets.token_hex(4)}", None, seed, judge, policy.fingerprint, design.as_recorded(), strata, at)
    new = {name: items[: drawn[name]] for name, items in units.items()}
    return _record(store, draw, units, new, design, first_position=0)


class FreeCell(NamedTuple):
    """Items of one stratum that one rate speaks for."""

    stratum: str
    population: str
    intent: str


def free_cells(store: Store, settings: DrawSettings) -> Counter[FreeCell]:
    """Items that a new draw could take, by the strata that it would make; nothing is recorded.

    Raises:
        UsageError: A setting is out of range.
    """
    design, policy = first_design(settings), store.policy()
    found: Counter[FreeCell] = Counter()
    for alike in store.free_items(chosen_judge(store, settings.judge)):
        found[FreeCell(_stratum(policy, design.by, alike), alike.population, alike.intent)] += len(alike.item_ids)
    return found


def _members(free: Iterable[FreeItems], policy: Policy, by: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Strata with their items, in the order of the names."""
    members: dict[str, list[str]] = defaultdict(list)
    for alike in free:
        members[_stratum(policy, by, alike)] += alike.item_ids
    return sorted(members.items())


def _bundled_queue(seed: int, bundles: Sequence[tuple[str, ...]]) -> list[str]:
    """The items of one stratum, bundles in their seeded random order; what belongs together stays together."""
    rest = {bundle[0]: bundle for bundle in bundles}
    return [item_id for first in queue(seed, rest) for item_id in rest[first]]


def _extend(store: Store, draws: Sequence[Draw], settings: DrawSettings, *, at: str) -> DrawReport:
    root = [draw for draw in draws if draw.extends is None][-1]
    latest = [draw for draw in draws if root.id in (draw.id, draw.extends)][-1]
    design = longer_design(settings, root, latest)
    before = {stratum.name: stratum.drawn for stratum in latest.strata}
    if design.n <= sum(before.values()):
        raise UsageError(
            f"{sum(before.values())} items are already drawn; --n counts all of them, so give a larger number"
            " (or --new to draw from items imported since)"
        )
    sizes = {stratum.name: stratum.size for stratum in latest.strata}
    drawn = _allocated(sizes, design, at_least=before)
    strata = tuple(Stratum(name, size, drawn[name]) for name, size in sizes.items())
    added = {name: store.queue(root.id, name)[before[name] : drawn[name]] for name in sizes if drawn[name] > before[name]}
    name = f"d-{secrets.token_hex(4)}"
    draw = Draw(name, root.id, root.seed, root.judge, root.policy, design.as_recorded(), strata, at)
    return _record(store, draw, {}, added, design, first_position=store.last_position() + 1)


def _record(
    store: Store,
    draw: Draw,
    units: Mapping[str, Sequence[str]],
    new: Mapping[str, Sequence[str]],
    design: Design,
    *,
    first_position: int,
) -> DrawReport:
    queues = {name: items for name, items in new.items() if items}
    order = presentation(queues, draw.seed)
    common: dict[str, Any] = {"blind_share": design.blind_share, "seed": draw.seed}
    picks = _moved(assign(queues, order, annotators=(), overlap=1, repeats=0, **common), first_position)
    lists: list[Assignment] = []
    if design.annotators:
        ids = {name: store.annotator(name).id for name in design.annotators}
        people: dict[str, Any] = {"annotators": design.annotators, "overlap": design.overlap, "repeats": design.repeats}
        named = assign(queues, order, **people, **common)
        lists = [replace(each, annotator=ids[each.annotator]) for each in _moved(named, first_position)]
    stratum_of = {item_id: name for name, items in new.items() for item_id in items}
    store.record_draw(draw, units, picks, lists, stratum_of)
    return DrawReport(draw, len(picks), len(lists), store.free_count())


def _moved(assignments: Sequence[Assignment], first_position: int) -> list[Assignment]:
    return [replace(each, position=each.position + first_position) for each in assignments]


def _allocated(sizes: Mapping[str, int], design: Design, at_least: Mapping[str, int] | None = None) -> dict[str, int]:
    """Labels per stratum, in whole bundles.

    Raises:
        UsageError: Fewer labels than what has to be taken whole.
    """
    rates = {name: planning_rate(name) for name in sizes}
    together = 2 if design.pair else 1
    whole = sum(size for name, size in sizes.items() if drawn_whole(name))
    if whole > design.n:
        what = "responses are in pairs of which one speaks to the judge" if design.pair else "responses speak to the judge"
        raise UsageError(f"--n {design.n}: {whole} {what}, and all of them go to people; give at least that number")
    floor = None if at_least is None else {name: drawn // together for name, drawn in at_least.items()}
    bundles = {name: size // together for name, size in sizes.items()}
    found = allocate(bundles, design.n // together, design.allocation, rates, floor)
    return {name: count * together for name, count in found.items()}


def _stratum(policy: Policy, by: Sequence[str], alike: FreeItems) -> str:
    cells = {
        "population": alike.population,
        "intent": alike.intent,
        "category": alike.category,
        "language": alike.language,
        "model": alike.model,
        "run": alike.run_id,
        "verdict": policy.flags(alike.verdict, alike.intent) if alike.judged else "no verdict",
        "outcome": (alike.verdict or "judge failed") if alike.judged else "no verdict",
    }
    return " | ".join([*(cells[field] or "none" for field in by), *([STEERING] if alike.steering else [])])


def chosen_judge(store: Store, wanted: str | None) -> str | None:
    """Whose verdicts make the strata.

    Raises:
        UsageError: There is no such judge.
    """
    names = [judge.name for judge in store.judges()]
    if wanted is None:
        return names[0] if names else None
    if wanted not in names:
        raise UsageError(f"--judge {visible_line(wanted)}: no such judge; there is {visible_line(', '.join(names)) or 'none'}")
    return wanted
