"""Turns the front matter of a policy into records and checks that they fit together."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from adjudicate.core.policy import BEHAVIOURS, INTENTS, Outcome, Rate, Severity
from adjudicate.errors import Finding
from adjudicate.formats.strict_fields import FieldReader, did_you_mean, repeats
from adjudicate.formats.strict_yaml import Table, parse_strict, quoted

# Each table: name of a key -> is it required.
FIELDS: Mapping[str, bool] = {
    "id": True,
    "title": True,
    "version": True,
    "outcomes": True,
    "rates": True,
    "severities": False,
    "points": False,
    "costs": False,
}
OUTCOME_FIELDS: Mapping[str, bool] = {
    "id": True,
    "key": True,
    "title": True,
    "behaviour": True,
    "meaning": True,
    "severity": False,
    "right_for": False,
}
SEVERITY_FIELDS: Mapping[str, bool] = {"id": True, "title": True, "meaning": True}
RATE_FIELDS: Mapping[str, bool] = {"id": True, "title": True, "among": True, "counts": True, "better": True}

BETTER: tuple[Literal["lower", "higher"], ...] = ("lower", "higher")
POLICY_ID = re.compile(r"[a-z0-9-]{1,60}")
RECORD_ID = re.compile(r"[a-z0-9_]{1,60}")
RECORD_ID_ADVICE = "use a-z, 0-9 and _"
KEY = re.compile(r"[1-9]")
ONE_WORD = re.compile(r"\S{1,40}")
COST = re.compile(r"(?:miss|false_alarm)(?:/[a-z0-9_]+)?")
HIGHEST_COST = 1_000_000

Record = TypeVar("Record")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The front matter as records; only to be used where `findings` is empty."""

    id: str
    title: str
    version: str
    outcomes: tuple[Outcome, ...]
    rates: tuple[Rate, ...]
    severities: tuple[Severity, ...]
    points: Mapping[str, Mapping[str, float]]
    costs: Mapping[str, float]
    findings: tuple[Finding, ...]
    """Everything that is wrong, with line and key."""


def read_front_matter(text: str, *, first_line: int) -> FrontMatter:
    """Read the lines between the two ``---``.

    Args:
        text: YAML with LF line ends.
        first_line: Physical line of the first line of `text` in its file.
    """
    parsed = parse_strict(text, first_line=first_line)
    findings = list(parsed.findings)
    # A file of comments has no document: read it as an empty mapping, so that every missing key is named.
    root = parsed.root or (None if findings else Table((), first_line - 1))
    reader = FieldReader.of(root, FIELDS, "", findings)
    outcomes = _records(reader, "outcomes", OUTCOME_FIELDS, _outcome)
    rates = _records(reader, "rates", RATE_FIELDS, lambda rate: _rate(rate, outcomes))
    severities = _records(reader, "severities", SEVERITY_FIELDS, _severity)
    points, costs = _points(reader, outcomes), _costs(reader)
    policy_id = reader.matching("id", POLICY_ID, "use a-z, 0-9 and -")
    version = reader.matching("version", ONE_WORD, "write one word of at most 40 characters")
    title = reader.text("title")
    _check_outcomes(reader, outcomes)
    return FrontMatter(policy_id, title, version, outcomes, rates, severities, points, costs, tuple(findings))


def _records(
    reader: FieldReader, name: str, known: Mapping[str, bool], build: Callable[[FieldReader], Record]
) -> tuple[Record, ...]:
    """Read a list of mappings; members that are not mappings are reported and passed over."""
    readers = [FieldReader.of(node, known, name, reader.findings) for node in reader.members(name)]
    members = [member for member in readers if member.line]
    reader.findings += [*repeats(members, "id"), *repeats(members, "key")]
    return tuple(build(member) for member in members)


def _outcome(reader: FieldReader) -> Outcome:
    return Outcome(
        id=reader.matching("id", RECORD_ID, RECORD_ID_ADVICE),
        key=reader.matching("key", KEY, "write one digit, 1 to 9"),
        title=reader.text("title"),
        behaviour=reader.choice("behaviour", BEHAVIOURS),
        meaning=reader.text("meaning"),
        severe="severity" in reader.fields and bool(reader.choice("severity", ("required",))),
        right_for=reader.chosen("right_for", INTENTS),
    )


def _severity(reader: FieldReader) -> Severity:
    return Severity(reader.matching("id", RECORD_ID, RECORD_ID_ADVICE), reader.text("title"), reader.text("meaning"))


def _rate(reader: FieldReader, outcomes: Sequence[Outcome]) -> Rate:
    known = [outcome.id for outcome in outcomes]
    return Rate(
        id=reader.matching("id", RECORD_ID, RECORD_ID_ADVICE),
        title=reader.text("title"),
        among=reader.choice("among", INTENTS),
        # Without readable outcomes every name would be reported as unknown, which helps nobody.
        counts=reader.chosen("counts", known) if known else (),
        better=reader.choice("better", BETTER),
    )


def _points(reader: FieldReader, outcomes: Sequence[Outcome]) -> dict[str, dict[str, float]]:
    known = {outcome.id: True for outcome in outcomes}
    points: dict[str, dict[str, float]] = {}
    for intent, node in reader.table("points").items():
        if intent in INTENTS:
            row = FieldReader.of(node, known, f"points.{intent}", reader.findings)
            points[intent] = {name: row.number(name, highest=100) for name in row.fields}
        else:
            message = f"{quoted(intent)} is not an intent; expected {', '.join(INTENTS)}{did_you_mean(intent, INTENTS)}"
            reader.report(node.line, "points", message)
    return points


def _costs(reader: FieldReader) -> dict[str, float]:
    table = reader.table("costs")
    row = FieldReader(table, "costs", 0, reader.findings)
    for name, node in table.items():
        if not COST.fullmatch(name):
            row.report(node.line, name, "not a kind of error; expected miss or false_alarm, or either followed by /category")
    return {name: row.number(name, highest=HIGHEST_COST) for name in table}


def _check_outcomes(reader: FieldReader, outcomes: Sequence[Outcome]) -> None:
    """Checks that need more than one record."""
    line = reader.key_lines.get("outcomes", 0)
    if len(outcomes) == 1:
        reader.report(line, "outcomes", "one outcome leaves nothing to decide; write at least two")
    if any(outcome.severe for outcome in outcomes) and "severities" not in reader.key_lines:
        reader.report(line, "outcomes", "an outcome requires a severity, but there is no list severities")
