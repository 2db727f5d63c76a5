"""The filter line of the list of items: words to look for, and what is declared or said of the items.

``population:harmful verdict:refusal,partial open:yes longer:2000 lock pick``: every key narrows, several values of one key widen,
what has no key is looked for in prompt and response, quotes keep spaces together.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from adjudicate.core.search_words import Word
from adjudicate.core.text import shortened, visible_line
from adjudicate.errors import UsageError

KEYS: Mapping[str, str] = {
    "population": "the group a rate is reported for, or its beginning: population:harmful",
    "intent": "what the data set declares of the prompt: benign, harmful, dual_use",
    "category": "the data set's own tag",
    "language": "of the prompt, as declared: language:de",
    "model": "who answered",
    "run": "name of the run it came with",
    "verdict": "the judge's outcome; failed where it gave none, - where it was not asked",
    "gold": "the settled outcome; - where there is none",
    "open": "yes where people disagree or cannot decide and nobody has ruled, no elsewhere",
    "by": "name of an annotator whose label stands; - where nobody has labelled",
    "clause": "cited by a label or a ruling; - where none is",
    "flagged": "yes where somebody has flagged the item, no elsewhere",
    "triage": "yes where somebody has sent the item to triage, no elsewhere",
    "longer": "than so many characters of response",
    "shorter": "than so many characters of response",
    "id": "the item's id or its beginning, or the id its log gave it",
}
"""What a filter line can say, with what it means."""
SHORT: Mapping[str, str] = {
    "pop": "population",
    "lang": "language",
    "outcome": "gold",
    "disagreement": "open",
    "annotator": "by",
}
DECLARED = ("population", "intent", "category", "language", "model", "run")
"""Keys that speak of what came with the items."""
HIDING = frozenset({"verdict", "gold", "open", "by", "clause", "flagged", "triage"})
"""Keys that speak of what a person must not know of items that they have yet to label blind."""
NUMBERS = frozenset({"longer", "shorter"})
YES_NO = frozenset({"open", "flagged", "triage"})
NONE = "-"
"""Stands for what has no value."""

_PIECE = re.compile(r'(?:[^\s"]|"[^"]*"?)+')
_KEYED = re.compile(r"([A-Za-z_]+):(.*)", re.DOTALL)
_VALUE = re.compile(r'"([^"]*)"?|([^",]+)')


@dataclass(frozen=True, slots=True)
class Filter:
    """What is wanted of the items."""

    said: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Key and values, each key once, in the order of `KEYS`."""
    words: tuple[Word, ...] = ()

    def values(self, key: str) -> tuple[str, ...]:
        """The values of a key; empty where it is not said."""
        return dict(self.said).get(key, ())

    @property
    def is_empty(self) -> bool:
        """Whether everything is wanted."""
        return not self.said and not self.words

    @property
    def hides(self) -> bool:
        """Whether it asks for what some items must not show yet."""
        return any(key in HIDING for key, _ in self.said)


def parse(line: str, *, is_typed: bool = False) -> Filter:
    """Read a filter line.

    Args:
        line: What stands there.
        is_typed: Whether somebody is still typing: a last word that may become a key is not looked for yet.

    Raises:
        UsageError: A key is unknown or said of nothing, or a value is none of the kind.

    >>> parse('lang:de longer:200 lock "red flag"').said
    (('language', ('de',)), ('longer', ('200',)))
    """
    # What no text in the database can hold: half of a character that takes two.
    line = line.encode("utf-8", "ignore").decode("utf-8")
    said: dict[str, tuple[str, ...]] = {}
    words: list[Word] = []
    for match in _PIECE.finditer(line):
        piece = match[0]
        keyed = _KEYED.fullmatch(piece)
        if keyed is not None:
            key, values = _key(keyed[1].lower()), _values(keyed[1], keyed[2])
            said[key] = (*said.get(key, ()), *_checked(key, values))
        elif text := piece.replace('"', " ").strip() if piece.startswith('"') else piece.replace('"', ""):
            is_begun = match.end() == len(line) and not piece.startswith('"')
            if not (is_typed and is_begun and _may_be_key(text)):
                words.append(Word(text, is_begun=is_begun))
    return Filter(tuple((key, said[key]) for key in KEYS if key in said), tuple(words))


def _may_be_key(text: str) -> bool:
    return any(key.startswith(text.lower()) for key in (*KEYS, *SHORT))


def _key(name: str) -> str:
    key = SHORT.get(name, name)
    if key not in KEYS:
        raise UsageError(f'{visible_line(name)}: no such key; in "quotes" it is a word. There is {", ".join(KEYS)}')
    return key


def _values(name: str, text: str) -> tuple[str, ...]:
    values = tuple(value for match in _VALUE.finditer(text) if (value := (match[1] or match[2] or "").strip()))
    if not values:
        raise UsageError(f"{visible_line(name)}: of what? {KEYS[_key(name.lower())]}")
    return values


def _checked(key: str, values: tuple[str, ...]) -> tuple[str, ...]:
    for value in values:
        if key in NUMBERS and not (value.isascii() and value.isdigit() and len(value) <= 12):
            raise UsageError(f"{key}: takes a number of characters, not {shortened(value, 40)!r}")
        if key in YES_NO and value.lower() not in ("yes", "no"):
            raise UsageError(f"{key}: takes yes or no, not {shortened(value, 40)!r}")
    if key in NUMBERS | YES_NO:
        if len(values) > 1:
            raise UsageError(f"{key}: takes one value")
        return (values[0].lower(),)
    return values


def matching(key: str, value: str, known: Mapping[str, object]) -> list[str]:
    """Names that a value means: the one it is, in whatever case, or all that begin with it.

    Raises:
        UsageError: None does.
    """
    wanted = value.casefold()
    exact = [name for name in known if name.casefold() == wanted]
    found = exact or [name for name in known if name.casefold().startswith(wanted)]
    if not found:
        there = ", ".join(shortened(name, 30) or '""' for name in sorted(known)[:12]) or "none yet"
        more = f" and {len(known) - 12} more" if len(known) > 12 else ""
        raise UsageError(f"{key}: nothing here begins with {shortened(value, 40)!r}; there is {there}{more}")
    return found
