"""What is labelled: a prompt, a response, and the verdicts on it; and what a reader makes of one row of a file.

Ids are hashes of the exact content, so that a label can never belong to another text and the same file imported twice
changes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple

from adjudicate.core.labels import Mode

ID_LENGTH = 32
"""Hex characters of a content id: 128 bits of SHA-256."""
_BETWEEN = b"\xff"
"""Never part of UTF-8, nor of a lone surrogate written in its manner."""


class Message(NamedTuple):
    """One turn of a conversation."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """The request as its data set declares it."""

    id: str
    messages: tuple[Message, ...]
    intent: str
    """benign, harmful or dual_use, as declared."""
    population: str
    """The group a rate is reported for, e.g. ``benign/borderline``."""
    category: str = ""
    language: str = ""
    pair: str = ""
    """Id shared by a benign prompt and its harmful twin; empty without one."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one judge said of one item. `outcome` is None where the judge failed: a state of its own, never a default."""

    judge: str
    outcome: str | None
    score: float | None = None
    helpfulness: float | None = None
    safety: float | None = None
    reason: str = ""
    raw: str = ""
    """The judge's own words where they are no outcome."""


@dataclass(frozen=True, slots=True)
class Item:
    """One prompt and one response to decide on: a unit in agreement statistics."""

    id: str
    prompt: Prompt
    response: str
    model: str
    source_id: str
    run_id: str


class VerdictDraft(NamedTuple):
    """A verdict as read from a row: the outcome already mapped to the policy, or None with the raw cell kept."""

    judge: str
    outcome: str | None
    score: float | None = None
    helpfulness: float | None = None
    safety: float | None = None
    reason: str = ""
    raw: str = ""


class LabelDraft(NamedTuple):
    """A person's label as read from a row."""

    annotator: str
    outcome: str
    event: str | None = None
    """Id of the event that it is a copy of, where our own write-back noted one: what a workspace wrote, it knows again."""
    mode: Mode | None = None
    """How it was made, where that is noted; else as the import says of all its labels."""


class RowDraft(NamedTuple):
    """One row that a reader could read: everything an import may store of it."""

    line: int
    """Physical line where the row starts, from 1."""
    source_id: str | None
    prompt: str
    """Text of a single-turn prompt; the last user turn where `messages` holds more."""
    messages: tuple[Message, ...] | None
    """All turns of a conversation; None for a single-turn prompt."""
    response: str
    model: str
    intent: str
    population: str
    category: str
    language: str
    pair: str
    verdicts: tuple[VerdictDraft, ...]
    labels: tuple[LabelDraft, ...]
    gold: str | None
    source: str
    """The row for the way back into its log, as `core.source_rows` packs it."""
    repeat: int = 0
    """Which reading of the judge its verdicts are: 0 is the one that counts, later ones tell how steady the judge is."""
    gold_event: str | None = None
    """Id of the event that `gold` is a copy of, as `LabelDraft.event`."""


def content_id(*parts: str) -> str:
    """Id of a content: SHA-256 over the parts as UTF-8, with a byte between them that no text holds, so that no two collide.

    >>> content_id("ab", "c") == content_id("a", "bc")
    False
    """
    try:
        joined = _BETWEEN.join(map(str.encode, parts))
    except UnicodeEncodeError:
        # A lone surrogate is legal JSON and must not stop an import.
        joined = _BETWEEN.join([part.encode("utf-8", "surrogatepass") for part in parts])
    return sha256(joined).hexdigest()[:ID_LENGTH]


def messages_json(messages: Sequence[Message]) -> str:
    """Canonical JSON of a conversation, as hashed and stored."""
    return json.dumps([[message.role, message.content] for message in messages], ensure_ascii=False, separators=(",", ":"))


def prompt_id(row: RowDraft) -> str:
    """Id of a prompt *as declared*: its text with its intent, population and tags."""
    text = row.prompt if row.messages is None else messages_json(row.messages)
    return content_id(text, row.intent, row.population, row.category, row.language, row.pair)


def item_id(row: RowDraft, occurrence: int = 0) -> str:
    """Id of an item: the exact prompt and response, the model and the id that the source gave it.

    Args:
        row: The row as read.
        occurrence: How many equal rows without an id came before it: repeated answers are items of their own.
    """
    text = row.prompt if row.messages is None else messages_json(row.messages)
    name = row.source_id if row.source_id is not None else f"#{occurrence}"
    return content_id(text, row.response, row.model, name)
