"""Drawing the sample that people label, and drawing more of it later. Strata and queues are fixed before any label."""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from adjudicate.core.policy import Policy
from adjudicate.core.sampling import (
    ALLOCATIONS,
    Allocation,
    Assignment,
    Stratum,
    allocate,
    assign,
    planning_rate,
    presentation,
    queue,
)
from adjudicate.core.text import visible_line
from adjudicate.errors import UsageError
from adjudicate.storage.draws import FRAME_FIELDS
from adjudicate.storage.rows import Draw
from adjudicate.storage.store import Store

STRATUM_FIELDS = ("population", "verdict", "outcome", *(each for each in FRAME_FIELDS if each not in ("population", "verdict")))


@dataclass(frozen=True, slots=True)
class DrawSettings:
    """A sampling design as asked for."""

    n: int
    """Items to be labelled in all (an extension counts what is already drawn)."""
    by: tuple[str, ...] = ("population", "verdict")
    """Fields that make the strata. ``verdict`` is how the judge's outcome counts for the rates (flagged, clear, judge
    failed), ``outcome`` the outcome itself."""
    allocation: Allocation = "mix"
    overlap: int | None = None
    """People per item; None for two where there are two, else one."""
    annotators: tuple[str, ...] = ()
    """Empty for a sample that anyone may take from."""
    blind_share: float = 1.0
    repeats: float = 0.0
    seed: int | None = None
    """None for a random one; it is recorded either way."""
    judge: str | None = None
    """Whose verdicts make the strata; None for the judge with the most verdicts."""
    pair: tuple[str, ...] = ()
    """Baseline and candidate where prompts are drawn rather than items, and labelled on both sides; empty otherwise."""
    new: bool = False
    """Draw from items that no draw has in its frame, rather than extend the last draw."""


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
    _check(settings)
    draws = store.draws()
    if draws and not settings.new:
        return _extend(store, draws, settings, at=at)
    return _draw(store, settings, at=at, bundles=bundles)


def _draw(store: Store, settings: DrawSettings, *, at: str, bundles: Bundles | None) -> DrawReport:
    policy = store.policy()
    judge = chosen_judge(store, settings.judge)
    members = _singles(store, policy, settings, judge) if bundles is None else bundles
    if not members:
        raise UsageError("there is nothing to draw from: import items first, or every item already belongs to a draw")
    settings = replace(settings, seed=secrets.randbelow(2**31) if settings.seed is None else settings.seed)
    assert settings.seed is not None
    units = {name: _queue(settings.seed, members[name]) for name in sorted(members)}
    drawn = _allocated({name: len(items) for name, items in units.items()}, settings)
    strata = tuple(Stratum(name, len(items), drawn[name]) for name, items in units.items())
    draw = Draw(f"d-{secrets.token_hex(4)}", None, settings.seed, judge, policy.fingerprint, _recorded(settings), strata, at)
    new = {name: items[: drawn[name]] for name, items in units.items()}
    return _record(store, draw, units, new, settings, first_position=0)


def _singles(store: Store, policy: Policy, settings: DrawSettings, judge: str | None) -> Bundles:
    members: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for item_id, fields in store.frame(judge):
        members[_stratum(policy, settings.by, fields)].append((item_id,))
    return members


def _queue(seed: int, bundles: Sequence[tuple[str, ...]]) -> list[str]:
    """The items of one stratum, bundles in their seeded random order; what belongs together stays together."""
    rest = {bundle[0]: bundle for bundle in bundles}
    return [item_id for first in queue(seed, rest) for item_id in rest[first]]


def _extend(store: Store, draws: Sequence[Draw], settings: DrawSettings, *, at: str) -> DrawReport:
    root = [draw for draw in draws if draw.extends is None][-1]
    latest = [draw for draw in draws if root.id in (draw.id, draw.extends)][-1]
    before = {stratum.name: stratum.drawn for stratum in latest.strata}
    _same_design(root, settings)
    if settings.n <= sum(before.values()):
        raise UsageError(
            f"{sum(before.values())} items are already drawn; --n counts all of them, so give a larger number"
            " (or --new to draw from items imported since)"
        )
    inherited = replace(
        settings,
        by=tuple(root.settings["by"]),
        seed=root.seed,
        annotators=settings.annotators or tuple(root.settings["annotators"]),
        overlap=settings.overlap or root.settings["overlap"],
        blind_share=root.settings["blind_share"],
        pair=tuple(root.settings.get("pair", ())),
    )
    sizes = {stratum.name: stratum.size for stratum in latest.strata}
    drawn = _allocated(sizes, inherited, at_least=before)
    strata = tuple(Stratum(name, size, drawn[name]) for name, size in sizes.items())
    added = {name: store.queue(root.id, name)[before[name] : drawn[name]] for name in sizes if drawn[name] > before[name]}
    draw = Draw(f"d-{secrets.token_hex(4)}", root.id, root.seed, root.judge, root.policy, _recorded(inherited), strata, at)
    return _record(store, draw, {}, added, inherited, first_position=store.last_position() + 1)


