"""The fourth step: how many items, from which strata, for whom; and what interval that gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from adjudicate.core.person_names import annotator_name
from adjudicate.core.policy import Policy
from adjudicate.core.text import shortened
from adjudicate.errors import InputError, UsageError
from adjudicate.tui.first.plan import Plan
from adjudicate.tui.first.step import Choice, Row, Typed, commands, offered
from adjudicate.tui.widgets.line_view import Paragraph
from adjudicate.tui.widgets.table_rows import Grouped, table_rows
from adjudicate.workflow.draw_preview import expected_widths, sizes_to_offer
from adjudicate.workflow.text_table import TextTable

BY: Mapping[tuple[str, ...], str] = {
    ("population", "verdict"): "population, and how the verdict counts",
    ("population", "outcome"): "population, and the verdict itself",
    ("population", "category", "verdict"): "population, category, and how the verdict counts",
    ("population", "model", "verdict"): "population, model, and how the verdict counts",
    ("population",): "population alone",
}
"""What strata can be made of here; the command line knows more."""
TABLE_WIDTH = 64


class _Setting(NamedTuple):
    name: str
    value: str
    asks: str


class SampleStep:
    """Three settings."""

    title = "sample"
    hint = "digit chooses · {first.type} types · {first.go_on} starts labelling"

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.table_width = TABLE_WIDTH

    @property
    def _settings(self) -> tuple[_Setting, ...]:
        plan = self.plan
        people = ", ".join(plan.people) if plan.people else f"whoever comes, {_people(plan.overlap)} an item"
        if len(plan.people) > 1:
            people = f"{people}, {_people(plan.overlap)} an item"
        return (
            _Setting("items", f"{plan.n:,} of {plan.items:,}", "How many items are to be labelled?"),
            _Setting("strata by", BY.get(plan.by, ", ".join(plan.by)), "What are the strata made of?"),
            _Setting("people", people, "Who labels them?"),
        )

    def rows(self, width: int) -> Sequence[Row]:
        """One row each."""
        return [Row(f"{each.name:<10}  {shortened(each.value, max(width - 16, 20))}") for each in self._settings]

    def beside(self, at: int) -> tuple[str, list[Paragraph]]:
        """What it gives."""
        plan = self.plan
        rows = offered(self.choices(at), self.asks(at))
        if plan.policy is not None and plan.cells:
            rows += _intervals(plan, plan.policy, self.table_width)
            rows += [
                Paragraph(""),
                Paragraph("Which items are drawn is random and recorded; every label then stands for a known share.", "dim"),
            ]
            rows += _without_rates(plan)
        return "The sample", [*rows, *commands(plan.commands(4))]

    def asks(self, at: int) -> str:
        """The question of a row."""
        return self._settings[at].asks

    def choices(self, at: int) -> Sequence[Choice]:
        """What the digits set."""
        return [Choice(digit, words) for digit, (words, _) in enumerate(self._ways(at), start=1)]

    def choose(self, at: int, digit: int) -> None:
        """Set it."""
        ways = self._ways(at)
        if 1 <= digit <= len(ways):
            ways[digit - 1][1]()

    def _ways(self, at: int) -> list[tuple[str, Callable[[], None]]]:
        plan = self.plan
        if at == 0:
            return [(_size(size, plan.items), lambda size=size: self._set_n(size)) for size in sizes_to_offer(plan.items)]  # type: ignore[misc]
        if at == 1:
            return [(words, lambda by=by: self._set_by(by)) for by, words in BY.items()]  # type: ignore[misc]
        return [
            (f"{shortened(plan.me, 40)} alone", lambda: self._set_people((plan.me,), 1)),
            ("whoever comes, one person an item", lambda: self._set_people((), 1)),
            ("whoever comes, two people an item: shows where they disagree", lambda: self._set_people((), 2)),
        ]

    def _set_n(self, n: int) -> None:
        self.plan.n = n

    def _set_by(self, by: tuple[str, ...]) -> None:
        self.plan.by = by

    def _set_people(self, people: tuple[str, ...], overlap: int) -> None:
        self.plan.people, self.plan.overlap = people, overlap

    def typed(self, at: int) -> Typed:
        """A number, fields, or names."""
        plan = self.plan
        return (
            Typed(f"items to label, 1 to {plan.items:,}", str(plan.n)),
            Typed("fields, comma-separated: population, verdict, outcome, category, language, model", ",".join(plan.by)),
            Typed("names of the people, comma-separated", ", ".join(plan.people)),
        )[at]

    def take(self, at: int, text: str) -> None:
        """Set it.

        Raises:
            InputError: It is out of range, or no name.
        """
        plan = self.plan
        if at == 0:
            number = text.replace(",", "").strip()
            if not (number.isascii() and number.isdecimal() and 1 <= int(number) <= plan.items):
                raise InputError(f"{shortened(text, 20)}: expected a whole number from 1 to {plan.items:,}")
            plan.n = int(number)
        elif at == 1:
            plan.by = tuple(name.strip() for name in text.split(",") if name.strip())
        else:
            names = tuple(annotator_name(name) for name in text.split(",") if name.strip())
            if len(set(names)) < len(names) or not names:
                raise InputError("expected different names, comma-separated")
            self._set_people(names, min(len(names), 2))


def _people(overlap: int) -> str:
    return "one person" if overlap == 1 else f"{overlap} people"


def _size(size: int, items: int) -> str:
    return f"all {items:,}" if size == items else f"{size:,}"


def _intervals(plan: Plan, policy: Policy, width: int) -> Sequence[Paragraph]:
    """What so many labels give, or why they are too few."""
    try:
        expected = expected_widths(plan.cells, policy, plan.n)
    except UsageError as error:
        return [Paragraph(f"{error}.", "strong")]
    table = TextTable(
        "The 95 % intervals this gives, if the judge errs as is usual",
        ("rate", "population", "items", "labels", "±"),
        tuple((each.rate, each.population, f"{each.items:,}", f"{each.labels:,}", _width(each.half_width)) for each in expected),
        right=(2, 3, 4),
    )
    return table_rows(Grouped(table), width=width)


def _width(half: float | None) -> str:
    return "not known" if half is None else f"{100 * half:.1f} points"


def _without_rates(plan: Plan) -> list[Paragraph]:
    """Intents that no rate of the policy speaks for."""
    assert plan.policy is not None
    silent = {cell.intent for cell in plan.cells if not plan.policy.rates_among(cell.intent)}
    return [
        Paragraph(f"No rate of this policy speaks for {intent.replace('_', ' ')} prompts.", "dim") for intent in sorted(silent)
    ]
