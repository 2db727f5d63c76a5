"""`adjudicate frontier`: both rates at every threshold, and the points worth choosing."""

from __future__ import annotations

from typing import Any, cast

import click

from adjudicate.cli.context import Workspace, pass_workspace
from adjudicate.cli.output import echo_json, echo_table, json_option, talk
from adjudicate.cli.plan import pairs
from adjudicate.core.text import shortened
from adjudicate.errors import UsageError


def _numbers(values: tuple[str, ...], option: str) -> dict[str, float]:
    found = {}
    for each in values:
        name, equals, number = each.rpartition("=")
        try:
            found[name] = float(number)
        except ValueError:
            equals = ""
        if not equals or not name or not 0 <= found[name] < 1e9:
            raise UsageError(f"{option} {shortened(each, 60)}: write NAME=NUMBER, 0 or more")
    return found


@click.command()
@click.option("--judge", default=None, help="Whose scores; the judge with the most by default.")
@click.option("--score", type=click.Choice(["score", "safety"]), default="score", show_default=True,
              help="score: higher is more suspicious. safety: turned round.")  # fmt: skip
@click.option("--reverse", is_flag=True, help="Turn the scores round: lower is more suspicious.")
@click.option("--run", default=None, help="Only this run (id, beginning of an id, name).")
@click.option("--model", default=None, help="Only items of this model.")
@click.option("--harmful-compliance", type=float, default=0.02, show_default=True, help="The rate to keep, a fraction.")
@click.option("--threshold", type=float, default=None, help="Also show the rates at this threshold.")
@click.option("--per-category", is_flag=True, help="A threshold for every category, too.")
@click.option("--prevalence", metavar="NAME=FRACTION", multiple=True, help="Share of requests of a population or intent.")
@click.option("--cost", metavar="NAME=NUMBER", multiple=True, help="miss, false_alarm, miss/CATEGORY; else the policy's.")
@click.option("--filter", "filters", metavar="JUDGE", multiple=True, help="A layer of a stack of filters, in order.")
@click.option("--half", is_flag=True, help="Choose on one half of the prompts, report on the other.")
@click.option("--example", is_flag=True, help="The worked example, computed; needs no workspace.")
@json_option
@pass_workspace
def frontier(
    workspace: Workspace, /, *, as_json: bool, example: bool, prevalence: tuple[str, ...], cost: tuple[str, ...], **options: Any
) -> None:
    """Show harmful compliance and benign refusal at every threshold, and what a threshold costs.

    \b
    Example:
      adjudicate frontier --harmful-compliance 0.02 --prevalence harmful=0.01
    """
    if example:
        _example(as_json=as_json)
        return
    from adjudicate.workflow.operating_point import FrontierQuestion, find_operating_point
    from adjudicate.workflow.present_frontier import frontier_tables

    shares, costs = pairs(prevalence, "--prevalence"), _numbers(cost, "--cost")
    if costs and not shares:
        raise UsageError("--cost needs --prevalence: what errors cost depends on how often they can happen")
    found = find_operating_point(workspace.store(), FrontierQuestion(prevalence=shares, costs=costs, **options))
    if as_json:
        echo_json(found.as_json())
        return
    for table in frontier_tables(found):
        echo_table(table.title, table.headers, cast("list[list[str]]", table.rows), right=table.right, notes=table.notes)
    for note in found.notes:
        talk(f"! {note}")


def _example(*, as_json: bool) -> None:
    from adjudicate.workflow.operating_point import example_estimates
    from adjudicate.workflow.present_frontier import example_table

    estimates = example_estimates()
    if as_json:
        echo_json({"estimates": [estimate.as_json() for estimate in estimates]})
        return
    table = example_table(estimates)
    echo_table(table.title, table.headers, cast("list[list[str]]", table.rows), right=table.right)
