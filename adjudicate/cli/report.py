"""`adjudicate report`: estimates, or a judge's errors, as tables or JSON."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from adjudicate.cli.context import Workspace, pass_workspace
from adjudicate.cli.output import counted, echo_json, echo_table, json_option, say, talk
from adjudicate.errors import UsageError
from adjudicate.workflow.judge_tables import errors_table
from adjudicate.workflow.present_report import BRIEF_SECTIONS, brief, tables
from adjudicate.workflow.text_table import TextTable

if TYPE_CHECKING:
    from adjudicate.workflow.calibrate_from import CalibrationSet


def _fields(_context: click.Context, _parameter: click.Parameter, value: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in value.split(",") if name.strip())


@click.command()
@click.argument(
    "section",
    type=click.Choice(["agreement", "accuracy", "anchoring", "calibration", "rates", "errors", "all"]),
    default=None,
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
@click.option("--calibrate-from", "calibrate_from", type=click.Path(path_type=Path, file_okay=False), default=None,
              help="Also rates by the judge's errors on another workspace's labels, if they carry over.")  # fmt: skip
@json_option
@pass_workspace
def report(workspace: Workspace, /, *, as_json: bool, calibrate_from: Path | None, **options: Any) -> None:
    """Print the main numbers; with a section all of its tables, with `all` every table; or list the judge's errors.

    \b
    Example:
      adjudicate report all
      adjudicate report rates --json
      adjudicate report errors
      adjudicate report rates --calibrate-from ../labelled-elsewhere
    """
    from adjudicate.workflow.run_names import run_id

    is_brief = options["section"] is None
    options["section"] = options["section"] or "all"
    options["run"] = run_id(workspace.store(), options["run"])
    if calibrate_from is not None:
        options["calibration"] = _calibration(workspace, calibrate_from, options)
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
    for shown in brief(built) if is_brief else tables(built):
        _echo(shown)
    for section, reason in built.missing.items():
        if not is_brief or section in BRIEF_SECTIONS:
            say(f"No {section}: {reason}.")
    if is_brief:
        talk("More: report agreement | accuracy | anchoring | calibration | rates | errors | all; --json has everything.")
    for warning in built.warnings:
        talk(f"! {warning}")


def _calibration(workspace: Workspace, folder: Path, options: dict[str, Any]) -> CalibrationSet:
    from adjudicate.workflow.calibrate_from import calibration_set

    if options["section"] not in ("rates", "all"):
        raise UsageError("--calibrate-from: labels from elsewhere give rates; ask for 'report rates'")
    if folder.resolve() == workspace.paths.root.resolve():
        raise UsageError("--calibrate-from: that is this workspace; its own labels give the corrected rates without it")
    other = Workspace(folder)
    try:
        return calibration_set(other.store(), workspace.store(), name=other.settings.name, judge=options["judge"])
    finally:
        other.close()


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
