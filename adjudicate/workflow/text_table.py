"""A table of text, and the words of a policy in it."""

from __future__ import annotations

from dataclasses import dataclass

from adjudicate.core.policy import Policy


@dataclass(frozen=True, slots=True)
class TextTable:
    """Rows of text under headers."""

    title: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: tuple[int, ...]
    """Columns that hold numbers."""
    notes: tuple[str, ...] = ()
    """Below the table: how its values were made and what they assume."""


def rate_title(policy: Policy, rate: str) -> str:
    """Title of a rate, or its id where the policy has none of that id."""
    return next((each.title for each in policy.rates if each.id == rate), rate)


def outcome_title(policy: Policy, outcome: str) -> str:
    """Title of an outcome, or its id where the policy has none of that id."""
    return next((each.title for each in policy.outcomes if each.id == outcome), outcome)
