"""`adjudicate tune-report`: which gold items a judge gets right that another got wrong, and the other way round."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from adjudicate.cli.context import Workspace, pass_workspace
from adjudicate.cli.output import echo_json, echo_table, json_option, say

if TYPE_CHECKING:
    from adjudicate.workflow.judge_regression import Flip, Regression


@click.command("tune-report")
@click.argument("judge")
@click.option("--against", metavar="JUDGE", help="The judge to compare with; the one that came before it by default.")
@json_option
@pass_workspace
def tune_report(workspace: Workspace, *, judge: str, against: str | None, as_json: bool) -> None:
    """Compare JUDGE with another on the gold items: what a changed prompt fixed, and what it broke.

    \b
    Example:
      adjudicate judge --base-url URL --model M --prompt strict.md --name strict --against gold
      adjudicate tune-report strict
    """
    from adjudicate.workflow.judge_regression import compare_on_gold

    store = workspace.store()
    found = compare_on_gold(store, store.policy(), judge, against)
    if as_json:
        echo_json(found.as_json())
    else:
        say_regression(found)


def say_regression(found: Regression) -> None:
    """Accuracy of both, and the items that flipped."""
    from adjudicate.workflow.judge_regression import ASSUMES, METHOD

    say(f"{found.judge} against {found.against}, on {found.n:,} gold items")
    now, before = found.right / found.n, found.was_right / found.n
    say(f"accuracy {now:.1%}, was {before:.1%}: {found.change:+.1%} ({found.low:+.1%} to {found.high:+.1%}), p = {found.p:.3g}")
    say(f"method: {METHOD}")
    say(f"assumes: {ASSUMES}")
    for title, flips in (("Fixed", found.fixed), ("Broken", found.broken)):
        if flips:
            echo_table(f"{title}: {len(flips)}", ["item", "gold", found.against, found.judge], [_row(flip) for flip in flips])


def _row(flip: Flip) -> list[str]:
    return [flip.item_id, flip.gold, flip.before or "judge failed", flip.after or "judge failed"]
