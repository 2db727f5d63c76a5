"""What a person says about a file: which column is which field, constants, and how raw classes map to outcomes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from adjudicate.core.items import VerdictDraft
from adjudicate.core.labels import MODES as LABEL_MODES
from adjudicate.core.labels import Mode
from adjudicate.core.policy import INTENTS, Policy
from adjudicate.core.text import visible_line
from adjudicate.errors import UsageError
from adjudicate.formats.problem import json_text, quoted
from adjudicate.formats.text_file import known_encoding

ROW_FIELDS = ("id", "prompt", "messages", "response", "model", "intent", "population", "category", "language", "pair")
JUDGE_FIELDS = ("verdict", "judge", "reason", "helpfulness", "safety", "score", "repeat")
FIELDS = (*ROW_FIELDS, *JUDGE_FIELDS, "gold")
SETTABLE = ("model", "intent", "population", "category", "language", "pair", "judge", "response", "repeat")
"""Fields of `--set`. A response is said of all rows only where none has one: then the prompts themselves are judged."""
INTENT_OF = "intent."
"""Before a class of the file in `--set`: which intent it means. A class may end in ``*``."""
JUDGE_FAILED = "judge_failed"
"""Stands for an outcome in `--outcome` where a class of the file means that the judge gave no verdict."""
LONG_FIELDS = ("annotator", "label")
"""Fields of `--map` for tables with one label a row: who made it, and the outcome."""
MODES = ("blind", "assisted")
OPTION_TABLES = ("format", "map", "set", "outcome", "encoding")

MOST_REPEATS = 1_000_000
REPEAT_EXPECTED = f"expected a whole number: 0 for the verdict that counts, up to {MOST_REPEATS:,} for those made again"

NAMED = re.compile(r"(verdict|label)\.(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """Everything that the command line or a saved mapping says about how to read files."""

    format: str | None = None
    """Name of a row of `READERS`; None lets the content decide."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """Field -> column or dotted path."""
    constants: Mapping[str, str] = field(default_factory=dict)
    """Field -> value for every row."""
    outcomes: Mapping[str, str] = field(default_factory=dict)
    """Raw class -> outcome id, or `JUDGE_FAILED`. A class may begin with an intent and a colon, and then means it there only."""
    encoding: str | None = None
    mode: str = "blind"
    """How imported labels were made."""

    @classmethod
    def of(cls, stated: Mapping[str, Any]) -> ImportOptions:
        """Options from a table as in `adjudicate.toml`: ``format``, ``map``, ``set``, ``outcome``, ``encoding``.

        Raises:
            UsageError: A key, field, value or encoding that means nothing.
        """
        _known("option", stated, OPTION_TABLES)
        columns, constants, outcomes = (_texts(stated.get(name, {}), name) for name in ("map", "set", "outcome"))
        for name in columns:
            if NAMED.fullmatch(name) is None:
                _known("--map", (name,), (*FIELDS, *LONG_FIELDS, "rows"), "verdict.NAME, label.NAME")
        if len(said := [name for name in LONG_FIELDS if name in columns]) == 1:
            raise UsageError(
                f"--map {said[0]}: a table with one label a row needs --map annotator=COLUMN and --map label=COLUMN;"
                " where a column holds one person's labels, use --map label.NAME=COLUMN"
            )
        classes = [name for name in constants if name.startswith(INTENT_OF)]
        _known("--set", (name for name in constants if name not in classes), (*SETTABLE, "mode"), f"{INTENT_OF}CLASS")
        if (mode := constants.pop("mode", "blind")) not in MODES:
            raise UsageError(f"--set mode={visible_line(mode)}: expected {' or '.join(MODES)}")
        for name in ("intent", *classes):
            if constants.get(name, INTENTS[0]) not in INTENTS:
                raise UsageError(f"--set {visible_line(name)}={visible_line(constants[name])}: expected {', '.join(INTENTS)}")
        if repeat_number(constants.get("repeat", "0")) is None:
            raise UsageError(f"--set repeat={visible_line(constants['repeat'])}: {REPEAT_EXPECTED}")
        encoding = _text(stated, "encoding")
        known_encoding(encoding)
        return cls(_text(stated, "format"), columns, constants, outcomes, encoding, mode)

    def over(self, saved: ImportOptions) -> ImportOptions:
        """These options with a saved mapping behind them; what is said here wins."""
        return ImportOptions(
            format=saved.format,
            columns={**saved.columns, **self.columns},
            constants={**saved.constants, **self.constants},
            outcomes={**saved.outcomes, **self.outcomes},
            encoding=self.encoding or saved.encoding,
            mode=saved.mode if self.mode == "blind" else self.mode,
        )

    def as_tables(self) -> dict[str, Mapping[str, str] | str | None]:
        """The options as `of` reads them, for a mapping to be saved."""
        constants = dict(self.constants) | ({"mode": self.mode} if self.mode != MODES[0] else {})
        return {
            "format": self.format, "encoding": self.encoding, "map": self.columns, "set": constants, "outcome": self.outcomes,
        }  # fmt: skip

    def as_json(self) -> dict[str, Any]:
        """What a run keeps of them."""
        return {
            "map": dict(self.columns),
            "set": dict(self.constants),
            "outcome": dict(self.outcomes),
            "encoding": self.encoding,
            "mode": self.mode,
        }


class Said(NamedTuple):
    """A verdict as a log with records of its own holds it, for a ``verdict.NAME`` of a row."""

    raw: object
    """The class or number; None where the judge gave none."""
    reason: str = ""
    score: float | None = None
    """The number that the log holds besides the class, if any; one outside 0 to 1 is counted and not kept."""


class NotedLabel(NamedTuple):
    """A ``label.NAME`` or ``gold`` of a row that our own write-back put into its log."""

    raw: object
    """The class."""
    event: str | None = None
    """Id of the event that it is a copy of; None where it was not noted."""
    mode: Mode | None = None
    """How the label was made; None where it was not noted."""

    @classmethod
    def of(cls, raw: object, event: object, mode: object) -> NotedLabel:
        """A label with what stands beside it, as far as that is an id and a mode."""
        known = next((each for each in LABEL_MODES if each == mode), None)
        return cls(raw, event if isinstance(event, str) and event else None, known)


class Outcomes:
    """Raw classes of a file, and what the policy calls them."""

    def __init__(self, policy: Policy, mapping: Mapping[str, str]) -> None:
        known = {outcome.id: outcome.id for outcome in policy.outcomes}
        for raw, outcome in mapping.items():
            if outcome not in known and outcome != JUDGE_FAILED:
                raise UsageError(
                    f"--outcome {visible_line(raw)}={visible_line(outcome)}: the policy {visible_line(policy.id)} has no such"
                    f" outcome; it has {visible_line(', '.join(known))}"
                )
        self._plain = _Classes({**known, **mapping})
        self._by_intent: dict[str, _Classes] = {
            intent: _Classes(classes) for intent in INTENTS if (classes := _of_intent(mapping, intent))
        }
        self._known = ", ".join(known)
        self._policy = policy

    def find(self, raw: object, intent: str = "") -> str | None:
        """The outcome that a cell names, or None.

        A number is looked up as it is written, then as a whole number, then among ranges such as ``0.5..``.

        Args:
            raw: The cell.
            intent: Of the row's prompt: what was said of a class for one intent goes before what was said of it for all.
        """
        found = self._look(raw, intent)
        return None if found == JUDGE_FAILED and self._policy.outcome(JUDGE_FAILED) is None else found

    def fails(self, raw: object, intent: str = "") -> bool:
        """Whether a cell was said to mean that the judge failed."""
        return self._look(raw, intent) == JUDGE_FAILED and self._policy.outcome(JUDGE_FAILED) is None

    def means_something(self, raw: object) -> bool:
        """Whether it was said of a class what it means, if only for one intent."""
        return any(self._look(raw, intent) is not None for intent in ("", *self._by_intent))

    def _look(self, raw: object, intent: str) -> str | None:
        text = raw if type(raw) is str else raw_text(raw)
        of_intent = self._by_intent.get(intent)
        found = of_intent.find(text) if of_intent is not None else None
        return found if found is not None else self._plain.find(text)

    def advice(self, raw: object) -> str:
        """What to say of a cell that names none."""
        return (
            f"{quoted(raw_text(raw))} is no outcome of the policy; it has {visible_line(self._known)}."
            " If it means one of these, add --outcome RAW=OUTCOME"
        )

    def verdict(self, judge: str, raw: object, intent: str = "") -> VerdictDraft:
        """A judge's verdict; a cell that is no class is *judge failed*, with the cell kept."""
        said = raw if isinstance(raw, Said) else Said(raw)
        outcome = None if said.raw is None else self.find(said.raw, intent)
        kept = "" if outcome is not None or said.raw is None else raw_text(said.raw)
        return VerdictDraft(judge, outcome, said.score, reason=said.reason, raw=kept)


