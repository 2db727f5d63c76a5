"""The third step: the written policy. The shipped ones are listed; a file can be typed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from adjudicate.core.policy import Policy
from adjudicate.core.text import shortened
from adjudicate.errors import AdjudicateError, InputError
from adjudicate.settings import shipped_policies
from adjudicate.tui.first.plan import Plan
from adjudicate.tui.first.step import Row, RowsToChoose, Typed, commands
from adjudicate.tui.theme import DONE
from adjudicate.tui.widgets.cells import fitted
from adjudicate.tui.widgets.line_view import Paragraph
from adjudicate.workflow.policy_book import policy_from_file

NAME = 28
USUAL = "refusal-boundary"
"""Listed first, and begun with where others fit a log no better."""


class PolicyStep(RowsToChoose):
    """Policies by name or file."""

    title = "policy"
    hint = "{first.go_on} takes it and reads the log · {first.type} types a file"

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.names = sorted(shipped_policies(), key=lambda name: name != USUAL)
        """As `init --policy` takes them."""
        self._loaded: dict[str, Policy] = {}
        self.problem = ""

    def load(self, name: str) -> Policy:
        """The policy of a name or file; read once.

        Raises:
            InputError: It cannot be read or used.
        """
        if name not in self._loaded:
            path = shipped_policies().get(name) or self._path(name)
            self._loaded[name] = policy_from_file(path)
        return self._loaded[name]

    def _path(self, name: str) -> Path:
        path = Path(name).expanduser()
        return path if path.is_absolute() else self.plan.folder / path

    def name(self, at: int) -> str:
        """What is in a row."""
        return self.names[max(min(at, len(self.names) - 1), 0)]

    def place_of(self, name: str) -> int:
        """The row of a policy."""
        return self.names.index(name) if name in self.names else 0

    def name_of(self, policy: Policy) -> str:
        """The name under which a policy is listed; its id where it is not."""
        listed = (name for name in self.names if name in self._loaded)
        return next((name for name in listed if self._loaded[name].fingerprint == policy.fingerprint), policy.id)

    def rows(self, width: int) -> Sequence[Row]:
        """One row each."""
        del width
        rows = []
        for name in self.names:
            mark = DONE if name == self.plan.policy_name else " "
            try:
                policy = self.load(name)
            except AdjudicateError:
                rows.append(Row(f"{mark} {fitted(name, NAME)}  cannot be used", "harm"))
            else:
                rows.append(Row(f"{mark} {fitted(name, NAME)}  {len(policy.outcomes)} outcomes, version {policy.version}"))
        return [Row(f"    {'POLICY':<{NAME}}  WHAT IT HAS", "dim", can_be_chosen=False), *rows]

    def beside(self, at: int) -> tuple[str, list[Paragraph]]:
        """What the policy says."""
        try:
            policy = self.load(self.name(at))
        except AdjudicateError as problem:
            return "Cannot be used", [Paragraph(line, "harm") for line in str(problem).split("\n")]
        return shortened(policy.title, 60), [*_policy_rows(policy), *commands(self.plan.commands(3))]

    def typed(self, at: int) -> Typed:
        """A file."""
        del at
        return Typed("path of a policy file", "", is_path=True)

    def take(self, at: int, text: str) -> None:
        """Add a policy file to the list.

        Raises:
            InputError: It cannot be used.
        """
        del at
        self.load(text)
        if text not in self.names:
            self.names.insert(0, text)

    def policy_at(self, at: int) -> Policy:
        """The policy in a row.

        Raises:
            InputError: It cannot be used.
        """
        try:
            return self.load(self.name(at))
        except AdjudicateError as problem:
            raise InputError(str(problem)) from problem


def _policy_rows(policy: Policy) -> list[Paragraph]:
    rows = [Paragraph("OUTCOMES", "heading")]
    for outcome in policy.outcomes:
        rows += [Paragraph(f"{outcome.key}  {outcome.title}", "strong"), Paragraph(outcome.meaning, "", "   ")]
    rows += [Paragraph(""), Paragraph("RATES", "heading")]
    titles = {outcome.id: outcome.title for outcome in policy.outcomes}
    for rate in policy.rates:
        counted = ", ".join(titles.get(each, each) for each in rate.counts)
        rows.append(Paragraph(f"{rate.title}: of {rate.among.replace('_', ' ')} prompts, those with {counted}"))
    rows += [Paragraph(""), Paragraph("CLAUSES", "heading")]
    return [*rows, *(Paragraph(f"{clause.id}  {clause.title}") for clause in policy.clauses)]
