"""`adjudicate plan`: how many labels, and what a comparison can find."""

from __future__ import annotations

from typing import Any, cast

import click

from adjudicate.cli.context import Workspace, pass_workspace
from adjudicate.cli.output import echo_json, echo_table, json_option, say
from adjudicate.core.demands import fraction
from adjudicate.core.text import shortened
from adjudicate.errors import UsageError


def pairs(values: tuple[str, ...], option: str) -> dict[str, float]:
    """``NAME=FRACTION`` of a repeatable option."""
    found = {}
    for each in values:
        name, equals, number = each.rpartition("=")
        if not equals or not name:
            raise UsageError(f"{option} {shortened(each, 60)}: write NAME=FRACTION")
        found[name] = fraction(number, f"{option} {shortened(name, 60)}")
    return found


@click.group(invoke_without_command=True)
@click.option("--half-width", type=float, default=0.02, show_default=True, help="Half of the interval; 0.02 is 2 points.")
@click.option("--run", default=None, help="Only this run (id, beginning of an id, name).")
@click.option("--model", default=None, help="Only items of this model.")
@click.option("--population", default=None, help="Only this population.")
@click.option("--rate", default=None, help="Only this rate of the policy.")
@click.option("--judge", default=None, help="Whose verdicts make the strata before a draw.")
@click.option("--allocation", type=click.Choice(["mix", "proportional", "neyman"]), default="mix", show_default=True,
              help="How labels are shared between strata.")  # fmt: skip
@click.option("--conservative", is_flag=True, help="Clopper-Pearson limits, as a gate uses them.")
@click.option("--zero-below", type=float, default=None, help="Labels without an event to claim a rate below this.")
@click.option("--guess", "guesses", metavar="CELL=FRACTION", multiple=True, help="Event rate to plan with: flagged=0.4.")
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Of the intervals.")
@json_option
@click.pass_context
def plan(context: click.Context, /, *, as_json: bool, guesses: tuple[str, ...], **options: Any) -> None:
    """Say how many labels a half-width needs, how many more from the labels at hand, and in which stratum.

    \b
    Example:
      adjudicate plan --half-width 0.02 --zero-below 0.01
    """
    if context.invoked_subcommand is not None:
        return
    from adjudicate.workflow.plan_labels import PlanQuestion, plan_labels
    from adjudicate.workflow.present_plan import plan_tables

    workspace = context.find_object(Workspace)
    assert workspace is not None
    found = plan_labels(workspace.store(), PlanQuestion(guesses=pairs(guesses, "--guess") or None, **options))
    if as_json:
        echo_json(found.as_json())
        return
    for table in plan_tables(found):
        echo_table(table.title, table.headers, cast("list[list[str]]", table.rows), right=table.right)
    for note in found.notes:
        say(note)


@plan.command()
@click.option("--before", type=float, default=None, help="Rate before, a fraction.")
@click.option("--after", type=float, default=None, help="Rate after, a fraction.")
@click.option("--n", "n", type=int, default=None, help="Prompts; on different prompts, prompts per run.")
@click.option("--discordant", type=float, default=None, help="Share of prompts that change, either way.")
@click.option("--margin", type=float, default=None, help="Largest change for the worse accepted.")
@click.option("--power", type=float, default=0.8, show_default=True, help="Chance to find the change.")
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Two-sided level.")
@json_option
@pass_workspace
def power(_workspace: Workspace, /, *, as_json: bool, **options: Any) -> None:
    """Power, sizes and the smallest change found when two runs are compared, on the same prompts and on different ones.

    \b
    Example:
      adjudicate plan power --before 0.20 --after 0.15 --n 250 --discordant 0.09
    """
    from adjudicate.stats.label_plans import PowerSettings
    from adjudicate.workflow.plan_labels import plan_power
    from adjudicate.workflow.present_plan import power_table

    found = plan_power(PowerSettings(**options))
    if as_json:
        echo_json({"estimates": [estimate.as_json() for estimate in found]})
        return
    table = power_table(found)
    echo_table(table.title, table.headers, cast("list[list[str]]", table.rows), right=table.right)
