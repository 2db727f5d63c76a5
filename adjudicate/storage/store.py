"""What the rest of the program may ask of a store. SQLite is behind it; another engine is another file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from adjudicate.core.items import Item, Verdict
from adjudicate.core.labels import Act, Event
from adjudicate.core.policy import Policy
from adjudicate.core.queue_turns import Turn
from adjudicate.core.sampling import Assignment, Stratum
from adjudicate.storage.draw_frame import FreeItems
from adjudicate.storage.policy_versions import JudgeVerdicts, Placed, PolicyVersion
from adjudicate.storage.rows import Annotator, Draw, Judge, Pick, Place, Run


@dataclass(frozen=True, slots=True)
class FrameCell(Place):
    """How many items share one cell of the frame: what rates need of the items nobody labelled."""

    stratum: str
    """The recorded stratum, prefixed by its draw; empty for items outside every draw."""
    judge: str
    """Rows with an empty judge count every item once; the others count verdicts."""
    verdict: str | None
    """The outcome; None where the judge failed, or where `judge` is empty."""
    size: int
    helpfulness_n: int = 0
    """Verdicts with a helpfulness score."""
    helpfulness: float = 0.0
    """Sum of their helpfulness scores, 0 to 100 each."""
    safety_n: int = 0
    """Verdicts with a safety score."""
    safety: float = 0.0
    """Sum of their safety scores, 0 to 100 each."""

    def plus(self, other: FrameCell) -> FrameCell:
        """Both cells as one; they share everything but the counts."""
        return replace(
            self,
            size=self.size + other.size,
            helpfulness_n=self.helpfulness_n + other.helpfulness_n,
            helpfulness=self.helpfulness + other.helpfulness,
            safety_n=self.safety_n + other.safety_n,
            safety=self.safety + other.safety,
        )


@dataclass(frozen=True, slots=True)
class JudgeScores:
    """The numbers that a judge gave with its verdict; None where it gave none."""

    score: float | None
    """The judge's probability of the event, 0 to 1."""
    helpfulness: float | None
    """0 to 100."""
    safety: float | None
    """0 to 100."""


@dataclass(frozen=True, slots=True)
class PromptCount(Place):
    """How many prompts got the same set of answers from one model in one run."""

    judge: str
    answers: tuple[tuple[str, str | None], ...]
    """Stratum (as in `FrameCell`) and outcome of each answer, in no order that means anything."""
    prompts: int


@dataclass(frozen=True, slots=True)
class JudgePairCount(Place):
    """How many items of one place in the frame two judges gave this pair of outcomes."""

    first: str
    """Name of one judge."""
    second: str
    outcomes: tuple[str, str]
    """Of the first and of the second; items on which either failed are left out."""
    items: int


@dataclass(frozen=True, slots=True)
class Frame:
    """Everything imported, counted."""

    cells: list[FrameCell]
    """Every item once under an empty judge, and every verdict once under its judge."""
    prompts: list[PromptCount]
    """Prompts with several answers of one model in one run; empty where there is none, or where nobody asked for them."""
    pairs: list[JudgePairCount] = field(default_factory=list)
    """What each two judges said of the same items; empty where there is one judge, or where nobody asked for it."""


@dataclass(frozen=True, slots=True)
class RepeatedVerdict(Place):
    """One item that one judge was asked about again, with its place in the frame."""

    item_id: str
    judge: str
    outcomes: tuple[str | None, ...]
    """Outcome of each reading, in order; None where the judge failed."""
    counted: bool
    """Whether the first of them is the verdict that counts; where False there is none of this judge on the item."""


@dataclass(frozen=True, slots=True)
class FrameItem(Place):
    """An item somebody has said something about, with its place in the frame."""

    item_id: str
    source_id: str
    """The id its log gave it; empty without one."""
    stratum: str
    """As in `FrameCell`."""
    picked: bool
    """Whether it belongs to the drawn part of its stratum."""
    verdicts: Mapping[str, str | None]
    """Outcome by judge, first judge first; None where the judge failed."""
    prompt_id: str = ""
    pair: str = ""
    """Id shared with the prompt's twin; empty without one."""
    characters: int | None = None
    """Length of the response."""
    prompt_characters: int | None = None
    """Length of the prompt, all turns of a conversation."""
    blind: bool | None = None
    """Whether the draw planned it to be labelled without the verdict; None for items that are not drawn."""
    turns: int | None = None
    """Turns of the user."""
    scores: Mapping[str, JudgeScores] = field(default_factory=dict)
    """Scores by judge; judges without any are left out."""
    drawn_by: str | None = None
    """The judge whose verdicts the item was drawn by, which is the one that people see."""
    turn: Turn = "counts"
    """Whether its labels count as drawn; of an item that is not drawn it says nothing."""


