"""The policy, told in lines."""

from __future__ import annotations

from adjudicate.cli.linear_lines import PlainLines
from adjudicate.core.policy import Clause, Policy
from adjudicate.core.text import shortened
from adjudicate.tui.widgets.policy_text import reflowed


def tell_policy(lines: PlainLines, policy: Policy, fitting: tuple[Clause, ...], wanted: str) -> None:
    """Say clauses.

    Args:
        lines: The terminal.
        policy: In force.
        fitting: Clauses that matter for the item at hand.
        wanted: An id for the text of that clause, ``all`` for every title, empty for the titles of the fitting ones.
    """
    if wanted and wanted.casefold() != "all":
        clause = clause_named(policy, wanted)
        if clause is None:
            lines.say(f"The policy has no clause {shortened(wanted, 40)}. Type p all for their titles.")
        else:
            lines.say(f"Clause {clause.id}, {clause.title}:")
            lines.pass_on(lines.set_in(reflowed(clause.text)))
    else:
        chosen = fitting if fitting and not wanted else policy.clauses
        lines.say(*(f"{clause.id} {clause.title}" for clause in chosen))


def search_policy(lines: PlainLines, policy: Policy, wanted: str) -> None:
    """Name the clauses that hold every word."""
    sought = wanted.casefold().split()
    found = [
        f"{clause.id} {clause.title}"
        for clause in policy.clauses
        if sought and all(word in f"{clause.id} {clause.title} {clause.text}".casefold() for word in sought)
    ]
    lines.say(*(found or ["No clause holds these words."]))


def clause_named(policy: Policy, name: str) -> Clause | None:
    """The clause of an id, however its letters are written."""
    return next((clause for clause in policy.clauses if clause.id.casefold() == name.casefold()), None)
