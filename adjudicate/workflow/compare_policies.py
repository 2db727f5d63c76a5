"""One run under two deployments' policies, each in its own workspace: both gates, and the items that only one of them accepts."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from adjudicate.core.demands import EVERY, Margins
from adjudicate.core.right_wrong import is_right
from adjudicate.errors import UsageError
from adjudicate.stats.gate import Result, worst
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.decide_release import decide_release
from adjudicate.workflow.read_side import Frame, side
from adjudicate.workflow.release import GateQuestion, Release
from adjudicate.workflow.run_names import SHOWN_ID


@dataclass(frozen=True, slots=True)
class ItemsApart:
    """Items that are settled in both workspaces, by where their response is right."""

    compared: int
    """Items settled in both workspaces on which both policies have a word."""
    here_only: tuple[str, ...]
    """Ids of items whose response is right here and wrong there."""
    there_only: tuple[str, ...]
    """Ids of items whose response is wrong here and right there."""
    missing: int
    """Items here that are not settled in both workspaces, or are not there."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Id of an item told apart -> what its log calls it, with its model where several are among them."""

    def named(self, item_id: str) -> str:
        """How people find the item again: as in their log, or the beginning of its id here."""
        return self.names.get(item_id) or item_id[:SHOWN_ID]

    def as_json(self) -> dict[str, Any]:
        """For ``gate --json``."""
        return {
            "compared": self.compared,
            "missing": self.missing,
            "right_here_wrong_there": list(self.here_only),
            "wrong_here_right_there": list(self.there_only),
            "names": dict(self.names),
        }


@dataclass(frozen=True, slots=True)
class TwoReleases:
    """The same run under two policies."""

    here: Release
    there: Release
    apart: ItemsApart

    @property
    def decision(self) -> Result:
        """Pass only if both pass."""
        return worst((self.here.decision, self.there.decision))

    def as_json(self) -> dict[str, Any]:
        """The object of ``gate --against-workspace --json``: the shape of one gate, with the workspace named in each group."""
        here, there = self.here.as_json(), self.there.as_json()
        return {
            **here,
            "decision": self.decision,
            "policies": {"here": here["policy"], "there": there["policy"]},
            "decisions": {"here": self.here.decision, "there": self.there.decision},
            "warnings": [*here["warnings"], *(f"There: {each}" for each in there["warnings"])],
            "rows": [{"workspace": "here", **row} for row in here["rows"]] + [{"workspace": "there", **r} for r in there["rows"]],
            "estimates": [
                {**each, "group": {**each["group"], "workspace": name}}
                for name, found in (("here", here), ("there", there))
                for each in found["estimates"]
            ],
            "items": self.apart.as_json(),
        }


def decide_both(here: SqliteStore, there: SqliteStore, question: GateQuestion) -> TwoReleases:
    """Decide the gate in both workspaces, each under its own policy, and compare the items.

    A demand counts where the policy has its rate and the workspace its population; it must count somewhere.

    Raises:
        UsageError: As `decide_release`; or a demand counts in neither workspace.
    """
    frames = Frame(here), Frame(there)
    known = [{rate.id for rate in frame.policy.rates} for frame in frames]
    for each in question.demands:
        if all(each.rate not in rates for rates in known):
            raise UsageError(f"{each.kind} of {each.rate}: neither policy has such a rate")
    questions = [_fitting(question, frame) for frame in frames]
    releases = [decide_release(store, asked) for store, asked in zip((here, there), questions, strict=True)]
    return TwoReleases(releases[0], releases[1], _apart(frames[0], frames[1], question))


def _fitting(question: GateQuestion, frame: Frame) -> GateQuestion:
    """The demands that the workspace can answer."""
    rates = {rate.id: rate.among for rate in frame.policy.rates}
    places = {(cell.population, cell.intent) for cell in frame.cells}

    def fits(rate: str, population: str) -> bool:
        return rate in rates and (population == EVERY or (population, rates[rate]) in places)

    asked = tuple(each for each in question.asked if fits(each.rate, each.population))
    margins = question.margins
    if margins is not None:
        kept = tuple(each for each in margins.asked if fits(each.rate, each.population))
        margins = Margins(margins.name, margins.sha256, kept)
    return replace(question, asked=asked, margins=margins)


def _apart(here: Frame, there: Frame, question: GateQuestion) -> ItemsApart:
    sides = [side(frame, question.candidate, model=question.model, population=question.population) for frame in (here, there)]
    here_only, there_only, compared = [], [], 0
    for item_id, item in sides[0].items.items():
        other = sides[1].items.get(item_id)
        if other is None or item.gold is None or other.gold is None:
            continue
        one, two = is_right(here.policy, item.gold, item.intent), is_right(there.policy, other.gold, other.intent)
        if one is None or two is None:
            continue
        compared += 1
        if one and not two:
            here_only.append(item_id)
        if two and not one:
            there_only.append(item_id)
    total = sum(cell.size for cell in sides[0].cells if not cell.judge)
    names = _names(here, {*here_only, *there_only})
    here_only.sort(key=lambda item_id: (names.get(item_id, ""), item_id))
    there_only.sort(key=lambda item_id: (names.get(item_id, ""), item_id))
    return ItemsApart(compared, tuple(here_only), tuple(there_only), total - compared, names)


def _names(frame: Frame, items: Container[str]) -> dict[str, str]:
    """What the log calls these items; a log may call responses of several models alike."""
    places = [place for place, _ in frame.items if place.item_id in items and place.source_id]
    several = len({place.model for place in places}) > 1
    return {place.item_id: place.source_id + (f", model {place.model}" if several else "") for place in places}
