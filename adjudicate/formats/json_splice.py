"""Small changes to the text of a JSON document: a value in place of another, a member or an element more. The rest stays."""

from __future__ import annotations

import json
from typing import Any

from adjudicate.formats.json_document import member_start
from adjudicate.formats.strict_json import OddNumber

_BLANK = " \t\r\n"


class Splice:
    """The changes to one text. Places are those of the text before any change."""

    def __init__(self, text: str) -> None:
        """Changes to a text.

        Args:
            text: A valid JSON document.
        """
        self.text = text
        self._decoder = json.JSONDecoder(parse_constant=OddNumber)
        self._changes: list[tuple[int, int, str]] = []
        self._begun: set[int] = set()
        """Empty lists and objects that got their first member."""

    def member(self, place: int, key: str) -> int | None:
        """Where the value of a key begins in the object at a place; None where there is no such key, or no object."""
        return member_start(self.text, place, key)

    def value(self, place: int) -> Any:
        """The value at a place."""
        return self._decoder.raw_decode(self.text, place)[0]

    def written(self, place: int) -> str:
        """The value at a place as it is written."""
        return self.text[place : self._end(place)]

    def replace(self, place: int, value: str) -> None:
        """Put the text of another value in place of the one at a place."""
        self._changes.append((place, self._end(place), value))

    def put(self, place: int, key: str, value: str) -> None:
        """Set a member of the object at a place, whether or not it has one of this key."""
        found = self.member(place, key)
        if found is not None:
            self.replace(found, value)
        else:
            self.append(place, f"{json.dumps(key, ensure_ascii=False)}: {value}")

    def append(self, place: int, text: str) -> None:
        """Add an element to the list at a place, or a member, as text, to the object."""
        last = self._end(place) - 1
        while self.text[last - 1] in _BLANK:
            last -= 1
        first = last == place + 1 and place not in self._begun
        self._begun.add(place)
        self._changes.append((last, last, text if first else f", {text}"))

    def elements(self, place: int) -> list[int]:
        """Where the elements of the list at a place begin; none where it is no list."""
        found: list[int] = []
        if self.text[place] != "[":
            return found
        at = self._skip(place + 1)
        while self.text[at] != "]":
            found.append(at)
            at = self._skip(self._end(at))
            if self.text[at] == ",":
                at = self._skip(at + 1)
        return found

    def result(self) -> str:
        """The text with all changes made; those at one place in the order in which they were asked for."""
        parts, at = [], 0
        for start, end, text in sorted(self._changes, key=lambda change: change[0]):
            parts += [self.text[at:start], text]
            at = end
        return "".join([*parts, self.text[at:]])

    def _end(self, place: int) -> int:
        return self._decoder.raw_decode(self.text, place)[1]

    def _skip(self, place: int) -> int:
        while self.text[place] in _BLANK:
            place += 1
        return place
