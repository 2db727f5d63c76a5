"""A small, strict part of YAML: text, lists and mappings, each with its line. Nothing is guessed, built or followed.

It reads the events of PyYAML's `SafeLoader` and never asks it to construct a value, so every scalar stays the text that was
written (``no``, ``1.10``, ``010``) and no tag can run code. What keys a file may have is for the caller.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from adjudicate.core.text import shortened, visible_line
from adjudicate.errors import Finding

if TYPE_CHECKING:
    from yaml import Event
    from yaml.error import YAMLError

MAX_DEPTH = 16
"""Levels of nesting; a policy needs four."""
MAX_NODES = 3_000
"""Scalars, lists and mappings in one file; keeps a hostile file from taking seconds."""
QUOTED_LENGTH = 60


@dataclass(frozen=True, slots=True)
class Text:
    """A scalar, exactly as written."""

    value: str
    line: int


@dataclass(frozen=True, slots=True)
class Listing:
    """A sequence."""

    items: tuple[Node, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Entry:
    """A key of a mapping with its value."""

    key: str
    value: Node
    line: int
    """Line of the key."""


@dataclass(frozen=True, slots=True)
class Table:
    """A mapping; keys are unique."""

    entries: tuple[Entry, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Refused:
    """A place whose content was already reported; readers pass over it in silence."""

    line: int


Node = Text | Listing | Table | Refused


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a text holds and what is wrong with it."""

    root: Node | None
    """None where there is no document, or none that can be read."""
    findings: tuple[Finding, ...]


def quoted(text: str) -> str:
    """Foreign text as a short, harmless quotation for a message."""
    return f"“{shortened(text, QUOTED_LENGTH)}”"


def parse_strict(text: str, *, first_line: int = 1) -> Parsed:
    """Parse text, collecting every finding that does not stop the parser.

    Args:
        text: YAML with LF line ends.
        first_line: Physical line of the first line of `text` in its file.
    """
    tabs = tuple(_tabs(text, first_line))
    if tabs:
        return Parsed(None, tabs)
    import yaml  # here and not above: starting the program must not load it

    builder = _Builder(first_line)
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            builder.take(event)
    except _TooMuchError as stop:
        return Parsed(None, (*builder.findings, stop.finding))
    except yaml.YAMLError as error:
        return Parsed(None, (*builder.findings, _syntax_finding(error, text, first_line)))
    return Parsed(builder.root, tuple(builder.findings))


def _tabs(text: str, first_line: int) -> Iterator[Finding]:
    for number, line in enumerate(text.split("\n"), start=first_line):
        if "\t" in line:
            yield Finding(number, "", "a tab; YAML is indented with spaces, so write spaces instead")


def _syntax_finding(error: YAMLError, text: str, first_line: int) -> Finding:
    mark: Any = getattr(error, "problem_mark", None)
    position = getattr(error, "position", None)
    line = text.count("\n", 0, position) if isinstance(position, int) else getattr(mark, "line", 0)
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "not YAML"
    return Finding(
        line + first_line, "", f"not valid YAML: {visible_line(str(problem))}; quote text that holds : # [ ] {{ }} or quotes"
    )


class _TooMuchError(Exception):
    def __init__(self, finding: Finding) -> None:
        self.finding = finding


@dataclass(slots=True)
class _Frame:
    line: int
    mapping: bool
    refused: bool
    children: list[Node] = field(default_factory=list)


class _Builder:
    """Turns parser events into nodes, with a stack of its own: depth cannot exhaust Python's."""

    def __init__(self, first_line: int) -> None:
        self.first_line = first_line
        self.findings: dict[Finding, None] = {}  # a set that keeps its order
        self.root: Node | None = None
        self.frames: list[_Frame] = []
        self.documents = 0
        self.nodes = 0

    def take(self, event: Event) -> None:
        """Handle one event; kinds that are not listed (stream marks, document ends) say nothing."""
        handlers = {
            "DocumentStartEvent": self._start_document,
            "AliasEvent": self._alias,
            "ScalarEvent": self._scalar,
            "SequenceStartEvent": self._start_sequence,
            "SequenceEndEvent": self._end_sequence,
            "MappingStartEvent": self._start_mapping,
            "MappingEndEvent": self._end_mapping,
        }
        handler = handlers.get(type(event).__name__)
        if handler is not None:
            handler(event, getattr(event.start_mark, "line", 0) + self.first_line)

    def _report(self, line: int, message: str, name: str = "") -> None:
        self.findings[Finding(line, name, message)] = None

    def _start_document(self, event: Any, line: int) -> None:
        self.documents += 1
        if self.documents > 1:
            raise _TooMuchError(
                Finding(line, "", "a second YAML document; a file holds one policy, so move the other to its own file")
            )
        if event.version or event.tags:
            self._report(line, "YAML directives (%) are not allowed; remove the line")

    def _alias(self, _event: Any, line: int) -> None:
        self._report(line, "aliases (*name) are not allowed; write the text out")
        self._add(Refused(line))

    def _scalar(self, event: Any, line: int) -> None:
        self._add(Refused(line) if self._odd(event, line) else Text(event.value, line))

    def _start_sequence(self, event: Any, line: int) -> None:
        self._open(event, line, mapping=False)

    def _start_mapping(self, event: Any, line: int) -> None:
        self._open(event, line, mapping=True)

    def _end_sequence(self, _event: Any, _line: int) -> None:
        frame = self.frames.pop()
        self._add(Refused(frame.line) if frame.refused else Listing(tuple(frame.children), frame.line))

    def _end_mapping(self, _event: Any, _line: int) -> None:
        frame = self.frames.pop()
        self._add(Refused(frame.line) if frame.refused else Table(self._entries(frame), frame.line))

    def _odd(self, event: Any, line: int) -> bool:
        """Report an anchor or a tag; True where the node must not be read."""
        if event.anchor is not None:
            self._report(line, "anchors (&name) are not allowed; write the text out where it is needed")
        if event.tag is not None:
            self._report(line, f"the tag {quoted(event.tag)} is not allowed; nothing was run. Quote text that begins with !")
        return event.tag is not None

    def _open(self, event: Any, line: int, *, mapping: bool) -> None:
        if len(self.frames) >= MAX_DEPTH:
            raise _TooMuchError(Finding(line, "", f"nested deeper than {MAX_DEPTH} levels"))
        self.frames.append(_Frame(line, mapping, self._odd(event, line)))

    def _add(self, node: Node) -> None:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise _TooMuchError(Finding(node.line, "", f"more than {MAX_NODES:,} values; a policy needs a few hundred"))
        if self.frames:
            self.frames[-1].children.append(node)
        else:
            self.root = node

    def _entries(self, frame: _Frame) -> tuple[Entry, ...]:
        first_seen: dict[str, int] = {}
        entries = []
        for key, value in zip(frame.children[::2], frame.children[1::2], strict=True):
            if isinstance(key, Listing | Table):
                self._report(key.line, "a key must be text, not a list or a mapping")
            if not isinstance(key, Text):
                continue
            if key.value in first_seen:
                first = first_seen[key.value]
                self._report(
                    key.line, f"the key is given twice, first on line {first}; keep one", shortened(key.value, QUOTED_LENGTH)
                )
                continue
            first_seen[key.value] = key.line
            entries.append(Entry(key.value, value, key.line))
        return tuple(entries)