class _Classes:
    """Raw classes and ranges of numbers, and what they mean."""

    def __init__(self, mapping: Mapping[str, str]) -> None:
        self._mapping = mapping
        self._ranges = [(*bounds, outcome) for raw, outcome in mapping.items() if (bounds := _range(raw)) is not None]

    def find(self, text: str) -> str | None:
        """What a class means, or None."""
        found = self._mapping.get(text)
        return found if found is not None or text[:1] not in _STARTS_A_NUMBER else self._by_number(text)

    def _by_number(self, text: str) -> str | None:
        try:
            number = float(text)
        except ValueError:
            return None
        if number.is_integer() and (found := self._mapping.get(str(int(number)))) is not None:
            return found
        return next((outcome for low, high, outcome in self._ranges if low <= number < high), None)


def _of_intent(mapping: Mapping[str, str], intent: str) -> dict[str, str]:
    """What was said of classes for one intent only: ``harmful:pass``."""
    start = f"{intent}:"
    return {raw.removeprefix(start): outcome for raw, outcome in mapping.items() if raw.startswith(start)}


_STARTS_A_NUMBER = frozenset("0123456789-+.")
_RANGE = re.compile(r"([-+]?[0-9]*\.?[0-9]+)?\.\.([-+]?[0-9]*\.?[0-9]+)?")


