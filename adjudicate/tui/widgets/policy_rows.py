"""The policy screen in rows: clauses with how they do, a clause and what changed in it, versions, and what was unclear."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from adjudicate.core.policy import Policy
from adjudicate.core.policy_changes import Change, Part
from adjudicate.core.present import FEW
from adjudicate.core.text import shortened
from adjudicate.storage.policy_versions import PolicyVersion
from adjudicate.tui.theme import CHOSEN, DIFFERS, DONE, QUIET, SAME
from adjudicate.tui.widgets.cells import fitted
from adjudicate.tui.widgets.line_view import Look, Paragraph
from adjudicate.tui.widgets.policy_text import hanging, reflowed
from adjudicate.workflow.clause_use import ClauseUse, Unclear
from adjudicate.workflow.policy_book import Book, Compared

SIGNS: Mapping[str, str] = {"changed": DIFFERS, "added": "+", "removed": "-"}
COUNTS = f"{'CITED':>5}  {'SPLIT':>5} {'':{len(FEW)}}"
NUMBERS = len(COUNTS)
NAME, TEXT = 10, 10
"""Cells of a version and of the beginning of its fingerprint."""
SHOWN_ID = 12
MOST_NOTE = 400
"""Characters of a note that the list shows."""


class Entry(NamedTuple):
    """One row of the list: a clause, or a part of the policy that nobody cites."""

    part: Part
    id: str
    """Empty for all records of a part together."""
    name: str
    heading: str
    text: str


def entries(book: Book, against: Compared | None) -> list[Entry]:
    """What there is to read, clauses that are gone in the newer version at the end."""
    policy = book.in_force
    found = [
        Entry("outcome", "", "", "Outcomes and severities", _outcomes(policy)),
        Entry("rate", "", "", "Rates", _rates(policy)),
        *([Entry("policy", "", "", "About this policy", policy.preamble.strip())] if policy.preamble.strip() else []),
        *(Entry("clause", each.id, each.id, each.title, each.text) for each in policy.clauses),
    ]
    if against is not None:
        gone = [each for each in against.changes.changes if each.part == "clause" and each.how == "removed"]
        found += [Entry("clause", each.id, each.id, each.title, each.before) for each in gone]
    return found


def changes_of(entry: Entry, against: Compared | None) -> list[Change]:
    """What changed in the thing that a row stands for."""
    if against is None:
        return []
    parts = ("outcome", "severity") if entry.part == "outcome" else (entry.part,)
    return [each for each in against.changes.changes if each.part in parts and entry.id in ("", each.id)]


def heading_row(width: int) -> Paragraph:
    """Above the list."""
    return Paragraph(f"    {'CLAUSE':<{max(width - NUMBERS - 6, 6)}}  {COUNTS}", "dim")


def entry_row(entry: Entry, use: ClauseUse | None, changes: Sequence[Change], *, chosen: bool, width: int) -> Paragraph:
    """One row of the list."""
    sign = " "
    if changes:
        sign = SIGNS[changes[0].how] if entry.part == "clause" else DIFFERS
    room = max(width - NUMBERS - 6, 6)
    name = f"{entry.name:<4}{entry.heading}" if entry.name else entry.heading
    words = f"{CHOSEN if chosen else ' '} {sign} {fitted(name, room)}  {_counts(use)}".rstrip()
    look: Look = "selected" if chosen else ("differs" if changes else ("" if use is None or use.cited else "dim"))
    return Paragraph(words, look)


def _counts(use: ClauseUse | None) -> str:
    if use is None:
        return ""
    split = use.split
    share = "" if split.value is None else f"{split.value * 100:.0f} %"
    few = FEW if split.value is not None and split.details.get("few") else ""
    return f"{use.cited:>5,}  {share:>5} {few}"


def clause_rows(entry: Entry, use: ClauseUse | None, against: Compared | None) -> Iterator[Paragraph]:
    """The text of what is chosen, below what is known of it and what changed in it."""
    if use is not None:
        yield Paragraph(use_words(use), "dim")
        yield Paragraph("")
    changes = changes_of(entry, against)
    for change in changes:
        name = f"{change.part} {change.id}: " if entry.part != "clause" else ""
        yield Paragraph(f"{SIGNS[change.how]} {name}{change.words}", "differs")
        words = against.marked.get((change.part, change.id), "") if against is not None else ""
        yield Paragraph("")
        if words:
            yield Paragraph(words)
            yield Paragraph("")
    if against is not None and not changes:
        yield Paragraph(f"{SAME} as it was", "dim")
        yield Paragraph("")
    if entry.part in ("outcome", "rate"):
        yield from hanging(entry.text)
    elif not changes or entry.part != "clause":
        yield Paragraph(reflowed(entry.text), markdown=not changes)


def use_words(use: ClauseUse) -> str:
    """How often a clause is cited and how often its items split people, with what the numbers rest on."""
    times, on = "once" if use.cited == 1 else f"{use.cited:,} times", "1 item" if use.items == 1 else f"{use.items:,} items"
    words = [f"cited {times}, in labels and rulings on {on}" if use.cited else "no label cites it"]
    split = use.split
    if split.value is not None and split.low is not None and split.high is not None:
        few = f", {FEW}" if split.details.get("few") else ""
        words.append(
            f"people differ on {split.value * 100:.0f} % ({split.low * 100:.0f} to {split.high * 100:.0f} %) of the {split.n:,}"
            f" with several blind labels{few}"
        )
    elif use.cited:
        words.append(f"split undefined: {split.undefined}")
    if use.again:
        words.append(f"{use.again:,} of an older text, to be made again")
    return " · ".join(words)


def version_rows(versions: Sequence[PolicyVersion], *, chosen: int) -> list[Paragraph]:
    """The versions below their heading; the first is in force, a chosen later one is compared with it."""
    several = len({each.id for each in versions}) > 1
    heading = f"{'POLICY':<{NAME + TEXT + 2}}" if several else f"{'VERSION':<{NAME}}  {'TEXT':<{TEXT}}"
    rows = [Paragraph(f"  {heading}  {'ADOPTED':<10}  LABELS", "dim")]
    for place, each in enumerate(versions):
        name = f"{fitted(each.version, NAME)}  {each.fingerprint[:TEXT]}"
        if several:
            name = fitted(f"{each.id} {each.version}", NAME + TEXT + 2)
        state = f"{DONE} in force" if place == 0 else (f"{DIFFERS} compared" if place == chosen else "")
        mark = CHOSEN if place == chosen else " "
        words = f"{mark} {name}  {each.adopted_at[:10]}  {each.labels:>6,}  {state}".rstrip()
        rows.append(Paragraph(words, "selected" if place == chosen else ""))
    return rows


def unclear_rows(unclear: Sequence[Unclear]) -> Iterator[Paragraph]:
    """Items that people could not decide, for the next version."""
    if not unclear:
        yield Paragraph("none: nobody said that the policy does not settle an item here", "dim")
    for each in unclear:
        people = f"{each.people} {'person' if each.people == 1 else 'people'} could not decide" if each.people else ""
        collected = "put here by an adjudicator" if each.collected else ""
        who = ", ".join(filter(None, [people, collected]))
        state = f"{DONE} settled" if each.settled else "open"
        yield Paragraph(f"{QUIET} {each.item_id[:SHOWN_ID]}  {each.population}  {who}  {state}", "strong")
        if each.hidden:
            yield Paragraph("notes hidden: the item is yours to decide first", "dim", "    ")
        for note in each.notes:
            yield Paragraph(shortened(note, MOST_NOTE), "", "    ")
        if each.rationale:
            yield Paragraph(f"ruling: {shortened(each.rationale, MOST_NOTE)}", "dim", "    ")


def _outcomes(policy: Policy) -> str:
    rows = [f"{each.key}  {each.title} ({each.id})\n   {each.meaning}" for each in policy.outcomes]
    return "\n\n".join([*rows, *(f"severity {each.id}  {each.title}\n   {each.meaning}" for each in policy.severities)])


def _rates(policy: Policy) -> str:
    return "\n\n".join(
        f"{each.title} ({each.id})\n   {', '.join(each.counts)} among {each.among} prompts; {each.better} is better"
        for each in policy.rates
    )
