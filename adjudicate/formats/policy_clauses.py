"""Reads the Markdown of a policy: a preamble, then clauses such as ``## B2 Title``. The front matter is read elsewhere."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from adjudicate.core.policy import INTENTS, Clause, Intent
from adjudicate.errors import Finding
from adjudicate.formats.strict_yaml import quoted

CLAUSE_HEADING = re.compile(r"## ([A-Z][0-9]+) +(\S.*)")
LEVEL_TWO = re.compile(r" {0,3}##(?!#)")
LEVEL_ONE = re.compile(r" {0,3}# ")
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
METADATA = re.compile(r"(Categor(?:y|ies)|Intents?) *:(.*)", re.IGNORECASE)
CATEGORY = re.compile(r"[a-z0-9_]+")


@dataclass(frozen=True, slots=True)
class Body:
    """The Markdown part of a policy and what is wrong with it."""

    preamble: str
    clauses: tuple[Clause, ...]
    findings: tuple[Finding, ...]


@dataclass(slots=True)
class _Section:
    """Lines below one clause heading; the preamble is the section without an id."""

    id: str
    title: str
    line: int
    lines: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Metadata:
    categories: tuple[str, ...]
    intents: tuple[Intent, ...]
    rest: tuple[str, ...]


def read_clauses(text: str, *, first_line: int) -> Body:
    """Split Markdown into preamble and clauses.

    Headings inside fenced code are text. A level-two heading that is not a clause is an error: as text, a mistyped clause
    number would silently become part of the clause above it.

    Args:
        text: Markdown with LF line ends.
        first_line: Physical line of the first line of `text` in its file.
    """
    findings: list[Finding] = []
    preamble, *sections = _sections(text, first_line, findings)
    clauses = tuple(_clause(section, findings) for section in sections)
    findings += _duplicates(clauses)
    if not clauses:
        findings.append(Finding(0, "", "no clauses; write at least one, under a heading such as “## A1 Title”"))
    return Body("\n".join(preamble.lines).strip("\n"), clauses, tuple(findings))


def _sections(text: str, first_line: int, findings: list[Finding]) -> list[_Section]:
    sections = [_Section("", "", first_line)]
    fence, fence_line = "", 0
    for number, line in enumerate(text.split("\n"), start=first_line):
        mark = FENCE.match(line)
        if fence:
            fence = "" if mark and _closes(fence, line) else fence
        elif mark:
            fence, fence_line = mark[1], number
        elif heading := CLAUSE_HEADING.fullmatch(line):
            sections.append(_Section(heading[1], heading[2], number))
            continue
        else:
            findings += _heading_findings(line, number, sections[-1].id)
        sections[-1].lines.append(line)
    if fence:
        findings.append(Finding(fence_line, sections[-1].id, f"fenced code that is never closed; end it with a line {fence}"))
    return sections


def _closes(fence: str, line: str) -> bool:
    bare = line.strip()
    return len(bare) >= len(fence) and set(bare) == {fence[0]}


def _heading_findings(line: str, number: int, clause: str) -> list[Finding]:
    if LEVEL_TWO.match(line):
        return [
            Finding(number, clause, f"{quoted(line)} is not a clause heading; write “## B2 Title”, or ### for other headings")
        ]
    if clause and LEVEL_ONE.match(line):
        return [Finding(number, clause, f"{quoted(line)} would be part of clause {clause}; write ### or make it a clause")]
    return []


def _clause(section: _Section, findings: list[Finding]) -> Clause:
    metadata = _metadata(section, findings)
    text = "\n".join(metadata.rest).strip("\n")
    if not text.strip():
        findings.append(Finding(section.line, section.id, "the clause has no text"))
    return Clause(section.id, section.title, text, section.line, metadata.categories, metadata.intents)


def _metadata(section: _Section, findings: list[Finding]) -> _Metadata:
    """Take the ``Categories:`` and ``Intents:`` lines off the top of a section."""
    found: dict[str, tuple[str, ...]] = {}
    taken = 0
    for offset, line in enumerate(section.lines):
        matched = METADATA.fullmatch(line)
        if line and not matched:
            break
        taken = offset + 1
        if matched:
            _take_metadata(matched, section.id, section.line + offset + 1, found, findings)
    intents = tuple(intent for intent in INTENTS if intent in found.get("Intents", ()))
    return _Metadata(found.get("Categories", ()), intents, tuple(section.lines[taken:]))


def _take_metadata(
    matched: re.Match[str], clause: str, line: int, found: dict[str, tuple[str, ...]], findings: list[Finding]
) -> None:
    written = matched[1]
    name = "Categories" if written[0] in "cC" else "Intents"
    where = f"{clause}.{name}"
    values = tuple(part.strip() for part in matched[2].split(","))
    if written != name:
        findings.append(Finding(line, where, f"{quoted(written)} is not known here; did you mean {name}?"))
    elif name in found:
        findings.append(Finding(line, where, "given twice; keep one line"))
    findings += [Finding(line, where, message) for message in _value_messages(name, values)]
    found[name] = values


def _value_messages(name: str, values: Sequence[str]) -> list[str]:
    messages = [f"{quoted(value)} is listed twice" for value, count in Counter(values).items() if count > 1]
    if name == "Intents":
        wrong = [value for value in values if value not in INTENTS]
        return messages + [f"{quoted(value)} is not an intent; expected {', '.join(INTENTS)}" for value in wrong]
    wrong = [value for value in values if not CATEGORY.fullmatch(value)]
    return messages + [f"{quoted(value)} is not a category; use a-z, 0-9 and _, separated by commas" for value in wrong]


def _duplicates(clauses: Sequence[Clause]) -> list[Finding]:
    first_seen: dict[str, int] = {}
    findings = []
    for clause in clauses:
        first = first_seen.setdefault(clause.id, clause.line)
        if first != clause.line:
            findings.append(Finding(clause.line, clause.id, f"the clause id is used twice, on lines {first} and {clause.line}"))
    return findings
