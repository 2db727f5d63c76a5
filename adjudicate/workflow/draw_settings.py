"""A sampling design: as asked for, completed by the defaults or by the draw that it extends, and as recorded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from adjudicate.core.sampling import ALLOCATIONS, Allocation, assign
from adjudicate.core.text import visible_line
from adjudicate.errors import UsageError
from adjudicate.storage.rows import Draw

STRATUM_FIELDS = ("population", "verdict", "outcome", "intent", "category", "language", "model", "run")
DEFAULT_BY = ("population", "verdict")


@dataclass(frozen=True, slots=True)
class DrawSettings:
    """A sampling design as asked for. None means not said: the default, or as before where a draw is extended."""

    n: int
    """Items to be labelled in all (an extension counts what is already drawn)."""
    by: tuple[str, ...] | None = None
    """Fields that make the strata. ``verdict`` is how the judge's outcome counts for the rates (flagged, clear, judge
    failed), ``outcome`` the outcome itself."""
    allocation: Allocation | None = None
    overlap: int | None = None
    """People per item; None for two where there are two, else one."""
    annotators: tuple[str, ...] | None = None
    """Empty for a sample that anyone may take from."""
    blind_share: float | None = None
    """Share of items shown without the verdict, 0 to 1."""
    repeats: float | None = None
    """Share of a person's items that come back unannounced, 0 to 0.5."""
    seed: int | None = None
    """None for a random one; it is recorded either way."""
    judge: str | None = None
    """Whose verdicts make the strata; None for the judge with the most verdicts."""
    pair: tuple[str, ...] = ()
    """Baseline and candidate where prompts are drawn rather than items, and labelled on both sides; empty otherwise."""
    new: bool = False
    """Draw from items that no draw has in its frame, rather than extend the last draw."""


@dataclass(frozen=True, slots=True)
class Design:
    """A design with nothing left open but the seed."""

    n: int
    by: tuple[str, ...]
    allocation: Allocation
    overlap: int
    annotators: tuple[str, ...]
    blind_share: float
    repeats: float
    pair: tuple[str, ...]

    def as_recorded(self) -> dict[str, Any]:
        """As kept with the draw."""
        return {
            "n": self.n,
            "by": list(self.by),
            "allocation": self.allocation,
            "overlap": self.overlap,
            "annotators": list(self.annotators),
            "blind_share": self.blind_share,
            "repeats": self.repeats,
            "pair": list(self.pair),
        }


def first_design(said: DrawSettings) -> Design:
    """The design of a new draw: what was said, and the defaults.

    Raises:
        UsageError: A number is out of range, or a field or method is unknown.
    """
    annotators = said.annotators or ()
    return _checked(
        Design(
            n=said.n,
            by=said.by or DEFAULT_BY,
            allocation=said.allocation or "mix",
            overlap=(1 if len(annotators) == 1 else 2) if said.overlap is None else said.overlap,
            annotators=annotators,
            blind_share=1.0 if said.blind_share is None else said.blind_share,
            repeats=0.0 if said.repeats is None else said.repeats,
            pair=said.pair,
        )
    )


def longer_design(said: DrawSettings, root: Draw, latest: Draw) -> Design:
    """The design of an extension: what was said where it may differ, the rest as at the last draw.

    Raises:
        UsageError: It would change what the first draw fixed, or a number is out of range.
    """
    _refuse_change("--by", "the strata were fixed as", said.by and list(said.by), root.settings["by"])
    _refuse_change("--pair", "what is drawn together was fixed as", list(said.pair) or None, root.settings.get("pair", []))
    _refuse_change("--judge", "the strata were made from the verdicts of", said.judge, root.judge)
    _refuse_change("--seed", "the queues were fixed with seed", said.seed, root.seed)
    _refuse_change("--blind-share", "fixed as", said.blind_share, root.settings["blind_share"])
    before = latest.settings
    return _checked(
        Design(
            n=said.n,
            by=tuple(root.settings["by"]),
            allocation=said.allocation or before["allocation"],
            overlap=before["overlap"] if said.overlap is None else said.overlap,
            annotators=tuple(before["annotators"]) if said.annotators is None else said.annotators,
            blind_share=root.settings["blind_share"],
            repeats=before["repeats"] if said.repeats is None else said.repeats,
            pair=tuple(root.settings.get("pair", ())),
        )
    )


def _refuse_change(option: str, fixed: str, said: object, recorded: object) -> None:
    if said is not None and said != recorded:
        was = ", ".join(map(str, recorded)) if isinstance(recorded, list) else recorded
        raise UsageError(
            f"{option}: {fixed} {visible_line(str(was))} at the first draw and cannot change;"
            " --new draws from items imported since"
        )


def _checked(design: Design) -> Design:
    if design.n < 1 + bool(design.pair):
        raise UsageError("--n: draw at least one item, or two items of a pair")
    if design.allocation not in ALLOCATIONS:
        raise UsageError(f"--allocation is one of {', '.join(ALLOCATIONS)}")
    if any(field not in STRATUM_FIELDS for field in design.by):
        raise UsageError(f"--by {visible_line(','.join(design.by))}: strata are made of {', '.join(STRATUM_FIELDS)}")
    # The lists are made of nothing here: this checks the ranges before anything is read or written.
    assign(
        {},
        (),
        annotators=design.annotators,
        overlap=design.overlap,
        blind_share=design.blind_share,
        repeats=design.repeats,
        seed=0,
    )
    return design
