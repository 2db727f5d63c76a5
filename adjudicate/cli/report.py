"""`adjudicate report`: estimates, or a judge's errors, as tables or JSON."""

from __future__ import annotations

from typing import Any, cast

import click

from adjudicate.cli.context import Workspace, pass_workspace
from adjudicate.cli.output import counted, echo_json, echo_table, json_option, say, talk
from adjudicate.errors import UsageError
from adjudicate.workflow.judge_tables import errors_table
from adjudicate.workflow.present_report import SECTION_TABLES, brief, table
from adjudicate.workflow.text_table import TextTable


def _fields(_context: click.Context, _parameter: click.Parameter, value: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in value.split(",") if name.strip())


@click.command()
@click.argument(
    "section",
    type=click.Choice(["agreement", "accuracy", "anchoring", "calibration", "rates", "errors", "all"]),
    default="all",
)
@click.option("--by", callback=_fields, default="", help="Split by model, category, language, run (comma-separated).")
@click.option("--model", default=None, help="Only items of this model.")
@click.option("--run", "run", default=None, help="Only items of this run: its id, the beginning of it, or its name.")
@click.option("--judge", default=None, help="Only verdicts of this judge.")
@click.option("--population", default=None, help="Only this population.")
@click.option("--conservative", is_flag=True, help="Clopper-Pearson limits, for a claim rather than for display.")
@click.option("--anytime", is_flag=True, help="Limits that hold at every moment, where a decision ends the labelling.")
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
    """Print agreement, the judge's accuracy, anchoring, calibration and rates; or list the judge's errors.

    \b
    Example:
      adjudicate report rates --json
      adjudicate report errors
    """
    from adjudicate.workflow.run_names import run_id

    options["run"] = run_id(workspace.store(), options["run"])
    if options["section"] == "errors":
        _list_errors(workspace, options, as_json=as_json)
        return
    from adjudicate.workflow.build_report import ReportOptions, build_report

    built = build_report(workspace.store(), ReportOptions(**options))
    if as_json:
        echo_json(built.as_json())
        return
    say(
        f"{workspace.settings.name}: policy {built.policy.id} {built.policy.version}, {counted(built.items, 'item')},"
        f" {built.labelled} labelled, {counted(built.open_items, 'disagreement')} open"
    )
    whole = options["section"] == "all"
    for shown in brief(built) if whole else [table(section, built) for section in SECTION_TABLES]:
        _echo(shown)
    if whole:
        talk("More: report agreement | accuracy | anchoring | calibration | rates | errors; --json has everything.")
    for warning in built.warnings:
        talk(f"! {warning}")


def _list_errors(workspace: Workspace, options: dict[str, Any], *, as_json: bool) -> None:
    from adjudicate.workflow.build_report import ReportOptions
    from adjudicate.workflow.list_errors import list_errors

    if options["by"]:
        raise UsageError("--by: a list of errors names the group of each; narrow it with --model, --run or --population")
    listed = list_errors(workspace.store(), ReportOptions(**{**options, "section": "all"}, only=("judge_errors",)))
    if as_json:
        echo_json(listed.as_json())
        return
    say(
        f"{workspace.settings.name}: {counted(listed.labelled, 'item')} with a gold label,"
        f" {counted(len(listed.errors), 'judge error')} on them"
    )
    _echo(errors_table(listed))
    for warning in listed.warnings:
        talk(f"! {warning}")


def _echo(shown: TextTable) -> None:
    if shown.rows:
        echo_table(shown.title, shown.headers, cast("list[list[str]]", shown.rows), right=shown.right, notes=shown.notes)
