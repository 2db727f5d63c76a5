"""What a release is asked to keep: margins of change and bounds of rates, stated before anybody looks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from adjudicate.core.text import shortened
from adjudicate.errors import UsageError

Kind = Literal["max", "min", "margin"]
KINDS: tuple[Kind, ...] = ("max", "min", "margin")

EVERY = "*"
"""Stands for every population that is not named."""
FRACTION = re.compile(r"(?:[0-9]{1,3}(?:\.[0-9]{0,12})?|\.[0-9]{1,12})")
SHOWN = 60
MOST_CONFIDENCE = 0.9999


@dataclass(frozen=True, slots=True)
class Asked:
    """One number that a rate is held to."""

    kind: Kind
    """``max`` or ``min`` bound the rate itself; ``margin`` bounds its change for the worse."""
    rate: str
    """Id of a rate of the policy."""
    population: str
    """The population it is for; `EVERY` for those that are not named."""
    value: float
    """A fraction from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Margins:
    """A file of demands, as it goes into the receipt."""

    name: str
    """File name, without its folder."""
    sha256: str
    """Of the file's bytes."""
    asked: tuple[Asked, ...]
    """In the order of the file."""

    def as_json(self) -> dict[str, object]:
        """Hash and content, for receipts and gates."""
        return {"file": self.name, "sha256": self.sha256, "asked": asked_json(self.asked)}


def asked_json(asked: Iterable[Asked]) -> list[dict[str, object]]:
    """Demands as flat objects."""
    return [{"kind": each.kind, "rate": each.rate, "population": each.population, "value": each.value} for each in asked]


def fraction(text: str, where: str) -> float:
    """A fraction from 0 to 1 as written.

    Raises:
        UsageError: It is none; a number above 1 is most likely meant in percent.
    """
    shown = shortened(text, SHOWN)
    if not FRACTION.fullmatch(text):
        raise UsageError(f"{where}: expected a fraction from 0 to 1, found “{shown}”")
    value = float(text)
    if value > 1:
        raise UsageError(f"{where}: expected a fraction from 0 to 1, found {shown}; 2 % is written 0.02")
    return value


def check_confidence(confidence: float) -> None:
    """Refuse what is no confidence, or so near to 1 that no limit would mean anything.

    Raises:
        UsageError: Below 0.5 or above `MOST_CONFIDENCE`.
    """
    if not 0.5 <= confidence <= MOST_CONFIDENCE:
        raise UsageError(f"--confidence is a fraction from 0.5 to {MOST_CONFIDENCE}, such as 0.95")


def asked_from(kind: Kind, text: str) -> Asked:
    """A demand as written on the command line: ``RATE=FRACTION`` or ``RATE:POPULATION=FRACTION``.

    Raises:
        UsageError: It is written in another way.
    """
    name, equals, number = text.rpartition("=")
    rate, _, population = name.partition(":")
    if not equals or not rate:
        raise UsageError(f"--{kind} {shortened(text, SHOWN)}: write RATE=FRACTION, or RATE:POPULATION=FRACTION")
    return Asked(kind, rate, population or EVERY, fraction(number, f"--{kind} {shortened(name, SHOWN)}"))


def asked_of(asked: Iterable[Asked], kind: Kind, rate: str, population: str) -> float | None:
    """The number for one rate of one population: its own before the one for every population."""
    found = {each.population: each.value for each in asked if each.kind == kind and each.rate == rate}
    return found.get(population, found.get(EVERY))


def check_once(asked: Iterable[Asked]) -> None:
    """Nothing may be asked twice: which one counts would be a guess.

    Raises:
        UsageError: The same kind, rate and population is named twice.
    """
    seen = set()
    for each in asked:
        key = (each.kind, each.rate, each.population)
        if key in seen:
            where = "" if each.population == EVERY else f" of {shortened(each.population, SHOWN)}"
            raise UsageError(f"{each.kind} of {shortened(each.rate, SHOWN)}{where} is given twice")
        seen.add(key)
