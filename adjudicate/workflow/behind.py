"""The items behind a number, in a way that the list of items can show: a filter line, or ids where no line says it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from adjudicate.storage import browse
from adjudicate.storage.sqlite_store import SqliteStore

MOST = 400
"""Items that are named one by one; of more the first ones are."""
ID_LENGTH = 12
"""Characters that name an item: as many as the screens show."""


@dataclass(frozen=True, slots=True)
class Behind:
    """Items that a number stands for."""

    words: str
    """Which they are."""
    line: str = ""
    """Filter line that lists them; empty where `ids` do, or nothing does."""
    ids: tuple[str, ...] = ()
    """Ids of the first `MOST` of them."""
    count: int | None = None
    """How many there are; None where only the list will tell."""
    none: str = ""
    """Why there is no list of them; empty where there is one."""

    @property
    def title(self) -> str:
        """The items in words, with their number where it is known."""
        if self.count is None:
            return self.words
        return f"{self.words} ({self.count:,})" if self.count else f"{self.words} (none)"


@dataclass(frozen=True, slots=True)
class Listing:
    """How a person gets to see the items behind a number."""

    line: str
    """Filter line; empty where nothing is left to be seen."""
    left_out: int = 0
    """Items that the person has yet to label blind: finding them here would tell what their labels and verdicts are."""
    cut: int = 0
    """Items beyond those that can be named."""


def named(words: str, ids: Iterable[str]) -> Behind:
    """Items by their ids."""
    found = tuple(dict.fromkeys(ids))
    if not found:
        return nothing(words, "there are none")
    return Behind(words, ids=found[:MOST], count=len(found))


def nothing(words: str, why: str) -> Behind:
    """No items, and why."""
    return Behind(words, none=why, count=0 if why == "there are none" else None)


def filtered(words: str, said: Mapping[str, Sequence[str]]) -> Behind:
    """Items by a filter line; keys without a value are left out.

    >>> filtered("counted", {"population": ["benign/general"], "gold": ["flat refusal", "deflection"], "model": []}).line
    'population:benign/general gold:"flat refusal",deflection'
    """
    filled = {key: [value for value in values if value] for key, values in said.items()}
    if any('"' in value for values in filled.values() for value in values):
        return nothing(words, "a name with a quotation mark in it cannot stand in a filter")
    parts = [f"{key}:{','.join(map(_quoted, values))}" for key, values in filled.items() if values]
    return Behind(words, line=" ".join(parts)) if parts else nothing(words, "these are all items: i on the first screen")


def _quoted(value: str) -> str:
    return value if value and not any(letter.isspace() or letter == "," for letter in value) else f'"{value}"'


def listing(store: SqliteStore, person: str, wanted: Behind) -> Listing:
    """The filter line for one reader. What they must not learn of items that they have yet to label blind is left out.

    Filter lines see to that themselves: the list leaves such items out where a line speaks of verdicts or labels.
    """
    if not wanted.ids:
        return Listing(wanted.line)
    hidden = unseen(store, person, wanted.ids)
    shown = [each[:ID_LENGTH] for each in wanted.ids if each not in hidden]
    cut = max((wanted.count or 0) - len(wanted.ids), 0)
    return Listing(f"id:{','.join(map(_quoted, shown))}" if shown else "", len(hidden), cut)


def unseen(store: SqliteStore, person: str, ids: Iterable[str]) -> set[str]:
    """Those among some items whose verdict and labels a reader may not see yet: they have yet to label them blind."""
    return browse.hidden_of(store.database, person, list(ids))