def _range(raw: str) -> tuple[float, float] | None:
    """The bounds of a range of numbers, the lower one in it and the upper one not: ``0.5..``, ``..0.5``, ``1..4``."""
    match = _RANGE.fullmatch(raw)
    if match is None or raw == "..":
        return None
    return float(match[1] or "-inf"), float(match[2] or "inf")


def repeat_number(text: str) -> int | None:
    """The number of a repeat as a text says it; None where it says none."""
    fits = text.isascii() and text.isdecimal() and len(text) <= len(str(MOST_REPEATS)) and int(text) <= MOST_REPEATS
    return int(text) if fits else None


def raw_text(value: object) -> str:
    """A JSON value as its file spells it."""
    return value if isinstance(value, str) else json_text(value)


def _text(stated: Mapping[str, Any], name: str) -> str | None:
    value = stated.get(name)
    if value is not None and not isinstance(value, str):
        raise UsageError(f"{name}: expected a name in quotation marks")
    return value


def _texts(table: object, name: str) -> dict[str, str]:
    if not isinstance(table, Mapping):
        raise UsageError(f"{name}: expected a table of FIELD = VALUE")
    return {str(key): raw_text(value) for key, value in table.items()}


def _known(what: str, names: Iterable[str], known: tuple[str, ...], *more: str) -> None:
    for name in names:
        if name not in known:
            raise UsageError(f"{what} {visible_line(name)}: not known here; known are {', '.join((*known, *more))}")
