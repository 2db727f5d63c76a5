"""`adjudicate report`: estimates as tables or JSON."""

from __future__ import annotations

from typing import Any, cast

import click

from adjudicate.cli.context import Workspace, pass_workspace
from adjudicate.cli.output import echo_json, echo_table, json_option, talk
from adjudicate.workflow.present_report import SECTION_TABLES, table


def _fields(_context: click.Context, _parameter: click.Parameter, value: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in value.split(",") if name.strip())


@click.command()
@click.argument("section", type=click.Choice(["agreement", "accuracy", "rates", "all"]), default="all")
@click.option("--by", callback=_fields, default="", help="Split by model, category, language, run (comma-separated).")
@click.option("--model", default=None, help="Only items of this model.")
@click.option("--run", "run", default=None, help="Only items of this run.")
@click.option("--judge", default=None, help="Only verdicts of this judge.")
@click.option("--population", default=None, help="Only this population.")
@click.option("--conservative", is_flag=True, help="Clopper-Pearson limits, for a claim rather than for display.")
@click.option(
    "--target",
    type=click.Choice(["finite", "process"]),
    default="finite",
    show_default=True,
    help="Speak for these responses, or for the process that made them.",
)
@json_option
@pass_workspace
def report(workspace: Workspace, /, *, as_json: bool, **options: Any) -> None:
    """Print agreement between annotators, the judge's accuracy, and raw, human and corrected rates.

    \b
    Example:
      adjudicate report rates --json
    """
    from adjudicate.workflow.build_report import ReportOptions, build_report

    built = build_report(workspace.store(), ReportOptions(**options))
    if as_json:
        echo_json(built.as_json())
        return
    click.echo(
        f"{workspace.settings.name}: policy {built.policy.id} {built.policy.version}, {built.items} items,"
        f" {built.labelled} labelled, {built.open_items} disagreements open"
    )
    for section in SECTION_TABLES:
        if section == "outcomes" and options["section"] != "rates":
            continue  # every outcome as a rate of its own: long, and only wanted by who asks for rates
        shown = table(section, built)
        if shown.rows:
            echo_table(shown.title, shown.headers, cast("list[list[str]]", shown.rows), right=shown.right)
    for warning in built.warnings:
        talk(f"! {warning}")
