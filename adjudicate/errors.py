"""Every error a person can meet, one base class so that one `raise` serves terminal, dialog and exit code.

AdjudicateError            exit 1, "failed"
├── InputError             exit 2, a file, value or argument that cannot be used
│   ├── PolicyError        a policy file breaks its rules (carries every finding)
│   └── UsageError         a command was given what it cannot take
├── StoreError             exit 1, the workspace's database cannot be used
│   ├── DamagedStore       the file is not one of ours, or is broken; it was not changed
│   └── BusyStore          another process held the lock for too long; nothing was lost
└── LabelRefused           exit 2, the policy does not allow this label
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class AdjudicateError(Exception):
    """A problem told in one message. Foreign text in it must already be `visible()`."""

    title = "Failed"
    exit_code = 1


class InputError(AdjudicateError):
    """Bad input: names the place, what was expected, and what to do next."""

    title = "Cannot use this input"
    exit_code = 2


class UsageError(InputError):
    """A command or option that does not fit."""

    title = "Cannot do that"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing wrong in a file, with its place."""

    line: int
    """Physical line, counted from 1; 0 where the file as a whole is meant."""
    field: str
    """Key, column or clause concerned; empty where none is."""
    message: str
    """What was expected and what was found."""
    unit: str = "line"
    """What `line` counts; a document whose lines mean nothing counts its rows or samples."""

    def __str__(self) -> str:
        place = f"{self.unit} {self.line}" if self.line else "the file"
        return f"{place}{f', {self.field}' if self.field else ''}: {self.message}"


class PolicyError(InputError):
    """A policy that cannot be loaded; `findings` holds all that is wrong, not only the first."""

    title = "The policy cannot be used"

    def __init__(self, source: str, findings: Sequence[Finding]) -> None:
        self.findings = tuple(findings)
        lines = "\n".join(f"  {finding}" for finding in self.findings)
        super().__init__(f"{source}:\n{lines}")


class StoreError(AdjudicateError):
    """The database of the workspace cannot be used."""

    title = "The workspace cannot be opened"


class DamagedStore(StoreError):
    """Not a database of ours, or a broken one. It was left as it is."""


class BusyStore(StoreError):
    """Another process held the write lock for too long; the caller may try again."""

    title = "Someone else is writing"


class LabelRefused(InputError):
    """A label that the policy does not define."""

    title = "Not a label of this policy"
