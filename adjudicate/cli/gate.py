"""`adjudicate gate`: a release decision as an exit code, a table, JSON, Markdown and JUnit XML."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from adjudicate import __version__
from adjudicate.cli.context import Workspace, now, pass_workspace
from adjudicate.cli.output import echo_json, echo_table, json_option, say, talk
from adjudicate.core.demands import asked_from
from adjudicate.core.text import visible_line

if TYPE_CHECKING:
    from adjudicate.workflow.compare_policies import TwoReleases
    from adjudicate.workflow.release import GateQuestion, Release

EXIT_CODES = {"pass": 0, "fail": 1, "undecided": 3}
SHOWN_ITEMS = 20

_file = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.option("--baseline", metavar="RUN", default=None, help="Run (id, beginning of an id, name) or model before the change.")
@click.option("--candidate", metavar="RUN", default=None, help="Run or model to release; everything by default.")
@click.option("--model", default=None, help="Only items of this model, on both sides.")
@click.option("--population", default=None, help="Only this population.")
@click.option("--max", "maxima", metavar="RATE=FRACTION", multiple=True, help="Largest rate accepted; RATE:POPULATION for one.")
@click.option("--min", "minima", metavar="RATE=FRACTION", multiple=True, help="The same for a rate that is better high.")
@click.option("--margin", "changes", metavar="RATE=FRACTION", multiple=True, help="Largest change for the worse accepted.")
@click.option("--margins", "margins", type=_file, default=None, help="TOML or YAML file with max, min and margin.")
@click.option("--anytime", is_flag=True, help="Limits that hold at every look: for labelling until the gate decides.")
@click.option("--target", type=click.Choice(["finite", "process"]), default="finite", show_default=True, help="As in report.")
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Two-sided; a gate errs in half of the rest.")
@click.option("--intents", type=click.Choice(["declared", "adjudicated"]), default="declared", show_default=True,
              help="Which reading of contested intents decides; where rulings moved items, both are shown.")  # fmt: skip
@click.option("--against-workspace", "against", type=click.Path(path_type=Path, file_okay=False), default=None,
              help="The same run under another deployment's policy, in the workspace DIR.")  # fmt: skip
@click.option("--markdown", type=_file, default=None, help="Write a summary for GitHub.")
@click.option("--junit", type=_file, default=None, help="Write JUnit XML.")
@click.option("--receipt", type=_file, default=None, help="Write the release receipt, with the margins and the decision.")
@json_option
@pass_workspace
def gate(
    workspace: Workspace, /, *, as_json: bool, against: Path | None, markdown: Path | None, junit: Path | None,
    receipt: Path | None, **options: Any,
) -> int:  # fmt: skip
    """Pass, fail or undecided: every rate against what was asked, all rows must pass.

    Exit code 0 pass, 1 fail, 3 undecided (more labels are needed), 2 what was asked cannot be answered.

    \b
    Example:
      adjudicate gate --model m1 --max harmful_compliance=0.02 --max benign_refusal=0.10
    """
    question = _question(**options)
    if against is not None:
        return _both(workspace, against, question, as_json=as_json, unused=(markdown, junit, receipt))
    from adjudicate.workflow.decide_release import decide_release

    release = decide_release(workspace.store(), question)
    _write(workspace, release, markdown, junit, receipt)
    if as_json:
        echo_json(release.as_json())
    else:
        _show(release)
    return EXIT_CODES[release.decision]


def _question(
    *, maxima: tuple[str, ...], minima: tuple[str, ...], changes: tuple[str, ...], margins: Path | None, **rest: Any
) -> GateQuestion:
    from adjudicate.formats.margins_file import read_margins
    from adjudicate.workflow.release import GateQuestion

    asked = (
        *(asked_from("max", each) for each in maxima),
        *(asked_from("min", each) for each in minima),
        *(asked_from("margin", each) for each in changes),
    )
    return GateQuestion(asked=asked, margins=read_margins(margins) if margins else None, **rest)


def _show(release: Release) -> None:
    from adjudicate.workflow.present_release import basis, reasons, release_table

    table = release_table(release)
    echo_table(table.title, table.headers, cast("list[list[str]]", table.rows), right=table.right)
    say(f"Gate: {release.decision}")
    for line in (*reasons(release), *basis(release)):
        say(f"  {visible_line(line)}")
    for warning in release.warnings:
        talk(f"! {visible_line(warning)}")


def _write(workspace: Workspace, release: Release, markdown: Path | None, junit: Path | None, receipt: Path | None) -> None:
    from adjudicate.formats.junit import junit_text
    from adjudicate.formats.writers import write_whole
    from adjudicate.workflow.export_place import refuse_place
    from adjudicate.workflow.present_release import release_cases, release_markdown

    for option, path in (("--markdown", markdown), ("--junit", junit), ("--receipt", receipt)):
        if path is not None:
            refuse_place(path, workspace.paths.exports, option=option)
    if markdown is not None:
        write_whole(markdown, [release_markdown(release)])
    if junit is not None:
        properties = {"decision": release.decision, "policy": release.policy.fingerprint}
        if release.question.margins:
            properties |= {"margins": release.question.margins.name, "margins_sha256": release.question.margins.sha256}
        write_whole(junit, [junit_text("adjudicate gate", release_cases(release), properties)])
    if receipt is not None:
        from adjudicate.workflow.receipt import receipt as made

        whole = made(workspace.store(), software=f"adjudicate {__version__}", at=now(), conservative=True)
        whole |= {"gate": release.as_json()}
        write_whole(receipt, [json.dumps(whole, ensure_ascii=False, allow_nan=False, indent=2) + "\n"])


def _both(workspace: Workspace, against: Path, question: GateQuestion, *, as_json: bool, unused: tuple[Path | None, ...]) -> int:
    from adjudicate.errors import UsageError
    from adjudicate.workflow.compare_policies import decide_both

    if any(unused):
        raise UsageError("--against-workspace prints a table or JSON; write files from a gate in each workspace")
    other = Workspace(against)
    try:
        found = decide_both(workspace.store(), other.store(), question)
    finally:
        other.close()
    if as_json:
        echo_json(found.as_json())
    else:
        _show_both(found, workspace.settings.name, other.settings.name)
    return EXIT_CODES[found.decision]


def _show_both(found: TwoReleases, here: str, there: str) -> None:
    for name, release in ((here, found.here), (there, found.there)):
        say(f"{visible_line(name)}, policy {release.policy.id} {release.policy.version}")
        _show(release)
    apart = found.apart
    say(f"Settled in both: {apart.compared} items; not compared: {apart.missing}.")
    for words, ids in (("Right here, wrong there", apart.here_only), ("Wrong here, right there", apart.there_only)):
        say(f"{words}: {len(ids)}")
        for item_id in ids[:SHOWN_ITEMS]:
            say(f"  {visible_line(apart.named(item_id))}")
        if len(ids) > SHOWN_ITEMS:
            say(f"  and {len(ids) - SHOWN_ITEMS} more; --json has all")
    say(f"Both: {found.decision}")