class Store(Protocol):
    """A label store. Each method that writes returns only when what it wrote is durable."""

    def put_policy(self, policy: Policy, at: str) -> None:
        """Make a policy the one in force; adopting the same text again changes nothing."""

    def policy(self, fingerprint: str | None = None) -> Policy:
        """The policy in force, or the one with this fingerprint. Raises StoreError where there is none."""

    def annotator(self, name: str, source: str = "os user") -> Annotator:
        """The person with this name, made with a random id where new."""

    def annotators(self) -> list[Annotator]:
        """Everyone, in order of appearance."""

    def append(self, annotator_id: str, act: Act, *, policy: str, at: str, wait: float | None = None) -> Event:
        """Add an act to the person's chain. Raises BusyStore after `wait` seconds without the lock."""

    def chain(self, annotator_id: str) -> list[Event]:
        """The person's events in order: theirs only, so that the labelling path cannot leak another's."""

    def heads(self) -> list[tuple[str, int, str]]:
        """Annotator id, number of events and id of the last one, for everyone who did anything."""

    def own_events(self, annotator_id: str, item_id: str) -> list[Event]:
        """What the person did on one item, in order."""

    def last_act(self, annotator_id: str, kinds: Sequence[str], *, triage: bool = False) -> Event | None:
        """The person's latest act of these kinds that no undo has taken back: of their list, or of triage."""

    def events_on(self, item_ids: Sequence[str] | None = None, *, triage: bool = False) -> dict[str, list[Event]]:
        """All events by item; of the named items, or of all. What was said in triage is left out unless it is asked for.

        So nothing that is computed from what people said of items can rest on items that somebody picked.
        """

    def notes(self, event_ids: Sequence[str]) -> dict[str, str]:
        """Text of the notes of these events that have one."""

    def put_draft(self, annotator_id: str, item_id: str, text: str) -> None:
        """Keep an unfinished note, so that nothing typed is lost; empty text removes it."""

    def draft(self, annotator_id: str, item_id: str) -> str:
        """The unfinished note on an item, or empty."""

    def item(self, item_id: str) -> Item:
        """One item. Raises StoreError where there is none."""

    def item_ids(self) -> dict[str, str]:
        """Ids of items by the id that their log gave them; items without one are left out."""

    def verdicts(self, item_id: str) -> list[Verdict]:
        """All judges' verdicts on an item, first judge first."""

    def runs(self) -> list[Run]:
        """Imports, first first."""

    def models(self) -> dict[str, int]:
        """Models with their number of items, in the order of their names."""

    def populations(self) -> dict[str, int]:
        """Populations with their number of items, in the order of their names."""

    def judges(self) -> list[Judge]:
        """Judges, the one with the most verdicts first."""

    def free_items(self, judge: str | None) -> list[FreeItems]:
        """Items outside every draw, those together that are alike in what strata are made of, with a judge's verdicts."""

    def free_count(self) -> int:
        """How many items are outside every draw."""

    def free_responses(self) -> Iterator[tuple[str, str]]:
        """Items outside every draw with responses in which no sign was found so far, to be read to the end: id and response."""

    def note_signs(self, found: Sequence[tuple[str, Sequence[str]]]) -> None:
        """Note the signs that responses speak to a judge, by item."""

    def steering(self) -> set[str]:
        """Items whose responses were seen to speak to a judge."""

    def steering_count(self) -> int:
        """How many those are."""

    def steering_undrawn(self) -> int:
        """How many of them no sample holds so far."""

    def record_draw(
        self,
        draw: Draw,
        units: Mapping[str, Sequence[str]],
        picks: Sequence[Assignment],
        assignments: Sequence[Assignment],
        stratum_of: Mapping[str, str],
    ) -> None:
        """Record a draw: its frame by stratum in queue order, the drawn items in order of presentation, who gets what.

        `stratum_of` names the stratum of each drawn item.
        """

    def draws(self) -> list[Draw]:
        """Recorded draws, first first."""

    def last_position(self) -> int:
        """The highest position on any list; -1 before the first draw."""

    def queue(self, draw_id: str, stratum: str) -> list[str]:
        """The recorded order of one stratum."""

    def pending(self, annotator_id: str, *, after: int, limit: int) -> list[Pick]:
        """The next items on a person's list that they have not dealt with, beyond position `after`."""

    def pick(self, annotator_id: str, item_id: str, round: int) -> Pick:
        """One entry of a person's list. Raises StoreError where the item is not on it."""

    def neighbour(self, annotator_id: str, position: int, *, forward: bool) -> Pick | None:
        """The entry after or before a position on a person's list, dealt with or not; None at the ends."""

    def claim(self, annotator_id: str, draw_ids: Sequence[str], *, count: int, overlap: int, at: str) -> int:
        """Take items of open samples onto a person's list; how many there were to take."""

    def on_offer(self, annotator_id: str, draw_ids: Sequence[str], *, overlap: int) -> int:
        """Items of open samples that the person could still claim."""

    def progress(self, annotator_id: str) -> tuple[int, int]:
        """Items dealt with and items on the list of a person."""

    def judge_of_draw(self, item_id: str) -> str | None:
        """The judge whose verdicts an item was drawn by; None outside every draw."""

    def strata_progress(self) -> list[tuple[Stratum, int]]:
        """Every stratum of every draw with the number of its drawn items that have a label."""

    def frame_cells(self) -> list[FrameCell]:
        """The whole frame, counted by cell."""

    def frame_items(self, *, triage: bool = False) -> list[FrameItem]:
        """Items that somebody has said something about; those that were only labelled in triage where these are asked for."""

    def same_prompts(self, prompts: Iterable[str]) -> dict[str, str]:
        """The other ids of some prompts, which say the same and are declared alike: id -> the one that it repeats."""

    def triage_labels(self) -> int:
        """Labels that stand and were made in triage: nothing that is counted rests on them."""

    def skipped_cells(self) -> list[FrameCell]:
        """Drawn items that everyone who was given them has skipped, counted by cell."""

    def frame_counts(self, *, prompts: bool, pairs: bool = False, verdicts: bool = True) -> Frame:
        """The whole frame, counted by cell and, where asked for, by prompts with several answers and by pairs of judges.

        Without `verdicts` the items alone are counted, and no judge is looked at.
        """

    def frame_stamp(self) -> tuple[int, int]:
        """Another one as soon as the items of any stratum are others."""

    def put_repeats(self, judge: str, readings: Sequence[tuple[str, int, Verdict]]) -> int:
        """Add verdicts of a judge that was asked again: item, number from 1, verdict. How many were new.

        Raises StoreError, with nothing added, where the judge or an item is not here or where another outcome is stored.
        """

    def repeated_verdicts(self) -> list[RepeatedVerdict]:
        """Every item that a judge was asked about again, in the order of import."""

    def label_policies(self) -> set[str]:
        """Fingerprints of the policies under which current labels were made."""

    def policy_versions(self) -> list[PolicyVersion]:
        """Every policy that was ever adopted, with what was made under it; the first is in force."""

    def judge_verdicts(self, outcomes: Iterable[str]) -> list[JudgeVerdicts]:
        """Every judge with its verdicts, held against the outcomes of a policy."""

    def judge_policies(self) -> dict[str, str]:
        """Fingerprint of the policy under which the verdicts of each judge came in, by its name."""

    def places(self, item_ids: Iterable[str]) -> dict[str, Placed]:
        """Stratum and population of items."""

    def on_lists(self, item_ids: Iterable[str]) -> set[tuple[str, str, int]]:
        """Item, annotator and round of every entry of a list that is about these items."""

    def resting_on(self, changed: frozenset[str]) -> tuple[list[Event], list[Event]]:
        """Last words of people, and rulings that hold, that rest on what is changed (`storage.outdated`)."""

    def look_again(self) -> None:
        """Another connection has adopted a policy."""

    def open_items(self) -> list[str]:
        """Items that wait for an adjudicator, oldest label first."""

    def problems(self) -> list[str]:
        """What is broken, in words: integrity, foreign keys, chains."""

    def close(self) -> None:
        """Let go of the file."""
