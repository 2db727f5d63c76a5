"""Reads the fields of one mapping: what is wrong is collected with line and key, and a harmless stand-in returned."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from adjudicate.core.text import shortened, visible_line
from adjudicate.errors import Finding
from adjudicate.formats.strict_yaml import QUOTED_LENGTH, Listing, Node, Refused, Table, Text, quoted

Choice = TypeVar("Choice", bound=str)

MAX_MEMBERS = 50
"""Longest list of a front matter; the longest useful one has nine members."""

NUMBER = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?")


@dataclass(slots=True)
class FieldReader:
    """The fields of one mapping of the front matter."""

    fields: Mapping[str, Node]
    """Values of the known keys."""
    where: str
    """Path of the mapping for messages; empty at the top."""
    line: int
    """First line of the mapping; 0 where there is none."""
    findings: list[Finding]
    """Where findings go; shared by all readers of a file."""
    key_lines: Mapping[str, int] = field(default_factory=dict)
    """Line of every key, known or not."""

    @classmethod
    def of(cls, node: Node | None, known: Mapping[str, bool], where: str, findings: list[Finding]) -> FieldReader:
        """A reader of a mapping that may have the keys `known` (name -> required)."""
        if not isinstance(node, Table):
            if isinstance(node, Text | Listing):
                findings.append(Finding(node.line, where, f"expected a mapping (key: value), found {kind_of(node)}"))
            return cls({}, where, 0, findings)
        fields = {entry.key: entry.value for entry in node.entries if entry.key in known}
        key_lines = {entry.key: entry.line for entry in node.entries}
        reader = cls(fields, where, node.line, findings, key_lines)
        reader._check_keys(known)
        return reader

    def _check_keys(self, known: Mapping[str, bool]) -> None:
        for key, line in self.key_lines.items():
            if key not in known:
                self.report(line, key, f"this key is not known here{did_you_mean(key, known)}")
        for name, required in known.items():
            if required and name not in self.key_lines:
                self.report(self.line, name, "the key is missing")

    def report(self, line: int, name: str, message: str) -> None:
        """Add a finding about the field `name` of this mapping."""
        shown = shortened(name, QUOTED_LENGTH)
        self.findings.append(Finding(line, f"{self.where}.{shown}" if self.where else shown, message))

    def text(self, name: str) -> str:
        """A text that is not empty; "" where it is absent or wrong."""
        node = self.fields.get(name)
        if isinstance(node, Listing | Table):
            self.report(node.line, name, f"expected text, found {kind_of(node)}")
        elif isinstance(node, Text) and not node.value.strip():
            self.report(node.line, name, "the text is empty")
        return node.value.strip() if isinstance(node, Text) else ""

    def matching(self, name: str, pattern: re.Pattern[str], advice: str) -> str:
        """A text of a given form."""
        value = self.text(name)
        if value and not pattern.fullmatch(value):
            self.report(self.fields[name].line, name, f"{quoted(value)} cannot be used; {advice}")
        return value

    def choice(self, name: str, choices: Sequence[Choice]) -> Choice:
        """One of a closed list; its first member where the value is absent or wrong."""
        value = self.text(name)
        known = next((choice for choice in choices if choice == value), None)
        if value and known is None:
            self._report_unknown(self.fields[name], name, choices)
        return choices[0] if known is None else known

    def chosen(self, name: str, choices: Sequence[Choice]) -> tuple[Choice, ...]:
        """A list of different members of a closed list."""
        found: list[Choice] = []
        for node in self.members(name):
            known = next((choice for choice in choices if isinstance(node, Text) and choice == node.value), None)
            if known is None:
                self._report_unknown(node, name, choices)
            elif known in found:
                self.report(node.line, name, f"{known} is listed twice")
            else:
                found.append(known)
        return tuple(found)

    def _report_unknown(self, node: Node, name: str, choices: Sequence[str]) -> None:
        if isinstance(node, Refused):
            return
        what = quoted(node.value) if isinstance(node, Text) else kind_of(node)
        hint = did_you_mean(node.value, choices) if isinstance(node, Text) else ""
        self.report(node.line, name, f"{what} is not known; expected {visible_line(', '.join(choices))}{hint}")

    def members(self, name: str) -> tuple[Node, ...]:
        """The members of a list that is not empty; () where it is absent or wrong."""
        node = self.fields.get(name)
        if isinstance(node, Text | Table):
            self.report(node.line, name, f"expected a list, found {kind_of(node)}")
        elif isinstance(node, Listing) and not node.items:
            self.report(node.line, name, "the list is empty")
        elif isinstance(node, Listing) and len(node.items) > MAX_MEMBERS:
            self.report(node.line, name, f"the list has {len(node.items):,} members; at most {MAX_MEMBERS} are read")
        return node.items[:MAX_MEMBERS] if isinstance(node, Listing) else ()

    def table(self, name: str) -> Mapping[str, Node]:
        """A mapping whose keys the caller checks; empty where it is absent or wrong."""
        node = self.fields.get(name)
        if isinstance(node, Text | Listing):
            self.report(node.line, name, f"expected a mapping (key: value), found {kind_of(node)}")
        return {entry.key: entry.value for entry in node.entries} if isinstance(node, Table) else {}

    def number(self, name: str, *, highest: float) -> float:
        """A plain decimal number from 0 to `highest`; 0 where it is absent or wrong."""
        value = self.text(name)
        number = float(value) if NUMBER.fullmatch(value) else None
        if value and (number is None or number > highest):
            self.report(self.fields[name].line, name, f"{quoted(value)} is not a number from 0 to {highest:,g}")
        return number or 0.0


def repeats(members: Iterable[FieldReader], name: str) -> list[Finding]:
    """Findings for a field that must differ between the members of a list, naming both lines."""
    first_seen: dict[str, int] = {}
    findings = []
    for member in members:
        node = member.fields.get(name)
        if not isinstance(node, Text) or not node.value:
            continue
        if node.value in first_seen:
            message = f"{quoted(node.value)} is used twice, on lines {first_seen[node.value]} and {node.line}"
            findings.append(Finding(node.line, f"{member.where}.{name}", message))
        first_seen.setdefault(node.value, node.line)
    return findings


def kind_of(node: Node) -> str:
    """What a node is, in words."""
    if isinstance(node, Text):
        return f"the text {quoted(node.value)}" if node.value else "nothing"
    return {Listing: "a list", Table: "a mapping", Refused: "something refused"}[type(node)]


def did_you_mean(written: str, known: Iterable[str]) -> str:
    """A hint that begins with "; ", or nothing where no known word is close."""
    import difflib  # only a wrong file needs it

    close = difflib.get_close_matches(written[:QUOTED_LENGTH].lower(), list(known), n=1)
    return f"; did you mean {visible_line(close[0])}?" if close else ""