def _record(
    store: Store,
    draw: Draw,
    units: Mapping[str, Sequence[str]],
    new: Mapping[str, Sequence[str]],
    settings: DrawSettings,
    *,
    first_position: int,
) -> DrawReport:
    assert settings.seed is not None
    order = presentation({name: items for name, items in new.items() if items})
    common: dict[str, Any] = {"blind_share": settings.blind_share, "seed": settings.seed}
    picks = _moved(assign(order, annotators=(), overlap=1, repeats=0, **common), first_position)
    lists: list[Assignment] = []
    if settings.annotators:
        ids = {name: store.annotator(name).id for name in settings.annotators}
        named = assign(order, annotators=settings.annotators, overlap=_overlap(settings), repeats=settings.repeats, **common)
        lists = [replace(each, annotator=ids[each.annotator]) for each in _moved(named, first_position)]
    stratum_of = {item_id: name for name, items in new.items() for item_id in items}
    store.record_draw(draw, units, picks, lists, stratum_of)
    outside = sum(1 for _ in store.frame(draw.judge))
    return DrawReport(draw, len(picks), len(lists), outside)


def _moved(assignments: Sequence[Assignment], first_position: int) -> list[Assignment]:
    return [replace(each, position=each.position + first_position) for each in assignments]


def _allocated(sizes: Mapping[str, int], settings: DrawSettings, at_least: Mapping[str, int] | None = None) -> dict[str, int]:
    """Labels per stratum, in whole bundles."""
    rates = {name: planning_rate(name) for name in sizes}
    together = 2 if settings.pair else 1
    floor = None if at_least is None else {name: drawn // together for name, drawn in at_least.items()}
    bundles = {name: size // together for name, size in sizes.items()}
    found = allocate(bundles, settings.n // together, settings.allocation, rates, floor)
    return {name: count * together for name, count in found.items()}


def _stratum(policy: Policy, by: Sequence[str], fields: Mapping[str, Any]) -> str:
    cells = {
        **fields,
        "verdict": policy.flags(fields["verdict"], fields["intent"]) if "verdict" in fields else "no verdict",
        "outcome": (fields["verdict"] or "judge failed") if "verdict" in fields else "no verdict",
    }
    return " | ".join(str(cells[field]) or "none" for field in by)


def chosen_judge(store: Store, wanted: str | None) -> str | None:
    """Whose verdicts make the strata.

    Raises:
        UsageError: There is no such judge.
    """
    names = [judge.name for judge in store.judges()]
    if wanted is None:
        return names[0] if names else None
    if wanted not in names:
        raise UsageError(f"--judge {visible_line(wanted)}: there is no such judge; there is {', '.join(names) or 'none'}")
    return wanted


def _overlap(settings: DrawSettings) -> int:
    if settings.overlap is not None:
        return settings.overlap
    return 1 if len(settings.annotators) == 1 else 2


def _recorded(settings: DrawSettings) -> dict[str, Any]:
    recorded = asdict(settings)
    del recorded["new"], recorded["seed"], recorded["judge"]
    return recorded | {
        "by": list(settings.by),
        "pair": list(settings.pair),
        "annotators": list(settings.annotators),
        "overlap": _overlap(settings),
    }


def _same_design(root: Draw, settings: DrawSettings) -> None:
    if settings.pair and list(settings.pair) != root.settings.get("pair", []):
        raise UsageError("--pair: what is drawn together was fixed at the first draw; --new draws from items imported since")
    if settings.by != DrawSettings(1).by and list(settings.by) != root.settings["by"]:
        raise UsageError(f"--by: the strata were fixed as {','.join(root.settings['by'])} at the first draw and cannot change")
    if settings.judge is not None and settings.judge != root.judge:
        raise UsageError(f"--judge: the strata were made from {root.judge}'s verdicts at the first draw and cannot change")
    if settings.seed is not None and settings.seed != root.seed:
        raise UsageError(f"--seed: the queues were fixed with seed {root.seed} at the first draw and cannot change")
    if settings.blind_share not in (DrawSettings(1).blind_share, root.settings["blind_share"]):
        raise UsageError(f"--blind-share: fixed as {root.settings['blind_share']} at the first draw")


def _check(settings: DrawSettings) -> None:
    if settings.n < 1 + bool(settings.pair):
        raise UsageError("--n: draw at least one item, or two items of a pair")
    if settings.allocation not in ALLOCATIONS:
        raise UsageError(f"--allocation is one of {', '.join(ALLOCATIONS)}")
    unknown = [field for field in settings.by if field not in STRATUM_FIELDS]
    if unknown or not settings.by:
        raise UsageError(f"--by {','.join(settings.by)}: strata are made of {', '.join(STRATUM_FIELDS)}")
    # Range checks of the lists happen before anything is read or written.
    assign(
        (),
        annotators=settings.annotators,
        overlap=_overlap(settings),
        blind_share=settings.blind_share,
        repeats=settings.repeats,
        seed=0,
    )
